/**
 * Finds who gave a live resource its values: replays its activity log backwards over the paths of a comparison, in comparable form. Pure.
 * (docs/service/activity.md)
 */

import { comparing } from '../../base/compare-strings.ts';
import { isJsonArray, jsonEquals, type JsonObject, type JsonValue } from '../../base/json.ts';
import { fromPointer, childAt } from '../../base/json-pointer.ts';
import { defined } from '../../base/optional.ts';
import type { FieldChange } from '../../core/engine/change.ts';
import { earlierIndex } from '../../core/engine/diff.ts';
import { traceAbsence, traceValue, type Segments } from '../../core/engine/lineage.ts';
import { CLIENT_NAME } from '../client/request-spec.ts';
import { type Attribution, type KnownAttribution, distanceTo, wasWrittenAt, type OwnWrite } from './attribution.ts';
import { actorIn, parseLog, type LogEntry } from './log-entry.ts';

/** A live resource with a log, as its kind knows it. */
export interface Logged {
  readonly resource: 'flag' | 'cohort';
  readonly id: number;
  /** The live resource in comparable form. */
  readonly current: JsonObject;
  /** One field in comparable form. */
  formOf(field: string, value: JsonValue): JsonObject;
  /** Whether the entry came after the resource was read. */
  isLater(entry: LogEntry): boolean;
  /** Fields that no entry has. */
  readonly unlogged: ReadonlySet<string>;
}

/** The question to a log. */
export interface Inquiry {
  readonly logged: Logged;
  /** The writes of flagwright. */
  readonly writes?: readonly OwnWrite[];
  /** Live values by their places in the comparable form. */
  readonly sought: readonly SoughtValue[];
}

export interface SoughtValue {
  /** Identifies the answer. */
  readonly path: string;
  /** The place in the comparable form of the live resource. */
  readonly place: Segments;
  /** Whether the live resource lacks it: what it has at the place is then another element of a list, if anything. */
  readonly isMissing?: true;
  /** The value that is missing there. */
  readonly wanted?: JsonValue;
}

export interface ReadLog {
  /** The entries in the service's form. */
  readonly entries: readonly JsonObject[];
  /** Whether the service has no older ones. */
  readonly isWhole: boolean;
}

/** The answers that the entries give; `undefined` if older entries are needed. */
export function attribute(
  inquiry: Inquiry,
  { entries, isWhole }: ReadLog,
): ReadonlyMap<string, Attribution | undefined> {
  const log = withRuns(parseLog(entries), inquiry);
  if (entries.length > 0 && log.length === 0)
    return mapSought(inquiry, () => ({ kind: 'unknown', reason: 'unreadable' }));
  const { current, unlogged } = inquiry.logged;
  return mapSought(inquiry, (sought) => {
    const [field] = sought.place;
    if (field === undefined) return { kind: 'unknown', reason: 'not_logged' };
    const steps = stepsOf(field, log, inquiry);
    const { answer, moved } = replay(sought, current, steps);
    if (answer !== undefined) return answer;
    // No entry made the value: it is as old as the resource, or the log does not say.
    if (unlogged.has(field)) return { kind: 'unknown', reason: 'not_logged' };
    const created = log.find(({ activity }) => activity === 'created');
    // Where its list was rearranged since, the difference may be its new place, so the creation is not named.
    if (created !== undefined && moved.length > 0) return unknownAmong(moved);
    if (created !== undefined) return { ...knownFrom(created), created: true };
    return isWhole ? { kind: 'unknown', reason: 'too_old' } : undefined;
  });
}

/** The places of differences between two comparable forms in the live one. */
export function placeFields(
  fields: readonly FieldChange[],
  { live, wanted }: { readonly live: JsonObject; readonly wanted: JsonObject },
): readonly SoughtValue[] {
  return fields.map((change) => ({
    path: change.path,
    place: placeIn(live, wanted, { path: fromPointer(change.path), isSurplus: change.after === undefined }),
    ...(change.before === undefined ? { isMissing: true as const } : {}),
    ...defined({ wanted: change.after }),
  }));
}

function mapSought<Answer>({ sought }: Inquiry, answer: (one: SoughtValue) => Answer): ReadonlyMap<string, Answer> {
  return new Map(sought.map((one) => [one.path, answer(one)]));
}

/** An index in the path of a difference is that of the wanted list, except for an element that the live list has too much. */
function placeIn(
  live: JsonValue | undefined,
  wanted: JsonValue | undefined,
  { path, isSurplus }: { readonly path: Segments; readonly isSurplus: boolean },
): Segments {
  const [segment, ...rest] = path;
  if (segment === undefined) return [];
  const isOwn = isSurplus && rest.length === 0;
  const own =
    isJsonArray(live) && isJsonArray(wanted) && !isOwn
      ? (earlierIndex(live, wanted, Number(segment))?.toString() ?? segment)
      : segment;
  return [own, ...placeIn(childAt(live, own), childAt(wanted, segment), { path: rest, isSurplus })];
}

/** A change of one field by an entry, in comparable form. */
interface LoggedStep {
  readonly entry: LogEntry;
  readonly before: JsonObject;
  readonly after: JsonObject;
}

function* stepsOf(field: string, log: readonly LogEntry[], { logged }: Inquiry): Generator<LoggedStep> {
  for (const entry of log) {
    const change = entry.changes.get(field);
    // Entries after the version that was read came while the log was read.
    if (change === undefined || logged.isLater(entry)) continue;
    yield { entry, before: logged.formOf(field, change.before), after: logged.formOf(field, change.after) };
  }
}

/**
 * Names the runs of flagwright that wrote entries, as far as the journal of this machine has them. A write has one entry: people may
 * have given the same values within the same minute.
 */
function withRuns(log: readonly LogEntry[], inquiry: Inquiry): readonly LogEntry[] {
  const runs = new Map<LogEntry, string>();
  for (const write of inquiry.writes ?? []) {
    const distanceText = ({ at }: LogEntry): string => String(distanceTo(write, at)).padStart(10, '0');
    const [own] = log
      .filter((entry) => (entry.client ?? CLIENT_NAME) === CLIENT_NAME && isOf(write, entry, inquiry))
      .toSorted(comparing((entry) => `${entry.client === undefined ? 1 : 0} ${distanceText(entry)}`));
    if (own !== undefined && !runs.has(own)) runs.set(own, write.run);
  }
  return log.map((entry) => ({ ...entry, ...defined({ run: runs.get(entry) }) }));
}

/** Another user may have edited the resource within the same minute, so the values must be those that were written. */
function isOf({ change, ...write }: OwnWrite, { at, activity, changes }: LogEntry, { logged }: Inquiry): boolean {
  if (change.resource === 'role_access' || change.resource !== logged.resource) return false;
  if (write.id !== logged.id || !wasWrittenAt(write, at)) return false;
  if (change.action === 'create') return activity === 'created';
  const written = Object.entries(change.body).flatMap(([field, value]) => {
    const entered = changes.get(field)?.after;
    return entered === undefined || value === undefined ? [] : [{ field, entered, value }];
  });
  const isEqual = ({ field, entered, value }: (typeof written)[number]): boolean =>
    jsonEquals(logged.formOf(field, entered), logged.formOf(field, value));
  return written.length > 0 && written.every(isEqual);
}

/**
 * Follows the value from the newest step to the oldest. `answer`: absent if no step explains the value; `moved`: the entries that moved it to
 * another place of its list.
 */
function replay(
  sought: SoughtValue,
  current: JsonObject,
  steps: Iterable<LoggedStep>,
): { readonly answer?: Attribution; readonly moved: readonly LogEntry[] } {
  const follow = followerOf(sought, current);
  let known = current;
  let place: Segments = sought.place;
  let isReached = false;
  const touched: LogEntry[] = [];
  const moved: LogEntry[] = [];
  for (const { entry, before, after } of steps) {
    const between = follow(after, known, place);
    if (between.kind === 'made' || between.kind === 'partly') {
      // The first entry may have come after the resource was read: then the value is the one before it.
      if (!isReached && follow(before, known, place).kind === 'kept') continue;
      return { answer: touched.length > 0 ? overlapping(touched) : { kind: 'unknown', reason: 'not_logged' }, moved };
    }
    isReached = true;
    const made = follow(before, after, between.place);
    if (made.kind === 'made') {
      return { answer: touched.length > 0 ? overlapping([...touched, entry]) : knownFrom(entry), moved };
    }
    if (made.kind === 'partly') touched.push(entry);
    if (!jsonEquals(made.place, between.place)) moved.push(entry);
    known = before;
    place = made.place;
  }
  return { ...(touched.length > 0 ? { answer: overlapping(touched) } : {}), moved };
}

/** Follows the value of a place from a state to an earlier one. */
type Follow = (
  before: JsonObject,
  after: JsonObject,
  place: Segments,
) => { readonly kind: 'made' } | { readonly kind: 'kept' | 'partly'; readonly place: Segments };

function followerOf({ place: start, wanted, isMissing }: SoughtValue, current: JsonObject): Follow {
  if (isMissing !== true && start.reduce<JsonValue | undefined>(childAt, current) !== undefined) {
    return (before, after, place) => {
      const descent = traceValue(before, after, place);
      if (descent.kind === 'set') return { kind: 'made' };
      return { kind: descent.kind === 'same' ? 'kept' : 'partly', place: descent.path };
    };
  }
  return (before, after, place) => {
    const absence = traceAbsence({ before, after }, place, wanted);
    if (absence.kind === 'removed') return { kind: 'made' };
    return { kind: absence.kind === 'absent' ? 'kept' : 'partly', place: absence.path };
  };
}

function knownFrom({ at, ...entry }: LogEntry): KnownAttribution {
  return { kind: 'known', ...actorIn(entry), at };
}

/** Several equal edits of one person count as one. */
function overlapping(entries: readonly LogEntry[]): Attribution {
  const [newest] = entries;
  const people = entries.map((entry) => actorIn(entry));
  if (newest !== undefined && people.every((one) => jsonEquals({ ...one }, { ...people[0] }))) return knownFrom(newest);
  return unknownAmong(entries);
}

function unknownAmong(entries: readonly LogEntry[]): Attribution {
  const named = [...new Set(entries.flatMap((entry) => actorIn(entry).by ?? []))];
  return { kind: 'unknown', reason: 'overlapping', ...(named.length === 0 ? {} : { people: named }) };
}
