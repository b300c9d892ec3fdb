// Runs an apply, and publishes what came of it: the result, which commit was applied, and what is live then.

import { forget, readOr, summarize } from './documents.mjs';
import { askForMessage, dropQuietMessage } from './for-later-steps.mjs';
import { runFlagwright } from './shell.mjs';
import { publishSnapshots } from './snapshot.mjs';

/** `words`: what follows `apply` on the command line. Returns the exit code. */
export async function runApply(job, words) {
  const { project, projects, repository, env } = job;
  forget('result.md');
  for (const { ref } of projects) await repository.takeApplied(ref);
  const message = askForMessage(env);
  const document = ['--format', 'markdown', '--output', 'result.md'];
  const code = await runFlagwright(
    ['apply', ...words, '--project', project, '--journal', 'flag-journal', ...document, ...message],
    repository.withApplied(env),
  );
  dropQuietMessage();
  const result = readOr('result.md', 'There is no result. The log of this job shows why.');
  summarize(job, result);
  console.log(result);
  // Of several projects, each that was applied is recorded, whatever came of the others.
  if (code === 0 || projects.length > 1) {
    const published = await Promise.allSettled(projects.map(({ ref }) => repository.publishApplied(ref)));
    const failed = published.find(({ status }) => status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }
  await publishSnapshots(job);
  return code;
}
