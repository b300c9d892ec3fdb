/** Reads again what was written and says what still differs, path by path: converge or explain. */

import { fromPointer } from '../base/json-pointer.ts';
import { withDeclaredSecrecy } from '../posthog/flag/encrypted-payloads.ts';
import type { Flag } from '../posthog/flag/flag.ts';
import { compareStored } from '../posthog/flag/comparison.ts';
import { effectOf } from '../posthog/flag/effect.ts';
import type { Difference } from '../engine/diff.ts';
import type { FlagChange, RoleChange } from '../posthog/plan.ts';
import type { ServiceClient } from '../posthog/client/client.ts';
import { findFlag } from '../posthog/client/find-flag.ts';
import type { FlagDirectory } from './flag-directory.ts';
import type { ChangeResult, Remainder } from './result.ts';

export interface Verification {
  readonly client: ServiceClient;
  readonly directory: FlagDirectory;
  /** How many flags the project holds: decides whether one by one or the whole list costs fewer requests. */
  readonly flagCount: number;
  /** The changes that this run sent itself, by ref. */
  readonly sent: ReadonlySet<string>;
}

const PAGE_SIZE = 100;

/** @throws {ServiceError} when what was written cannot be read. */
export async function findRemainder(
  results: readonly ChangeResult[],
  verification: Verification,
): Promise<readonly Remainder[]> {
  const applied = results.filter(({ result }) => result.outcome === 'applied').map(({ change }) => change);
  const flagChanges = applied.filter((change) => change.resource === 'flag');
  const roleChanges = applied.filter((change) => change.resource === 'role_access');
  const remainder = [
    ...(await flagRemainder(flagChanges, verification)),
    ...(await roleRemainder(roleChanges, verification)),
  ];
  return remainder.map((rest) => (verification.sent.has(rest.ref) ? rest : withoutBlame(rest)));
}

/** What an earlier run wrote or somebody else made so was in the service for a while: no write of ours tells who changed it. */
function withoutBlame(rest: Remainder): Remainder {
  const ofService = rest.reason === 'service_changed_value' || rest.reason === 'service_dropped_value';
  return ofService ? { ...rest, reason: 'changed_afterwards' } : rest;
}

async function flagRemainder(changes: readonly FlagChange[], verification: Verification): Promise<Remainder[]> {
  const flags = await readFlags(changes, verification);
  return changes.flatMap((change) => {
    const id = change.action === 'create' ? verification.directory.idOf(change.key) : change.id;
    const flag = flags.get(id ?? Number.NaN);
    if (change.action === 'delete') {
      return flag === undefined || flag.deleted === true
        ? []
        : [remainder(change, { path: '/deleted', before: false, after: true })];
    }
    if (flag === undefined || flag.deleted === true) {
      return [{ ref: change.ref, key: change.key, path: '', reason: 'not_found' as const }];
    }
    const { keyOf } = verification.directory;
    const stored = change.action === 'create' ? flag : withDeclaredSecrecy(flag, change.base.flag);
    const differences = compareStored({ ...effectOf(change), key: change.key }, stored, keyOf);
    return differences.map((difference) => flagRemainderOf(change, flag, difference));
  });
}

/** A field that no answer has will not show in the next plan, since it cannot be compared. */
function flagRemainderOf(change: FlagChange, flag: Flag, difference: Difference): Remainder {
  const [field = ''] = fromPointer(difference.path);
  const rest = remainder(change, difference);
  return Object.hasOwn(flag, field) ? rest : { ...rest, reason: 'service_ignores_field' };
}

/** Deleted flags are not listed, which is what is wanted of them; archived ones are not either, and are read by id. */
async function readFlags(
  changes: readonly FlagChange[],
  verification: Verification,
): Promise<ReadonlyMap<number, Flag>> {
  const { client, directory, flagCount } = verification;
  const ids = distinct(
    changes.flatMap((change) => (change.action === 'create' ? (directory.idOf(change.key) ?? []) : change.id)),
  );
  const wholeList = ids.length > flagCount / PAGE_SIZE;
  const listed = wholeList ? await client.listFlags() : [];
  const known = new Map(listed.map((flag) => [flag.id, flag]));
  const deleted = new Set(changes.flatMap((change) => (change.action === 'delete' ? [change.id] : [])));
  const hidden = ids.filter((id) => !known.has(id) && !(wholeList && deleted.has(id)));
  const read = await Promise.all(hidden.map((id) => findFlag(client, id)));
  return new Map([...known, ...read.flatMap((flag) => (flag === undefined ? [] : [[flag.id, flag] as const]))]);
}

/** A flag may have been written twice. */
function distinct(ids: readonly number[]): number[] {
  return [...new Set(ids)];
}

async function roleRemainder(changes: readonly RoleChange[], verification: Verification): Promise<Remainder[]> {
  const { client, directory } = verification;
  const ids = new Set(changes.flatMap((change) => change.id ?? directory.idOf(change.key) ?? []));
  const lists = await Promise.all([...ids].map((id) => readRoles(id, client)));
  const rolesOf = new Map(lists);
  return changes.flatMap((change) => {
    const has = rolesOf.get(change.id ?? directory.idOf(change.key) ?? Number.NaN)?.has(change.role.id) ?? false;
    if (has === (change.action === 'grant')) return [];
    return [
      remainder(change, { path: `/role_access/${change.role.id}`, ...(has ? { before: true } : { after: true }) }),
    ];
  });
}

async function readRoles(flagId: number, client: ServiceClient): Promise<readonly [number, ReadonlySet<string>]> {
  const entries = await client.listRoleAccess(flagId);
  return [flagId, new Set(entries.map((entry) => entry.role.id))];
}

function remainder(change: FlagChange | RoleChange, { path, before, after }: Difference): Remainder {
  return {
    ref: change.ref,
    key: change.key,
    path,
    ...(after === undefined ? {} : { wanted: after }),
    ...(before === undefined ? {} : { found: before }),
    reason: before === undefined ? 'service_dropped_value' : 'service_changed_value',
  };
}
