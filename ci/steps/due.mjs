// Makes the steps of rollouts that are due, of the commit that was applied last, and publishes that they were made. FLAG_VERDICTS names the file that
// their guards look at.

import { runApply } from '../applied.mjs';

export async function due(job) {
  const { FLAG_VERDICTS: file = '' } = job.env;
  return runApply(job, ['--due', ...(file === '' ? [] : ['--verdicts', file])]);
}
