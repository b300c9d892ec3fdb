/** Flags for a subject: the module's entry. No I/O, no clock, no chance: the same input gives the same answer. */

import type { Flag } from '../posthog/flag/flag.ts';
import { createFinder, orderByDependencies } from './dependencies.ts';
import type { Evaluation } from './evaluation.ts';
import { evaluateKnown } from './flag.ts';
import type { EvaluationInput } from './input.ts';
import { createScope } from './scope.ts';

/** Every flag that is not deleted, by key, in the order given. Inactive ones are there, as off. */
export function evaluateFlags(input: EvaluationInput): ReadonlyMap<string, Evaluation> {
  const flags = input.flags.filter((flag) => flag.deleted !== true);
  return evaluateWanted(flags, flags, input);
}

/** One flag; only it and what it depends on is evaluated. `undefined` where there is no such flag, or it is deleted. */
export function evaluateFlag(key: string, input: EvaluationInput): Evaluation | undefined {
  const flags = input.flags.filter((flag) => flag.deleted !== true);
  const wanted = flags.filter((flag) => flag.key === key);
  return evaluateWanted(wanted, flags, input).get(key);
}

function evaluateWanted(
  wanted: readonly Flag[],
  flags: readonly Flag[],
  input: EvaluationInput,
): ReadonlyMap<string, Evaluation> {
  const find = createFinder(flags);
  const known = new Map<Flag | undefined, Evaluation>();
  const scope = createScope(input, (name) => known.get(find(name))?.value);
  const { ordered, broken } = orderByDependencies(wanted, find);
  for (const flag of ordered) known.set(flag, evaluateKnown(flag, scope, false));
  for (const flag of broken) known.set(flag, evaluateKnown(flag, scope, true));
  return new Map(
    wanted.flatMap((flag) => {
      const evaluation = known.get(flag);
      return evaluation === undefined ? [] : [[flag.key, evaluation]];
    }),
  );
}
