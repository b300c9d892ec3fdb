// What people reviewed, as only the forge knows it: the request of a commit, who approves it, and the plan that they saw.

import { existsSync, readFileSync } from 'node:fs';
import { Failure } from './failure.mjs';
import { differencesOf, digestOf, readPlan } from './reviewed-plan.mjs';

const SHOWN = 50;

/** The saved plan of this job. */
export function savedPlan() {
  return existsSync('plan.json') ? readPlan(readFileSync('plan.json', 'utf8')) : undefined;
}

/** The request that the job is about: the open one, or the one whose merge made the commit. */
export async function findRequest({ change, forge, branch, commit }) {
  if (change.kind === 'request') return { number: change.number, head: commit };
  if (change.kind !== 'merge' || forge.findMerged === undefined) return undefined;
  return forge.findMerged(change.commit, branch);
}

/** Options that name who approves the commit of the request. */
export async function approvalsOf({ forge }, request) {
  if (request === undefined || forge.listApprovals === undefined) return [];
  const names = await forge.listApprovals(request);
  console.log(`Approved in the review of ${request.number}: ${names.length === 0 ? 'by nobody' : names.join(', ')}.`);
  return names.length === 0 ? [] : ['--approved-by', ...names];
}

/**
 * Why nobody has reviewed exactly this plan, as lines; undefined if somebody has. `request`: the one of the merge, if there
 * is one.
 */
export async function whyNotReviewed(job, made, request) {
  const { change, reviewed } = job;
  if (reviewed === digestOf(made)) return undefined;
  if (change.kind !== 'merge') {
    return reviewed === undefined
      ? ['A run by hand has no review.']
      : [`The input names another plan, ${JSON.stringify(reviewed.slice(0, 80))}: something has changed since.`];
  }
  if (request === undefined) return ['The commit is not the merge of a pull request or merge request.'];
  const seen = await seenPlan(job, request);
  if (seen === undefined) {
    return [
      `The plan of ${request.number} is not there: it was made in a fork, its job failed, or it is no longer kept.`,
    ];
  }
  const differences = differencesOf(seen, made);
  return differences.length === 0 ? undefined : [`The plan of ${request.number} was another one.`, ...differences];
}

/** GitHub's is downloaded by the action before; GitLab's is read from the job that made it. */
async function seenPlan({ forge, reviewedFile, change }, request) {
  if (forge.readReviewedPlan !== undefined) {
    const text = await forge.readReviewedPlan(request, change.job);
    return text === undefined ? undefined : readPlan(text);
  }
  if (reviewedFile === undefined || !existsSync(reviewedFile)) return undefined;
  return readPlan(readFileSync(reviewedFile, 'utf8'));
}

export function refusalText({ reviewHint }, made, [why, ...differences]) {
  const more = differences.length - SHOWN;
  return [
    '**Not applied: nobody has reviewed exactly this plan**',
    '',
    why,
    ...(differences.length === 0 ? [] : ['']),
    ...differences.slice(0, SHOWN).map((line) => `- ${line}`),
    ...(more > 0 ? [`- and ${more} more`] : []),
    '',
    `To apply the plan of this job all the same, read it, then ${reviewHint} \`${digestOf(made)}\`.`,
  ].join('\n');
}

/** @throws {Failure} where reviews have to be read and the job has no token for it. */
export function checkForge({ forge, change }) {
  if (change.kind === 'merge' && forge.findMerged === undefined)
    throw new Failure(
      'FLAG_NOTES_TOKEN is not set, so the review of the change cannot be read. Add it to the variables of the project, or set FLAG_REQUIRE_REVIEWED to false.',
    );
}
