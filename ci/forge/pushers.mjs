// Who pushed to the branch of a request, from the pushes that the forge recorded, newest first. What is written in a commit proves nothing.

/**
 * The names of all who pushed since the branch was made, before the request was opened; undefined if the record does not reach
 * back so far, or lacks the push of the newest commit. `pushes`: an iterable of `{ by, commit, at, isFirst }`.
 */
export async function findPushers(pushes, { head, openedAt }) {
  const names = new Set();
  let hasHead = false;
  for await (const { by, commit, at, isFirst } of pushes) {
    names.add(by);
    hasHead ||= commit === head;
    if (isFirst && Date.parse(at) <= Date.parse(openedAt)) return hasHead ? names : undefined;
  }
  return undefined;
}
