/** Evaluates flags for a subject: the entry of this folder. Deterministic: no I/O, clock or randomness. */

import type { Flag } from '../posthog/flag/flag.ts';
import { isOpaque } from '../posthog/flag/opaque.ts';
import { createFinder, orderByDependencies } from './dependencies.ts';
import type { Evaluation } from './evaluation.ts';
import { evaluateKnown } from './flag.ts';
import type { EvaluationInput } from './input.ts';
import { createScope } from './scope.ts';

/** All flags that are not deleted, by key, in input order. Inactive flags are included and off. */
export function evaluateFlags(input: EvaluationInput): ReadonlyMap<string, Evaluation> {
  const flags = input.flags.filter(isPresent);
  return prepare(flags, flags)(input);
}

/** Evaluates one flag and its dependencies. `undefined` for an unknown or deleted flag. */
export function evaluateFlag(key: string, input: EvaluationInput): Evaluation | undefined {
  return prepareFlag(key, input.flags)(input);
}

/** As `evaluateFlag`, for many subjects: what follows from the flags alone is found once. */
export function prepareFlag(key: string, all: readonly Flag[]): (input: WithoutFlags) => Evaluation | undefined {
  const flags = all.filter(isPresent);
  const evaluate = prepare(
    flags.filter((flag) => flag.key === key),
    flags,
  );
  return (input) => evaluate(input).get(key);
}

type WithoutFlags = Omit<EvaluationInput, 'flags'>;

function isPresent({ deleted }: Flag): boolean {
  return deleted !== true;
}

function prepare(
  wanted: readonly Flag[],
  flags: readonly Flag[],
): (input: WithoutFlags) => ReadonlyMap<string, Evaluation> {
  // The value of an opaque flag is unknown, so a flag that depends on it has no known value either.
  const find = createFinder(flags.filter(({ filters }) => !isOpaque(filters)));
  const { ordered, broken } = orderByDependencies(wanted, find);
  return (input) => {
    const known = new Map<Flag | undefined, Evaluation>();
    const scope = createScope(input, (name) => known.get(find(name))?.value);
    for (const flag of ordered) known.set(flag, evaluateKnown(flag, scope, false));
    for (const flag of broken) known.set(flag, evaluateKnown(flag, scope, true));
    return new Map(
      wanted.flatMap((flag) => {
        const evaluation = known.get(flag);
        return evaluation === undefined ? [] : [[flag.key, evaluation]];
      }),
    );
  };
}
