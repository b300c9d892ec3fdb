/** Finds in the journal what recorded runs wrote to a project: ids by name, own writes, who wrote a value last, and what `off` turned off. */

import { knownHazards } from '../../review/policy/broken-rules.ts';
import { FlagwrightError } from '../../base/errors.ts';
import { jsonEquals, type JsonValue } from '../../base/json.ts';
import type { FieldChange } from '../../core/engine/change.ts';
import { namedKeys } from '../../core/engine/desired.ts';
import type { ProjectIdentity } from '../../core/engine/project.ts';
import type { ResourceId } from '../../core/engine/snapshot.ts';
import type { Run } from '../../loop/journal/read.ts';
import {
  continuedFlags,
  type RecordedHolder,
  recordedHolders,
  ownWrites,
  switchedIn,
  type Switched,
} from '../../loop/journal/recorded.ts';
import type { RunOrder } from '../../loop/journal/run-order.ts';
import { wasSent } from '../../loop/journal/undo.ts';
import type { OwnWrite } from '../../posthog/authors/attribution.ts';
import type { DesiredFlag, DesiredState } from '../../posthog/desired.ts';
import { keyOnceRestored, type Flag, viewFilters } from '../../posthog/flag/model/flag.ts';
import { revertedValues, type TurnedOff } from '../../posthog/flag/snapshot.ts';
import type { LiveState } from '../../posthog/live.ts';
import type { Change, Hazard, Plan } from '../../posthog/plan.ts';
import { escapeLine } from '../../report/escape.ts';
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
  const continued = new Set<number>();
  if (open.size === 0) return found;
  for await (const run of readUsableRuns(session, await readRunOrder(session))) {
    if (!sharesIds(run, project)) continue;
    const { off, undoes } = run.plan;
    for (const value of open) {
      const written = writtenTo(run, value);
      if (written === undefined) continue;
      open.delete(value);
      const by = off !== undefined ? 'off' : undoes !== undefined ? 'undo' : 'apply';
      // What held the rollout then does so no more.
      if (by === 'apply' || !continued.has(value.id)) found.set(value, { ...written, by });
    }
    for (const id of continuedFlags(run.plan)) continued.add(id);
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

/**
 * What recorded runs did last to the switches of flags, given by id with their keys: which of them a run of `off` turned off, and which a run turned on.
 * @throws {FlagwrightError} if a journal on the way cannot be used: its run could be the one that turned a flag off.
 */
export async function findSwitched(
  session: Session,
  project: ProjectIdentity,
  flags: ReadonlyMap<number, string>,
): Promise<Pick<LiveState, 'turnedOff' | 'turnedOn'> & { readonly offSaw: ReadonlyMap<number, number> }> {
  const open = new Map(flags);
  const turnedOff = new Map<number, TurnedOff>();
  const turnedOn = new Set<number>();
  const offSaw = new Map<number, number>();
  const undone = new Set<string | undefined>();
  if (open.size === 0) return { offSaw };
  for await (const run of readUsableRuns(session, await readRunOrder(session))) {
    undone.add(run.plan.undoes);
    // An undo of a run that only held flags back writes nothing.
    const switched = sharesIds(run, project) && !undone.has(run.name) ? switchedIn(run) : [];
    // The newest run about a flag has the last word.
    const byName = new Map<ResourceId, Switched>(switched);
    for (const [id, key] of open) {
      const one = byName.get(id) ?? byName.get(key);
      if (one === undefined) continue;
      open.delete(id);
      if (one.kind === 'off') turnedOff.set(id, one.off);
      if (one.kind === 'off' && one.saw !== undefined) offSaw.set(id, one.saw);
      if (one.kind === 'on') turnedOn.add(id);
    }
    if (open.size === 0) break;
  }
  return { offSaw, ...(turnedOff.size > 0 && { turnedOff }), ...(turnedOn.size > 0 && { turnedOn }) };
}

/**
 * The ids and keys of flags, also renamed or deleted ones, that are off and that the manifests do not declare off: a plan looks up only these in the
 * journal.
 */
export function declaredAndOff({ flags: declared }: DesiredState, { flags, traces }: LiveState): Map<number, string> {
  const isDeclaredOff = (flag: DesiredFlag): boolean => flag.kind === 'retired' || flag.fields['active'] === false;
  const keys = new Set(declared.filter((flag) => !isDeclaredOff(flag)).flatMap(namedKeys));
  const former = new Set(
    (traces?.flags ?? []).flatMap((trace) => (trace.kind === 'former' && keys.has(trace.key) ? [trace.id] : [])),
  );
  const isNamed = (flag: Flag): boolean => keys.has(keyOnceRestored(flag)) || former.has(flag.id);
  return new Map(flags.filter((flag) => isNamed(flag) && isOff(flag)).map(({ id, key }) => [id, key]));
}

function isOff({ active, filters }: Flag): boolean {
  if (active === false) return true;
  const { conditions, hasUnreadConditions } = viewFilters(filters);
  if (hasUnreadConditions || conditions.length === 0) return false;
  return conditions.every(({ part }) => part.rollout_percentage === 0);
}

type SwitchedOff = Extract<Hazard, { code: 'switched_off' }>;
type RevertedOff = SwitchedOff & Required<Pick<SwitchedOff, 'off'>>;

/**
 * Finds where the changes revert a run of `off` that only the journal of this machine knows, or that came after the plan. Leaves out what
 * the plan itself names, refused or lifted, and the run that the plan undoes.
 */
export async function findRevertedOff(
  session: Session,
  plan: Plan,
  changes: readonly Change[] = plan.changes,
): Promise<readonly RevertedOff[]> {
  // A run of `off` turns nothing on, also one that is resumed.
  if (plan.off !== undefined) return [];
  // What lifts the rule for one run of `off`, or for a switch in the service, lifts it for nothing that came after it.
  const known = new Set(
    knownHazards(plan).map((hazard) =>
      hazard.code === 'switched_off' ? `${hazard.key} ${hazard.off?.run}` : undefined,
    ),
  );
  const written = changes.flatMap((change) =>
    change.resource === 'flag' && (change.action === 'update' || change.action === 'restore') ? [change] : [],
  );
  const { turnedOff, offSaw } = await findSwitched(
    session,
    plan.project,
    new Map(written.map(({ id, key }) => [id, key])),
  );
  return written.flatMap((change): RevertedOff[] => {
    const off = turnedOff?.get(change.id);
    if (off === undefined || off.run === plan.undoes || known.has(`${change.key} ${off.run}`)) return [];
    // What git changed before the flag was turned off decides nothing about it: such a plan saw no later version than `off` did.
    const { version } = change.base;
    const isLater = version !== null && (offSaw.get(change.id) ?? -1) >= version;
    if (revertedValues(change.fields, isLater ? { ...off, already: true } : off).length === 0) return [];
    const { ref, key } = change;
    const deleted = change.action === 'restore' ? { deleted: true as const } : {};
    return [{ code: 'switched_off', ref, key, ...deleted, off, permit: { kind: 'override', value: key } }];
  });
}

/** @throws {FlagwrightError} `refused` for a run of the journal, undone or resumed, where somebody used `off` after it. */
export async function refuseRevertedOff(
  session: Session,
  plan: Plan,
  { changes, undoesOff = false }: { readonly changes?: readonly Change[]; readonly undoesOff?: boolean } = {},
): Promise<void> {
  // Who undoes a run of `off` undoes what a later `off` only repeated.
  const [first] = (await findRevertedOff(session, plan, changes)).filter(
    ({ off }) => !undoesOff || off.already !== true,
  );
  if (first === undefined) return;
  const { key, off } = first;
  const who = off.by === undefined ? '' : ` by ${off.by}`;
  const why = off.reason === undefined ? '' : `: ${off.reason}`;
  throw new FlagwrightError(
    'refused',
    `${escapeLine(`${key} was turned off${who} with \`flagwright off\` after that run (run ${off.run})${why}`)}. This would turn it on again; nothing was applied.`,
    { remedy: `To leave it off, name the other flags with --target. To turn it back on: flagwright undo ${off.run}` },
  );
}
