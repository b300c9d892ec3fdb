/** For how many percentage points of a condition's people a change turns a flag on. */

import { objectOrEmpty, type JsonObject } from '../base/json.ts';
import { numberConditions } from '../effects/conditions.ts';
import { joinReaches, type Effect, type NumberedCondition } from '../effects/effect.ts';
import { isOpaque } from '../posthog/flag/opaque.ts';
import { rolloutOf } from '../posthog/flag/percentage.ts';
import type { JudgedResource } from './judged.ts';

export interface Widening {
  readonly points: number;
  /** Otherwise the most that it can be. */
  readonly exact: boolean;
  /** Where the flag says so. */
  readonly pointer: string;
}

/**
 * The largest of all conditions; absent where nobody is turned on. Nobody notices a change of a flag that stays disabled;
 * enabling it counts in full.
 */
export function largestWidening(resource: JudgedResource): Widening | undefined {
  if (resource.dormant === true) return undefined;
  const widenings = resource.effects.flatMap((effect) => wideningOf(effect, resource));
  return widenings.toSorted((one, other) => other.points - one.points)[0];
}

function wideningOf(effect: Effect, { after }: JudgedResource): Widening[] {
  if (!joinReaches(effect.classes).turnsOn) return [];
  const { what } = effect;
  if (what === 'rollout') return [{ ...ofCondition(effect.condition), points: effect.points }];
  if (what === 'condition_added' || what === 'audience') {
    return effect.classes.includes('opaque') ? [UNKNOWN] : [ofCondition(effect.condition)];
  }
  if (what === 'created' || what === 'restored') return effect.active ? largestOf(after, true) : [];
  if (what === 'switched') return largestOf(after, true);
  if (what === 'renamed' || what === 'bucketing') return largestOf(after, false);
  return [UNKNOWN];
}

/** A change that widens and whose size nothing tells. */
const UNKNOWN: Widening = { points: 100, exact: false, pointer: '/filters' };

/** A percentage that cannot be read may be any. */
function ofCondition({ condition, number }: NumberedCondition): Widening {
  const rollout = rolloutOf(condition);
  return { points: rollout ?? 100, exact: rollout !== undefined, pointer: `/filters/groups/${number - 1}` };
}

function largestOf(flag: JsonObject | undefined, exact: boolean): Widening[] {
  const filters = objectOrEmpty(flag?.['filters']);
  if (isOpaque(filters)) return [UNKNOWN];
  const widenings = numberConditions(filters).map((condition) => ofCondition(condition));
  return widenings.map((widening) => ({ ...widening, exact: exact && widening.exact }));
}
