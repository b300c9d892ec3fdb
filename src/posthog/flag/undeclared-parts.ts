/** Parts of a flag that other products own and no manifest declares: no drift, but they may decide a flag's value. */

import { isJsonArray, isJsonObject, memberOf, type JsonObject, type JsonValue } from '../../base/json.ts';
import type { DeclaredFlag } from '../desired.ts';
import type { Flag } from './flag.ts';
import type { FlagWarning } from './change.ts';
import { isOpaque } from './opaque.ts';

/** No warning for a disabled flag, or for one whose filters no manifest declares. */
export function warnOfUndeclaredParts({ key, fields }: DeclaredFlag, live: Flag): FlagWarning[] {
  const { filters: declared } = fields;
  const active = fields['active'] ?? live.active;
  if (!isJsonObject(declared) || !isJsonObject(live.filters) || active === false || isOpaque(live.filters)) return [];
  const { filters } = live;
  return PARTS.flatMap(({ part, warn }) => {
    const value = Object.hasOwn(declared, part) ? undefined : memberOf(filters, part);
    return value === undefined ? [] : warn(key, value);
  });
}

interface Part {
  readonly part: string;
  /** Empty where the part cannot change any value. */
  readonly warn: (key: string, value: JsonValue) => FlagWarning[];
}

const PARTS: readonly Part[] = [
  {
    part: 'holdout',
    warn: (key, value) => holdout(key, 'holdout', isJsonObject(value) ? value['exclusion_percentage'] : 0),
  },
  {
    part: 'holdout_groups',
    warn: (key, value) => holdout(key, 'holdout_groups', rolloutOf(firstOf(value))),
  },
  {
    part: 'super_groups',
    warn: (key, value) =>
      isNotEmpty(firstOf(value)?.['properties'])
        ? [{ code: 'early_access_undeclared', key, part: 'super_groups' }]
        : [],
  },
  {
    part: 'feature_enrollment',
    warn: (key, value) =>
      value === true ? [{ code: 'early_access_undeclared', key, part: 'feature_enrollment' }] : [],
  },
];

function holdout(key: string, part: 'holdout' | 'holdout_groups', percent: JsonValue | undefined): FlagWarning[] {
  return typeof percent === 'number' && percent > 0 ? [{ code: 'holdout_undeclared', key, part, percent }] : [];
}

/** The service evaluates only the first condition of these lists. */
function firstOf(list: JsonValue): JsonObject | undefined {
  const first = isJsonArray(list) ? list[0] : undefined;
  return isJsonObject(first) ? first : undefined;
}

function rolloutOf(condition: JsonObject | undefined): JsonValue {
  return condition === undefined ? 0 : (condition['rollout_percentage'] ?? 100);
}

function isNotEmpty(list: JsonValue | undefined): boolean {
  return isJsonArray(list) && list.length > 0;
}
