// GitHub's interface: the pull request of a merge, who approves it, and the plan that its run stored.

import { readFiles } from '../zip.mjs';
import { download } from './download.mjs';
import { listPages, walkPages } from './pages.mjs';
import { findPushers } from './pushers.mjs';

const PULLS_REMEDY = 'The job needs `permissions: { pull-requests: read }`.';
const ACTIONS_REMEDY = 'The job needs `permissions: { actions: read }`; `require-reviewed: false` does without.';
const CONTENTS_REMEDY = 'The job needs `permissions: { contents: read }`.';
/** What somebody must be allowed to in the repository for a review to count: on a public one, anybody can approve. */
const WRITERS = ['admin', 'write'];
/** flagwright writes no larger plan, and packs it well. */
const MOST_PLAN_BYTES = 200_000_000;
const MOST_ARTIFACT_BYTES = 50_000_000;

export function reviewsOf(call, { repo, repository, workflow, seconds }) {
  const remedy = PULLS_REMEDY;
  const readPull = async (number) => (await call('GET', `${repo}/pulls/${number}`, { remedy })).value;
  const mayWrite = async (login) => {
    const path = `${repo}/collaborators/${encodeURIComponent(login)}/permission`;
    const { value } = await call('GET', path, { remedy, accept: [404] });
    return WRITERS.includes(value?.permission);
  };
  return {
    /** The pull request whose merge made the commit; undefined if there is none. */
    async findMerged(commit, branch) {
      const pulls = await listPages(call, `${repo}/commits/${commit}/pulls`, { remedy });
      const merged = pulls.find(
        (pull) => Boolean(pull.merged_at) && pull.merge_commit_sha === commit && pull.base?.ref === branch,
      );
      return merged && { number: merged.number, head: merged.head?.sha };
    },
    /** Who approves the commit `head`, may write, and did not open the request: by the newest review of each. */
    async listApprovals({ number, head }) {
      const { user: author } = await readPull(number);
      const reviews = await listPages(call, `${repo}/pulls/${number}/reviews`, { remedy });
      const newest = new Map();
      // In the order of time. A comment does not take an approval back.
      for (const review of reviews) if (review.state !== 'COMMENTED') newest.set(review.user?.login, review);
      const approving = [...newest].filter(([login, { state, commit_id: commit }]) => {
        const isOther = typeof login === 'string' && login !== author?.login;
        return isOther && state === 'APPROVED' && commit === head;
      });
      const names = [];
      for (const [login] of approving) if (await mayWrite(login)) names.push(login);
      return names;
    },
    /** Who pushed to the request, or wrote a commit of it; undefined where nobody knows. */
    async listPushers({ number, head }) {
      const { head: from, created_at: openedAt } = await readPull(number);
      // The record of another repository is its owner's.
      if (from?.repo?.full_name !== repository) return undefined;
      const pushers = await findPushers(readPushes(call, { repo, branch: from.ref }), { head, openedAt });
      if (pushers === undefined) return undefined;
      const commits = await listPages(call, `${repo}/pulls/${number}/commits`, { remedy });
      const writers = commits.flatMap(({ author, committer }) => [author?.login, committer?.login]);
      return [...pushers, ...writers].filter(Boolean);
    },
    /**
     * What the newest run for the newest commit stored, in this repository and by this workflow: the texts of the files by their
     * names; undefined if there is none.
     */
    async readReviewed(request, { project, names }) {
      const artifact = await findArtifact(call, { repo, repository, workflow, ...request, project });
      if (artifact === undefined) return undefined;
      const options = { remedy: ACTIONS_REMEDY, accept: [302, 410] };
      const { status, headers } = await call('GET', `${repo}/actions/artifacts/${artifact}/zip`, options);
      if (status !== 302) return undefined;
      const archive = await download(headers.get('location'), { seconds, most: MOST_ARTIFACT_BYTES });
      return archive && readFiles(archive, { names, most: MOST_PLAN_BYTES });
    },
  };
}

async function* readPushes(call, { repo, branch }) {
  const path = `${repo}/activity?ref=${encodeURIComponent(`refs/heads/${branch}`)}`;
  for await (const push of walkPages(call, path, { remedy: CONTENTS_REMEDY, accept: [404] })) {
    const { activity_type: kind, actor, after: commit, timestamp: at } = push;
    if (kind !== 'branch_deletion') yield { by: actor?.login, commit, at, isFirst: kind === 'branch_creation' };
  }
}

async function findArtifact(call, { repo, repository, workflow, number, head, project }) {
  const name = encodeURIComponent(`flag-review-${project}-${number}-${head}`);
  const options = { remedy: ACTIONS_REMEDY };
  const { value } = await call('GET', `${repo}/actions/artifacts?name=${name}&per_page=100`, options);
  for (const { id, workflow_run: run, expired } of value?.artifacts ?? []) {
    // A job of a fork can store an artifact of any name.
    if (expired || run?.head_sha !== head || run.head_repository_id !== run.repository_id) continue;
    const { value: made } = await call('GET', `${repo}/actions/runs/${run.id}`, options);
    const isOurs = `${repository}/${made?.path}` === workflow && String(made?.event).startsWith('pull_request');
    if (isOurs && made.event !== 'pull_request_target') return id;
  }
  return undefined;
}
