/** Unknown names in filters: an error when close to a known name; otherwise a warning, since it may be newer than this release. */

import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../base/json.ts';
import { defined } from '../../../base/optional.ts';
import { nearest } from '../../../base/text.ts';
import { toPointer } from '../../../base/json-pointer.ts';
import type { Filters } from '../flag.ts';
import { conditionsOf, propertiesOf, variantsOf } from './conditions.ts';
import type { Soundness } from '../../../manifest/soundness.ts';
import type { FlagFinding } from './problems.ts';

/** The names in docs/service.md, "Filters"; a test compares them with the schema. */
export const KNOWN_MEMBERS = {
  filters: [
    'groups',
    'multivariate',
    'payloads',
    'aggregation_group_type_index',
    'early_exit',
    'feature_enrollment',
    'holdout',
    'holdout_groups',
    'super_groups',
  ],
  condition: [
    'properties',
    'rollout_percentage',
    'variant',
    'description',
    'aggregation_group_type_index',
    'sort_key',
    'exposure_frozen',
    'exposure_frozen_cohort',
  ],
  property: [
    'key',
    'type',
    'operator',
    'value',
    'group_type_index',
    'negation',
    'label',
    'cohort_name',
    'group_key_names',
  ],
  variant: ['key', 'name', 'rollout_percentage', 'description'],
} as const;

/** Current services refuse filters without `groups`; older ones ignore them silently (docs/service.md, "Filters"). */
export function checkMembers(filters: Filters, sound: Soundness): FlagFinding[] {
  const conditions = conditionsOf(filters);
  return [
    ...(sound.at('/filters/groups') ? missingGroups(filters) : []),
    ...reservedMembers(filters),
    ...unknownMembers(filters, [...KNOWN_MEMBERS.filters, ...RESERVED], '/filters'),
    ...conditions.flatMap(({ part, at }) => unknownMembers(part, KNOWN_MEMBERS.condition, at)),
    ...conditions.flatMap(propertiesOf).flatMap(({ part, at }) => unknownMembers(part, KNOWN_MEMBERS.property, at)),
    ...variantsOf(filters).flatMap(({ part, at }) => unknownMembers(part, KNOWN_MEMBERS.variant, at)),
  ];
}

function missingGroups(filters: Filters): FlagFinding[] {
  if (!Array.isArray(filters.groups)) {
    return [{ code: 'property-missing', severity: 'error', at: '/filters', args: { property: 'groups' } }];
  }
  if (filters.groups.length > 0 || OTHER_CONDITIONS.some((name) => isGiven(filters[name]))) return [];
  return [{ code: 'conditions-none', severity: 'warning', at: '/filters/groups', args: {} }];
}

/** Parts of other products that can match although `groups` is empty. */
const OTHER_CONDITIONS = ['super_groups', 'feature_enrollment', 'holdout', 'holdout_groups'];

function isGiven(value: JsonValue | undefined): boolean {
  return isJsonArray(value ?? null) ? (value as readonly JsonValue[]).length > 0 : Boolean(value);
}

/** Members that the service refuses with any value (docs/service.md, "Filters"). */
const RESERVED = ['version'];

function reservedMembers(filters: Filters): FlagFinding[] {
  return RESERVED.filter((name) => Object.hasOwn(filters, name)).map((property) => ({
    code: 'property-reserved',
    severity: 'error',
    at: `/filters/${property}`,
    args: { property },
  }));
}

function unknownMembers(part: JsonObject, known: readonly string[], at: string): FlagFinding[] {
  if (!isJsonObject(part)) return [];
  return Object.keys(part)
    .filter((property) => !known.includes(property))
    .map((property) => {
      const suggestion = nearest(property, known);
      return {
        code: 'property-unknown',
        severity: suggestion === undefined ? 'warning' : 'error',
        at: at + toPointer([property]),
        args: { property, ...defined({ suggestion }) },
      };
    });
}
