// Makes a plan of the checkout, saves it for apply, and shows it: in the log, the summary, the diff, one comment and a page.

import { commentText, keepComment, markerOf } from '../comment.mjs';
import { forget, isWritten, putOutput, readOr, summarize, write } from '../documents.mjs';
import { refuseExceptions } from '../exceptions.mjs';
import { Failure } from '../failure.mjs';
import {
  approvalsOf,
  checkForge,
  findRequest,
  findReview,
  refusalText,
  REVIEW,
  savedPlan,
  writeReview,
} from '../review.mjs';
import { sayError, sayWarning } from '../say.mjs';
import { runFlagwright } from '../shell.mjs';
import { fetchSnapshots } from '../snapshot.mjs';

const ANNOTATIONS = 'plan-annotations.txt';
const PAGE = 'plan.html';
const WITH_KEY = ['--out', 'plan.json', '--format', 'markdown', '--output', 'plan.md'];

/** Returns 0 if the plan can be applied or there is nothing to apply, else flagwright's code. */
export async function plan(job) {
  forget('plan.json', 'plan.md', PAGE, ANNOTATIONS, REVIEW);
  // A review of any change starts this.
  if (job.isReview && !(await job.repository.isDifferentFrom(job.base, job.deciding))) return 0;
  if (!(await prepareCheckout(job))) return refuseConflict(job);
  return job.isFork ? planOfFork(job) : planWithKey(job);
}

/** Of a request, the plan is that of its merge into the branch as it is now. False: there is none. */
async function prepareCheckout(job) {
  const { projects, repository, change, target, email, env } = job;
  // First: what is applied after this may be of a newer merge.
  const applied = new Set();
  for (const { ref } of projects) applied.add(await repository.fetchApplied(ref));
  if (change.kind === 'request') {
    const base = await repository.mergeInto(target, email);
    if (base === undefined) return false;
    writeReview(job, base);
  }
  // flagwright says so itself where the clone is whole.
  for (const commit of applied)
    if (commit !== undefined && !(await repository.contains(commit)))
      sayWarning(
        env,
        `Commit ${commit.slice(0, 12)}, which was applied last, is not in this checkout. The plan takes back what only that commit declares.`,
      );
  return true;
}

async function refuseConflict(job) {
  const text = `**This change has no plan**\n\nIt conflicts with \`${job.target}\`: update it.`;
  write('plan.md', text);
  sayError(job.env, text);
  const document = publishDocuments(job, { code: 1 });
  if (!job.isFork) await comment(job, document);
  return 1;
}

async function planWithKey(job) {
  const made = await makePlan(job, WITH_KEY);
  const review = await consultReview(job, made);
  const planned = review.approval.length > 0 ? await makePlan(job, WITH_KEY, review.approval) : made;
  const refusals = [review.note, await refuseExceptions(job)].filter((text) => text !== undefined);
  const code = refusals.length > 0 ? 4 : planned;
  const document = publishDocuments(job, { code, notes: refusals });
  // A comment has a limit; the log has the whole plan.
  if (isWritten('plan.json')) await runFlagwright(['show', 'plan.json'], job.env);
  annotate(job, code);
  for (const text of refusals) sayError(job.env, text);
  await comment(job, document);
  return endOf(code);
}

const ASKED = { approval: [] };

/** What the review of the change adds: approvals for a plan that they may lift, and as `note` a refusal of one that nobody reviewed. */
async function consultReview(job, code) {
  const plan = savedPlan();
  const mayBeLifted = code === 4 && plan?.needsApproval === true;
  if (plan === undefined || plan.changes.size === 0 || (job.change.kind === 'request' && !mayBeLifted)) return ASKED;
  if (job.change.kind === 'request') return { ...ASKED, approval: await approvalsOf(job, await findRequest(job)) };
  if (!job.requiresReview && !mayBeLifted) return ASKED;
  if (job.requiresReview) checkForge(job);
  const { request, requests, why } = await readReview(job, plan);
  if (why !== undefined) return job.requiresReview ? { ...ASKED, note: refusalText(job, plan, why) } : ASKED;
  if (requests.length > 1) console.log(`Reviewed in ${requests.map(({ number }) => number).join(', ')} together.`);
  // Reviews approve the plan that was shown, and no other: of several requests, each showed a part.
  const isApproved = mayBeLifted && requests.length === 1;
  return { ...ASKED, approval: isApproved ? await approvalsOf(job, request) : [] };
}

/** Where no review is required, a plan that nobody can read lifts nothing. */
async function readReview(job, plan) {
  try {
    const request = await findRequest(job);
    return { request, ...(await findReview(job, plan, request)) };
  } catch (error) {
    if (job.requiresReview || !(error instanceof Failure)) throw error;
    sayWarning(job.env, error.message);
    return { why: [] };
  }
}

/** Without a key and without a comment: the plan is in the log, the summary and the diff. */
async function planOfFork(job) {
  const { project, against, missing } = await fetchSnapshots(job);
  const notes = missing.map((text) => `${text} It is planned after the merge.`);
  for (const text of notes) console.log(text);
  if (project === undefined) {
    summarize(job, notes.join('\n\n'));
    return 0;
  }
  const code = await makePlan({ ...job, project }, [...against, '--report', 'markdown=plan.md']);
  publishDocuments(job, { code, notes });
  annotate(job, code);
  return endOf(code);
}

async function makePlan(job, documents, approval = []) {
  const { project, repository, env } = job;
  const remarks = ['--report', job.system === 'github' ? `github=${ANNOTATIONS}` : `gitlab=${job.files.quality}`];
  const options = [...remarks, '--report', `html=${PAGE}`, ...job.impact, ...job.inputs, ...job.approval, ...approval];
  return runFlagwright(
    ['plan', '--project', project, '--detailed-exitcode', ...documents, ...options],
    repository.withApplied(env),
  );
}

/** Returns the document of the plan. `notes`: what comes before it. */
function publishDocuments(job, { code, notes = [] }) {
  putOutput(job, { name: 'code', value: code });
  if (job.files.dotenv !== undefined) write(job.files.dotenv, `FLAG_PLAN_CODE=${code}\n`);
  const made = readOr('plan.md', 'No plan was made. The log of this job shows why.');
  const document = [...notes, made].join('\n\n');
  summarize(job, document);
  return document;
}

/** flagwright lets no text in it be another command. The diagnostics of a plan that failed are those of validate. */
function annotate({ system }, code) {
  if (system === 'github' && [0, 2, 4].includes(code)) console.log(readOr(ANNOTATIONS, '').trimEnd());
}

/** 0: in sync. 2: differences. Anything else: no plan that can be applied. */
function endOf(code) {
  return code === 2 ? 0 : code;
}

async function comment({ request, project, commit, url, forge }, document) {
  if (request === undefined) return;
  const marker = markerOf(project);
  await keepComment(forge, {
    request,
    marker,
    text: commentText({ marker, document, commit, url, limit: forge.textLimit }),
  });
}
