/** Evaluates flags for a subject: the entry of this folder. Deterministic: no I/O, clock or randomness. */

import type { Flag } from '../posthog/flag/flag.ts';
import { isOpaque } from '../posthog/flag/opaque.ts';
import { createFinder, orderByDependencies, type FindFlag } from './dependencies.ts';
import type { Evaluation, FlagValue } from './evaluation.ts';
import { evaluateKnown } from './flag.ts';
import type { EvaluationInput } from './input.ts';
import { createScope } from './scope.ts';

/** All flags that are not deleted, by key, in input order. Inactive flags are included and off. */
export function evaluateFlags(input: EvaluationInput): ReadonlyMap<string, Evaluation> {
  return prepareFlags(input.flags)(input);
}

/** Prepares `evaluateFlags` for many subjects: dependencies are ordered once. */
export function prepareFlags(all: readonly Flag[]): (input: WithoutFlags) => ReadonlyMap<string, Evaluation> {
  const flags = all.filter(isPresent);
  const find = findReadable(flags);
  const { ordered, broken } = orderByDependencies(flags, find);
  const places = new Map([...ordered, ...broken].map((flag, place) => [flag, place]));
  const inputOrder = flags.flatMap((flag) => places.get(flag) ?? []);
  return (input) => {
    const known: Evaluation[] = [];
    const scope = createScope(input, (name) => {
      const flag = find(name);
      return flag && known[places.get(flag) ?? -1]?.value;
    });
    for (const flag of ordered) known.push(evaluateKnown(flag, scope, false));
    for (const flag of broken) known.push(evaluateKnown(flag, scope, true));
    const found = new Map<string, Evaluation>();
    for (const place of inputOrder) {
      const evaluation = known[place];
      if (evaluation !== undefined) found.set(evaluation.key, evaluation);
    }
    return found;
  };
}

/** Evaluates one flag and its dependencies. `undefined` for an unknown or deleted flag. */
export function evaluateFlag(key: string, input: EvaluationInput): Evaluation | undefined {
  const flag = input.flags.findLast((one) => one.key === key && isPresent(one));
  return flag === undefined ? undefined : prepareFlag(flag, input.flags)(input).get(flag);
}

/** A flag with those whose values it needed for a subject; nothing where the flag is deleted. */
export type Reached = ReadonlyMap<Flag, Evaluation>;

/**
 * Prepares `evaluateFlag` for many subjects: facts that follow from the flags alone are found once, and a dependency is evaluated when its
 * value is needed.
 */
export function prepareFlag(wanted: Flag, all: readonly Flag[]): (input: WithoutFlags) => Reached {
  const flags = all.filter(isPresent);
  const find = findReadable(flags);
  const { ordered, broken } = orderByDependencies([wanted].filter(isPresent), find);
  const places = new Map([...ordered, ...broken].map((flag, place) => [flag, place]));
  const isBroken = new Set(broken);
  return (input) => {
    const known = new Map<Flag, Evaluation>();
    let before = Infinity;
    // A flag has the values of the flags before it, as if all were evaluated in order.
    const valueOf = (flag: Flag | undefined): FlagValue | undefined => {
      const place = flag === undefined ? undefined : places.get(flag);
      if (flag === undefined || place === undefined || place >= before) return undefined;
      const found = known.get(flag);
      if (found !== undefined) return found.value;
      const outer = before;
      before = place;
      const evaluation = evaluateKnown(flag, scope, isBroken.has(flag));
      before = outer;
      known.set(flag, evaluation);
      return evaluation.value;
    };
    const scope = createScope(input, (name) => valueOf(find(name)));
    if (ordered.length > DEEPEST) for (const flag of ordered) valueOf(flag);
    valueOf(wanted);
    return known;
  };
}

/** A longer chain of dependencies is evaluated in order, since each flag of a chain that is not takes a part of the stack. */
const DEEPEST = 500;

type WithoutFlags = Omit<EvaluationInput, 'flags'>;

function isPresent({ deleted }: Flag): boolean {
  return deleted !== true;
}

/** The value of an opaque flag is unknown, so a flag that depends on it has no known value either. */
function findReadable(flags: readonly Flag[]): FindFlag {
  return createFinder(flags.filter(({ filters }) => !isOpaque(filters)));
}
