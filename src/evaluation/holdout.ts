/** Holdouts: the share of persons that an experiment excludes, the same for all flags of the holdout. */

import { isJsonObject } from '../base/json.ts';
import type { Flag } from '../posthog/flag/flag.ts';
import type { Verdict } from './evaluation.ts';
import { holdoutHash } from './hash.ts';
import { holdoutIdentifier } from './identifier.ts';
import type { Scope } from './scope.ts';

/** `undefined` for a subject that is not held out. Percentages are clamped to 0 to 100. */
export function holdout(flag: Flag, scope: Scope): Verdict | undefined {
  const holdout = flag.filters?.['holdout'];
  if (!isJsonObject(holdout)) return undefined;
  const { id, exclusion_percentage: percentage } = holdout as { id?: unknown; exclusion_percentage?: unknown };
  if (typeof id !== 'number' || typeof percentage !== 'number') return undefined;
  if (percentage < 100 && !isHeldOut(holdoutIdentifier(flag, scope), Math.max(percentage, 0) / 100, scope))
    return undefined;
  return { value: `holdout-${id}`, reason: 'holdout_condition_value', conditionIndex: null };
}

function isHeldOut(identifier: string, share: number, { context }: Scope): boolean {
  const assumed = context.assumptions?.hash?.({ kind: 'holdout', flagKey: '', identifier }, share);
  return assumed ?? holdoutHash(identifier) <= share;
}
