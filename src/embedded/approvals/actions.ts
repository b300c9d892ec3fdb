/** Which actions that can need an approval a write of a flag takes, and the percentages that decide about one of them. */

import { isJsonArray, isJsonObject, jsonEquals, type JsonObject, type JsonValue } from '../../base/json.ts';
import { GATED_ACTIONS, type GatedAction } from '../store/approvals.ts';
import type { StoredFlag } from '../store/flag.ts';

/** A write of one flag that is checked and not made yet. */
export interface FlagWrite {
  /** Absent for a new flag. */
  readonly before?: StoredFlag;
  /** The flag as the write would leave it. */
  readonly after: StoredFlag;
  /** What the request sends, checked, by the names in the interface. */
  readonly values: JsonObject;
}

/** A percentage in `filters`, and where it is. */
export interface Percentage extends JsonObject {
  readonly path: string;
  readonly value: JsonValue;
}

/** In the order of the service. */
export function findActions(write: FlagWrite): GatedAction[] {
  return GATED_ACTIONS.filter((action) => DETECTORS[action](write));
}

/** The service looks at what is sent: a flag that is created without `active` is enabled. */
const DETECTORS: { readonly [Action in GatedAction]: (write: FlagWrite) => boolean } = {
  'feature_flag.enable': ({ before, values }) =>
    before === undefined ? values['active'] !== false : values['active'] === true && !before.active,
  'feature_flag.disable': ({ before, values }) => before?.active === true && values['active'] === false,
  'feature_flag.update': ({ before, after, values }) =>
    hasFilters(before, values) && changedPaths(percentagesOf(before), percentagesOf(after)).length > 0,
};

/** A new remote configuration gets filters even without sending them. */
function hasFilters(before: StoredFlag | undefined, values: JsonObject): boolean {
  return isJsonObject(values['filters']) || before === undefined;
}

/** Of conditions, the holdout and variants. */
export function percentagesOf(flag: Pick<StoredFlag, 'filters'> | undefined): Percentage[] {
  const { groups = null, holdout = null, multivariate = null } = flag?.filters ?? {};
  const variants = isJsonObject(multivariate) ? (multivariate['variants'] ?? null) : null;
  return [
    ...percentagesIn(groups, 'groups', 'rollout_percentage'),
    ...percentagesIn(holdout, 'holdout', 'exclusion_percentage'),
    ...percentagesIn(variants, 'multivariate.variants', 'rollout_percentage'),
  ];
}

function percentagesIn(container: JsonValue, path: string, member: string): Percentage[] {
  const holders = isJsonArray(container)
    ? container.map((holder, index) => ({ holder, at: `${path}[${index}]` }))
    : [{ holder: container, at: path }];
  return holders.flatMap(({ holder, at }) =>
    isJsonObject(holder) && holder[member] !== undefined ? [{ path: `${at}.${member}`, value: holder[member] }] : [],
  );
}

/** Where both sides differ, or one has none. */
export function changedPaths(before: readonly Percentage[], after: readonly Percentage[]): string[] {
  const [old, now] = [valuesByPath(before), valuesByPath(after)];
  return [...new Set([...old.keys(), ...now.keys()])].filter(
    (path) => !jsonEquals(old.get(path) ?? null, now.get(path) ?? null),
  );
}

export function valuesByPath(percentages: readonly Percentage[]): ReadonlyMap<string, JsonValue> {
  return new Map(percentages.map(({ path, value }) => [path, value]));
}
