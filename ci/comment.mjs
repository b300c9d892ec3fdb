// The one comment that shows the newest plan of a project on a pull request.

import { ForgeFailure } from './failure.mjs';

const TRIES = 3;

/** Updates the comment that has the marker, or writes one: also if it is deleted meanwhile, or if an answer is lost. */
export async function keepComment(forge, { request, marker, text }) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      if (!(await updateFirst(forge, { request, marker, text }))) await forge.createComment(request, text);
      return;
    } catch (error) {
      // The comment may have been written. The list tells.
      const isLost = error instanceof ForgeFailure && error.isUnknown;
      if (!isLost || attempt === TRIES) throw error;
    }
  }
}

/** Whether a comment shows the text now. Two jobs at once may have written two comments: the newer ones are deleted. */
async function updateFirst(forge, { request, marker, text }) {
  const comments = await forge.listOwnComments(request);
  let isShown = false;
  for (const { id } of comments.filter((comment) => comment.text.startsWith(marker))) {
    if (isShown) await forge.deleteComment(request, id);
    else isShown = await forge.updateComment(request, id, text);
  }
  return isShown;
}

/** Hidden, at the start of the comment, and one for each project: a repository may plan several. */
export function markerOf(project) {
  return `<!-- flagwright plan ${encodeURIComponent(project)} -->`;
}

/** The whole text, or where to find it: a part of a document could end inside a code block. */
export function commentText({ marker, document, commit, url, limit }) {
  const origin = `Plan of commit \`${commit.slice(0, 12)}\` · [job, with its log and the plan as a page](${url})`;
  const whole = `${marker}\n${document.trimEnd()}\n\n${origin}\n`;
  if (Buffer.byteLength(whole) <= limit) return whole;
  return `${marker}\nThe plan does not fit a comment. The log of the job has it.\n\n${origin}\n`;
}
