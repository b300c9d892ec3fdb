/** Writes the overlay that makes a declaration match one project's live flag, with nothing but what differs. */

import {
  definedKeys,
  isJsonObject,
  jsonEquals,
  memberOf,
  objectFrom,
  objectOrEmpty,
  type JsonObject,
  type JsonValue,
} from '../../base/json.ts';
import type { MemberEdit } from '../../base/yaml/editing/edits.ts';
import { MEMBER_NAMES } from '../../posthog/flag/model/fields.ts';
import { without } from '../../posthog/flag/layout/members.ts';
import { declaredFilters, FILTERS, findTargeting, PARTS } from '../../posthog/flag/manifest/fields.ts';
import { EDITED } from '../kinds.ts';
import { patchTo } from '../members.ts';
import { withTextPayloads } from './text-payloads.ts';

/** Stands, among the names of fields, for who has access to a flag. */
export const ACCESS = 'access';

export interface OverlayEdit {
  readonly key: string;
  readonly project: string;
  /** The declaration as written, with its overlays. */
  readonly declared: JsonObject;
  /** The result of an export of the live flag alone. */
  readonly exported: JsonObject;
  /** The fields that differ, by their API names; `ACCESS` for access. */
  readonly differing: ReadonlySet<string>;
}

/** Edits that set the overlay: member by member, or as a whole if one is removed. */
export function overlayEdits(edit: OverlayEdit): MemberEdit[] {
  const former = objectIn(objectIn(edit.declared, 'projects'), edit.project);
  const overlay = writeOverlay(edit, former);
  const path = [EDITED.flags.section, edit.key, 'projects', edit.project] as const;
  const isWhole = definedKeys(former).length === 0 || hasLost(former, overlay);
  return isWhole ? [{ path: [...path], value: overlay }] : editsOf(former, overlay, [...path]);
}

function writeOverlay({ declared, exported, differing }: OverlayEdit, former: JsonObject): JsonObject {
  const isTargeted = differing.has('filters');
  const fields = objectIn(former, 'fields');
  const kept = isTargeted ? without(former, ['filters', 'rollout_percentage', ...PARTS]) : former;
  const keptFields = isTargeted ? without(fields, ['filters']) : fields;
  const targeting = isTargeted ? overlaidTargeting(declared, exported, former) : {};
  const plain = [...differing].filter((field) => field !== 'filters' && field !== ACCESS);
  const own = plain.filter(isMember);
  const further = plain.filter((field) => !isMember(field));
  const exportedFields = objectIn(exported, 'fields');
  const newFields = {
    ...keptFields,
    ...objectFrom(further.map((field) => [field, memberOf(exportedFields, field) ?? null] as const)),
    ...objectIn(targeting, 'fields'),
  };
  return {
    ...without(kept, ['fields']),
    ...objectFrom(own.map((field) => [nameOf(field), memberOf(exported, nameOf(field)) ?? null] as const)),
    ...(differing.has(ACCESS) ? writeAccessMembers(declared, exported) : {}),
    ...without(targeting, ['fields']),
    ...(definedKeys(newFields).length === 0 ? {} : { fields: newFields }),
  };
}

/** Overlaid filters are merged into the base's, so they hold only what changes; the other forms replace them. */
function overlaidTargeting(declared: JsonObject, exported: JsonObject, former: JsonObject): JsonObject {
  const { rollout_percentage: rollout, filters, unknown_members: consent, fields } = exported;
  const [form] = findTargeting(declared);
  const unchecked = isJsonObject(fields) ? fields['filters'] : undefined;
  if (unchecked !== undefined) return { fields: { filters: unchecked } };
  const added = consent === undefined ? {} : { unknown_members: consent };
  const given = filters ?? { groups: [{ rollout_percentage: rollout ?? 100 }] };
  const whole = isJsonObject(given)
    ? withTextPayloads(given, declaredFilters(declared) ?? {}, objectIn(former, 'filters'))
    : given;
  if (form === FILTERS) return { filters: patchOf(declared['filters'] ?? null, whole), ...added };
  return filters === undefined && rollout !== undefined
    ? { rollout_percentage: rollout }
    : { filters: whole, ...added };
}

/** A list of roles and levels exclude each other, so the one that the live flag does not have is removed. */
function writeAccessMembers(declared: JsonObject, exported: JsonObject): JsonObject {
  const members = ['role_access', 'access'].flatMap((member): [string, JsonValue][] => {
    const [base, own] = [memberOf(declared, member), memberOf(exported, member)];
    if (own !== undefined) return [[member, patchOf(base ?? null, own)]];
    return base === undefined ? [] : [[member, null]];
  });
  return objectFrom(members);
}

/** The JSON Merge Patch from one value to another; an empty one if they are equal. */
function patchOf(from: JsonValue, to: JsonValue): JsonValue {
  return patchTo(from, undefined, to) ?? (isJsonObject(to) ? {} : to);
}

function isMember(field: string): boolean {
  return MEMBER_NAMES.has(field);
}

function nameOf(field: string): string {
  return MEMBER_NAMES.get(field) ?? field;
}

/** Whether the overlay loses a member, which edits of single members cannot express. */
function hasLost(former: JsonObject, overlay: JsonObject): boolean {
  const fields = objectIn(overlay, 'fields');
  return (
    definedKeys(former).some((name) => !Object.hasOwn(overlay, name)) ||
    definedKeys(objectIn(former, 'fields')).some((name) => !Object.hasOwn(fields, name))
  );
}

function editsOf(former: JsonObject, overlay: JsonObject, path: MemberEdit['path']): MemberEdit[] {
  return definedKeys(overlay).flatMap((name): MemberEdit[] => {
    const [before, value] = [memberOf(former, name), overlay[name] as JsonValue];
    if (jsonEquals(before, value)) return [];
    if (name === 'fields' && isJsonObject(before) && isJsonObject(value)) {
      return editsOf(before, value, [...path, name]);
    }
    return [{ path: [...path, name], value }];
  });
}

function objectIn(value: JsonObject, name: string): JsonObject {
  return objectOrEmpty(memberOf(value, name));
}
