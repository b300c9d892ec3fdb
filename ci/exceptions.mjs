// New exceptions: what was applied has one only once the person who grants it has approved the request that brought it.

import { quoteCode } from './quote.mjs';
import { findRequest, listApprovers, listWaiting, savedPlan } from './review.mjs';

/** Why a new exception may not become one of what was applied, as text; undefined if all may, or where the forge cannot tell. */
export async function refuseExceptions(job) {
  const fresh = savedPlan()?.newExceptions ?? [];
  if (fresh.length === 0 || job.forge.listApprovals === undefined || !(await bringsExceptions(job))) return undefined;
  const approving = await approversOfAll(job, await findRequests(job));
  const refused = fresh.filter((exception) => !approving.has(exception.granted_by));
  return refused.length === 0 ? undefined : textOf(refused, job);
}

/** A request may be younger than one that is merged and waits for its apply: the exceptions of that are not its own. */
async function bringsExceptions({ change, target, repository, exceptions }) {
  return change.kind !== 'request' || repository.isDifferentFrom(target, [exceptions]);
}

/** All that changed exceptions since the last apply; undefined for a commit that is no merge of a request. */
async function findRequests(job) {
  const { change, commit, exceptions, forge, branch } = job;
  if (change.kind === 'request') return [await findRequest(job)];
  const waiting = await listWaiting(job, { commit, paths: [exceptions] });
  const requests = [];
  for (const one of waiting?.length > 0 ? waiting : [commit]) requests.push(await forge.findMerged(one, branch));
  return requests;
}

/** Who approved each of them. Whoever runs the job by hand approves what it plans. */
async function approversOfAll({ forge, approver }, requests) {
  const lists = [];
  for (const request of requests) lists.push(request === undefined ? [] : await listApprovers(forge, request));
  const [first = [], ...others] = lists;
  return new Set([...first.filter((name) => others.every((list) => list.includes(name))), approver]);
}

function textOf(exceptions, { exceptions: file }) {
  return [
    '**Not applied: an exception counts only with the approval of the person who grants it**',
    '',
    ...exceptions.map(({ rules: [rule], keys, most, granted_by: name }) => {
      const about = keys === undefined ? `up to ${most}` : keys.map(quoteCode).join(', ');
      return `- ${quoteCode(rule)} for ${about}, granted by ${quoteCode(name)}`;
    }),
    '',
    `Have that person approve the change, or remove the exception from ${quoteCode(file)}.`,
  ].join('\n');
}
