/** Members that filters must have or must not have. */

import { isJsonArray, memberOf, type JsonValue } from '../../../base/json.ts';
import type { FiltersView } from '../view.ts';
import type { Soundness } from '../../../manifest/soundness.ts';
import type { FlagFinding } from './problems.ts';
import { RESERVED_MEMBERS } from './unknown-members.ts';

/** Current services refuse filters without `groups`; older ones ignore them silently (docs/service.md, "Filters"). */
export function checkMembers({ filters }: FiltersView, sound: Soundness): FlagFinding[] {
  return [...(sound.at('/filters/groups') ? missingGroups(filters) : []), ...reservedMembers(filters)];
}

function missingGroups(filters: FiltersView['filters']): FlagFinding[] {
  if (!Array.isArray(filters.groups)) {
    return [{ code: 'property-missing', severity: 'error', at: '/filters', args: { property: 'groups' } }];
  }
  if (filters.groups.length > 0 || OTHER_CONDITIONS.some((name) => isGiven(memberOf(filters, name)))) return [];
  return [{ code: 'conditions-none', severity: 'warning', at: '/filters/groups', args: {} }];
}

/** Parts of other products that can match although `groups` is empty. */
const OTHER_CONDITIONS = ['super_groups', 'feature_enrollment', 'holdout', 'holdout_groups'];

function isGiven(value: JsonValue | undefined): boolean {
  return isJsonArray(value ?? null) ? (value as readonly JsonValue[]).length > 0 : Boolean(value);
}

function reservedMembers(filters: FiltersView['filters']): FlagFinding[] {
  return RESERVED_MEMBERS.filter((name) => Object.hasOwn(filters, name)).map((property) => ({
    code: 'property-reserved',
    severity: 'error',
    at: `/filters/${property}`,
    args: { property },
  }));
}
