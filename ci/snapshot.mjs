// The snapshot of the live state: published by jobs that have the key, for the plans of forks, which must not have it.

import { mkdirSync } from 'node:fs';
import { forget, isWritten } from './documents.mjs';
import { Failure } from './failure.mjs';
import { sayWarning } from './say.mjs';
import { runFlagwright } from './shell.mjs';

/** In the ref. */
const FILE = 'flag-snapshot.json';
const FOLDER = 'flag-snapshots';

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

/** Fetches the published snapshots. `project` and `against`: for a plan of the projects that have one. `missing`: what to say of the others. */
export async function fetchSnapshots({ projects, snapshot, repository }) {
  forget(FOLDER);
  mkdirSync(FOLDER);
  for (const { name, snapshotRef: ref } of projects) await repository.fetchFile({ ref, file: FILE, to: fileOf(name) });
  const names = projects.map(({ name }) => name);
  const found = names.filter((name) => isWritten(fileOf(name)));
  return {
    ...(found.length > 0 && {
      project: found.join(','),
      against: ['--against', found.length === 1 ? fileOf(found[0]) : FOLDER, ...snapshot.maxAge],
    }),
    missing: names
      .filter((name) => !found.includes(name))
      .map((name) => `No snapshot of ${name} is published, so a change from a fork has no plan.`),
  };
}

/** As flagwright looks for it. */
function fileOf(name) {
  return `${FOLDER}/${name}.json`;
}
