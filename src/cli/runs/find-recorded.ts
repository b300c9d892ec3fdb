/** Finds in the journal what recorded runs wrote to a project: the ids of resources by name, and own writes, to recognise them in the activity log. */

import { FlagwrightError } from '../../base/errors.ts';
import { jsonEquals, type JsonValue } from '../../base/json.ts';
import type { Change, FieldChange } from '../../engine/change.ts';
import type { ProjectIdentity } from '../../engine/project.ts';
import type { ResourceId } from '../../engine/snapshot.ts';
import type { Run } from '../../journal/read.ts';
import { type RecordedHolder, recordedHolders, ownWrites } from '../../journal/recorded.ts';
import type { RunOrder } from '../../journal/run-order.ts';
import { wasSent } from '../../journal/undo.ts';
import type { OwnWrite } from '../../posthog/authors/attribution.ts';
import type { Session } from '../session/session.ts';
import { belongsTo, readRunOrder, readRuns, readUsableRuns, sharesIds } from './find-runs.ts';

/** Skips a name about which two runs disagree if neither followed the other; what it stands for is then read from the service. */
export async function findRecorded(
  session: Session,
  project: ProjectIdentity,
  keys: readonly string[],
): Promise<ReadonlyMap<string, ResourceId>> {
  // `run`: the newest that says something of the name. `isDisputed`: an older one says otherwise, and neither followed the other.
  const found = new Map<
    string,
    { readonly run: string; readonly holder: RecordedHolder; readonly isDisputed?: true }
  >();
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

export interface StepValue {
  /** The id of the flag. */
  readonly id: number;
  /** The place in the names of the service. */
  readonly path: string;
  readonly value: JsonValue;
}

/** The newest recorded write of a value. `by`: `off` and `undo` set the values of steps too, and make none. */
export interface LastWrite extends WrittenValues {
  readonly by: 'apply' | 'off' | 'undo';
}

/**
 * Finds who wrote each value last.
 * @throws {FlagwrightError} if a journal on the way cannot be used: its run could be the newest one about a flag.
 */
export async function findLastWrites<Value extends StepValue>(
  session: Session,
  project: ProjectIdentity,
  values: readonly Value[],
): Promise<ReadonlyMap<Value, LastWrite>> {
  const open = new Set(values);
  const found = new Map<Value, LastWrite>();
  if (open.size === 0) return found;
  for await (const run of readUsableRuns(session, await readRunOrder(session))) {
    if (!sharesIds(run, project)) continue;
    const { off, undoes } = run.plan;
    for (const value of open) {
      const written = writtenTo(run, value);
      if (written === undefined) continue;
      open.delete(value);
      found.set(value, { ...written, by: off !== undefined ? 'off' : undoes !== undefined ? 'undo' : 'apply' });
    }
    if (open.size === 0) break;
  }
  return found;
}

/** Whether a run made the step: an apply wrote its value, or may have, and no later run wrote it again. */
export function isMade({ value }: StepValue, write: LastWrite | undefined): boolean {
  return write?.by === 'apply' && jsonEquals(write.after, value);
}

type WrittenValues = Partial<Pick<FieldChange, 'before' | 'after'>>;

/** Not what it found made already. */
function wroteItself(run: Run, change: Pick<Change, 'ref'>): boolean {
  const outcome = run.applied.get(change.ref);
  return wasSent(run, change) && (run.sent.has(change.ref) || outcome === undefined || !('already' in outcome));
}

/** What the run wrote to the path, or to something that contains it. */
function writtenTo(run: Run, { id, path }: StepValue): WrittenValues | undefined {
  return run.plan.changes
    .filter((change) => change.resource === 'flag' && change.id === id && wroteItself(run, change))
    .flatMap((change) => ('fields' in change ? change.fields : [{ path: '' }]))
    .flatMap((field) => (field.path === path ? [field] : `${path}/`.startsWith(`${field.path}/`) ? [{}] : []))[0];
}
