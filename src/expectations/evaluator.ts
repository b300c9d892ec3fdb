/** Evaluates the flags that expectations ask about: for each person and time only those, and the flags that they depend on. */

import type { JsonObject, JsonValue } from '../base/json.ts';
import { findAggregation, findsMatch } from '../evaluation/condition.ts';
import { createFinder, orderByDependencies } from '../evaluation/dependencies.ts';
import { evaluateFlags } from '../evaluation/evaluate.ts';
import type { Evaluation } from '../evaluation/evaluation.ts';
import { isRolledOut, rolloutHash, variantHash } from '../evaluation/rollout.ts';
import { findBucket } from '../evaluation/identifier.ts';
import { conditionsOf, propertiesOf, variantsOf } from '../evaluation/parts.ts';
import { createScope, type EvaluationScope, groupProperties } from '../evaluation/scope.ts';
import type { Condition, Flag, Property } from '../posthog/flag/flag.ts';
import { findOpenFlags, firstOpenFilter, type OpenFilter, settle } from './either-way.ts';
import type { Expectation, NamedPerson } from './expectation.ts';
import { type FlagWorld, type SubjectContext, toSubject } from './world.ts';

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
type Evaluator = (person: NamedPerson, at: number) => Evaluated;

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

/** `index`: in the flag's conditions. */
interface EvaluationAttempt {
  readonly index: number;
  readonly result: AttemptResult;
}

/** Positions are percentages, between 0 and 100. */
export type AttemptResult =
  /** The first filter that does not match, by its index. `found` is absent if the person or group has no such property. */
  | { readonly kind: 'unmatched'; readonly filter: number; readonly found?: JsonValue }
  /** The filters cannot be read, so they match nobody. */
  | { readonly kind: 'unreadable' }
  | { readonly kind: 'no_group'; readonly type: number }
  | { readonly kind: 'no_device' }
  | { readonly kind: 'left_out'; readonly identifier: string; readonly position: number }
  | { readonly kind: 'matched'; readonly identifier: string; readonly variant?: ChosenVariant };

/** `forced`: the condition names the variant. */
type ChosenVariant = { readonly kind: 'forced' } | { readonly kind: 'hashed'; readonly position: number };

/** Finds what each condition of a flag decides for a person, up to the one that decides: the reason for an unexpected answer. */
function findAttempts(flag: Flag, scope: EvaluationScope): readonly EvaluationAttempt[] {
  const attempts: EvaluationAttempt[] = [];
  for (const [index, condition] of scope.rules.conditionOrder(conditionsOf(flag.filters))) {
    const result = tryCondition(flag, condition, scope);
    attempts.push({ index, result });
    if (result.kind === 'matched') break;
    if (result.kind === 'left_out' && flag.filters?.['early_exit'] === true) break;
  }
  return attempts;
}

function tryCondition(flag: Flag, condition: Condition, scope: EvaluationScope): AttemptResult {
  const aggregation = findAggregation(flag, condition);
  const bucket = findBucket(flag, aggregation, scope);
  if (bucket.kind === 'absent') {
    return aggregation === null ? { kind: 'no_device' } : { kind: 'no_group', type: aggregation };
  }
  const properties = propertiesOf(condition);
  if (properties === undefined) return { kind: 'unreadable' };
  const filter = properties.findIndex((property) => !findsMatch(property, aggregation, scope));
  const unmatched = properties[filter];
  if (unmatched !== undefined) {
    const found = findValue(unmatched, aggregation, scope);
    return { kind: 'unmatched', filter, ...(found === undefined ? {} : { found }) };
  }
  const { identifier } = bucket;
  if (isRolledOut({ flag, condition, identifier }, scope)) {
    return { kind: 'matched', identifier, ...chosenVariant(flag, condition, identifier) };
  }
  return { kind: 'left_out', identifier, position: rolloutHash(flag.key, identifier) * 100 };
}

function findValue(filter: Property, aggregation: number | null, scope: EvaluationScope): JsonValue | undefined {
  const key = String(filter.key);
  const own = (properties: JsonObject): JsonValue | undefined =>
    Object.hasOwn(properties, key) ? properties[key] : undefined;
  if (filter.type === 'cohort') return undefined;
  if (filter.type === 'flag') return scope.flagValue(key);
  const named = filter['group_type_index'];
  const index = filter.type === 'group' && typeof named === 'number' ? named : aggregation;
  const isOfGroup = filter.type === 'group' || (filter.type === undefined && index !== null);
  if (!isOfGroup) return own(scope.person);
  return index === null ? undefined : own(groupProperties(index, scope));
}

function chosenVariant(flag: Flag, { variant }: Condition, identifier: string): { readonly variant?: ChosenVariant } {
  const variants = variantsOf(flag.filters);
  if (variants.length === 0) return {};
  if (variants.some(({ key }) => key === variant)) return { variant: { kind: 'forced' } };
  return { variant: { kind: 'hashed', position: variantHash(flag.key, identifier) * 100 } };
}
