/** Evaluates the flags that expectations ask about: for each person and time only those, and the flags that they depend on. */

import { createFinder, orderByDependencies } from '../evaluation/dependencies.ts';
import { evaluateFlags } from '../evaluation/evaluate.ts';
import type { Evaluation } from '../evaluation/evaluation.ts';
import { createScope } from '../evaluation/scope.ts';
import type { Flag } from '../posthog/flag/flag.ts';
import { findAttempts, type EvaluationAttempt } from './attempts.ts';
import { findOpenFlags, firstOpenFilter, settle, type OpenFilter } from './either-way.ts';
import type { Expectation, NamedPerson } from './expectation.ts';
import { toSubject, type SubjectContext } from './subject.ts';
import type { FlagWorld } from './world.ts';

export interface Evaluated {
  /** The flags with known conditions, by key. */
  readonly flags: ReadonlyMap<string, Flag>;
  readonly answers: ReadonlyMap<string, Evaluation>;
  /** The filters that make answers unknown, by the key of the flag that is asked about. */
  readonly undecided: ReadonlyMap<string, OpenFilter>;
  /** The results of the conditions of an evaluated flag for the person. */
  readonly attempts: (key: string) => readonly EvaluationAttempt[];
}

/** `at`: milliseconds since 1970. */
export type Evaluator = (person: NamedPerson, at: number) => Evaluated;

export function createEvaluator(
  world: FlagWorld,
  expectations: readonly Expectation[],
  surroundings: SubjectContext,
): Evaluator {
  const asked = groupByPerson(expectations, surroundings.now);
  const flags = new Map(world.flags.map((flag) => [flag.key, flag]));
  const find = createFinder(world.flags);
  // A person is in no cohort whose members follow from events, unless the person names it.
  const open = findOpenFlags({ flags: world.flags, cohorts: {} });
  const evaluate = (person: NamedPerson, now: number, keys: ReadonlySet<string>): Evaluated => {
    const { ordered, broken } = orderByDependencies(
      [...keys].flatMap((key) => flags.get(key) ?? []),
      find,
    );
    const input = toSubject(person, world, { ...surroundings, now });
    const answers = new Map(evaluateFlags({ flags: [...ordered, ...broken], ...input }));
    const undecided = new Map<string, OpenFilter>();
    for (const [key, evaluation] of answers) {
      const asked = { key, flags: open.get(key) ?? [], openCohorts: {}, ...input };
      const filter = firstOpenFilter(asked);
      if (filter === undefined) continue;
      const settled = settle(asked, evaluation);
      if (settled === undefined) undecided.set(key, filter);
      else answers.set(key, settled);
    }
    const scope = createScope(input, (name) => answers.get(find(name)?.key ?? name)?.value);
    return {
      flags,
      answers,
      undecided,
      attempts: (key) => {
        const flag = flags.get(key);
        return flag === undefined ? [] : findAttempts(flag, scope);
      },
    };
  };
  const known = new Map<ReadonlySet<string>, Evaluated>();
  return (person, at) => {
    const keys = asked.get(person)?.get(at) ?? new Set<string>();
    const found = known.get(keys) ?? evaluate(person, at, keys);
    known.set(keys, found);
    return found;
  };
}

/** The keys of the flags that are asked about, by person and time. */
function groupByPerson(
  expectations: readonly Expectation[],
  now: number,
): ReadonlyMap<NamedPerson, ReadonlyMap<number, ReadonlySet<string>>> {
  const asked = new Map<NamedPerson, Map<number, Set<string>>>();
  for (const { people, flag, at = now } of expectations) {
    for (const person of people) {
      const times = asked.get(person) ?? new Map<number, Set<string>>();
      asked.set(person, times);
      times.set(at, (times.get(at) ?? new Set()).add(flag));
    }
  }
  return asked;
}
