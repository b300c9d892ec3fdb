// New waivers: what was applied has one only once the person whom it names has approved the request that brought it.

import { quoteCode } from './quote.mjs';
import { findRequest, listApprovers, savedPlan } from './review.mjs';

/** Why a new waiver may not become one of what was applied, as text; undefined if all may, or where the forge cannot tell. */
export async function refuseWaivers(job) {
  const fresh = savedPlan()?.newWaivers ?? [];
  if (fresh.length === 0 || job.forge.listApprovals === undefined || !(await bringsWaivers(job))) return undefined;
  const approving = await approversOfAll(job, await findRequests(job));
  const refused = fresh.filter((waiver) => !approving.has(waiver.granted_by));
  return refused.length === 0 ? undefined : textOf(refused, job);
}

/** A request may be younger than one that is merged and waits for its apply: the waivers of that are not its own. */
async function bringsWaivers({ change, target, repository, waiversFile }) {
  return change.kind !== 'request' || repository.isDifferentFrom(target, [waiversFile]);
}

/** All that changed waivers since the last apply; undefined for a commit that is no merge of a request. */
async function findRequests(job) {
  const { change, repository, ref, commit, waiversFile, forge, branch } = job;
  if (change.kind === 'request') return [await findRequest(job)];
  const waiting = await repository.listWaiting({ ref, commit, paths: [waiversFile] });
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

function textOf(waivers, { waiversFile }) {
  return [
    '**Not applied: a waiver counts only with the approval of the person whom it names**',
    '',
    ...waivers.map(
      ({ rule, key, granted_by: name }) => `- ${quoteCode(rule)} for ${quoteCode(key)}, granted by ${quoteCode(name)}`,
    ),
    '',
    `Have that person approve the change, or remove the waiver from ${quoteCode(waiversFile)}.`,
  ].join('\n');
}
