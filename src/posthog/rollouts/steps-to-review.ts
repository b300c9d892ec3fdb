/** The steps still to come that a change declares or edits, so that its merge is their review. */

import { jsonEquals, type JsonObject, type JsonValue } from '../../base/json.ts';
import type { DeclaredFlag, DesiredState } from '../desired.ts';
import { setAt } from '../flag/values-of-others.ts';

export interface StepEvent {
  readonly key: string;
  readonly path: string;
  readonly at: string;
  readonly to: JsonValue;
  /** Among the steps of the rollout. */
  readonly index: number;
}

/** `former`: what was applied last; what it has is reviewed already. */
export function stepsOf(flag: DeclaredFlag, former: DesiredState | undefined): readonly StepEvent[] {
  const { key, rollouts = [] } = flag;
  if (rollouts.length === 0 || isReviewed(flag, former)) return [];
  return rollouts.flatMap(({ path, steps, step }) =>
    steps.slice(step + 1).map(({ at, to }, ahead) => ({ key, path, at, to, index: step + 1 + ahead })),
  );
}

/** The same steps mean something else where the flag has other conditions. Its description changes nothing for anybody. */
export function isReviewed(flag: DeclaredFlag, former: DesiredState | undefined): boolean {
  const names = [flag.key, ...flag.previousKeys];
  const before = former?.flags.find((one) => one.kind === 'declared' && names.includes(one.key));
  return before?.kind === 'declared' && jsonEquals(reviewedOf(flag), reviewedOf(before));
}

function reviewedOf({ fields, rollouts = [] }: DeclaredFlag): JsonValue {
  const plans = rollouts.map(({ path, from, steps, catch_up: catchUp }) => [path, from, steps, catchUp ?? null]);
  const { name: _, ...deciding } = fields;
  const rest = rollouts.reduce<JsonObject>((all, { path }) => setAt(all, path, null), deciding);
  return [rest, plans] as unknown as JsonValue;
}
