/** Writes a flag. A create is sent again only after its key was looked up, an update only after the flag was read again. */

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
import { findEffect, inspect, rewrite } from '../../engine/body-kind.ts';
import type { ChangeRequest, RequestMatch } from '../../engine/change-request.ts';
import type { Write, WritePart } from '../../engine/writer.ts';
import type { ServiceClient } from '../service-client.ts';
import { findFlag } from './find-flag.ts';
import type { CreateFlag, FlagChange } from '../plan.ts';
import type { KindWriter } from '../run-state.ts';
import { countFlagReads, FLAG_BODY, missingEffect, readBackFlags } from './write-verification.ts';
import { withoutInjected } from './model/canonical.ts';
import { hasActions } from './certain-refusals.ts';
import type { ChangeOfLive } from './change.ts';
import { comparableFlag } from './comparison.ts';
import type { Flag } from './model/flag.ts';
import { missingReference, resolveBody, withIds } from './model/references.ts';
import type { FlagRun } from './run-state.ts';
import { disables, divideUpdate, isStoredOtherwise, splitUpdate, stagesOfCreate } from './split-change.ts';
import { bodyOver } from './values-of-others.ts';

export const flagWriter: KindWriter<FlagChange> = {
  needsRefresh: isUnlocked,
  refresh: async (change, { flags: state }, client) => {
    if (change.action === 'create' || state.find(change.id) === undefined) return;
    state.see(change.id, await findFlag(client, change.id));
  },
  inspect: (change, { flags }) => inspect(change, flags, FLAG_BODY),
  findEffect: (change, { flags }) => findEffect(change, flags, FLAG_BODY),
  prepare: (change, { flags: state }, client) => {
    const resolved = resolveBody(change.body, { flag: state.idOf, cohort: state.cohortIdOf });
    if ('missing' in resolved) return missingReference(resolved.missing);
    const target = { state, client };
    return change.action === 'create' ? create(change, { ...target, body: resolved.body }) : update(change, target);
  },
  countWrites: ({ action, body }) => (action === 'create' && isStoredOtherwise(body) ? stagesOfCreate(body).length : 1),
  readBack: readBackFlags,
  countReadBack: countFlagReads,
};

interface WriteTarget {
  readonly state: FlagRun;
  readonly client: ServiceClient;
}

interface Creation extends WriteTarget {
  /** References dependencies by id. */
  readonly body: JsonObject;
}

function create(change: CreateFlag, { state, client, body }: Creation): Write {
  const send = async (): Promise<number> => {
    const flag = await client.createFlag(body);
    state.keep(change.key, flag);
    return flag.id;
  };
  return {
    send,
    // The key may have been taken by an earlier attempt that was executed late, or by another user who created the same flag.
    lookUpAfter: 'key_taken',
    repeatRefused: false,
    compareRequest: (request) => compareRequest(change, request, state),
    ...defined({ parts: partsOfCreate(change, { state, client, body }) }),
    onlyInParts: isStoredOtherwise(body),
    lookUp: async () => {
      const { key, body } = change;
      const flags = await client.listFlags({ key, ...(body['archived'] === true ? { archived: true } : {}) });
      const found = flags.find((flag) => flag.key === key && flag.deleted !== true);
      if (found === undefined) return { kind: 'unwritten', send };
      if (FLAG_BODY.findMissing(change, found, state).length > 0) return { kind: 'changed' };
      state.keep(change.key, found);
      return { kind: 'in_effect', id: found.id };
    },
  };
}

/** Each part changes the flag from one stage to the next. */
function partsOfCreate(change: CreateFlag, creation: Creation): readonly WritePart[] | undefined {
  const { body } = creation;
  const [first, ...later] = stagesOfCreate(body);
  if (body['filters'] === undefined || later.length === 0) return undefined;
  const made = stagesOfCreate(change.body).map((stage): CreateFlag => ({ ...change, body: stage }));
  const parts = later.map((stage, index) =>
    membersApart(stage, index === 0 ? first : (later[index - 1] as JsonObject)),
  );
  const isLater = (field: string): boolean => parts.some((part) => Object.hasOwn(part, field));
  return [
    {
      fields: Object.keys(body).filter((field) => !isLater(field)),
      prepare: () => create(made[0] as CreateFlag, { ...creation, body: first }),
    },
    ...parts.map((part, index) => ({
      fields: Object.keys(part),
      prepare: () => complete(made.slice(index) as [CreateFlag, CreateFlag], { ...creation, body: part }),
    })),
  ];
}

function membersApart(stage: JsonObject, before: JsonObject): JsonObject {
  const names = definedKeys(stage).filter((name) => !jsonEquals(memberOf(stage, name), memberOf(before, name)));
  return objectFrom(names.map((name) => [name, memberOf(stage, name) ?? null]));
}

/** Writes a part of the flag that the part before it created. */
function complete([before, made]: readonly [CreateFlag, CreateFlag], { state, client, body }: Creation): Write {
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
    const body = withIds(bodyOver(change, original, state), { flag: state.idOf, cohort: state.cohortIdOf });
    state.keep(key, await client.updateFlag(id, { ...body, ...lock(original) }));
    return id;
  };
  const read = async (): Promise<Flag | undefined> => findFlag(client, id);
  const turnOff = async (): Promise<number> => {
    state.keep(key, await client.disableFlag(id));
    return id;
  };
  return {
    ...rewrite<FlagChange & { readonly id: number }, Flag, FlagRun>(
      change,
      { run: state, kind: FLAG_BODY, sendOver, read },
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
 * action has no body, so nothing else can be written, and no lock can refuse it. (docs/service.md, "Actions")
 */
function isOwnAction(change: ChangeOfLive, { find }: FlagRun): boolean {
  const { id, body } = change;
  return body['active'] === false && Object.keys(body).length === 1 && leavesAllElse(change) && hasActions(find(id));
}

/** The switch and the other fields each need an approval. (docs/service.md, "Approval gate") */
function partsOfUpdate(change: ChangeOfLive, target: WriteTarget): readonly WritePart[] | undefined {
  if (change.action !== 'update' || change.body['active'] === undefined || change.body['filters'] === undefined) {
    return undefined;
  }
  const parts = disables(change) ? splitUpdate(change) : divideUpdate(change, target.state);
  return parts.map((part) => ({ fields: Object.keys(part.body), prepare: () => update(part, target) }));
}

/**
 * A service without a counter accepts any write, so an edit between the last read and the write would be overwritten (docs/safety.md, "What
 * apply reads").
 */
function isUnlocked(change: FlagChange): boolean {
  return change.action !== 'create' && change.base.version === null && !leavesAllElse(change);
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
 * Compares an open change request of the service with a change of a flag. (docs/service.md, "Approval gate")
 *
 * `undefined` if the request does not say enough.
 */
export function compareRequest(change: FlagChange, request: ChangeRequest, state: FlagRun): RequestMatch | undefined {
  const { key, version, asked } = request;
  // The service names the oldest open creation, of any flag.
  if (change.action === 'create' && key !== undefined && key !== change.key) return 'other_resource';
  const live = change.action === 'create' ? undefined : state.find(change.id);
  if (version !== undefined && typeof live?.version === 'number' && live.version !== version) return 'outdated_version';
  if (asked === undefined) return undefined;
  const approved = withFields(live, asked());
  return missingEffect(change, comparableFlag(approved, state), state).length === 0 ? 'this_change' : 'other_values';
}

/** The flag as it is once the request is approved. */
function withFields(live: Flag | undefined, asked: JsonObject): Flag {
  const before = live ?? { id: 0, key: '', active: true, deleted: false };
  const filters = isJsonObject(asked['filters'])
    ? { filters: { ...objectOrEmpty(live?.filters), ...asked['filters'] } }
    : {};
  return { ...before, ...asked, ...filters } as Flag;
}
