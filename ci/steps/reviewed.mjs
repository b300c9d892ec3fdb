// Finds the run with the plan that people reviewed, so that the action can download it before the plan is made. Of GitHub only.

import path from 'node:path';
import { forget, putOutput } from '../documents.mjs';
import { ForgeFailure } from '../failure.mjs';
import { findRequest } from '../review.mjs';
import { sayWarning } from '../say.mjs';

export async function reviewed(job) {
  // What an earlier job left must not pass as it.
  if (job.reviewedFile !== undefined) forget(job.reviewedFile);
  try {
    await nameRun(job);
  } catch (error) {
    // Where no review is required, the plan is made without one: reviews then lift nothing.
    if (job.requiresReview || !(error instanceof ForgeFailure)) throw error;
    sayWarning(job.env, error.message);
  }
  return 0;
}

async function nameRun(job) {
  const request = await findRequest(job);
  const run = request && (await job.forge.findReviewedRun(request, job.project));
  if (run === undefined) return;
  putOutput(job, { name: 'run', value: run });
  putOutput(job, { name: 'artifact', value: `flag-review-${job.project}-${request.head}` });
  putOutput(job, { name: 'folder', value: path.dirname(job.reviewedFile) });
}
