/** Turns the differences of one flag into what the manifests are to say. */

import { definedKeys, isJsonObject, memberOf, type JsonObject } from '../../base/json.ts';
import { fromPointer } from '../../base/json-pointer.ts';
import { defined } from '../../base/optional.ts';
import type { Difference } from '../../engine/diff.ts';
import { membersIn } from '../../manifest/declaration.ts';
import { layerDeclaration } from '../../manifest/layers.ts';
import type { DeclaredFlag } from '../../posthog/desired.ts';
import { writableFields } from '../../posthog/flag/comparison.ts';
import { withDeclaredSecrecy } from '../../posthog/flag/encrypted-payloads.ts';
import type { Flag } from '../../posthog/flag/flag.ts';
import { withoutDifferences } from '../../posthog/flag/live-values.ts';
import { toFields } from '../../posthog/flag/manifest/fields.ts';
import { FLAG_SECTION } from '../../posthog/flag/manifest/section.ts';
import { EDITOR } from '../../posthog/role-access/access.ts';
import type { EditingContext } from '../context.ts';
import type { AccessWish, FlagWish } from '../wish.ts';
import type { LeftFlag } from './accepted.ts';
import type { Found } from './select.ts';

export interface Differing {
  readonly key: string;
  readonly found: readonly Found[];
  /** Absent where the flag is declared as deleted. */
  readonly declared: DeclaredFlag | undefined;
  readonly context: EditingContext;
}

export function toWish(differing: Differing): { readonly wish: FlagWish } | { readonly left: LeftFlag } {
  const { key, found, context } = differing;
  const actions = new Set(found.map(({ change }) => change.action));
  if (actions.has('restore')) return { wish: { resource: 'flag', key, deleted: true } };
  const live = liveOf(differing);
  if (live === undefined) return wishOfMissing(differing);
  if (actions.has('delete')) {
    const renamed = live.key === key ? undefined : live.key;
    const fields = fieldsWithoutDeletion(key, live, context);
    return { wish: { resource: 'flag', key, deleted: false, fields, ...defined({ renamed }) } };
  }
  const renamed = found.some(({ path }) => path === '/key') ? live.key : undefined;
  const wished = { fields: wishedFields(differing, live), access: wishedAccess(differing), renamed };
  return { wish: { resource: 'flag', key, ...defined(wished) } };
}

/** A flag that was there once was deleted by somebody; one that never was is still to be created. */
function wishOfMissing({ key, found, context }: Differing): { readonly wish: FlagWish } | { readonly left: LeftFlag } {
  const { flags, traces } = context.live;
  const former = traces?.flags?.find((trace) => trace.kind === 'former' && trace.key === key);
  const holder = former?.kind === 'former' ? flags.find(({ id }) => id === former.id) : undefined;
  const wasLive = holder?.deleted === true || found.some(({ divergence }) => divergence === 'drifted');
  if (wasLive) return { wish: { resource: 'flag', key, deleted: true } };
  return { left: { key, reason: holder === undefined ? { code: 'not-live' } : { code: 'renamed', key: holder.key } } };
}

function liveOf({ found, context }: Differing): Flag | undefined {
  const id = found.find(({ change }) => change.id !== undefined)?.change.id;
  return context.live.flags.find((flag) => flag.id === id);
}

/** The fields that the declaration has once it no longer says that the flag is deleted. */
function fieldsWithoutDeletion(key: string, live: Flag, { read, project }: EditingContext): JsonObject {
  const declaration = read.declarations.get(key);
  if (declaration === undefined || !isJsonObject(membersIn(declaration))) return {};
  const { fields } = toFields(layerDeclaration(declaration, project.name, FLAG_SECTION.prepareLayers));
  return Object.fromEntries(
    definedKeys(fields).flatMap((field) => (Object.hasOwn(live, field) ? [[field, live[field]]] : [])),
  );
}

/** A field of which every difference is taken is the live one; otherwise the declared one with the live parts. */
function wishedFields({ found, declared, context }: Differing, live: Flag): JsonObject | undefined {
  const own = found.filter(({ change, path }) => change.resource === 'flag' && path !== '/key');
  const names = new Set(own.map(({ path }) => fieldOf(path)));
  if (names.size === 0) return undefined;
  const seen = withDeclaredSecrecy(live, declared?.fields ?? {});
  const wished = [...names].map((field) => {
    const ofField = own.filter(({ path }) => fieldOf(path) === field);
    const isWhole = ofField.length === differencesOf(ofField, field);
    const given = declared && memberOf(declared.fields, field);
    if (isWhole || given === undefined) return [field, memberOf(live, field) ?? null] as const;
    // Of secrets these are digests: what is written has marks in their place.
    const parts = writableFields(seen, [field], context.snapshot.flags);
    return [
      field,
      memberOf(withoutDifferences({ [field]: given }, parts, ofField.map(toDifference)), field) ?? null,
    ] as const;
  });
  return Object.fromEntries(wished);
}

/** How many differences the plan found in a field. */
function differencesOf(found: readonly Found[], field: string): number {
  const changes = new Set(found.map(({ change }) => change));
  return [...changes].reduce((sum, change) => {
    const fields = change.resource === 'role_access' ? [] : change.fields;
    return sum + fields.filter(({ path }) => fieldOf(path) === field).length;
  }, 0);
}

function fieldOf(path: string): string {
  return fromPointer(path)[0] ?? '';
}

function toDifference({ path, declared, live }: Found): Difference {
  return { path, ...defined({ before: live, after: declared }) };
}

/** The declared access, with what is live for each role that differs. */
function wishedAccess({ found, declared }: Differing): AccessWish | undefined {
  const own = found.flatMap(({ change, live }) =>
    change.resource === 'role_access' ? [{ role: change.role, live }] : [],
  );
  if (own.length === 0 || declared === undefined) return undefined;
  const roles = new Map(declared.roleAccess?.map(({ id, level = EDITOR }) => [id, level]));
  let everyone: { readonly level: string | null } | undefined;
  for (const { role, live } of own) {
    const level = typeof live === 'string' ? live : undefined;
    if (role === undefined) everyone = { level: level ?? null };
    else if (level === undefined) roles.delete(role.id);
    else roles.set(role.id.toLowerCase(), level);
  }
  const hasRoles = own.some(({ role }) => role !== undefined);
  return defined({ roles: hasRoles ? roles : undefined, everyone: everyone?.level });
}
