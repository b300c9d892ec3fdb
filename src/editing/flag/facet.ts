/** Flags, as editing sees them: the facet of the kind, and the edits that take live values over into the manifests. */

import { fromPointer } from '../../base/json-pointer.ts';
import {
  definedKeys,
  isJsonObject,
  memberOf,
  type JsonObject,
  isJsonArray,
  objectFrom,
  objectOrEmpty,
  type JsonValue,
} from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { placeAt } from '../../base/place.ts';
import type { Difference } from '../../engine/diff.ts';
import { matchesField } from '../../engine/field-path.ts';
import { membersIn } from '../../manifest/declaration.ts';
import { layerDeclaration } from '../../manifest/layers.ts';
import type { DeclaredFlag, DesiredFlag, DesiredState } from '../../posthog/desired.ts';
import { writableFields } from '../../posthog/flag/comparison.ts';
import { memberPointer, toFields } from '../../posthog/flag/manifest/fields.ts';
import { FLAG_SECTION } from '../../posthog/flag/manifest/section.ts';
import { readReference } from '../../posthog/flag/model/cohort-filters.ts';
import { withDeclaredSecrecy, hasEncryptedPayloads } from '../../posthog/flag/model/encrypted-payloads.ts';
import { type Flag, isListed } from '../../posthog/flag/model/flag.ts';
import { withoutDifferences } from '../../posthog/flag/model/live-values.ts';
import { cohortValues, namedFlags, mapReferences } from '../../posthog/flag/model/references.ts';
import { comparableDeclaration } from '../../posthog/flag/family.ts';
import type { Change, Plan } from '../../posthog/plan.ts';
import { EDITOR, heldAccess } from '../../posthog/role-access/access.ts';
import type { EditingContext } from '../context.ts';
import type { FlagEdit, AccessEdit } from '../edit.ts';
import type {
  EditFacet,
  ValueIn,
  Differing,
  LiveDifference,
  EditOr,
  SelectedFields,
  EditCandidate,
  DeclareFacet,
  Declaring,
} from '../facet.ts';
import { EDITED, fieldsOf } from '../kinds.ts';
import {
  namesOfCohorts,
  cross,
  missingDependency,
  present,
  rolesFor,
  type Crossing,
  type Promotion,
  type PromotionSource,
} from '../promotion.ts';
import type { LeftFlag, EditedPart, PromotionReason } from '../results.ts';
import { layerAt, type WrittenAt, commonestHome, type DeclaredIn, type ReadTexts } from '../texts.ts';
import { isFlagWritten } from './is-written.ts';
import { writeFlagEdit } from './write.ts';
import { writeManifests } from '../../export/write-manifests.ts';
import { groupFiles, MIXED_FILE } from '../../manifest/write/group-files.ts';
import { findDifferences } from './merge.ts';
import { EXPORTED_FIELDS } from '../../posthog/flag/model/fields.ts';
import { withCommonAggregation } from '../../posthog/flag/model/normal-forms.ts';
import { only, without } from '../../posthog/flag/layout/members.ts';
import type { LiveState } from '../../posthog/live.ts';
import { takeSnapshot } from '../../posthog/snapshot.ts';

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

  declare: {
    identify: ({ keys }) => ({ open: [...keys].map((key) => ({ key, declared: key })), left: [] }),
    exported: exportFlags,
    homeOf,
    findDiffering: ({ context }, after, open) => [
      ...findDifferences(context, after, (key) => open.some((one) => one.key === key)).keys(),
    ],
  },
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

function exportFlags(
  { context, withRoleAccess, writing }: Declaring,
  open: readonly EditCandidate[],
): ReturnType<DeclareFacet['exported']> {
  const { flags, roleAccess, organization } = context.live;
  const access = { roleAccess: withRoleAccess ? roleAccess : undefined, ...defined({ organization }) };
  const keys = new Set(open.map(({ key }) => key));
  const { files, leftOut } = writeManifests({ flags, ...access, names: context.project, keys }, writing);
  const left = leftOut.map(({ key, reasons }) => ({ key, reason: { code: 'not-exportable', reasons } as const }));
  return { files, left };
}

/**
 * A flag of the file that holds most of those that an export would put together with this one. For a flag that shares no prefix, only a file that
 * an export made counts.
 */
function homeOf(key: string, { declarations }: ReadTexts): DeclaredIn | undefined {
  const flags = [...declarations].flatMap(([name, { section }]) => (section === EDITED.flags.section ? name : []));
  const groups = groupFiles([...flags, key], 'prefix');
  const [group, neighbours = []] = [...groups].find(([, keys]) => keys.includes(key)) ?? [];
  const known = neighbours.flatMap((one) => declarations.get(one) ?? []);
  return commonestHome(known.filter(({ file }) => group !== MIXED_FILE || `/${file}`.endsWith(`/${MIXED_FILE}`)));
}

type FlagPromotion = Promotion<DesiredFlag>;

function flagFromSource(promotion: FlagPromotion): EditOr<FlagEdit, { readonly reason: PromotionReason }> {
  const { key, source, parts, crossing } = promotion;
  const lacking = parts?.find((part) => !hasPart(part, source));
  if (lacking !== undefined) return refuse({ code: 'part-lacks', part: lacking, project: crossing.from.name });
  if (holdsSecrets(promotion)) return refuse({ code: 'payloads-secret' });
  const copied = copiedFilters(promotion);
  if (copied.missing !== undefined) return refuse(copied.missing);
  const fields = promotedFields(promotion, copied.filters);
  if (fields === undefined) return refuse({ code: 'conditions-differ' });
  const { filters } = fields;
  const dependency = isJsonObject(filters) ? missingDependency(filters, crossing.known) : undefined;
  if (dependency !== undefined) return refuse({ code: 'dependency-missing', dependency, project: crossing.to.name });
  const access = takes(parts, 'role_access') ? accessFor(source, crossing) : {};
  if ('reason' in access) return access;
  return {
    edit: { resource: 'flag', key, fields: withReferences(fields, promotion.refer), deleted: false, ...access },
  };
}

/** Numbers, which are ids of the source, were refused before. */
function withReferences(fields: JsonObject, refer: FlagPromotion['refer']): JsonObject {
  const { filters } = fields;
  if (!isJsonObject(filters)) return fields;
  return { ...fields, filters: mapReferences(filters, { flag: (named) => refer(String(named)) }) };
}

function takes(parts: readonly EditedPart[] | undefined, part: EditedPart): boolean {
  return parts === undefined || parts.includes(part);
}

/** The filters of the source with the ids of the target, if its conditions are taken. */
function copiedFilters({ source, parts, crossing }: FlagPromotion): {
  readonly filters: JsonObject | undefined;
  readonly missing?: PromotionReason;
} {
  const { filters } = source.fields;
  if (!isJsonObject(filters)) return { filters: undefined };
  return takes(parts, 'conditions') ? cross(crossing, (cohort) => mapReferences(filters, { cohort })) : { filters };
}

function refuse(reason: PromotionReason): { readonly reason: PromotionReason } {
  return { reason };
}

/** The fields and members of filters that belong to a part. Conditions of a flag about groups need the type of the group. */
const FIELDS: Readonly<Record<Exclude<EditedPart, 'rollout' | 'role_access'>, SelectedPart>> = {
  active: { field: 'active' },
  description: { field: 'name' },
  tags: { field: 'tags' },
  conditions: { members: ['groups', 'aggregation_group_type_index'] },
  variants: { members: ['multivariate'] },
  payloads: { members: ['payloads'] },
};

type SelectedPart = { readonly field: string } | { readonly members: readonly [string, ...string[]] };

function hasPart(part: EditedPart, { fields, roles, everyone }: PromotionSource): boolean {
  if (part === 'role_access') return roles !== undefined || everyone !== undefined;
  const selected = part === 'rollout' ? FIELDS.conditions : FIELDS[part];
  return 'field' in selected ? memberOf(fields, selected.field) !== undefined : isJsonObject(fields['filters']);
}

export function isOfFlagPart(path: string, parts: readonly EditedPart[]): boolean {
  const [field, member = '', , inElement] = fromPointer(path);
  return parts.some((part) => {
    if (part === 'role_access') return field === 'role_access';
    if (part === 'rollout') return member === 'groups' && inElement === 'rollout_percentage';
    const selected = FIELDS[part];
    return 'field' in selected ? selected.field === field : field === 'filters' && selected.members.includes(member);
  });
}

/** Payloads of a manifest may be marks that keep a secret; the mark means another secret in each project. */
function holdsSecrets({ source, parts }: FlagPromotion): boolean {
  return takes(parts, 'payloads') && hasEncryptedPayloads(source.fields) && isJsonObject(source.fields['filters']);
}

function promotedFields(
  { source, target, parts }: FlagPromotion,
  copied: JsonObject | undefined,
): JsonObject | undefined {
  if (parts === undefined) return { ...source.fields, ...(copied === undefined ? {} : { filters: copied }) };
  const plain = parts.flatMap((part): [string, JsonValue][] => {
    const selected = selectedBy(part);
    return selected === undefined || 'members' in selected
      ? []
      : [[selected.field, memberOf(source.fields, selected.field) as JsonValue]];
  });
  const names = parts.flatMap((part) => membersOf(part));
  if (names.length === 0 && !parts.includes('rollout')) return objectFrom(plain);
  const own = objectOrEmpty(fieldsOf(target)['filters']);
  const merged = { ...without(own, names), ...only(copied ?? {}, names) };
  if (!parts.includes('rollout') || names.includes('groups')) return { ...objectFrom(plain), filters: merged };
  const groups = withRollouts(merged['groups'], copied?.['groups']);
  if (groups === undefined) return undefined;
  // Filters without conditions stay as they are, also those that lack the member.
  const filters = groups.length === 0 ? merged : { ...merged, groups };
  return { ...objectFrom(plain), filters };
}

function selectedBy(part: EditedPart): SelectedPart | undefined {
  return part === 'rollout' || part === 'role_access' ? undefined : FIELDS[part];
}

function membersOf(part: EditedPart): readonly string[] {
  const selected = selectedBy(part);
  return selected !== undefined && 'members' in selected ? selected.members : [];
}

/** The conditions of one flag with the percentages of another; `undefined` if these are of other conditions. */
function withRollouts(
  conditions: JsonValue | undefined = [],
  others: JsonValue | undefined = [],
): JsonValue[] | undefined {
  if (!isJsonArray(conditions) || !isJsonArray(others) || conditions.length !== others.length) return undefined;
  return conditions.map((condition, index) => {
    const rollout = objectOrEmpty(others[index])['rollout_percentage'];
    return { ...objectOrEmpty(condition), rollout_percentage: rollout ?? 100 };
  });
}

function accessFor(
  { roles, everyone }: PromotionSource,
  crossing: Crossing,
): { readonly access?: AccessEdit } | { readonly reason: PromotionReason } {
  if (roles === undefined && everyone === undefined) return {};
  const named = roles === undefined ? undefined : rolesFor(roles, crossing);
  if (named !== undefined && 'missing' in named) return refuse(named.missing);
  return { access: defined({ roles: named?.roles, everyone }) };
}

/** Sources by key. `live`: declared flags have their live values, and undeclared ones have everything. */
export function flagSources(desired: DesiredState, live: LiveState | undefined): ReadonlyMap<string, PromotionSource> {
  const flags = EDITED.flags.desired(desired);
  const declared = new Map(flags.flatMap((flag) => (flag.kind === 'declared' ? [[flag.key, flag] as const] : [])));
  if (live === undefined) return new Map([...declared].map(([key, flag]) => [key, declaredSource(flag)]));
  const { flags: snapshot } = takeSnapshot(live);
  return new Map(
    live.flags.filter(isListed).map((flag): [string, PromotionSource] => {
      const names = namesOf(declared.get(flag.key)?.fields);
      const access = live.roleAccess[String(flag.id)];
      const held = access === undefined ? undefined : heldAccess(access, live.organization);
      const roles = held?.roles.map(({ role, level }) => ({ id: role.id, name: role.name, level }));
      const everyone = held?.wire === 'levels' ? held.everyone : undefined;
      return [flag.key, { fields: present(writableFields(flag, names, snapshot)), ...defined({ roles, everyone }) }];
    }),
  );
}

function declaredSource({ fields, roleAccess, everyone }: DeclaredFlag): PromotionSource {
  const roles = roleAccess?.map(({ id, name, level }) => ({ id, level: level ?? EDITOR, ...defined({ name }) }));
  const { filters } = fields;
  const meant = isJsonObject(filters) ? { ...fields, filters: withCommonAggregation(filters) } : fields;
  return { fields: meant, ...defined({ roles, everyone: everyone?.level }) };
}

function namesOf(declared: JsonObject | undefined): readonly string[] {
  return declared === undefined ? EXPORTED_FIELDS.map(({ api }) => api) : Object.keys(declared);
}
