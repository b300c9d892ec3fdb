/** Compares the values of a flag for one person before and after. */

import type { EvaluationByFlag } from '../evaluation/evaluate.ts';
import type { FlagValue } from '../evaluation/evaluation.ts';
import type { EvaluationContext, EvaluationInput, Subject } from '../evaluation/input.ts';
import type { Flag } from '../posthog/flag/model/flag.ts';
import type { Shares } from './impact.ts';

/** `undefined`: the person gets what they got before. */
export type PersonOutcome = keyof Shares | undefined;

/** A flag on both sides, each with the flags that it depends on. A side on which the flag does not exist is absent. */
export interface FlagPair {
  readonly before: FlagSide | undefined;
  readonly after: FlagSide | undefined;
  /** Keys of the payloads that differ. */
  readonly payloads: ReadonlySet<string>;
}

export interface FlagSide {
  readonly flag: Flag;
  /** Includes the flag itself. */
  readonly flags: readonly Flag[];
  /** The flag with those whose values it needs. */
  readonly evaluate: (input: Omit<EvaluationInput, 'flags'>) => EvaluationByFlag;
}

export function compareValues(former: FlagValue, wanted: FlagValue, payloads: ReadonlySet<string>): PersonOutcome {
  if (former === false) return wanted === false ? undefined : 'turnsOn';
  if (wanted === false) return 'turnsOff';
  if (former !== wanted) return 'changesVariant';
  return payloads.has(String(wanted)) ? 'changesPayload' : undefined;
}

export function valueOf(side: FlagSide | undefined, subject: Subject, context: EvaluationContext): FlagValue {
  return side?.evaluate({ context, subject }).get(side.flag)?.value ?? false;
}
