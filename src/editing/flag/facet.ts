/** Flags, as editing sees them: the facet of the kind, and the edits that take values over from live state and from another project. */

import { fieldAt, fieldsIn, pickFields } from '../../core/engine/field-kind.ts';
import {
  without,
  pickMembers,
  definedKeys,
  isJsonArray,
  isJsonObject,
  memberOf,
  objectOrEmpty,
  type JsonObject,
  type JsonValue,
} from '../../base/json.ts';
import { findDifferences } from './merge.ts';
import {
  namesOfCohorts,
  cross,
  missingDependency,
  rolesFor,
  type Promotion,
  type PromotionSource,
} from '../promotion.ts';
import { namedFlags, cohortValues, mapReferences } from '../../posthog/flag/model/references.ts';
import { fromPointer } from '../../base/json-pointer.ts';
import { defined } from '../../base/optional.ts';
import { placeAt } from '../../base/place.ts';
import { matchesField } from '../../core/engine/field-path.ts';
import { writeManifests } from '../../loop/export/write-manifests.ts';
import { layerDeclaration } from '../../core/manifest/layers.ts';
import { groupFiles, MIXED_FILE } from '../../core/manifest/write/group-files.ts';
import type { DeclaredFlag, DesiredFlag, DesiredState } from '../../posthog/desired.ts';
import { writableFields } from '../../posthog/flag/comparison.ts';
import { comparableDeclaration } from '../../posthog/flag/family.ts';
import { memberPointer, toFields } from '../../posthog/flag/manifest/fields.ts';
import { readReference } from '../../posthog/flag/model/cohort-filters.ts';
import { withDeclaredSecrecy, hasEncryptedPayloads } from '../../posthog/flag/model/encrypted-payloads.ts';
import { EXPORTED_FIELDS } from '../../posthog/flag/model/fields.ts';
import { isListed, type Flag } from '../../posthog/flag/model/flag.ts';
import { withoutDifferences } from '../../posthog/flag/model/live-values.ts';
import { withCommonAggregation } from '../../posthog/flag/model/normal-forms.ts';
import type { LiveState } from '../../posthog/live.ts';
import type { Change } from '../../posthog/plan.ts';
import { EDITOR, heldAccess } from '../../posthog/role-access/access.ts';
import { takeSnapshot } from '../../posthog/snapshot.ts';
import type { EditingContext } from '../context.ts';
import type { AccessEdit, FlagEdit, EditedPart, LeftReason, PromotionReason } from '../edit.ts';
import type { DeclaredFor, Differing, EditFacet, EditOr, LiveDifference } from '../facet.ts';
import { EDITED, fieldsOf } from '../kinds.ts';
import { commonestHome, layerAt, type DeclaredIn, type ReadTexts, type WrittenAt } from '../texts.ts';
import { isFlagWritten, writeFlagEdit } from './write.ts';

const FLAGS = EDITED.flags;

export const FLAG_FACET: EditFacet<FlagEdit, DesiredFlag> = {
  kind: FLAGS,

  write: writeFlagEdit,
  hasFallback: ({ fields }, { code }) =>
    fields?.['filters'] !== undefined && (code === 'invalid' || code === 'not-expressible'),
  isWritten: isFlagWritten,
  placeOf,

  fromLive,
  unwritable: unwritableChanges,
  // A role is selected by its name and by its id.
  isSelected: ({ key, path, change }, { flags: paths = [] }, context) => {
    const fields = fieldsOf(declaredFlag(key, context));
    const role = change.resource === 'role_access' ? change.role?.id : undefined;
    const pointers = role === undefined ? [path] : [path, `/role_access/roles/${role}`];
    return paths.some((one) => pointers.some((pointer) => matchesField(one, pointer, fields)));
  },
  hasWholeFields: false,

  sources: flagSources,
  fromSource,
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

  identify: ({ keys }) => ({ open: [...keys].map((key) => ({ key, declared: key })), left: [] }),
  exported: ({ context: { live, project }, withRoleAccess, writing }, open) => {
    const { flags, organization } = live;
    const access = { roleAccess: withRoleAccess ? live.roleAccess : undefined, ...defined({ organization }) };
    const keys = new Set(open.map(({ key }) => key));
    const { files, notExported } = writeManifests({ flags, ...access, names: project, keys }, writing);
    return {
      files,
      left: notExported.map(({ key, reasons }) => ({ key, reason: { code: 'not-exportable', reasons } })),
    };
  },
  homeOf,
  findDiffering: ({ context }, after, open) => [
    ...findDifferences(context, after, (key) => open.some((one) => one.key === key)).keys(),
  ],
};

function placeOf(flag: DesiredFlag, path: string, { declaration, project }: DeclaredFor): WrittenAt {
  if (flag.kind === 'retired') return { place: placeAt(flag.places, '/deleted') };
  const [field = '', kind, role] = fromPointer(path);
  if (field === 'role_access') {
    const named = flag.roleAccess?.find(({ id, name }) => id === role || name === role);
    const ofRole = named?.place ?? flag.places.children?.['role_access']?.place;
    return defined({ place: kind === 'default' ? flag.everyone?.place : ofRole });
  }
  if (field === 'key') return { place: flag.places.place };
  if (!Object.hasOwn(flag.fields, field)) return {};
  const layer = layerDeclaration(declaration, project.name, FLAGS.layering);
  const origin = layer.pathOf(memberPointer(layer, path));
  return { place: placeAt(toFields(layer).places, path), layer: layerAt(origin, declaration) };
}

function declaredFlag(key: string, { read, project }: EditingContext): DeclaredFlag | undefined {
  const flag = FLAGS.desired(read.resolve(project).desired).find((one) => one.key === key);
  return flag?.kind === 'declared' ? flag : undefined;
}

function fromLive(differing: Differing): EditOr<FlagEdit, LeftReason> {
  const { key, found, context } = differing;
  const actions = new Set(found.map(({ change }) => change.action));
  if (actions.has('restore')) return { edit: { resource: 'flag', key, deleted: true } };
  const id = found.find(({ change }) => change.id !== undefined)?.change.id;
  const live = context.live.flags.find((flag) => flag.id === id);
  if (live === undefined) return editOfMissing(differing);
  if (actions.has('delete')) {
    const renamed = live.key === key ? undefined : live.key;
    const fields = fieldsWithoutDeletion(key, live, context);
    return { edit: { resource: 'flag', key, deleted: false, fields, ...defined({ renamed }) } };
  }
  const declared = declaredFlag(key, context);
  const wanted = {
    fields: wantedFields(differing, declared, live),
    access: declared && wantedAccess(differing, declared),
    renamed: found.some(({ path }) => path === '/key') ? live.key : undefined,
  };
  return { edit: { resource: 'flag', key, ...defined(wanted) } };
}

/** A flag that existed was deleted by somebody; one that never existed is still to be created. */
function editOfMissing({ key, found, context: { read, live } }: Differing): EditOr<FlagEdit, LeftReason> {
  const former = live.traces?.flags?.find((trace) => trace.kind === 'former' && trace.key === key);
  const holder = former?.kind === 'former' ? live.flags.find(({ id }) => id === former.id) : undefined;
  const wasLive = holder?.deleted === true || found.some(({ divergence }) => divergence === 'drifted');
  if (wasLive) return { edit: { resource: 'flag', key, deleted: true } };
  if (holder === undefined) return { reason: { code: 'not-live' } };
  if (!read.declarations.has(holder.key)) return { reason: { code: 'renamed', key: holder.key } };
  return { reason: { code: 'key-in-use', key, renamed: holder.key, use: { by: 'declaration' } } };
}

/** The fields that the declaration has once it no longer declares the flag as deleted. */
function fieldsWithoutDeletion(key: string, live: Flag, { read, project }: EditingContext): JsonObject {
  const declaration = read.declarations.get(key);
  if (declaration === undefined) return {};
  const { fields } = toFields(layerDeclaration(declaration, project.name, FLAGS.layering));
  return pickFields(live, definedKeys(fields));
}

/** If every difference of a field is taken, the field is the live one; otherwise the declared one with the live parts. */
function wantedFields(
  { found, context }: Differing,
  declared: DeclaredFlag | undefined,
  live: Flag,
): JsonObject | undefined {
  const own = found.filter(({ change, path }) => change.resource === 'flag' && path !== '/key');
  const names = fieldsIn(own);
  if (names.length === 0) return undefined;
  const fields = fieldsOf(declared);
  const seen = withDeclaredSecrecy(live, fields);
  const wanted = names.map((field): [string, JsonValue] => {
    const ofField = own.filter(({ path }) => fieldAt(path) === field);
    const given = memberOf(fields, field);
    if (given === undefined || ofField.length === countPlanned(ofField, field)) {
      return [field, memberOf(live, field) ?? null];
    }
    // Secrets are digests here, and marks in the written text.
    const parts = writableFields(seen, [field], context.snapshot.flags);
    const differences = ofField.map(({ path, declared: after, live: before }) => ({
      path,
      ...defined({ before, after }),
    }));
    return [field, memberOf(withoutDifferences({ [field]: given }, parts, differences), field) ?? null];
  });
  return Object.fromEntries(wanted);
}

/** The number of differences that the plan found in a field. */
function countPlanned(found: readonly LiveDifference[], field: string): number {
  const changes = new Set(found.map(({ change }) => change));
  return [...changes].flatMap((change) =>
    change.resource === 'role_access' ? [] : change.fields.filter(({ path }) => fieldAt(path) === field),
  ).length;
}

/** The declared access, with what is live for each role that differs. */
function wantedAccess({ found }: Differing, declared: DeclaredFlag): AccessEdit | undefined {
  const own = found.flatMap(({ change, live }) =>
    change.resource === 'role_access' ? [{ role: change.role, live }] : [],
  );
  if (own.length === 0) return undefined;
  const roles = new Map(declared.roleAccess?.map(({ id, level = EDITOR }) => [id, level]));
  let everyone: string | null | undefined;
  for (const { role, live } of own) {
    const level = typeof live === 'string' ? live : undefined;
    if (role === undefined) everyone = level ?? null;
    else if (level === undefined) roles.delete(role.id);
    else roles.set(role.id.toLowerCase(), level);
  }
  const hasRoles = own.some(({ role }) => role !== undefined);
  return defined({ roles: hasRoles ? roles : undefined, everyone });
}

/** Fields of flags with opaque filters, which a plan names in a warning and never writes, as changes. */
function unwritableChanges(
  { warnings }: Parameters<NonNullable<EditFacet['unwritable']>>[0],
  { snapshot, read, project }: EditingContext,
): readonly Change[] {
  const declared = new Map(FLAGS.desired(read.resolve(project).desired).map((flag) => [flag.key, flag]));
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

/**
 * A flag of the file that holds most of those that an export would put together with this one. For a flag that shares no prefix, only a file that
 * an export made counts.
 */
function homeOf(key: string, { declarations }: ReadTexts): DeclaredIn | undefined {
  const flags = [...declarations].flatMap(([name, { section }]) => (section === FLAGS.section ? name : []));
  const groups = groupFiles([...flags, key], 'prefix');
  const [group, neighbors = []] = [...groups].find(([, keys]) => keys.includes(key)) ?? [];
  const known = neighbors.flatMap((one) => declarations.get(one) ?? []);
  return commonestHome(known.filter(({ file }) => group !== MIXED_FILE || `/${file}`.endsWith(`/${MIXED_FILE}`)));
}

function fromSource(promotion: Promotion<DesiredFlag>): EditOr<FlagEdit, PromotionReason> {
  const { key, source, parts, crossing, refer } = promotion;
  const takes = (part: EditedPart): boolean => parts?.includes(part) !== false;
  const lacking = parts?.find((part) => !hasPart(part, source));
  if (lacking !== undefined) {
    return { reason: { code: 'part-lacks', part: lacking, project: crossing.from.name } };
  }
  const own = isJsonObject(source.fields['filters']) ? source.fields['filters'] : undefined;
  // Payloads of a manifest may be marks that keep a secret; the mark means another secret in each project.
  if (own !== undefined && takes('payloads') && hasEncryptedPayloads(source.fields)) {
    return { reason: { code: 'payloads-secret' } };
  }
  const crossed = own && takes('conditions') ? cross(crossing, (cohort) => mapReferences(own, { cohort })) : undefined;
  if (crossed?.missing !== undefined) return { reason: crossed.missing };
  const fields = promotedFields(promotion, crossed?.filters ?? own);
  if (fields === undefined) return { reason: { code: 'conditions-differ' } };
  const { filters } = fields;
  const dependency = isJsonObject(filters) ? missingDependency(filters, crossing.known) : undefined;
  if (dependency !== undefined) {
    return { reason: { code: 'dependency-missing', dependency, project: crossing.to.name } };
  }
  const { roles, everyone } = takes('role_access') ? source : {};
  const named = roles && rolesFor(roles, crossing);
  if (named !== undefined && 'missing' in named) return { reason: named.missing };
  const hasAccess = roles !== undefined || everyone !== undefined;
  const access = hasAccess ? { access: defined({ roles: named?.roles, everyone }) } : {};
  // Numbers, which are ids of the source, were refused before.
  const referring = isJsonObject(filters)
    ? { ...fields, filters: mapReferences(filters, { flag: (one) => refer(String(one)) }) }
    : fields;
  return { edit: { resource: 'flag', key, fields: referring, deleted: false, ...access } };
}

/** The fields that are parts by themselves. */
const FIELD_OF: Readonly<Partial<Record<EditedPart, string>>> = { active: 'active', description: 'name', tags: 'tags' };

/** The members of filters that belong to a part. Conditions of a flag about groups need the type of the group. */
const MEMBERS_OF: Readonly<Partial<Record<EditedPart, readonly string[]>>> = {
  conditions: ['groups', 'aggregation_group_type_index'],
  variants: ['multivariate'],
  payloads: ['payloads'],
};

function hasPart(part: EditedPart, { fields, roles, everyone }: PromotionSource): boolean {
  if (part === 'role_access') return roles !== undefined || everyone !== undefined;
  const field = FIELD_OF[part];
  return field === undefined ? isJsonObject(fields['filters']) : memberOf(fields, field) !== undefined;
}

export function isOfFlagPart(path: string, parts: readonly EditedPart[]): boolean {
  const [field, member = '', , inElement] = fromPointer(path);
  return parts.some((part) => {
    if (part === 'role_access') return field === 'role_access';
    if (part === 'rollout') return member === 'groups' && inElement === 'rollout_percentage';
    const own = FIELD_OF[part];
    return own === undefined ? field === 'filters' && MEMBERS_OF[part]?.includes(member) === true : own === field;
  });
}

/** `undefined` if the percentages are of other conditions. */
function promotedFields(
  { source, target, parts }: Promotion<DesiredFlag>,
  copied: JsonObject | undefined,
): JsonObject | undefined {
  if (parts === undefined) return { ...source.fields, ...(copied === undefined ? {} : { filters: copied }) };
  const plain = pickFields(
    source.fields,
    parts.flatMap((part) => FIELD_OF[part] ?? []),
  );
  const names = parts.flatMap((part) => MEMBERS_OF[part] ?? []);
  const isRollout = parts.includes('rollout');
  if (names.length === 0 && !isRollout) return plain;
  const own = objectOrEmpty(fieldsOf(target)['filters']);
  const merged = { ...without(own, names), ...pickMembers(copied ?? {}, (name) => names.includes(name)) };
  if (!isRollout || names.includes('groups')) return { ...plain, filters: merged };
  const groups = withRollouts(merged['groups'], copied?.['groups']);
  if (groups === undefined) return undefined;
  // Filters without conditions stay as they are, also those that lack the member.
  return { ...plain, filters: groups.length === 0 ? merged : { ...merged, groups } };
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

/** Sources by key. `live`: declared flags have their live values, and undeclared ones have everything. */
export function flagSources(desired: DesiredState, live: LiveState | undefined): ReadonlyMap<string, PromotionSource> {
  const declared = new Map(
    FLAGS.desired(desired).flatMap((flag) => (flag.kind === 'declared' ? [[flag.key, flag] as const] : [])),
  );
  if (live === undefined) return new Map([...declared].map(([key, flag]) => [key, declaredSource(flag)]));
  const { flags: snapshot } = takeSnapshot(live);
  return new Map(
    live.flags.filter(isListed).map((flag): [string, PromotionSource] => {
      const known = declared.get(flag.key)?.fields;
      const names = known === undefined ? EXPORTED_FIELDS.map(({ api }) => api) : Object.keys(known);
      const access = live.roleAccess[String(flag.id)];
      const held = access === undefined ? undefined : heldAccess(access, live.organization);
      const roles = held?.roles.map(({ role, level }) => ({ id: role.id, name: role.name, level }));
      const everyone = held?.wire === 'levels' ? held.everyone : undefined;
      return [
        flag.key,
        { fields: pickMembers(writableFields(flag, names, snapshot), () => true), ...defined({ roles, everyone }) },
      ];
    }),
  );
}

function declaredSource({ fields, roleAccess, everyone }: DeclaredFlag): PromotionSource {
  const roles = roleAccess?.map(({ id, name, level }) => ({ id, level: level ?? EDITOR, ...defined({ name }) }));
  const { filters } = fields;
  const meant = isJsonObject(filters) ? { ...fields, filters: withCommonAggregation(filters) } : fields;
  return { fields: meant, ...defined({ roles, everyone: everyone?.level }) };
}
