/** Requests the edits that take the live values of one flag over into the manifests. */

import { fromPointer } from '../../base/json-pointer.ts';
import { definedKeys, isJsonObject, memberOf, type JsonObject } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import type { Difference } from '../../engine/diff.ts';
import { membersIn } from '../../manifest/declaration.ts';
import { layerDeclaration } from '../../manifest/layers.ts';
import type { DeclaredFlag } from '../../posthog/desired.ts';
import { writableFields } from '../../posthog/flag/comparison.ts';
import { withDeclaredSecrecy } from '../../posthog/flag/model/encrypted-payloads.ts';
import { matchesField } from '../../engine/field-path.ts';
import type { Flag } from '../../posthog/flag/model/flag.ts';
import { withoutDifferences } from '../../posthog/flag/model/live-values.ts';
import { toFields } from '../../posthog/flag/manifest/fields.ts';
import { FLAG_SECTION } from '../../posthog/flag/manifest/section.ts';
import type { Change, Plan } from '../../posthog/plan.ts';
import { EDITOR } from '../../posthog/role-access/access.ts';
import type { EditingContext } from '../context.ts';
import type { AccessEdit, FlagEdit } from '../edit.ts';
import type { Differing, LiveDifference, EditOr, SelectedFields } from '../facet.ts';
import { fieldsOf, EDITED } from '../kinds.ts';
import type { LeftFlag } from '../results.ts';

interface FlagDiffering extends Differing {
  /** Absent if the flag is declared as deleted. */
  readonly declared: DeclaredFlag | undefined;
}

type EditOrLeft = EditOr<FlagEdit, { readonly left: LeftFlag }>;

export function flagFromLive(given: Differing): EditOrLeft {
  const { key, found, context } = given;
  const differing = { ...given, declared: declaredFlag(key, context) };
  const actions = new Set(found.map(({ change }) => change.action));
  if (actions.has('restore')) return { edit: { resource: 'flag', key, deleted: true } };
  const live = liveOf(differing);
  if (live === undefined) return editOfMissing(differing);
  if (actions.has('delete')) {
    const renamed = live.key === key ? undefined : live.key;
    const fields = fieldsWithoutDeletion(key, live, context);
    return { edit: { resource: 'flag', key, deleted: false, fields, ...defined({ renamed }) } };
  }
  const renamed = found.some(({ path }) => path === '/key') ? live.key : undefined;
  const wanted = { fields: wantedFields(differing, live), access: wantedAccess(differing), renamed };
  return { edit: { resource: 'flag', key, ...defined(wanted) } };
}

function declaredFlag(key: string, { read, project }: EditingContext): DeclaredFlag | undefined {
  const flag = EDITED.flags.desired(read.resolve(project).desired).find((one) => one.key === key);
  return flag?.kind === 'declared' ? flag : undefined;
}

/** A flag that was there once was deleted by somebody; one that never was is still to be created. */
function editOfMissing({ key, found, context }: Differing): EditOrLeft {
  const { flags, traces } = context.live;
  const former = traces?.flags?.find((trace) => trace.kind === 'former' && trace.key === key);
  const holder = former?.kind === 'former' ? flags.find(({ id }) => id === former.id) : undefined;
  const wasLive = holder?.deleted === true || found.some(({ divergence }) => divergence === 'drifted');
  if (wasLive) return { edit: { resource: 'flag', key, deleted: true } };
  return { left: { key, reason: holder === undefined ? { code: 'not-live' } : { code: 'renamed', key: holder.key } } };
}

function liveOf({ found, context }: Differing): Flag | undefined {
  const id = found.find(({ change }) => change.id !== undefined)?.change.id;
  return context.live.flags.find((flag) => flag.id === id);
}

/** The fields that the declaration has once it no longer declares the flag as deleted. */
function fieldsWithoutDeletion(key: string, live: Flag, { read, project }: EditingContext): JsonObject {
  const declaration = read.declarations.get(key);
  if (declaration === undefined || !isJsonObject(membersIn(declaration))) return {};
  const { fields } = toFields(layerDeclaration(declaration, project.name, FLAG_SECTION.layering));
  return Object.fromEntries(
    definedKeys(fields).flatMap((field) => (Object.hasOwn(live, field) ? [[field, live[field]]] : [])),
  );
}

/** A field of which every difference is taken is the live one; otherwise the declared one with the live parts. */
function wantedFields({ found, declared, context }: FlagDiffering, live: Flag): JsonObject | undefined {
  const own = found.filter(({ change, path }) => change.resource === 'flag' && path !== '/key');
  const names = new Set(own.map(({ path }) => fieldOf(path)));
  if (names.size === 0) return undefined;
  const fields = fieldsOf(declared);
  const seen = withDeclaredSecrecy(live, fields);
  const wanted = [...names].map((field) => {
    const ofField = own.filter(({ path }) => fieldOf(path) === field);
    const isWhole = ofField.length === differencesOf(ofField, field);
    const given = memberOf(fields, field);
    if (isWhole || given === undefined) return [field, memberOf(live, field) ?? null] as const;
    // Secrets are digests here, and marks in the written text.
    const parts = writableFields(seen, [field], context.snapshot.flags);
    return [
      field,
      memberOf(withoutDifferences({ [field]: given }, parts, ofField.map(toDifference)), field) ?? null,
    ] as const;
  });
  return Object.fromEntries(wanted);
}

/** The number of differences that the plan found in a field. */
function differencesOf(found: readonly LiveDifference[], field: string): number {
  const changes = new Set(found.map(({ change }) => change));
  return [...changes].reduce((sum, change) => {
    const fields = change.resource === 'role_access' ? [] : change.fields;
    return sum + fields.filter(({ path }) => fieldOf(path) === field).length;
  }, 0);
}

function fieldOf(path: string): string {
  return fromPointer(path)[0] ?? '';
}

function toDifference({ path, declared, live }: LiveDifference): Difference {
  return { path, ...defined({ before: live, after: declared }) };
}

/** The declared access, with what is live for each role that differs. */
function wantedAccess({ found, declared }: FlagDiffering): AccessEdit | undefined {
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

/** Fields of flags with opaque filters, which a plan names in a warning and never writes, as changes. */
export function omittedChanges({ warnings }: Plan, { snapshot, read, project }: EditingContext): readonly Change[] {
  const declared = new Map(EDITED.flags.desired(read.resolve(project).desired).map((flag) => [flag.key, flag]));
  return warnings.flatMap((warning): Change[] => {
    const live = warning.code === 'filters_opaque' ? snapshot.flags.byKey(warning.key) : undefined;
    if (warning.code !== 'filters_opaque' || live === undefined || warning.omitted.length === 0) return [];
    const { key, omitted } = warning;
    const own = fieldsOf(declared.get(key));
    const fields = omitted.map((field) => ({
      path: `/${field}`,
      ...defined({ before: memberOf(live, field), after: memberOf(own, field) }),
    }));
    const change = { action: 'update', resource: 'flag', ref: `flag:${key}`, key, id: live.id, fields } as const;
    return [{ ...change, body: {}, needs: [], base: { version: null, flag: {}, former: {} } }];
  });
}

/** A role is selected by its name and by its id. */
export function isFlagSelected(
  { key, path, change }: LiveDifference,
  { flags: paths = [] }: SelectedFields,
  context: EditingContext,
): boolean {
  const fields = fieldsOf(declaredFlag(key, context));
  const role = change.resource === 'role_access' && 'role' in change ? change.role?.id : undefined;
  const pointers = role === undefined ? [path] : [path, `/role_access/roles/${role}`];
  return paths.some((one) => pointers.some((pointer) => matchesField(one, pointer, fields)));
}
