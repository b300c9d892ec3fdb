// Makes the steps of rollouts that are due, of the commit that was applied last, and publishes that they were made.

import { runApply } from '../applied.mjs';

export async function due(job) {
  return runApply(job, ['--due']);
}
