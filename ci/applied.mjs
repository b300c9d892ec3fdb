// Runs an apply, and publishes what came of it: the result, which commit was applied, and what is live then.

import { forget, readOr, summarize } from './documents.mjs';
import { runFlagwright } from './shell.mjs';
import { publishSnapshot } from './snapshot.mjs';

/** `words`: what follows `apply` on the command line. Returns the exit code. */
export async function runApply(job, words) {
  const { project, ref, repository, env } = job;
  forget('result.md');
  await repository.takeApplied(ref);
  const document = ['--format', 'markdown', '--output', 'result.md'];
  const code = await runFlagwright(
    ['apply', ...words, '--project', project, '--journal', 'flag-journal', ...document],
    env,
  );
  const result = readOr('result.md', 'There is no result. The log of this job shows why.');
  summarize(job, result);
  console.log(result);
  if (code === 0) await repository.publishApplied(ref);
  await publishSnapshot(job);
  return code;
}
