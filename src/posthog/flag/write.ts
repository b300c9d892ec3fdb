/**
 * Writes a flag. A create is sent again only after its key was looked up, an update only after the flag was read again. Before the write and
 * after it, live state is compared with the change: its effect, edits since the plan, and what still differs.
 */

import { fieldAt } from '../../core/engine/field-kind.ts';
import {
  definedKeys,
  isJsonObject,
  jsonEquals,
  memberOf,
  objectFrom,
  objectOrEmpty,
  type JsonObject,
} from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import {
  type BodyKind,
  findEffect,
  findRemainders,
  idIn,
  inspect,
  rewrite,
  shownFields,
} from '../../core/engine/body-kind.ts';
import type { ChangeRequest, RequestMatch } from '../../core/engine/change-request.ts';
import { type FieldChange, isPartial } from '../../core/engine/change.ts';
import { diff, type Difference, remainderOf } from '../../core/engine/diff.ts';
import { type RequestRound, singles } from '../../core/engine/forecast.ts';
import { indexResources } from '../../core/engine/snapshot.ts';
import type { ReadBack, Write, WritePart } from '../../core/engine/writer.ts';
import { countPageReads } from '../client/listing.ts';
import type { KindWriter, RunState } from '../run-state.ts';
import type { ServiceClient } from '../service-client.ts';
import {
  type ChangeOfLive,
  type CreateFlag,
  disables,
  type FlagBase,
  type FlagChange,
  type ValueOfOthers,
} from './change.ts';
import { comparableFields, comparableFlag, compareFields, compareStored } from './comparison.ts';
import { findFlag } from './find-traces.ts';
import { canonicalFlag, withoutInjected } from './model/canonical.ts';
import { withDeclaredSecrecy } from './model/encrypted-payloads.ts';
import { KNOWN_FIELDS } from './model/fields.ts';
import { type Flag, type FlagNames, isListed, viewFilters } from './model/flag.ts';
import { missingReference, resolveBody } from './model/references.ts';
import { FLAGS_PER_PAGE } from './requests.ts';
import { divideUpdate, isStoredOtherwise, splitUpdate, stagesOfCreate } from './split-change.ts';
import { bodyOver, withFound, withoutMoves } from './values-of-others.ts';

/** A run's knowledge of the flags that it writes. Names flags by the keys that they have once the plan is applied, as its canonical forms do. */
export interface FlagRun extends FlagNames {
  /** Requests name dependencies by id. */
  readonly idOf: (key: string) => number | undefined;
  /** The flag as it was read, or as the service answered to a write of this run. */
  readonly find: (id: number) => Flag | undefined;
  /** The flag as it was when the run began. */
  readonly first: (id: number) => Flag | undefined;
  /** Keeps what a later read found; `undefined` if the flag is gone. */
  readonly see: (id: number, flag: Flag | undefined) => void;
  /** Keeps the service's answer to a write, under the key that the plan gives the flag. */
  readonly keep: (key: string, flag: Flag) => void;
  /** Whether a flag had the key when live state was read, so that a create collides with it. */
  readonly isTaken: (key: string) => boolean;
  /** The id of a cohort that the plan names by alias, once it exists. */
  readonly cohortIdOf: (alias: string) => number | undefined;
}

export function openFlags(
  live: readonly Flag[],
  changes: readonly FlagChange[],
  cohortIdOf: FlagRun['cohortIdOf'],
): FlagRun {
  const { byId, byKey } = indexResources(live);
  const seen = new Map<number, Flag | undefined>();
  const keys = new Map(live.map(({ id, key }) => [id, key]));
  for (const { id, key } of changes) if (id !== undefined) keys.set(id, key);
  const ids = new Map([...keys].map(([id, key]) => [key, id]));
  return {
    cohortIdOf,
    idOf: (key) => ids.get(key),
    keyOf: (id: number) => keys.get(id),
    find: (id) => (seen.has(id) ? seen.get(id) : byId(id)),
    first: byId,
    see: (id, flag) => void seen.set(id, flag),
    keep: (key, flag) => {
      seen.set(flag.id, flag);
      keys.set(flag.id, key);
      ids.set(key, flag.id);
    },
    isTaken: (key) => {
      const flag = byKey(key);
      return flag !== undefined && flag.deleted !== true;
    },
  };
}

export const flagWriter: KindWriter<FlagChange> = {
  // A service without a counter accepts any write, so an edit between the last read and the write would be overwritten (docs/safety.md,
  // "What apply reads").
  needsRefresh: (change) => change.action !== 'create' && change.base.version === null && !leavesAllElse(change),
  refresh: async (change, { flags: state }, client) => {
    if (change.action === 'create' || state.find(change.id) === undefined) return;
    state.see(change.id, await findFlag(client, change.id));
  },
  inspect: (change, { flags, isExpected }) => {
    const standing = inspect(change, flags, FLAG_BODY);
    const moved = standing.kind === 'as_planned' && !isExpected(change.ref) ? findTakenBack(change, flags) : [];
    return moved.length === 0 ? standing : { kind: 'moved', moved };
  },
  findEffect: (change, { flags }) => findEffect(change, flags, FLAG_BODY),
  prepare: (change, { flags: state }, client) => {
    const resolved = resolveBody(change.body, { flag: state.idOf, cohort: state.cohortIdOf });
    if ('missing' in resolved) return missingReference(resolved.missing);
    const target = { state, client };
    return change.action === 'create' ? create(change, resolved.body, target) : update(change, target);
  },
  countWrites: ({ action, body }) => (action === 'create' && isStoredOtherwise(body) ? stagesOfCreate(body).length : 1),
  readBack: async (changes, reading) =>
    findRemainders(changes, await readFlags(changes, reading), { run: reading.state.flags, kind: FLAG_BODY }),
  countReadBack,
};

const FLAG_BODY: BodyKind<FlagChange, Flag, FlagRun> = {
  // A flag that is created without `active` is enabled, so a disabled one is not the result of the create.
  findMissing: (change, flag, run) => {
    const isUnstated = change.action === 'create' && change.body['active'] === undefined;
    const isDisabled = isUnstated && !flag.active && change.body['archived'] !== true;
    return [...(isDisabled ? [{ path: '/active' }] : []), ...missingEffect(change, comparableFlag(flag, run), run)];
  },
  findWritten: (change, run) => {
    const { action, key, body } = change;
    const seen = action === 'create' ? comparableFields({ key, ...shownFields(change) }, {}, run) : change.base.flag;
    return compareFields(body, canonicalFlag(seen), run);
  },
  // A create collides with a flag that has taken the key since.
  findMoved: (change, flag, run) => {
    if (change.action !== 'create') return findMovedFields(change, flag, run);
    return run.isTaken(change.key) ? [{ path: '/key', after: change.key }] : [];
  },
  findRemainder: (change, flag, run) => {
    const stored = change.action === 'create' ? flag : withDeclaredSecrecy(flag, change.base.flag);
    const written = withFound(change.body, comparableFlag(stored, run), change);
    return compareStored({ ...written, key: change.key }, stored, run).map((difference) => {
      const remainder = remainderOf(change, difference);
      // A field that the service never answers does not appear in the next plan, since it cannot be compared.
      const isAnswered = Object.hasOwn(flag, fieldAt(difference.path));
      return isAnswered ? remainder : { ...remainder, reason: 'service_ignores_field' };
    });
  },
};

/** `flag` is absent when the service does not list it: it was deleted, or this key may not see it. */
export function findMovedFields(
  change: { readonly base: FlagBase; readonly keeps?: readonly ValueOfOthers[] },
  flag: Flag | undefined,
  names: FlagNames,
): readonly FieldChange[] {
  const { base } = change;
  if (flag === undefined) return [{ path: '', before: base.flag }];
  const now = comparableFlag(withDeclaredSecrecy(flag, base.flag), names);
  // A field that is unknown to us and absent from the plan's base changes with traffic or is new in the service, so it is no edit.
  const isKnown = (field: string): boolean => KNOWN_FIELDS.has(field) || Object.hasOwn(base.flag, field);
  const compared = Object.fromEntries(Object.entries(now).filter(([field]) => isKnown(field)));
  // An earlier release may have saved the base in its own canonical form.
  return diff(...withoutMoves(change, canonicalFlag(base.flag), compared));
}

/**
 * The parts of the change that `live`, in comparable form, lacks; empty once the change is in effect. Excludes what others decide: they may
 * have moved it since, and the service may drop what other products added. (docs/service.md, "Filters")
 */
export function missingEffect(change: FlagChange, live: JsonObject, names: FlagNames): Difference[] {
  const effect = withFound(change.body, live, change);
  // A new flag is not deleted, although no request says so.
  return compareFields(change.action === 'create' ? { ...effect, deleted: false } : effect, live, names);
}

/** The service lists neither deleted flags, which is as wanted, nor archived ones, which are read by id. */
async function readFlags(
  changes: readonly FlagChange[],
  { client, state, total }: ReadBack<RunState, ServiceClient>,
): Promise<ReadonlyMap<number, Flag>> {
  // A flag may have been written twice.
  const ids = [...new Set(changes.flatMap((change) => idIn(change, state.flags) ?? []))];
  // Few flags are read one by one, many as the list.
  const wholeList = ids.length > total / FLAGS_PER_PAGE;
  const listed = wholeList ? await client.listFlags() : [];
  const known = new Map(listed.map((flag) => [flag.id, flag]));
  const deleted = new Set(changes.flatMap((change) => (change.action === 'delete' ? [change.id] : [])));
  const hidden = ids.filter((id) => !known.has(id) && !(wholeList && deleted.has(id)));
  const read = await Promise.all(hidden.map((id) => findFlag(client, id)));
  return new Map([...known, ...read.flatMap((flag) => (flag === undefined ? [] : [[flag.id, flag] as const]))]);
}

/** The requests of `readBack` in rounds, where all changes are applied to `live`. */
function countReadBack(changes: readonly FlagChange[], live: readonly Flag[]): readonly RequestRound[] {
  const whole = changes.filter((change) => !isPartial(change));
  if (whole.length <= live.length / FLAGS_PER_PAGE) return [singles(whole.length)];
  const listed = new Set(live.filter(isListed).map(({ id }) => id));
  let created = 0;
  for (const change of changes) {
    const { archived } = change.body;
    if (change.action === 'create') created += archived === true ? 0 : 1;
    else if (change.action === 'delete' || archived === true) listed.delete(change.id);
    else if (change.action === 'restore' || archived === false) listed.add(change.id);
  }
  // Archived flags are not listed, and are read one by one.
  const archived = new Set(live.filter((flag) => flag.archived === true).map(({ id }) => id));
  const hidden = whole.filter((change) => {
    if (change.action === 'delete') return false;
    const wanted = change.body['archived'];
    return typeof wanted === 'boolean' ? wanted : change.action !== 'create' && archived.has(change.id);
  });
  return [...countPageReads(listed.size + created, FLAGS_PER_PAGE), singles(hidden.length)];
}

interface WriteTarget {
  readonly state: FlagRun;
  readonly client: ServiceClient;
}

/** `body`: references dependencies by id. */
function create(change: CreateFlag, body: JsonObject, target: WriteTarget): Write {
  const { state, client } = target;
  const { key } = change;
  const send = async (): Promise<number> => {
    const flag = await client.createFlag(body);
    state.keep(key, flag);
    return flag.id;
  };
  return {
    send,
    // The key may have been taken by an earlier attempt that was executed late, or by another user who created the same flag.
    lookUpAfter: 'key_taken',
    repeatRefused: false,
    compareRequest: (request) => compareRequest(change, request, state),
    ...defined({ parts: partsOfCreate(change, body, target) }),
    onlyInParts: isStoredOtherwise(body),
    lookUp: async () => {
      const flags = await client.listFlags({ key, ...(change.body['archived'] === true ? { archived: true } : {}) });
      const found = flags.find((flag) => flag.key === key && flag.deleted !== true);
      if (found === undefined) return { kind: 'unwritten', send };
      if (FLAG_BODY.findMissing(change, found, state).length > 0) return { kind: 'changed' };
      state.keep(key, found);
      return { kind: 'in_effect', id: found.id };
    },
  };
}

/** Each part changes the flag from one stage to the next. */
function partsOfCreate(change: CreateFlag, body: JsonObject, target: WriteTarget): readonly WritePart[] | undefined {
  const [first, ...later] = stagesOfCreate(body);
  if (body['filters'] === undefined || later.length === 0) return undefined;
  const made = stagesOfCreate(change.body).map((stage): CreateFlag => ({ ...change, body: stage }));
  const parts = later.map((stage, index) => {
    const before = index === 0 ? first : (later[index - 1] as JsonObject);
    const names = definedKeys(stage).filter((name) => !jsonEquals(memberOf(stage, name), memberOf(before, name)));
    return objectFrom(names.map((name) => [name, memberOf(stage, name) ?? null]));
  });
  const isLater = (field: string): boolean => parts.some((part) => Object.hasOwn(part, field));
  return [
    {
      fields: Object.keys(body).filter((field) => !isLater(field)),
      prepare: () => create(made[0] as CreateFlag, first, target),
    },
    ...parts.map((part, index) => ({
      fields: Object.keys(part),
      prepare: () => complete(made.slice(index) as [CreateFlag, CreateFlag], part, target),
    })),
  ];
}

/** Writes a part of the flag that the part before it created. */
function complete(
  [before, made]: readonly [CreateFlag, CreateFlag],
  body: JsonObject,
  { state, client }: WriteTarget,
): Write {
  const { key } = made;
  const id = state.idOf(key) as number;
  const sendOver = (original: Flag | undefined) => async (): Promise<number> => {
    state.keep(key, await client.updateFlag(id, { ...body, ...lock(original) }));
    return id;
  };
  return {
    send: sendOver(state.find(id)),
    lookUpAfter: 'conflict',
    repeatRefused: false,
    lookUp: async () => {
      const now = await findFlag(client, id);
      if (now === undefined) return { kind: 'changed' };
      state.see(id, now);
      const has = (stage: CreateFlag): boolean => FLAG_BODY.findMissing(stage, now, state).length === 0;
      if (has(made)) return { kind: 'in_effect', id };
      return has(before) ? { kind: 'unwritten', send: sendOver(now) } : { kind: 'changed' };
    },
    compareRequest: (request) => (request.key === undefined || request.key === key ? undefined : 'other_resource'),
  };
}

function update(change: ChangeOfLive, { state, client }: WriteTarget): Write {
  const { id, key } = change;
  // Values that others decide are sent as they were last read, which the lock protects.
  const sendOver = (original: Flag | undefined) => async (): Promise<number> => {
    const body = bodyOver(change, original, state);
    const resolved = resolveBody(body, { flag: state.idOf, cohort: state.cohortIdOf });
    const named = 'missing' in resolved ? body : resolved.body;
    state.keep(key, await client.updateFlag(id, { ...named, ...lock(original) }));
    return id;
  };
  const turnOff = async (): Promise<number> => {
    state.keep(key, await client.disableFlag(id));
    return id;
  };
  return {
    ...rewrite<FlagChange & { readonly id: number }, Flag, FlagRun>(
      change,
      { run: state, kind: FLAG_BODY, sendOver, read: async () => findFlag(client, id) },
      { hidesDeleted: true },
    ),
    // A service of that year that lacks the action gets the update.
    ...(isOwnAction(change, state) ? { send: turnOff, lookUpAfter: 'not_found' as const } : {}),
    compareRequest: (request) => compareRequest(change, request, state),
    ...defined({ parts: partsOfUpdate(change, { state, client }) }),
  };
}

/**
 * Whether the service has a separate action for the change, as for those of `off`: it turns the flag off and leaves all else alone. The
 * action has no body, so nothing else can be written, and no lock can refuse it. It is there since 2026, like the archive; not for a flag
 * with rules. (docs/service.md, "Actions")
 */
function isOwnAction(change: ChangeOfLive, { find }: FlagRun): boolean {
  const { id, body } = change;
  if (body['active'] !== false || Object.keys(body).length > 1 || !leavesAllElse(change)) return false;
  const flag = find(id);
  return flag?.archived !== undefined && !viewFilters(flag.filters).isOpaque;
}

/** The switch and the other fields each need an approval. (docs/service/approvals.md) */
function partsOfUpdate(change: ChangeOfLive, target: WriteTarget): readonly WritePart[] | undefined {
  const { action, body } = change;
  if (action !== 'update' || body['active'] === undefined || body['filters'] === undefined) return undefined;
  const parts = disables(change) ? splitUpdate(change) : divideUpdate(change, target.state);
  return parts.map((part) => ({ fields: Object.keys(part.body), prepare: () => update(part, target) }));
}

/**
 * The version of a flag, where somebody wrote the flag since the plan and it is as the plan saw it nevertheless: an earlier apply of the same
 * plan may have enabled or widened it, and somebody may have taken that back. A plan that disables it goes on. Values of others move the
 * version too, and make no plan stale.
 */
function findTakenBack(change: FlagChange, { first }: FlagRun): readonly FieldChange[] {
  const { active, filters } = change.body;
  if (change.action !== 'update' || active === false || (active === undefined && filters === undefined)) return [];
  const [before, after] = [change.base.version, first(change.id)?.version];
  if (before === null || typeof after !== 'number' || after === before || change.keeps !== undefined) return [];
  return [{ path: '/version', before, after }];
}

/** Whether others decide about every field that the change does not write: then there is no other edit to overwrite. */
function leavesAllElse(change: ChangeOfLive): boolean {
  const { base, body } = change;
  const kept = new Set((change.action === 'delete' ? [] : (change.keeps ?? [])).map(({ path }) => path));
  const others = Object.keys(base.flag).filter((field) => field !== 'key' && !Object.hasOwn(body, field));
  return others.length > 0 && others.every((field) => kept.has(`/${field}`));
}

/**
 * Version and original together make the service refuse a write over another user's; the version alone does not.
 * Flags older than the counter have none; the comparison before the write protects them. (docs/service.md, "Lock")
 */
function lock(live: Flag | undefined): JsonObject {
  return typeof live?.version === 'number' ? { version: live.version, original_flag: withoutInjected(live) } : {};
}

/**
 * Compares an open change request of the service with a change of a flag; `undefined` if the request does not say enough.
 * (docs/service/approvals.md)
 */
export function compareRequest(change: FlagChange, request: ChangeRequest, state: FlagRun): RequestMatch | undefined {
  const { key, version } = request;
  // The service names the oldest open creation, of any flag.
  if (change.action === 'create' && key !== undefined && key !== change.key) return 'other_resource';
  const live = change.action === 'create' ? undefined : state.find(change.id);
  if (version !== undefined && typeof live?.version === 'number' && live.version !== version) return 'outdated_version';
  const asked = request.asked?.();
  if (asked === undefined) return undefined;
  const filters = isJsonObject(asked['filters'])
    ? { filters: { ...objectOrEmpty(live?.filters), ...asked['filters'] } }
    : {};
  const before = live ?? { id: 0, key: '', active: true, deleted: false };
  const approved = comparableFlag({ ...before, ...asked, ...filters } as Flag, state);
  return missingEffect(change, approved, state).length === 0 ? 'this_change' : 'other_values';
}
