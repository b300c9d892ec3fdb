// Makes a plan of the checkout, saves it for apply, and shows it: in the log, the summary, the diff and one comment.

import { commentText, keepComment, markerOf } from '../comment.mjs';
import { forget, isWritten, putOutput, readOr, summarize, write } from '../documents.mjs';
import { runFlagwright } from '../shell.mjs';

const ANNOTATIONS = 'plan-annotations.txt';

/** Returns 0 if the plan can be applied or there is nothing to apply, else flagwright's code. */
export async function plan(job) {
  forget('plan.json', 'plan.md', ANNOTATIONS);
  await job.repository.fetchApplied(job.ref);
  const code = await makePlan(job);
  putOutput(job, { name: 'code', value: code });
  if (job.files.dotenv !== undefined) write(job.files.dotenv, `FLAG_PLAN_CODE=${code}\n`);
  const document = readOr('plan.md', 'No plan was made. The log of this job shows why.');
  summarize(job, document);
  // A comment has a limit; the log has the whole plan.
  if (isWritten('plan.json')) {
    await runFlagwright(['show', 'plan.json'], job.env);
    // flagwright lets no text in it be another command. The diagnostics of a plan that failed are those of validate.
    if (job.system === 'github') console.log(readOr(ANNOTATIONS, '').trimEnd());
  }
  await comment(job, document);
  // 0: in sync. 2: differences. Anything else: no plan that can be applied.
  return code === 2 ? 0 : code;
}

async function makePlan(job) {
  const { project, base, permitsFile, repository, env } = job;
  const permits = base === undefined ? undefined : await repository.copyPermits(base, permitsFile);
  const document = ['--format', 'markdown', '--output', 'plan.md'];
  const remarks = ['--report', job.system === 'github' ? `github=${ANNOTATIONS}` : `gitlab=${job.files.quality}`];
  const options = [
    ...remarks,
    ...job.impact,
    ...job.inputs,
    ...job.approval,
    ...(permits === undefined ? [] : ['--permits', permits]),
  ];
  return runFlagwright(
    ['plan', '--project', project, '--detailed-exitcode', '--out', 'plan.json', ...document, ...options],
    env,
  );
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
