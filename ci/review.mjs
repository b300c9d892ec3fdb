// What people reviewed, as only the forge knows it: the request of a commit, who approves it, and the plan that they saw.

import { existsSync, readFileSync } from 'node:fs';
import { write } from './documents.mjs';
import { Failure } from './failure.mjs';
import { differencesOf, digestOf, readPlan, unionOf } from './reviewed-plan.mjs';

const SHOWN = 50;
/** Beside the plan of a request. */
export const REVIEW = 'flag-review.json';

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
  const names = await listApprovers(forge, request);
  console.log(`Approved in the review of ${request.number}: ${names.length === 0 ? 'by nobody' : names.join(', ')}.`);
  return names.length === 0 ? [] : ['--approved-by', ...names];
}

/** Who approves what others pushed. Where nobody knows who pushed, no approval counts. */
export async function listApprovers(forge, request) {
  const approving = await forge.listApprovals(request);
  if (approving.length === 0) return [];
  const pushers = await forge.listPushers(request);
  if (pushers === undefined)
    console.log(
      `Nobody knows who pushed to ${request.number}, so no approval counts: the forge has no whole record of it.`,
    );
  const own = approving.filter((name) => pushers?.includes(name));
  if (own.length > 0)
    console.log(`Does not count, since they pushed to ${request.number} themselves: ${own.join(', ')}.`);
  return pushers === undefined ? [] : approving.filter((name) => !pushers.includes(name));
}

/**
 * In which requests people reviewed exactly this plan, as `requests`, or why nobody has, as the lines of `why`. `request`: the one of
 * the merge, if there is one. Whoever names the plan by hand has reviewed it: then there are no requests.
 */
export async function findReview(job, made, request) {
  const { change, reviewed } = job;
  if (reviewed === digestOf(made)) return { requests: [] };
  if (change.kind !== 'merge') {
    const other = `The input names another plan, ${JSON.stringify(reviewed?.slice(0, 80))}: something has changed since.`;
    return {
      why: [
        reviewed === undefined
          ? 'A run by hand has no review. This one shows the plan; a second one, which names it, applies it.'
          : other,
      ],
    };
  }
  if (request === undefined) return { why: ['The commit is not the merge of a pull request or merge request.'] };
  const seen = await seenPlan(job, request);
  if (seen === undefined) return { why: [missingText(request)] };
  const differences = differencesOf(seen, made);
  if (differences.length === 0) return { requests: [request] };
  return compareTogether(job, made, { newest: { request, seen }, differences });
}

const missingText = ({ number }) =>
  `The plan of ${number} is not there: it was made in a fork or for another branch, its job failed, or it is no longer kept.`;

/**
 * Requests that were merged one after the other are applied as one plan. It is reviewed if each of its changes is the one that
 * the newest request with that resource showed, and all of those are in it. Nothing is composed: a change that no request showed
 * as it is now is not reviewed.
 */
async function compareTogether(job, made, { newest, differences }) {
  const { deciding: paths, change } = job;
  const alone = [`The plan of ${newest.request.number} was different.`, ...differences];
  const waiting = await listWaiting(job, { commit: change.commit, paths });
  if (waiting === undefined || waiting.length < 2 || waiting.at(-1) !== change.commit) return { why: alone };
  const found = [];
  for (const commit of waiting.slice(0, -1)) {
    const request = await job.forge.findMerged(commit, job.branch);
    const seen = request && (await seenPlan(job, request));
    if (seen === undefined)
      return { why: [...alone, `${whose(request, commit)} waits for its apply too and has no reviewed plan`] };
    found.push({ request, seen });
  }
  const all = [...found, newest];
  const requests = all.map(({ request }) => request);
  const union = unionOf(all.map(({ seen }) => seen));
  const others = union === undefined ? ['They are of several projects.'] : differencesOf(union, made);
  if (others.length === 0) return { requests };
  return {
    why: [`The plans of ${requests.map(({ number }) => number).join(', ')} together were different.`, ...others],
  };
}

/** The commits that wait for an apply in any of the projects; undefined if those of one are not known. */
export async function listWaiting({ repository, projects }, of) {
  const lists = [];
  for (const { ref } of projects) lists.push(await repository.listWaiting({ ref, ...of }));
  // All are of one line of commits, up to the same one.
  return lists.includes(undefined) ? undefined : lists.toSorted((a, b) => b.length - a.length)[0];
}

function whose(request, commit) {
  return request === undefined ? `Commit \`${commit.slice(0, 12)}\`` : `Request ${request.number}`;
}

/** Says of which request the plan is: the same commit may be that of several, each for another branch. */
export function writeReview({ change, target, commit }, base) {
  write(REVIEW, JSON.stringify({ number: String(change.number), target, head: commit, base }));
}

/** The plan that the request showed: of its newest commit, merged into what this branch had then. */
async function seenPlan(job, request) {
  const { forge, project, change, branch, folder, repository } = job;
  const files = await forge.readReviewed(request, { project, job: change.job, folder, names: ['plan.json', REVIEW] });
  const of = readFacts(files?.get(REVIEW));
  const isOfRequest = of?.number === String(request.number) && of.head === request.head && of.target === branch;
  if (!isOfRequest || !(await repository.hasCommit(of.base))) return undefined;
  return readPlan(files.get('plan.json'));
}

function readFacts(text = 'null') {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
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
    `To apply the plan of this job anyway, read it, then ${reviewHint} \`${digestOf(made)}\`.`,
  ].join('\n');
}

/** @throws {Failure} where reviews have to be read and the job has no token for it. */
export function checkForge({ forge, change }) {
  if (change.kind === 'merge' && forge.findMerged === undefined)
    throw new Failure(
      'FLAG_NOTES_TOKEN is not set, so the review of the change cannot be read. Add it to the variables of the project, or set FLAG_REQUIRE_REVIEWED to false.',
    );
}
