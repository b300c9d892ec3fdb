// Finds the run with the plan that people reviewed, so that the action can download it before the plan is made. Of GitHub only.

import path from 'node:path';
import { forget, putOutput } from '../documents.mjs';
import { findRequest } from '../review.mjs';

export async function reviewed(job) {
  // What an earlier job left must not pass as it.
  if (job.reviewedFile !== undefined) forget(job.reviewedFile);
  const request = await findRequest(job);
  const run = request && (await job.forge.findReviewedRun(request, job.project));
  if (run !== undefined) {
    putOutput(job, { name: 'run', value: run });
    putOutput(job, { name: 'artifact', value: `flag-review-${job.project}-${request.head}` });
    putOutput(job, { name: 'folder', value: path.dirname(job.reviewedFile) });
  }
  return 0;
}
