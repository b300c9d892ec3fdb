/** Compares live state with the change of a flag: its effect, edits since the plan, and differences after the write. */

import { fromPointer } from '../../base/json-pointer.ts';
import type { JsonObject } from '../../base/json.ts';
import { type BodyKind, findRemainders, idIn } from '../../engine/body-kind.ts';
import { type FieldChange, isPartial } from '../../engine/change.ts';
import { diff, type Difference, type Remainder, remainderOf } from '../../engine/diff.ts';
import { type RequestRound, singles } from '../../engine/forecast.ts';
import type { ReadBack } from '../../engine/writer.ts';
import type { ServiceClient } from '../service-client.ts';
import { findFlag } from './find-flag.ts';
import { countPageReads } from '../client/listing.ts';
import type { RunState } from '../run-state.ts';
import { canonicalFlag } from './model/canonical.ts';
import type { FlagBase, FlagChange, ValueOfOthers } from './change.ts';
import { comparableFlag, compareFields, compareStored } from './comparison.ts';
import { withDeclaredSecrecy } from './model/encrypted-payloads.ts';
import { KNOWN_FIELDS } from './model/fields.ts';
import { type Flag, type FlagNames, isListed } from './model/flag.ts';
import { FLAGS_PER_PAGE } from './requests.ts';
import type { FlagRun } from './run-state.ts';
import { withFound, withoutMoves } from './values-of-others.ts';

export const FLAG_BODY: BodyKind<FlagChange, Flag, FlagRun> = {
  // A flag that is created without `active` is enabled, so a disabled one is not the result of the create.
  findMissing: (change, flag, run) => {
    const isUnstated = change.action === 'create' && change.body['active'] === undefined;
    const isDisabled = isUnstated && !flag.active && change.body['archived'] !== true;
    return [...(isDisabled ? [{ path: '/active' }] : []), ...missingEffect(change, comparableFlag(flag, run), run)];
  },
  // A create collides with a flag that has taken the key since.
  findMoved: (change, flag, run) => {
    if (change.action !== 'create') return findMovedFields(change, flag, run);
    return run.isTaken(change.key) ? [{ path: '/key', after: change.key }] : [];
  },
  findRemainder: (change, flag, run) => {
    const stored = change.action === 'create' ? flag : withDeclaredSecrecy(flag, change.base.flag);
    const written = effectOn(change, comparableFlag(stored, run));
    const differences = compareStored({ ...written, key: change.key }, stored, run);
    return differences.map((difference) => describeDifference(change, flag, difference));
  },
};

/** A field that the service never answers does not appear in the next plan, since it cannot be compared. */
function describeDifference(change: FlagChange, flag: Flag, difference: Difference): Remainder {
  const [field = ''] = fromPointer(difference.path);
  const remainder = remainderOf(change, difference);
  return Object.hasOwn(flag, field) ? remainder : { ...remainder, reason: 'service_ignores_field' };
}

/** `flag` is absent when the service does not list it: it was deleted, or this key may not see it. */
export function findMovedFields(change: PlannedBase, flag: Flag | undefined, names: FlagNames): readonly FieldChange[] {
  const { base } = change;
  if (flag === undefined) return [{ path: '', before: base.flag }];
  const seen = comparableFlag(withDeclaredSecrecy(flag, base.flag), names);
  // An earlier release may have saved the base in its own canonical form.
  return diff(...withoutMoves(change, canonicalFlag(base.flag), withoutNewFields(seen, base.flag)));
}

/** The flag as a plan saw it, and the values that others may move. */
interface PlannedBase {
  readonly base: FlagBase;
  readonly keeps?: readonly ValueOfOthers[];
}

/** A field that is unknown to us and absent from the plan's base changes with traffic or is new in the service, so it is no edit. */
function withoutNewFields(flag: JsonObject, seen: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(flag).filter(([field]) => KNOWN_FIELDS.has(field) || Object.hasOwn(seen, field)),
  );
}

/**
 * The parts of the change that `live`, in comparable form, lacks; empty once the change is in effect. Excludes what others decide: they may
 * have moved it since, and the service may drop what other products added. (docs/service.md, "Filters")
 */
export function missingEffect(change: FlagChange, live: JsonObject, names: FlagNames): Difference[] {
  const effect = effectOn(change, live);
  // A new flag is not deleted, although no request says so.
  return compareFields(change.action === 'create' ? { ...effect, deleted: false } : effect, live, names);
}

/** The written values, with live ones for what others decide. */
export function effectOn(change: FlagChange, live: JsonObject): JsonObject {
  return withFound(change.body, live, change);
}

type FlagReadBack = ReadBack<RunState, ServiceClient>;

/** Reads flags back after they were written: what still differs, path by path, and how many requests that takes. */
export async function readBackFlags(
  changes: readonly FlagChange[],
  reading: FlagReadBack,
): Promise<readonly Remainder[]> {
  const flags = await readFlags(changes, reading);
  return findRemainders(changes, flags, { run: reading.state.flags, kind: FLAG_BODY });
}

/** The service lists neither deleted flags, which is as wanted, nor archived ones, which are read by id. */
async function readFlags(
  changes: readonly FlagChange[],
  { client, state, total }: FlagReadBack,
): Promise<ReadonlyMap<number, Flag>> {
  // A flag may have been written twice.
  const ids = [...new Set(changes.flatMap((change) => idIn(change, state.flags) ?? []))];
  const wholeList = isListCheaper(ids.length, total);
  const listed = wholeList ? await client.listFlags() : [];
  const known = new Map(listed.map((flag) => [flag.id, flag]));
  const deleted = new Set(changes.flatMap((change) => (change.action === 'delete' ? [change.id] : [])));
  const hidden = ids.filter((id) => !known.has(id) && !(wholeList && deleted.has(id)));
  const read = await Promise.all(hidden.map((id) => findFlag(client, id)));
  return new Map([...known, ...read.flatMap((flag) => (flag === undefined ? [] : [[flag.id, flag] as const]))]);
}

/** The requests of `readBackFlags` in rounds, where all changes are applied to `live`. */
export function countFlagReads(changes: readonly FlagChange[], live: readonly Flag[]): readonly RequestRound[] {
  const whole = changes.filter((change) => !isPartial(change));
  if (!isListCheaper(whole.length, live.length)) return [singles(whole.length)];
  const archived = singles(countArchivedAfter(whole, live));
  return [...countPageReads(countListedAfter(changes, live), FLAGS_PER_PAGE), archived];
}

/** Few flags are read one by one, many as the list. */
function isListCheaper(count: number, total: number): boolean {
  return count > total / FLAGS_PER_PAGE;
}

function countListedAfter(changes: readonly FlagChange[], live: readonly Flag[]): number {
  const listed = new Set(live.filter(isListed).map(({ id }) => id));
  let created = 0;
  for (const change of changes) {
    const { archived } = change.body;
    if (change.action === 'create') created += archived === true ? 0 : 1;
    else if (change.action === 'delete' || archived === true) listed.delete(change.id);
    else if (change.action === 'restore' || archived === false) listed.add(change.id);
  }
  return listed.size + created;
}

/** Archived flags are not listed, and are read one by one. */
function countArchivedAfter(changes: readonly FlagChange[], live: readonly Flag[]): number {
  const archived = new Set(live.filter((flag) => flag.archived === true).map(({ id }) => id));
  return changes.filter((change) => {
    if (change.action === 'delete') return false;
    const wanted = change.body['archived'];
    return typeof wanted === 'boolean' ? wanted : change.action !== 'create' && archived.has(change.id);
  }).length;
}
