// GitHub's interface: the pull request of a merge, who approves it, and the run that made its plan.

import { listPages } from './pages.mjs';

const PULLS_REMEDY = 'The job needs `permissions: { pull-requests: read }`.';
const ACTIONS_REMEDY = 'The job needs `permissions: { actions: read }`; `require-reviewed: false` does without.';
/** What somebody must be allowed to in the repository for a review to count: on a public one, anybody can approve. */
const WRITERS = ['admin', 'write'];

export function reviewsOf(call, { repo, repository, workflow }) {
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
    /** The newest run that made a plan of the commit `head`, in this repository and by this workflow; undefined if there is none. */
    async findReviewedRun({ head }, project) {
      const name = encodeURIComponent(`flag-review-${project}-${head}`);
      const options = { remedy: ACTIONS_REMEDY };
      const { value } = await call('GET', `${repo}/actions/artifacts?name=${name}&per_page=100`, options);
      for (const { workflow_run: run, expired } of value?.artifacts ?? []) {
        // A job of a fork can store an artifact of any name.
        if (expired || run?.head_sha !== head || run.head_repository_id !== run.repository_id) continue;
        const { value: made } = await call('GET', `${repo}/actions/runs/${run.id}`, options);
        const isOurs = `${repository}/${made?.path}` === workflow && String(made?.event).startsWith('pull_request');
        if (isOurs && made.event !== 'pull_request_target') return run.id;
      }
      return undefined;
    },
  };
}
