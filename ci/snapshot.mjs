// The snapshot of the live state: published by jobs that have the key, for the plans of forks, which must not have it.

import { forget, isWritten } from './documents.mjs';
import { Failure } from './failure.mjs';
import { sayWarning } from './say.mjs';
import { runFlagwright } from './shell.mjs';

const FILE = 'flag-snapshot.json';

/** What the job did before is done, whether this succeeds or not: a failure is a warning, and plans show the age of a snapshot. */
export async function publishSnapshots({ projects, snapshot, repository, email, env }) {
  if (!snapshot.isPublished) return;
  for (const one of projects) await publishSnapshot(one, { repository, email, env });
}

async function publishSnapshot({ name: project, snapshotRef: ref }, { repository, email, env }) {
  try {
    forget(FILE);
    const code = await runFlagwright(['snapshot', '--project', project, '--out', FILE], repository.withApplied(env));
    if (code !== 0) throw new Failure(`flagwright snapshot ended with code ${code}.`);
    const message = `Snapshot of ${project}`;
    await repository.publishFile({ ref, file: FILE, message, email });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    sayWarning(env, `The snapshot of ${project} for plans of forks is still the old one. ${error.message}`);
  } finally {
    forget(FILE);
  }
}

/** The file with the published snapshot of a project; undefined if there is none. */
export async function fetchSnapshot({ snapshotRef: ref }, { repository }) {
  forget(FILE);
  await repository.fetchFile({ ref, file: FILE });
  return isWritten(FILE) ? FILE : undefined;
}
