// Makes the steps of rollouts that are due, of the commit that was applied last, and publishes that they were made.

import { forget, readOr, summarize } from '../documents.mjs';
import { runFlagwright } from '../shell.mjs';
import { publishSnapshot } from '../snapshot.mjs';

export async function due(job) {
  const { project, ref, repository, env } = job;
  forget('result.md');
  await repository.takeApplied(ref);
  const code = await runFlagwright(
    [
      'apply',
      '--due',
      '--project',
      project,
      '--journal',
      'flag-journal',
      '--format',
      'markdown',
      '--output',
      'result.md',
    ],
    env,
  );
  const result = readOr('result.md', 'There is no result. The log of this job shows why.');
  summarize(job, result);
  console.log(result);
  if (code === 0) await repository.publishApplied(ref);
  await publishSnapshot(job);
  return code;
}
