/** The values of a flag that the gate compares: its percentages, and who can get it at all. */

import {
  arrayOrEmpty,
  canonicalText,
  isJsonArray,
  isJsonObject,
  jsonEquals,
  memberOf,
  type JsonObject,
  type JsonValue,
} from '../../../src/base/json.ts';
import { groupsOf, propertiesOf } from '../filters/conditions.ts';
import type { StoredFlag } from '../store/flag.ts';

/** A value, and where the flag has it. */
export interface GatedValue extends JsonObject {
  readonly path: string;
  readonly value: JsonValue;
}

/** Keys are the names of the fields that a policy can be about: `rollout_percentage`, `release_conditions`. */
export type GatedValues = Readonly<Record<string, readonly GatedValue[]>>;

interface GatedSides {
  readonly before: GatedValues;
  readonly after: GatedValues;
}

/** Release conditions are there only where they change, of an existing flag that no product owns. */
export function gatedValuesOf(before: StoredFlag | undefined, after: StoredFlag): GatedSides {
  const percentages = {
    before: { rollout_percentage: percentagesOf(before) },
    after: { rollout_percentage: percentagesOf(after) },
  };
  if (before === undefined || isOwned(before)) return percentages;
  const [old, now] = [releaseConditionsOf(before), releaseConditionsOf(after)];
  if (changedPaths(old, now).length === 0) return percentages;
  return {
    before: { ...percentages.before, release_conditions: old },
    after: { ...percentages.after, release_conditions: now },
  };
}

/** The changed paths of all fields. */
export function triggeredPaths({ before, after }: GatedSides): string[] {
  return Object.keys(after).flatMap((field) => changedPaths(memberOf(before, field), after[field]));
}

/** The paths at which both sides differ, or one has no value. */
export function changedPaths(before: readonly GatedValue[] = [], after: readonly GatedValue[] = []): string[] {
  const [old, now] = [valuesByPath(before), valuesByPath(after)];
  return [...new Set([...old.keys(), ...now.keys()])].filter(
    (path) => !jsonEquals(old.get(path) ?? null, now.get(path) ?? null),
  );
}

export function valuesByPath(values: readonly GatedValue[] = []): ReadonlyMap<string, JsonValue> {
  return new Map(values.map(({ path, value }) => [path, value]));
}

/** The percentages of conditions, the holdout and variants. */
function percentagesOf(flag: Pick<StoredFlag, 'filters'> | undefined): GatedValue[] {
  const { groups = null, holdout = null, multivariate = null } = flag?.filters ?? {};
  const variants = isJsonObject(multivariate) ? (multivariate['variants'] ?? null) : null;
  return [
    ...percentagesIn(groups, 'groups', 'rollout_percentage'),
    ...percentagesIn(holdout, 'holdout', 'exclusion_percentage'),
    ...percentagesIn(variants, 'multivariate.variants', 'rollout_percentage'),
  ];
}

function percentagesIn(container: JsonValue, path: string, member: string): GatedValue[] {
  const holders = isJsonArray(container)
    ? container.map((holder, index) => ({ holder, at: `${path}[${index}]` }))
    : [{ holder: container, at: path }];
  return holders.flatMap(({ holder, at }) => {
    const value = isJsonObject(holder) ? memberOf(holder, member) : undefined;
    return value === undefined ? [] : [{ path: `${at}.${member}`, value }];
  });
}

/** Products write the conditions of their own flags, which cannot wait. */
function isOwned({ fields }: StoredFlag): boolean {
  return ['experiment_set', 'features'].some((name) => arrayOrEmpty(memberOf(fields, name)).length > 0);
}

/** All but the percentages. */
function releaseConditionsOf({ filters, fields }: StoredFlag): GatedValue[] {
  const ofFlag = filters['aggregation_group_type_index'] ?? null;
  return [
    { path: 'bucketing_identifier', value: fields['bucketing_identifier'] ?? 'distinct_id' },
    { path: 'early_exit', value: filters['early_exit'] === true },
    { path: 'feature_enrollment', value: filters['feature_enrollment'] === true },
    ...groupsOf(filters).map((group, index) => ({
      path: `groups[${index}]`,
      value: {
        properties: propertiesOf(group)
          .map(withoutDefaults)
          .toSorted((one, other) => (canonicalText(one) < canonicalText(other) ? -1 : 1)),
        aggregation_group_type_index: group['aggregation_group_type_index'] ?? ofFlag,
        variant: group['variant'] === '' ? null : (group['variant'] ?? null),
      },
    })),
  ];
}

/** Removes members that are only shown, or mean the same as their absence. */
function withoutDefaults({
  label: _label,
  cohort_name: _cohort,
  group_key_names: _group,
  ...property
}: JsonObject): JsonObject {
  const { operator, negation } = property;
  return Object.fromEntries(
    Object.entries(property).filter(
      ([name, value]) =>
        value !== null &&
        !(name === 'operator' && operator === 'exact') &&
        !(name === 'negation' && negation === false),
    ),
  );
}
