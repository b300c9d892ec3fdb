/** Flags, as editing sees them: the facet of the kind, and the edits that take live values over into the manifests. */

import { fromPointer } from '../../base/json-pointer.ts';
import { definedKeys, isJsonObject, memberOf, type JsonObject } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { placeAt } from '../../base/place.ts';
import type { Difference } from '../../engine/diff.ts';
import { matchesField } from '../../engine/field-path.ts';
import { membersIn } from '../../manifest/declaration.ts';
import { layerDeclaration } from '../../manifest/layers.ts';
import type { DeclaredFlag, DesiredFlag } from '../../posthog/desired.ts';
import { writableFields } from '../../posthog/flag/comparison.ts';
import { memberPointer, toFields } from '../../posthog/flag/manifest/fields.ts';
import { FLAG_SECTION } from '../../posthog/flag/manifest/section.ts';
import { readReference } from '../../posthog/flag/model/cohort-filters.ts';
import { withDeclaredSecrecy } from '../../posthog/flag/model/encrypted-payloads.ts';
import type { Flag } from '../../posthog/flag/model/flag.ts';
import { withoutDifferences } from '../../posthog/flag/model/live-values.ts';
import { cohortValues, namedFlags } from '../../posthog/flag/model/references.ts';
import { comparableDeclaration } from '../../posthog/flag/family.ts';
import type { Change, Plan } from '../../posthog/plan.ts';
import { EDITOR } from '../../posthog/role-access/access.ts';
import type { EditingContext } from '../context.ts';
import type { FlagEdit, AccessEdit } from '../edit.ts';
import type { EditFacet, ValueIn, Differing, LiveDifference, EditOr, SelectedFields } from '../facet.ts';
import { EDITED, fieldsOf } from '../kinds.ts';
import { namesOfCohorts } from '../promotion.ts';
import type { LeftFlag } from '../results.ts';
import { layerAt, type WrittenAt } from '../texts.ts';
import { FLAG_DECLARING } from './declare.ts';
import { flagFromSource, flagSources, isOfFlagPart } from './from-source.ts';
import { isFlagWritten } from './is-written.ts';
import { writeFlagEdit } from './write.ts';

export const FLAG_FACET: EditFacet<FlagEdit, DesiredFlag> = {
  kind: EDITED.flags,

  write: writeFlagEdit,
  hasFallback: ({ fields }, { code }) =>
    fields?.['filters'] !== undefined && (code === 'invalid' || code === 'not-expressible'),
  isWritten: isFlagWritten,
  placeOf: flagPlace,

  fromLive: flagFromLive,
  leftOut: omittedChanges,
  isSelected: isFlagSelected,
  hasWholeFields: false,

  sources: flagSources,
  fromSource: flagFromSource,
  needs: ({ fields: { filters } }, from) => [
    ...namedFlags(filters),
    ...namesOfCohorts(cohortValues(filters).map(readReference), from),
  ],
  hasPart: () => true,
  isOfPart: isOfFlagPart,
  comparableValuesOf: ({ fields, roles, everyone }, from) => {
    const level = everyone === undefined ? undefined : { level: everyone };
    return comparableDeclaration({ fields, ...defined({ roleAccess: roles, everyone: level }) }, from);
  },

  declare: FLAG_DECLARING,
};

function flagPlace(flag: DesiredFlag, { path, declaration, project }: ValueIn): WrittenAt {
  if (flag.kind === 'retired') return { place: placeAt(flag.places, '/deleted') };
  const field = fromPointer(path)[0] ?? '';
  if (field === 'role_access') return accessPlace(flag, path);
  if (field === 'key') return { place: flag.places.place };
  if (!Object.hasOwn(flag.fields, field)) return {};
  const layer = layerDeclaration(declaration, project.name, EDITED.flags.layering);
  const origin = layer.pathOf(memberPointer(layer, path));
  return { place: placeAt(toFields(layer).places, path), layer: layerAt(origin, declaration) };
}

function accessPlace(flag: DeclaredFlag, path: string): WrittenAt {
  const [, kind, role] = fromPointer(path);
  const named = flag.roleAccess?.find(({ id, name }) => id === role || name === role);
  const place =
    kind === 'default' ? flag.everyone?.place : (named?.place ?? flag.places.children?.['role_access']?.place);
  return defined({ place });
}

interface FlagDiffering extends Differing {
  /** Absent if the flag is declared as deleted. */
  readonly declared: DeclaredFlag | undefined;
}

type EditOrLeft = EditOr<FlagEdit, { readonly left: LeftFlag }>;

function flagFromLive(given: Differing): EditOrLeft {
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

/** A flag that existed was deleted by somebody; one that never existed is still to be created. */
function editOfMissing({ key, found, context }: Differing): EditOrLeft {
  const { read, live } = context;
  const { flags, traces } = live;
  const former = traces?.flags?.find((trace) => trace.kind === 'former' && trace.key === key);
  const holder = former?.kind === 'former' ? flags.find(({ id }) => id === former.id) : undefined;
  const wasLive = holder?.deleted === true || found.some(({ divergence }) => divergence === 'drifted');
  if (wasLive) return { edit: { resource: 'flag', key, deleted: true } };
  if (holder === undefined) return { left: { key, reason: { code: 'not-live' } } };
  if (!read.declarations.has(holder.key)) return { left: { key, reason: { code: 'renamed', key: holder.key } } };
  return { left: { key, reason: { code: 'key-in-use', key, renamed: holder.key, use: { by: 'declaration' } } } };
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

/** If every difference of a field is taken, the field is the live one; otherwise the declared one with the live parts. */
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
function omittedChanges({ warnings }: Plan, { snapshot, read, project }: EditingContext): readonly Change[] {
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
function isFlagSelected(
  { key, path, change }: LiveDifference,
  { flags: paths = [] }: SelectedFields,
  context: EditingContext,
): boolean {
  const fields = fieldsOf(declaredFlag(key, context));
  const role = change.resource === 'role_access' && 'role' in change ? change.role?.id : undefined;
  const pointers = role === undefined ? [path] : [path, `/role_access/roles/${role}`];
  return paths.some((one) => pointers.some((pointer) => matchesField(one, pointer, fields)));
}
