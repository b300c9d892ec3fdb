/** Whether the conditions of an approval policy match a write: values after it, how far they move, or any change. */

import { isJsonObject, memberOf, type JsonObject, type JsonValue } from '../../../src/base/json.ts';
import { changedPaths, valuesByPath, type GatedValues } from './gated-values.ts';

export interface Movement {
  readonly before: GatedValues;
  readonly after: GatedValues;
}

type NumberComparison = (a: number, b: number) => boolean;

const COMPARISONS: ReadonlyMap<JsonValue | undefined, NumberComparison> = new Map<
  JsonValue | undefined,
  NumberComparison
>([
  ['>', (a, b) => a > b],
  ['<', (a, b) => a < b],
  ['>=', (a, b) => a >= b],
  ['<=', (a, b) => a <= b],
  ['==', (a, b) => a === b],
  ['!=', (a, b) => a !== b],
]);

/**
 * A policy without conditions, or with incomplete or unknown ones, matches every write of its action. A field that the write does not
 * change, or that the service does not know, has no values.
 */
export function matchesConditions(conditions: JsonObject, { before, after }: Movement): boolean {
  const { type, field } = conditions;
  const [old, now] = typeof field === 'string' ? [memberOf(before, field), memberOf(after, field)] : [];
  if (type === 'any_change') return field === undefined || changedPaths(old, now).length > 0;
  if (type !== 'before_after' && type !== 'change_amount') return true;
  const compare = COMPARISONS.get(conditions['operator']);
  const { value: limit } = conditions;
  if (typeof field !== 'string' || compare === undefined || typeof limit !== 'number') return true;
  const amounts = type === 'before_after' ? [...valuesByPath(now).values()].map(amountOf) : distances(old, now);
  return amounts.some((amount) => amount !== undefined && compare(amount, limit));
}

/** The service counts true as 1. A condition as a whole has no amount, and so equals none. */
function amountOf(value: JsonValue): number | undefined {
  if (typeof value === 'boolean') return Number(value);
  if (isJsonObject(value)) return Number.NaN;
  return typeof value === 'number' ? value : undefined;
}

/** The distances of values that are on both sides. */
function distances(before: GatedValues[string] = [], after: GatedValues[string] = []): (number | undefined)[] {
  const old = valuesByPath(before);
  return after.map(({ path, value }) => {
    const [was, is] = [old.get(path), value].map((one) => (one === undefined ? undefined : amountOf(one)));
    return was === undefined || is === undefined || Number.isNaN(is - was) ? undefined : is - was;
  });
}
