// GitLab's interface: the merge request of a merge, who approves it, and the plan that its pipeline made.

import { listPages, walkPages } from './pages.mjs';
import { findPushers } from './pushers.mjs';

/** The level of the role Developer: who may push. */
const DEVELOPER = 30;

export function reviewsOf(call, { project, remedy }) {
  const base = `/projects/${encodeURIComponent(project)}`;
  const readRequest = async (number) => (await call('GET', `${base}/merge_requests/${number}`, { remedy })).value;
  const mayPush = async (id) => {
    const { value } = await call('GET', `${base}/members/all/${id}`, { remedy, accept: [404] });
    return Number(value?.access_level) >= DEVELOPER;
  };
  return {
    /** The merge request whose merge made the commit: a merge, a squash, or its own newest commit; undefined if there is none. */
    async findMerged(commit, branch) {
      const requests = await listPages(call, `${base}/repository/commits/${commit}/merge_requests`, { remedy });
      const merged = requests.find(
        ({ state, target_branch: target, merge_commit_sha: merge, squash_commit_sha: squash, sha }) =>
          state === 'merged' && target === branch && (merge ?? squash ?? sha) === commit,
      );
      return merged && { number: merged.iid, head: merged.sha };
    },
    /** Who approved after the newest commit was pushed, may push, and did not write the change. */
    async listApprovals({ number }) {
      const { author, sha: head } = await readRequest(number);
      const versions = await listPages(call, `${base}/merge_requests/${number}/versions`, { remedy });
      const pushed = versions
        .filter(({ head_commit_sha: sha }) => sha === head)
        .map(({ created_at: at }) => Date.parse(at));
      const { value } = await call('GET', `${base}/merge_requests/${number}/approvals`, { remedy });
      const names = [];
      for (const { user, approved_at: at } of value?.approved_by ?? []) {
        // GitLab keeps approvals of older commits, unless a setting removes them. An old GitLab does not say when: then none counts.
        const isOfHead = pushed.length > 0 && Date.parse(at) > Math.max(...pushed);
        if (isOfHead && user?.id !== author?.id && (await mayPush(user?.id))) names.push(user.username);
      }
      return names;
    },
    /** Who pushed to the request; undefined where nobody knows. */
    async listPushers({ number }) {
      const request = await readRequest(number);
      // The record of another project is its owner's.
      if (String(request.source_project_id) !== String(project)) return undefined;
      const pushes = readPushes(call, { base, branch: request.source_branch, remedy });
      const pushers = await findPushers(pushes, { head: request.sha, openedAt: request.created_at });
      return pushers && [...pushers];
    },
    /**
     * What the newest pipeline of the newest commit stored, in this project: the texts of the files by their names; undefined if
     * there is none.
     */
    async readReviewed({ number }, { job, folder = '', names }) {
      const { head_pipeline: pipeline } = await readRequest(number);
      if (!pipeline || String(pipeline.project_id) !== String(project)) return undefined;
      const jobs = await listPages(call, `${base}/pipelines/${pipeline.id}/jobs`, { remedy });
      const made = jobs.find(({ name, status }) => name === job && status === 'success');
      if (made === undefined) return undefined;
      const files = new Map();
      for (const name of names) {
        const path = `${base}/jobs/${made.id}/artifacts/${folder}${name}`;
        const { status, text } = await call('GET', path, { remedy, accept: [404] });
        if (status === 404) return undefined;
        files.set(name, text);
      }
      return files;
    },
  };
}

/** GitLab records a push of many branches at once without their names: then the newest commit is in no push. */
async function* readPushes(call, { base, branch, remedy }) {
  for await (const { author, created_at: at, push_data: push } of walkPages(call, `${base}/events?action=pushed`, {
    remedy,
  })) {
    if (push?.ref_type !== 'branch' || push.ref !== branch || push.action === 'removed') continue;
    yield { by: author?.username, commit: push.commit_to, at, isFirst: push.action === 'created' };
  }
}
