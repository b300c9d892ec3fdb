/** Makes the edits that copy values of a flag from one project into the manifests of another. */

import { fromPointer } from '../../base/json-pointer.ts';
import {
  isJsonArray,
  isJsonObject,
  memberOf,
  objectFrom,
  objectOrEmpty,
  type JsonObject,
  type JsonValue,
} from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import type { DeclaredFlag, DesiredFlag, DesiredState } from '../../posthog/desired.ts';
import { writableFields } from '../../posthog/flag/comparison.ts';
import { hasEncryptedPayloads } from '../../posthog/flag/model/encrypted-payloads.ts';
import { EXPORTED_FIELDS } from '../../posthog/flag/model/fields.ts';
import { isListed } from '../../posthog/flag/model/flag.ts';
import { withCommonAggregation } from '../../posthog/flag/model/normal-forms.ts';
import { only, without } from '../../posthog/flag/layout/members.ts';
import { mapReferences } from '../../posthog/flag/model/references.ts';
import type { LiveState } from '../../posthog/live.ts';
import { EDITOR, heldAccess } from '../../posthog/role-access/access.ts';
import { takeSnapshot } from '../../posthog/snapshot.ts';
import type { AccessEdit, FlagEdit } from '../edit.ts';
import type { EditOr } from '../facet.ts';
import { fieldsOf, EDITED } from '../kinds.ts';
import {
  cross,
  missingDependency,
  present,
  rolesFor,
  type Crossing,
  type Promotion,
  type PromotionSource,
} from '../promotion.ts';
import type { EditedPart, PromotionReason } from '../results.ts';

type FlagPromotion = Promotion<DesiredFlag>;

export function flagFromSource(promotion: FlagPromotion): EditOr<FlagEdit, { readonly reason: PromotionReason }> {
  const { key, source, parts, crossing } = promotion;
  const lacking = parts?.find((part) => !hasPart(part, source));
  if (lacking !== undefined) return refuse({ code: 'part-lacks', part: lacking, project: crossing.from.name });
  if (holdsSecrets(promotion)) return refuse({ code: 'payloads-secret' });
  const copied = copiedFilters(promotion);
  if (copied.missing !== undefined) return refuse(copied.missing);
  const fields = wantedFields(promotion, copied.filters);
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

function wantedFields(
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
