/** Whether the conditions of an approval policy match a write: percentages after it, how far they move, or any change. */

import type { JsonObject, JsonValue } from '../../base/json.ts';
import { changedPaths, valuesByPath, type Percentage } from './actions.ts';

export interface Movement {
  readonly before: readonly Percentage[];
  readonly after: readonly Percentage[];
}

/** The field that conditions can be about. */
const FIELD = 'rollout_percentage';

type Comparison = (a: number, b: number) => boolean;

const COMPARISONS: ReadonlyMap<JsonValue | undefined, Comparison> = new Map<JsonValue | undefined, Comparison>([
  ['>', (a, b) => a > b],
  ['<', (a, b) => a < b],
  ['>=', (a, b) => a >= b],
  ['<=', (a, b) => a <= b],
  ['==', (a, b) => a === b],
  ['!=', (a, b) => a !== b],
]);

/** Without conditions, or with incomplete or unknown ones, the policy matches every write of its action. */
export function matchesConditions(conditions: JsonObject, movement: Movement): boolean {
  const { type, field } = conditions;
  if (type === 'any_change')
    return field === undefined || (field === FIELD && changedPaths(movement.before, movement.after).length > 0);
  if (type !== 'before_after' && type !== 'change_amount') return true;
  const compare = COMPARISONS.get(conditions['operator']);
  const { value: limit } = conditions;
  if (typeof field !== 'string' || compare === undefined || typeof limit !== 'number') return true;
  if (field !== FIELD) return false;
  const amounts = type === 'before_after' ? movement.after.map(({ value }) => value) : distances(movement);
  return amounts.some((amount) => typeof amount === 'number' && compare(amount, limit));
}

/** Of the percentages that are on both sides. */
function distances({ before, after }: Movement): JsonValue[] {
  const old = valuesByPath(before);
  return after.map(({ path, value }) => {
    const was = old.get(path);
    return typeof value === 'number' && typeof was === 'number' ? value - was : null;
  });
}
