// GitLab's interface: notes and approvals of a merge request, and merge requests of a branch.

import { createCaller } from './call.mjs';
import { reviewsOf } from './gitlab-reviews.mjs';
import { listPages } from './pages.mjs';

const NOTE_REMEDY = 'FLAG_NOTES_TOKEN must be a project access token with the role Reporter and the scope api.';
const REQUEST_REMEDY =
  'FLAG_DRIFT_TOKEN must be a project access token with the role Developer and the scopes api and write_repository.';

/** Without its token, a part of the forge is missing. */
export function createGitlab({ api, project, notesToken, requestsToken, seconds, pause }) {
  const base = `/projects/${encodeURIComponent(project)}/merge_requests`;
  const caller = (token) => createCaller({ api, headers: { 'private-token': token }, seconds, pause });
  return {
    /** Bytes. A text may have 1,000,000 characters. */
    textLimit: 1_000_000,
    ...(notesToken && notesOf(caller(notesToken), base)),
    ...(notesToken && reviewsOf(caller(notesToken), { project, remedy: NOTE_REMEDY })),
    ...(requestsToken && requestsOf(caller(requestsToken), base)),
  };
}

function notesOf(call, base) {
  const remedy = NOTE_REMEDY;
  const notes = (request) => `${base}/${request}/notes`;
  return {
    async listOwnComments(request) {
      const { value: user } = await call('GET', '/user', { remedy });
      const all = await listPages(call, `${notes(request)}?sort=asc&order_by=created_at`, { remedy });
      // Anybody can write a note that begins like ours.
      return all.filter(({ author }) => author?.id === user.id).map(({ id, body }) => ({ id, text: body ?? '' }));
    },
    createComment: (request, text) => call('POST', notes(request), { body: { body: text }, remedy }),
    /** Whether the note was still there. */
    async updateComment(request, id, text) {
      const { status } = await call('PUT', `${notes(request)}/${id}`, { body: { body: text }, remedy, accept: [404] });
      return status < 300;
    },
    deleteComment: (request, id) => call('DELETE', `${notes(request)}/${id}`, { remedy, accept: [404] }),
  };
}

function requestsOf(call, base) {
  const remedy = REQUEST_REMEDY;
  return {
    async findRequest(branch) {
      const path = `${base}?state=opened&source_branch=${encodeURIComponent(branch)}`;
      const { value } = await call('GET', path, { remedy });
      return value[0]?.iid;
    },
    createRequest: ({ branch, target, title, text }) =>
      call('POST', base, {
        body: { source_branch: branch, target_branch: target, title, description: text, remove_source_branch: true },
        remedy,
      }),
    updateRequest: (request, text) => call('PUT', `${base}/${request}`, { body: { description: text }, remedy }),
    closeRequest: (request) => call('PUT', `${base}/${request}`, { body: { state_event: 'close' }, remedy }),
  };
}
