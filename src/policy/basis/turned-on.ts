/**
 * Finds the largest share of the hashes for which a change turns a flag on: a bound that no person exceeds.
 *
 * A flag hashes persons and each type of group separately; conditions of one type share the hash. For a person who matches some of these
 * conditions, the share of the hash is the largest of their percentages. The hashes are independent of each other: with the shares p and q,
 * the flag is on for 1 - (1 - p)(1 - q). A holdout is one more hash.
 */

import {
  canonicalText,
  isJsonArray,
  isJsonObject,
  jsonEquals,
  memberOf,
  objectOrEmpty,
  type JsonObject,
} from '../../base/json.ts';
import { compareAudiences, isReadable } from '../../effects/audience.ts';
import { AGGREGATION, aggregationIn, numberConditions } from '../../effects/sides.ts';
import type { FlagStates } from '../../posthog/flag/after-plan.ts';
import type { NumberedCondition } from '../../effects/effect.ts';
import { flagReferences } from '../../posthog/flag/model/references.ts';
import { rolloutOf, viewFilters } from '../../posthog/flag/model/view.ts';

export interface TurnedOn {
  /** Percentage points, 0 to 100. */
  readonly points: number;
  /** Whether a person with this share exists; otherwise the share is an upper bound. */
  readonly exact: boolean;
  /** The part of the flag that contributes most. */
  readonly pointer: string;
}

export const NOBODY: TurnedOn = { points: 0, exact: true, pointer: '/filters' };
/** The share is unknown. */
export const UNKNOWN: TurnedOn = { points: 100, exact: false, pointer: '/filters' };

/** Assumes that nothing but the flag changes. `before` and `after` are in one form, with dependencies by key. */
export function turnedOn({ before, after }: FlagStates): TurnedOn {
  if (after === undefined || !isOn(after)) return NOBODY;
  const filters = objectOrEmpty(after['filters']);
  if (viewFilters(filters).isOpaque) return UNKNOWN;
  const wasOn = before !== undefined && isOn(before);
  const former = wasOn && decidesAlike(before, after) ? objectOrEmpty(before['filters']) : undefined;
  if (former === undefined && hasEarlyAccess(filters)) return { ...UNKNOWN, pointer: '/filters/super_groups' };
  const parts = [...conditionParts(filters, former), holdoutPart(filters, former)];
  const found = joinParts(parts.filter(({ points }) => points > 0));
  // The flag may have been on for the same people before, by rules that differ.
  return wasOn && former === undefined ? { ...found, exact: false } : found;
}

export function isOn(flag: JsonObject): boolean {
  return flag['active'] !== false && flag['deleted'] !== true;
}

/** Whether everything but conditions decides as before, so that whoever has the flag by a condition keeps it by the same condition. */
function decidesAlike(before: JsonObject, after: JsonObject): boolean {
  const [former, wanted] = [objectOrEmpty(before['filters']), objectOrEmpty(after['filters'])];
  const same = (members: readonly string[], one: JsonObject, other: JsonObject): boolean =>
    members.every((name) => jsonEquals(usual(name, one), usual(name, other)));
  return (
    !viewFilters(former).isOpaque &&
    same(FIELDS, before, after) &&
    same(PARTS, former, wanted) &&
    // A dependency on a flag that does not exist turns the flag off.
    jsonEquals(dependenciesOf(former), dependenciesOf(wanted))
  );
}

function dependenciesOf(filters: JsonObject): string[] {
  return [...new Set(flagReferences(filters).map(String))].toSorted();
}

const FIELDS = [
  'key',
  'ensure_experience_continuity',
  'bucketing_identifier',
  'evaluation_runtime',
  'evaluation_contexts',
  'evaluation_tags',
];
const PARTS = [AGGREGATION, 'super_groups', 'feature_enrollment', 'holdout_groups'];

/** The value of a member, with the default for one that is absent or empty. */
function usual(name: string, object: JsonObject): JsonObject[string] {
  const value = memberOf(object, name) ?? null;
  if (name === 'bucketing_identifier') return value ?? 'distinct_id';
  return value === false || (isJsonArray(value) && value.length === 0) ? null : value;
}

/** Early access decides by a property of the person, before any hash, so the number of people is unknown. */
function hasEarlyAccess({
  super_groups: groups,
  feature_enrollment: enrols,
  holdout_groups: old,
}: JsonObject): boolean {
  return enrols === true || [groups, old].some((list) => isJsonArray(list) && list.length > 0);
}

/** The part of one condition, or of the holdout. */
interface TurnedOnPart extends TurnedOn {
  readonly hash: string;
  /** Whether some people had the flag by this hash before. */
  readonly isStep: boolean;
}

function conditionParts(filters: JsonObject, former: JsonObject | undefined): TurnedOnPart[] {
  const kept = former === undefined ? [] : numberConditions(former);
  const exits = former?.['early_exit'] === true;
  const isAlike = former !== undefined && asksAlike(former, filters);
  const parts = numberConditions(filters).map((condition, index): TurnedOnPart => {
    const hash = hashOf(filters, condition);
    const before = kept.filter((one, place) =>
      exits ? isAlike && place === index : hashOf(objectOrEmpty(former), one) === hash && includes(one, condition),
    );
    return { hash, ...gainOf(condition, before) };
  });
  // One condition decides for each person if both sides have `early_exit`.
  return exits && isAlike ? parts.map((part) => ({ ...part, hash: '' })) : parts;
}

function hashOf(filters: JsonObject, { condition }: NumberedCondition): string {
  return canonicalText(aggregationIn(filters, condition));
}

/** Whether both lists of conditions ask for the same people in the same order. */
function asksAlike(former: JsonObject, filters: JsonObject): boolean {
  const asked = [former, filters].map((one) =>
    numberConditions(one).map(({ condition: { properties = [], variant = null, ...condition } }) => [
      properties ?? [],
      variant,
      aggregationIn(one, condition),
    ]),
  );
  return filters['early_exit'] === true && jsonEquals(asked[0] ?? null, asked[1] ?? null);
}

/** Whether everybody who matches the condition also matched the former one. */
function includes({ condition: former }: NumberedCondition, { condition }: NumberedCondition): boolean {
  const [before, after] = [former['properties'] ?? [], condition['properties'] ?? []];
  if (!isJsonArray(before) || !before.every(isJsonObject) || !isJsonArray(after) || !after.every(isJsonObject))
    return false;
  if (![...before, ...after].every(isReadable)) return jsonEquals(before, after);
  return ['same', 'narrower'].includes(compareAudiences(before, after).direction);
}

/** A percentage that cannot be read counts as 100. */
function gainOf(
  { condition, number }: NumberedCondition,
  before: readonly NumberedCondition[],
): Omit<TurnedOnPart, 'hash'> {
  const pointer = `/filters/groups/${number - 1}`;
  const rollout = rolloutOf(condition);
  const had = Math.max(0, ...before.map((one) => rolloutOf(one.condition) ?? 0));
  if (rollout === undefined) return { points: 100, exact: false, pointer, isStep: false };
  return { points: Math.max(0, rollout - had), exact: true, pointer, isStep: had > 0 };
}

/** People in a holdout get its value, which is not `false`. All flags share its hash. */
function holdoutPart(filters: JsonObject, former: JsonObject | undefined): TurnedOnPart {
  const [had, has] = [excludedBy(former?.['holdout']), excludedBy(filters['holdout'])];
  const points = has === undefined ? 100 : Math.max(0, has - (had ?? 0));
  return { hash: 'holdout', points, exact: has !== undefined, pointer: '/filters/holdout', isStep: (had ?? 0) > 0 };
}

function excludedBy(holdout: JsonObject[string]): number | undefined {
  if (holdout === undefined || holdout === null) return 0;
  const { id, exclusion_percentage: percentage } = objectOrEmpty(holdout);
  if (typeof id !== 'number' || typeof percentage !== 'number') return undefined;
  return Math.min(100, Math.max(0, percentage));
}

function joinParts(parts: readonly TurnedOnPart[]): TurnedOn {
  const largest = parts.toSorted((one, other) => other.points - one.points);
  const [first] = largest;
  if (first === undefined) return NOBODY;
  const ofHashes = [...new Set(parts.map(({ hash }) => hash))].map(
    (hash) => largest.find((part) => part.hash === hash) ?? first,
  );
  const off = ofHashes.reduce((share, { points }) => share * (1 - points / 100), 1);
  // Differences of decimals are not exact in binary.
  const points = ofHashes.length === 1 ? Math.round(first.points * 1e6) / 1e6 : roundedUp((1 - off) * 100);
  // People who had the flag by one hash do not turn on by another, so several steps are not exact.
  const isExact = ofHashes.every(({ exact, isStep }) => exact && (ofHashes.length === 1 || !isStep));
  return { points, exact: isExact, pointer: first.pointer };
}

/** Two decimals, rounded up so that it stays a bound. */
function roundedUp(points: number): number {
  return Math.min(100, Math.ceil(points * 100 - 1e-6) / 100);
}
