// GitHub's interface: comments and reviews of a pull request, and pull requests of a branch.

import { setTimeout as sleep } from 'node:timers/promises';
import { createCaller } from './call.mjs';
import { forksOf } from './github-forks.mjs';
import { reviewsOf } from './github-reviews.mjs';
import { listPages } from './pages.mjs';

const COMMENT_REMEDY =
  'The job needs `permissions: { pull-requests: write }`; `comment: false` makes a plan without a comment.';
const REQUEST_REMEDY =
  'The job needs `permissions: { contents: write, pull-requests: write }`, and the repository, under Settings > Actions > General, ' +
  '"Allow GitHub Actions to create and approve pull requests".';

/** `author`: the login whose comments are its own. `workflow`: the file of the running workflow, `acme/shop/.github/…`. */
export function createGithub({ api, repository, token, author, workflow, seconds, pause = (ms) => sleep(ms) }) {
  const headers = {
    authorization: `Bearer ${token}`,
    accept: 'application/vnd.github+json',
    'x-github-api-version': '2022-11-28',
  };
  const call = createCaller({ api, headers, seconds, pause });
  const repo = `/repos/${repository}`;
  return {
    /** Bytes. A text may have 65,536 characters. */
    textLimit: 65_536,
    ...commentsOf(call, { repo, author }),
    ...requestsOf(call, { repo, owner: repository.split('/')[0] }),
    ...reviewsOf(call, { repo, repository, workflow, seconds }),
    ...forksOf(call, { repo, pause }),
  };
}

function commentsOf(call, { repo, author }) {
  const remedy = COMMENT_REMEDY;
  return {
    async listOwnComments(request) {
      const comments = await listPages(call, `${repo}/issues/${request}/comments`, { remedy });
      // Anybody can write a comment that begins like ours.
      return comments.filter(({ user }) => user?.login === author).map(({ id, body }) => ({ id, text: body ?? '' }));
    },
    createComment: (request, text) =>
      call('POST', `${repo}/issues/${request}/comments`, { body: { body: text }, remedy }),
    /** Whether the comment was still there. */
    async updateComment(_request, id, text) {
      const options = { body: { body: text }, remedy, accept: [404, 410] };
      const { status } = await call('PATCH', `${repo}/issues/comments/${id}`, options);
      return status < 300;
    },
    deleteComment: (_request, id) => call('DELETE', `${repo}/issues/comments/${id}`, { remedy, accept: [404, 410] }),
  };
}

function requestsOf(call, { repo, owner }) {
  const remedy = REQUEST_REMEDY;
  return {
    async findRequest(branch) {
      const path = `${repo}/pulls?state=open&head=${encodeURIComponent(`${owner}:${branch}`)}`;
      const { value } = await call('GET', path, { remedy });
      return value[0]?.number;
    },
    createRequest: ({ branch, target, title, text }) =>
      call('POST', `${repo}/pulls`, { body: { head: branch, base: target, title, body: text }, remedy }),
    updateRequest: (request, text) => call('PATCH', `${repo}/pulls/${request}`, { body: { body: text }, remedy }),
    async closeRequest(request, branch) {
      await call('POST', `${repo}/issues/${request}/comments`, { body: { body: 'In sync again.' }, remedy });
      await call('PATCH', `${repo}/pulls/${request}`, { body: { state: 'closed' }, remedy });
      // 422: GitHub has deleted the branch already.
      await call('DELETE', `${repo}/git/refs/heads/${branch}`, { remedy, accept: [404, 422] });
    },
  };
}
