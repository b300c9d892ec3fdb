/** Turns what one project has of a flag into what the manifests are to say for another. */

import {
  isJsonArray,
  isJsonObject,
  memberOf,
  objectFrom,
  objectOrEmpty,
  type JsonObject,
  type JsonValue,
} from '../../base/json.ts';
import { fromPointer } from '../../base/json-pointer.ts';
import { defined } from '../../base/optional.ts';
import { hasEncryptedPayloads } from '../../posthog/flag/encrypted-payloads.ts';
import type { DeclaredFlag } from '../../posthog/desired.ts';
import { only, without } from '../../posthog/flag/layout/members.ts';
import { mapReferences } from '../../posthog/flag/references.ts';
import type { AccessWish, FlagWish } from '../wish.ts';
import type { Part, PromotionReason } from './promoted.ts';
import { filtersFor, missingDependency, rolesFor, type Crossing, type HeldRole } from './target-names.ts';

/** What the project that a flag comes from has of it. */
export interface SourceFlag {
  /** By API name, with ids of that project and dependencies by key. */
  readonly fields: JsonObject;
  readonly roles?: readonly HeldRole[];
  /** The level of everyone; null: none of the flag's own. */
  readonly everyone?: string | null;
}

export interface Promotion {
  readonly key: string;
  readonly source: SourceFlag;
  /** What the other project declares; absent where it lacks the flag. */
  readonly target: DeclaredFlag | undefined;
  /** Absent: everything. */
  readonly parts?: readonly Part[];
  readonly crossing: Crossing;
  /** The flags that the other project will have. */
  readonly keys: ReadonlySet<string>;
  /** How a wish names a flag: by key, or by an id where the key could be one. */
  readonly refer: (key: string) => string | number;
}

export function toWish(promotion: Promotion): { readonly wish: FlagWish } | { readonly reason: PromotionReason } {
  const { key, source, parts, crossing, keys } = promotion;
  const lacking = parts?.find((part) => !hasPart(part, source));
  if (lacking !== undefined) return refuse({ code: 'part-lacks', part: lacking, project: crossing.from.name });
  if (holdsSecrets(promotion)) return refuse({ code: 'payloads-secret' });
  const copied = copiedFilters(promotion);
  if (copied.missing !== undefined) return refuse(copied.missing);
  const fields = wishedFields(promotion, copied.filters);
  if (fields === undefined) return refuse({ code: 'conditions-differ' });
  const { filters } = fields;
  const dependency = isJsonObject(filters) ? missingDependency(filters, keys) : undefined;
  if (dependency !== undefined) return refuse({ code: 'dependency-missing', dependency, project: crossing.to.name });
  const access = takes(parts, 'role_access') ? accessFor(source, crossing) : {};
  if ('reason' in access) return access;
  return {
    wish: { resource: 'flag', key, fields: withReferences(fields, promotion.refer), deleted: false, ...access },
  };
}

/** Numbers, which are ids of the source, are refused before. */
function withReferences(fields: JsonObject, refer: Promotion['refer']): JsonObject {
  const { filters } = fields;
  if (!isJsonObject(filters)) return fields;
  return { ...fields, filters: mapReferences(filters, { flag: (named) => refer(String(named)) }) };
}

function takes(parts: readonly Part[] | undefined, part: Part): boolean {
  return parts === undefined || parts.includes(part);
}

/** The filters of the source with the ids of the target, where its conditions are taken. */
function copiedFilters({ source, parts, crossing }: Promotion): {
  readonly filters: JsonObject | undefined;
  readonly missing?: PromotionReason;
} {
  const { filters } = source.fields;
  if (!isJsonObject(filters)) return { filters: undefined };
  return takes(parts, 'conditions') ? filtersFor(filters, crossing) : { filters };
}

function refuse(reason: PromotionReason): { readonly reason: PromotionReason } {
  return { reason };
}

/** The fields and members of filters that a part is. Conditions of a flag about groups need the type of the group. */
const FIELDS: Readonly<Record<Exclude<Part, 'rollout' | 'role_access'>, Selected>> = {
  active: { field: 'active' },
  description: { field: 'name' },
  tags: { field: 'tags' },
  conditions: { members: ['groups', 'aggregation_group_type_index'] },
  variants: { members: ['multivariate'] },
  payloads: { members: ['payloads'] },
};

type Selected = { readonly field: string } | { readonly members: readonly [string, ...string[]] };

function hasPart(part: Part, { fields, roles, everyone }: SourceFlag): boolean {
  if (part === 'role_access') return roles !== undefined || everyone !== undefined;
  const selected = part === 'rollout' ? FIELDS.conditions : FIELDS[part];
  return 'field' in selected ? memberOf(fields, selected.field) !== undefined : isJsonObject(fields['filters']);
}

/** Whether a difference at a pointer into the fields is one of these parts. Absent: everything is promoted. */
export function isOfPart(path: string, parts: readonly Part[] | undefined): boolean {
  const [field, member = '', , inElement] = fromPointer(path);
  return (
    parts === undefined ||
    parts.some((part) => {
      if (part === 'role_access') return field === 'role_access';
      if (part === 'rollout') return member === 'groups' && inElement === 'rollout_percentage';
      const selected = FIELDS[part];
      return 'field' in selected ? selected.field === field : field === 'filters' && selected.members.includes(member);
    })
  );
}

/** Payloads of a manifest may be marks that keep a secret; the mark means another secret in each project. */
function holdsSecrets({ source, parts }: Promotion): boolean {
  return takes(parts, 'payloads') && hasEncryptedPayloads(source.fields) && isJsonObject(source.fields['filters']);
}

function wishedFields({ source, target, parts }: Promotion, copied: JsonObject | undefined): JsonObject | undefined {
  if (parts === undefined) return { ...source.fields, ...(copied === undefined ? {} : { filters: copied }) };
  const plain = parts.flatMap((part): [string, JsonValue][] => {
    const selected = selectedBy(part);
    return selected === undefined || 'members' in selected
      ? []
      : [[selected.field, memberOf(source.fields, selected.field) as JsonValue]];
  });
  const names = parts.flatMap((part) => membersOf(part));
  if (names.length === 0 && !parts.includes('rollout')) return objectFrom(plain);
  const own = objectOrEmpty(target?.fields['filters']);
  const merged = { ...without(own, names), ...only(copied ?? {}, names) };
  if (!parts.includes('rollout') || names.includes('groups')) return { ...objectFrom(plain), filters: merged };
  const groups = withRollouts(merged['groups'], copied?.['groups']);
  if (groups === undefined) return undefined;
  // Filters without conditions stay as they are, also those that lack the member.
  const filters = groups.length === 0 ? merged : { ...merged, groups };
  return { ...objectFrom(plain), filters };
}

function selectedBy(part: Part): Selected | undefined {
  return part === 'rollout' || part === 'role_access' ? undefined : FIELDS[part];
}

function membersOf(part: Part): readonly string[] {
  const selected = selectedBy(part);
  return selected !== undefined && 'members' in selected ? selected.members : [];
}

/** The conditions of one flag with the percentages of another; `undefined` where these are of other conditions. */
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
  { roles, everyone }: SourceFlag,
  crossing: Crossing,
): { readonly access?: AccessWish } | { readonly reason: PromotionReason } {
  if (roles === undefined && everyone === undefined) return {};
  const named = roles === undefined ? undefined : rolesFor(roles, crossing);
  if (named !== undefined && 'missing' in named) return refuse(named.missing);
  return { access: defined({ roles: named?.roles, everyone }) };
}
