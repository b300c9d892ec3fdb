/** Finds in the journal what recorded runs wrote to a project: the ids of resources by name, and own writes, to recognise them in the activity log. */

import { FlagwrightError } from '../../base/errors.ts';
import type { ProjectIdentity } from '../../engine/project.ts';
import type { ResourceId } from '../../engine/snapshot.ts';
import type { Run } from '../../journal/read.ts';
import { type RecordedHolder, recordedHolders, ownWrites } from '../../journal/recorded.ts';
import type { RunOrder } from '../../journal/run-order.ts';
import type { OwnWrite } from '../../posthog/authors/attribution.ts';
import type { Session } from '../session/session.ts';
import { belongsTo, readRunOrder, readRuns } from './find-runs.ts';

/** Skips a name about which two runs disagree if neither followed the other; what it stands for is then read from the service. */
export async function findRecorded(
  session: Session,
  project: ProjectIdentity,
  keys: readonly string[],
): Promise<ReadonlyMap<string, ResourceId>> {
  const found = new Map<string, RecordedName>();
  // A newer run has the last word about a key.
  await eachRun(session, project, (run, order) => {
    const holders = recordedHolders(run);
    for (const key of keys) {
      const [holder, newer] = [holders.get(key), found.get(key)];
      if (holder === undefined) continue;
      if (newer === undefined) found.set(key, { run: run.name, holder });
      else if (newer.holder !== holder && !order.follows(newer.run, run.name)) {
        found.set(key, { ...newer, isDisputed: true });
      }
    }
  });
  return new Map(
    [...found].flatMap(([key, { holder, isDisputed }]) => (holder === null || isDisputed ? [] : [[key, holder]])),
  );
}

/** Leaves out the writes of a journal that cannot be used: they then look like those of another machine. */
export async function findOwnWrites(session: Session, project: ProjectIdentity): Promise<readonly OwnWrite[]> {
  const writes: OwnWrite[] = [];
  await eachRun(session, project, (run) => writes.push(...ownWrites(run)));
  return writes;
}

/** How many runs are read at most, the newest first: a journal grows without end. */
const MOST_RUNS = 50;

/** Visits the runs of a project, the newest first, and stops at a journal that cannot be used. */
async function eachRun(
  session: Session,
  project: ProjectIdentity,
  visit: (run: Run, order: RunOrder) => void,
): Promise<void> {
  let read = 0;
  try {
    const order = await readRunOrder(session);
    for await (const entry of readRuns(session, order)) {
      if (read === MOST_RUNS) break;
      read += 1;
      if ('run' in entry && belongsTo(entry.run, project)) visit(entry.run, order);
    }
  } catch (error) {
    if (!(error instanceof FlagwrightError)) throw error;
  }
}

interface RecordedName {
  /** The newest run that says something of the name. */
  readonly run: string;
  readonly holder: RecordedHolder;
  /** An older run says otherwise, and neither followed the other. */
  readonly isDisputed?: true;
}
