/** Finds the ids of resources in the journal by the names under which runs wrote them. */

import type { ResourceId } from '../../engine/snapshot.ts';
import { FlagwrightError } from '../../base/errors.ts';
import type { ProjectIdentity } from '../../engine/project.ts';
import type { Run } from '../../journal/read.ts';
import { type RecordedHolder, recordedHolders } from '../../journal/recorded.ts';
import type { RunOrder } from '../../journal/run-order.ts';
import type { Session } from '../session/session.ts';
import { belongsTo, readRunOrder, readRuns } from './find-runs.ts';

/** Runs that are read at most, the newest first: a journal grows without end. */
const MOST_RUNS = 50;

/**
 * A journal that cannot be used is skipped, and so is a name about which two runs disagree that did not follow each other: what
 * they would say is read from the service then.
 */
export async function findRecorded(
  session: Session,
  project: ProjectIdentity,
  keys: readonly string[],
): Promise<ReadonlyMap<string, ResourceId>> {
  const found = new Map<string, RecordedName>();
  let read = 0;
  try {
    const order = await readRunOrder(session);
    for await (const entry of readRuns(session, order)) {
      if (read === MOST_RUNS) break;
      read += 1;
      if ('run' in entry && belongsTo(entry.run, project)) addHolders(found, entry.run, { keys, order });
    }
  } catch (error) {
    if (!(error instanceof FlagwrightError)) throw error;
  }
  return new Map(
    [...found].flatMap(([key, { holder, isDisputed }]) => (holder === null || isDisputed ? [] : [[key, holder]])),
  );
}

interface RecordedName {
  /** The newest run that says something of the name. */
  readonly run: string;
  readonly holder: RecordedHolder;
  /** An older run says otherwise, and neither followed the other. */
  readonly isDisputed?: true;
}

/** A newer run has the last word about a key. */
function addHolders(
  found: Map<string, RecordedName>,
  run: Run,
  { keys, order }: { readonly keys: readonly string[]; readonly order: RunOrder },
): void {
  const holders = recordedHolders(run);
  for (const key of keys) {
    const [holder, newer] = [holders.get(key), found.get(key)];
    if (holder === undefined) continue;
    if (newer === undefined) found.set(key, { run: run.name, holder });
    else if (newer.holder !== holder && !order.follows(newer.run, run.name)) {
      found.set(key, { ...newer, isDisputed: true });
    }
  }
}
