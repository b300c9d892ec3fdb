/** The plan that takes a run back: for each applied change its opposite, and for what has moved since, a refusal. */

import { jsonEquals, type JsonObject, type JsonValue } from '../base/json.ts';
import { fromPointer } from '../base/json-pointer.ts';
import type { Flag } from '../posthog/flag/flag.ts';
import type { LiveState } from '../posthog/live.ts';
import { TOLERANCES } from '../posthog/flag/tolerances.ts';
import {
  ENCRYPTED_PAYLOAD,
  holdsPayloadDigest,
  payloadsOf,
  withDeclaredSecrecy,
  withKeptPayloads,
  withMarksReplaced,
} from '../posthog/flag/encrypted-payloads.ts';
import { comparableFlag, compareFields, type KeyOfFlag } from '../posthog/flag/comparison.ts';
import { missingEffect, withoutCarriedParts } from '../posthog/flag/effect.ts';
import { dependencyGraph } from '../posthog/flag/dependencies.ts';
import { flagBase, flagRef } from '../posthog/flag/changes.ts';
import { keysAfter, underNewKeys } from '../posthog/flag/key-changes.ts';
import { orderChanges } from './order.ts';
import type { Change, FieldChange, FlagChange, Plan, RoleChange } from '../posthog/plan.ts';
import { updateBody } from '../posthog/flag/request-body.ts';
import { sealPlan, type SealOptions } from './seal-plan.ts';
import { joinUpdates } from '../posthog/flag/split-change.ts';

/** A change that was applied, with the id that the service answered: of the flag, or of the role access entry. */
export interface AppliedChange {
  readonly change: Change;
  readonly id?: number;
}

export interface Inversion {
  readonly plan: Plan;
  /** Changes that are not taken back, because what they wrote is no longer what is live, or was never kept. */
  readonly refused: readonly RefusedInversion[];
}

export interface RefusedInversion {
  readonly ref: string;
  readonly key: string;
  readonly refusal: 'moved' | 'gone' | 'secret';
  /** From what the run wrote to what is live now. */
  readonly moved: readonly FieldChange[];
}

/** `live` must hold every flag of the run, also those that it deleted, and the role lists that it changed. */
export function invertPlan(applied: readonly AppliedChange[], live: LiveState, options: SealOptions): Inversion {
  const keys = new Map([
    ...live.flags.map((flag): [number, string] => [flag.id, flag.key]),
    ...applied.flatMap(keyBefore),
  ]);
  const context: InversionContext = {
    keyOfFlag: (id) => keys.get(id),
    flagsById: new Map(live.flags.map((flag) => [flag.id, flag])),
    live,
  };
  const inverted = joinUpdates(applied).map((one) => invertChange(one, context));
  const unordered = withoutRolesOfDeleted(underNewKeys(inverted.filter(isInverted), context.keyOfFlag));
  const keyOfFlag = keysAfter(unordered, context.keyOfFlag);
  const graph = dependencyGraph(live.flags, keyOfFlag);
  const changes = orderChanges(unordered, { live: graph, keyOfFlag });
  return {
    plan: sealPlan(
      {
        changes,
        flags: live.flags,
        keyOfFlag,
        live: graph,
        reach: live.flags.filter((flag) => flag.deleted !== true).length,
        kept: 0,
        unchanged: 0,
        unmanaged: { count: 0, inScope: [] },
        warnings: [],
      },
      options,
    ),
    refused: inverted.filter((one) => 'refusal' in one),
  };
}

/**
 * A flag that goes takes its role access along. To revoke first would leave nobody who may edit it where the delete is
 * refused.
 */
function withoutRolesOfDeleted(changes: readonly Change[]): readonly Change[] {
  const deleted = new Set(changes.flatMap((change) => (change.action === 'delete' ? [change.id] : [])));
  return changes.filter((change) => change.action !== 'revoke' || !deleted.has(change.id));
}

function isInverted(one: Change | RefusedInversion): one is Change {
  return !('refusal' in one);
}

/** The service may have renamed a flag when it was deleted; it comes back under the key that it had. */
function keyBefore({ change }: AppliedChange): [number, string][] {
  const key = change.action === 'delete' ? change.base.flag['key'] : undefined;
  return change.action === 'delete' && typeof key === 'string' ? [[change.id, key]] : [];
}

interface InversionContext {
  readonly keyOfFlag: KeyOfFlag;
  readonly flagsById: ReadonlyMap<number, Flag>;
  readonly live: LiveState;
}

function invertChange(applied: AppliedChange, context: InversionContext): Change | RefusedInversion {
  const { change } = applied;
  if (change.resource === 'role_access') return invertRoleChange(change, applied.id, context);
  const id = change.action === 'create' ? applied.id : change.id;
  const flag = id === undefined ? undefined : context.flagsById.get(id);
  if (flag === undefined) return { ref: change.ref, key: change.key, refusal: 'gone', moved: [] };
  return invertFlagChange(change, flag, context);
}

function invertFlagChange(change: FlagChange, live: Flag, { keyOfFlag }: InversionContext): Change | RefusedInversion {
  const flag = withDeclaredSecrecy(live, change.action === 'create' ? change.body : change.base.flag);
  const now = comparableFlag(flag, keyOfFlag);
  const moved = missingEffect(change, now, keyOfFlag).map(({ path, before, after }) => ({
    path,
    ...(after === undefined ? {} : { before: after }),
    ...(before === undefined ? {} : { after: before }),
  }));
  if (moved.length > 0) return { ref: change.ref, key: change.key, refusal: 'moved', moved };
  const wanted =
    change.action === 'create' ? { deleted: true } : withSecretsThatStay(formerFields(change), change, now);
  if (holdsPayloadDigest(wanted)) return { ref: change.ref, key: change.key, refusal: 'secret', moved: [] };
  const fields = compareFields(wanted, now, keyOfFlag);
  const written = [...new Set(fields.map(({ path }) => fromPointer(path)[0] ?? ''))];
  const base = flagBase(flag, { compared: written, written }, keyOfFlag);
  const body = updateBody(written, wanted, { former: base.former, keyOfFlag });
  const key = typeof wanted['key'] === 'string' ? wanted['key'] : (keyOfFlag(flag.id) ?? flag.key);
  const common = {
    ref: flagRef(key),
    resource: 'flag' as const,
    key,
    id: flag.id,
    fields,
    body: flag === live ? body : withMarksReplaced(body, live),
    base,
    needs: [],
  };
  if (wanted['deleted'] === true) return { action: 'delete', reason: 'undone', ...common };
  return { action: change.action === 'delete' ? 'restore' : 'update', ...common };
}

/** The fields that the change wrote, as they were read before it. */
function formerFields(change: Exclude<FlagChange, { action: 'create' }>): JsonObject {
  const { former } = change.base;
  const fields = Object.keys(change.body).map((field): [string, JsonValue] => [
    field,
    former[field] ?? emptyValue(field),
  ]);
  return withoutCarriedParts(Object.fromEntries(fields), change);
}

/** A secret that the run left alone is kept by a mark, since nobody has it but the service. */
function withSecretsThatStay(former: JsonObject, { body }: FlagChange, now: JsonObject): JsonObject {
  const [sent, live] = [payloadsOf(body), payloadsOf(now)];
  return withKeptPayloads(
    former,
    (variant, digest) =>
      Object.hasOwn(live, variant) && (jsonEquals(live[variant], digest) || sent[variant] === ENCRYPTED_PAYLOAD),
  );
}

/** How to write that a field holds nothing, which its canonical form shows by leaving it out. */
function emptyValue(field: string): JsonValue {
  for (const { path, treat } of TOLERANCES) {
    if (path === `/${field}` && treat.kind === 'absent') return treat.when[0] ?? null;
  }
  return field === 'filters' ? { groups: [] } : null;
}

function invertRoleChange(
  change: RoleChange,
  entryId: number | undefined,
  { live }: InversionContext,
): Change | RefusedInversion {
  const flag = live.flags.find(({ id, key }) => (change.id === undefined ? key === change.key : id === change.id));
  const entries = flag === undefined ? undefined : live.roleAccess[String(flag.id)];
  if (flag === undefined || entries === undefined)
    return { ref: change.ref, key: change.key, refusal: 'gone', moved: [] };
  const entry = entries.find(({ role }) => role.id === change.role.id);
  const common = {
    ref: change.ref,
    resource: 'role_access' as const,
    key: flag.key,
    id: flag.id,
    role: change.role,
    base: { roles: entries.map(({ role }) => role.id).sort() },
    needs: [],
  };
  if (change.action === 'grant' && entry !== undefined && (entryId === undefined || entry.id === entryId)) {
    return { action: 'revoke', entry_id: entry.id, ...common };
  }
  if (change.action === 'revoke' && entry === undefined) return { action: 'grant', ...common };
  return { ref: change.ref, key: change.key, refusal: 'moved', moved: movedRole(change, entry !== undefined) };
}

function movedRole({ role }: RoleChange, granted: boolean): FieldChange[] {
  const path = `/role_access/${role.id}`;
  return [granted ? { path, after: role.name ?? role.id } : { path, before: role.name ?? role.id }];
}
