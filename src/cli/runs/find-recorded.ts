/** Finds the ids of flags and cohorts in the journal by the names under which runs wrote them. */

import { FlagwrightError } from '../../base/errors.ts';
import type { ProjectIdentity } from '../../engine/project.ts';
import { recordedHolders, type RecordedHolder } from '../../journal/recorded-ids.ts';
import type { Session } from '../session/session.ts';
import { belongsTo, readRuns } from './find-runs.ts';

/** Runs that are read at most, the newest first: a journal grows without end. */
const MOST_RUNS = 50;

/** A journal that cannot be used is skipped: what it would say is read from the service then. */
export async function findRecorded(
  session: Session,
  project: ProjectIdentity,
  keys: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, RecordedHolder>();
  let read = 0;
  try {
    for await (const entry of readRuns(session)) {
      if (read === MOST_RUNS || found.size === keys.length) break;
      read += 1;
      if ('run' in entry && belongsTo(entry.run, project)) addHolders(found, recordedHolders(entry.run), keys);
    }
  } catch (error) {
    if (!(error instanceof FlagwrightError)) throw error;
  }
  return new Map([...found].flatMap(([key, holder]) => (holder === 'released' ? [] : [[key, holder]])));
}

/** A newer run has the last word about a key. */
function addHolders(
  found: Map<string, RecordedHolder>,
  holders: ReadonlyMap<string, RecordedHolder>,
  keys: readonly string[],
): void {
  for (const key of keys) {
    const holder = holders.get(key);
    if (holder !== undefined && !found.has(key)) found.set(key, holder);
  }
}
