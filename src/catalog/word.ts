/** One word for who gets a flag, proved by evaluating it for every kind of person. */

import type { EvaluationByFlag } from '../evaluation/evaluate.ts';
import { prepareFlag } from '../evaluation/evaluate.ts';
import type { Evaluation, EvaluationContext, FlagValue } from '../evaluation/input.ts';
import { findAggregation, matchesCondition } from '../evaluation/condition.ts';
import { isBucketedByDevice, rolloutShare } from '../evaluation/hash.ts';
import { conditionsOf, isUnreadable, propertiesOf, variantsOf } from '../evaluation/parts.ts';
import { stringifyJson } from '../base/json-text.ts';
import { isJsonArray, type JsonObject, type JsonValue } from '../base/json.ts';
import { once } from '../base/once.ts';
import type { Condition, Flag, Property } from '../posthog/flag/model/flag.ts';
import { findOperator, type OperandKind } from '../posthog/flag/model/operators.ts';
import { flagReferences } from '../posthog/flag/model/references.ts';
import { isKnownFilter } from '../review/effects/audience.ts';
import { findCombinations, type Combination } from '../review/impact/combinations.ts';
import type { Circumstances } from '../review/impact/find-impact.ts';
import { createQuestions } from '../review/impact/knowledge.ts';
import { closureOf, makeWorlds, type FlagSide } from '../review/effects/worlds.ts';

/**
 * `off`: nobody gets the flag. `all`: everybody gets the same value. `split`: everybody gets it, in several variants. `some`: it depends on
 * the person. `unknown`: this release cannot tell.
 */
export type FlagWord = 'off' | 'some' | 'all' | 'split' | 'unknown';

/** Returns the word of a flag among these, which are all of a project, by its key. `undefined`: there is no such flag. */
export function createWords(
  flags: readonly Flag[],
  { generation, now }: Circumstances,
): (key: string) => FlagWord | undefined {
  const byKey = new Map(flags.filter(({ deleted }) => deleted !== true).map((flag) => [flag.key, flag]));
  // Few flags need it.
  const worldOf = once(() => makeWorlds([], flags).after);
  const context = { generation, now, timeZone: 'UTC', groupTypes: {}, cohorts: {} };
  const known = new Map<string, FlagWord>();
  return (key) => {
    const own = byKey.get(key);
    if (own === undefined) return undefined;
    if (own.active === false) return 'off';
    if (hasWitnesses(own, context)) return 'some';
    const world = worldOf();
    const flag = world.flags.get(key) ?? own;
    const closure = [...closureOf([key], world)].flatMap((name) => world.flags.get(name) ?? []);
    if (closure.length > 1) return wordOf(flag, closure);
    // All that evaluation reads of an active flag. Its key decides which people get it, but not whether some do.
    const content = stringifyJson([
      flag.filters ?? null,
      flag.ensure_experience_continuity ?? null,
      flag['bucketing_identifier'] ?? null,
    ]);
    const word = known.get(content) ?? wordOf(flag, closure);
    known.set(content, word);
    return word;
  };

  function wordOf(flag: Flag, closure: readonly Flag[]): FlagWord {
    if (closure.some((one) => isUnreadable(one) || lacksDependency(one, worldOf().dependenciesOf))) return 'unknown';
    const side: FlagSide = { flag, flags: closure, evaluate: withoutHoldouts(prepareFlag(flag, closure), flag) };
    /** What people get who do not get this value; `undefined`: too much to find out. */
    const others = (value: FlagValue): readonly Combination[] | undefined => {
      const pair = { before: constantSide(flag, closure, value), after: side, payloads: new Set<string>() };
      return findCombinations(pair, { questions: createQuestions(pair, context), context }, MOST_EVALUATIONS);
    };
    const found = others(false);
    if (found === undefined) return 'unknown';
    if (found.every(({ shares }) => shares.turnsOn === 0)) return 'off';
    if (found.every(({ shares }) => shares.turnsOn > 1 - NEGLIGIBLE)) {
      const values = [...variantsOf(flag.filters).map((variant) => variant.key), true];
      const isSame = (value: FlagValue): boolean =>
        others(value)?.every(({ shares }) => shares.turnsOff + shares.changesVariant === 0) === true;
      return values.some(isSame) ? 'all' : 'split';
    }
    return found.some(({ unknown }) => unknown.size > 0) ? 'unknown' : 'some';
  }
}

/**
 * Whether somebody is found who gets the flag, and somebody who does not: whoever meets a condition gets it with the share of its rollout. That
 * proves the word of most flags with a few comparisons, where the search takes dozens of evaluations; flags that ask for more than values of
 * people are left to the search.
 */
function hasWitnesses(flag: Flag, context: EvaluationContext): boolean {
  const { filters = {} } = flag;
  const parts = Object.keys(filters).filter((name) => (filters[name] ?? null) !== null);
  if (!parts.every((name) => PLAIN_PARTS.has(name)) || isBucketedByDevice(flag)) return false;
  const conditions = conditionsOf(filters).map(([, condition]) => condition);
  const isSimple = (condition: Condition): boolean =>
    propertiesOf(condition)?.every(isPlain) === true && findAggregation(flag, condition) === null;
  if (!conditions.every(isSimple)) return false;
  const meets = (condition: Condition, personProperties: JsonObject): boolean => {
    const subject = { distinctId: 'person', personProperties, groups: {}, groupProperties: {} };
    return matchesCondition(condition, { context, subject }) === true;
  };
  return (
    !conditions.some((condition) => rolloutShare(condition) === 1 && meets(condition, {})) &&
    conditions.some(
      (condition) => rolloutShare(condition) > 0 && meets(condition, personWith(propertiesOf(condition) ?? [])),
    )
  );
}

const PLAIN_PARTS: ReadonlySet<string> = new Set(['groups', 'multivariate', 'payloads']);

/** Asks for a value that is compared as text. The identifier decides the hash too. */
function isPlain(property: Property): boolean {
  const { key, type, operator, negation = null } = property;
  const operand = findOperator(operator ?? 'exact')?.operand;
  const isOfText = operand !== undefined && TEXTS.has(operand) && negation === null;
  return type === 'person' && key !== 'distinct_id' && isOfText && isKnownFilter(property);
}

const TEXTS: ReadonlySet<OperandKind> = new Set(['scalars', 'string', 'strings']);

/** Evaluation tells whether it matches them. */
function personWith(properties: readonly Property[]): JsonObject {
  const named = properties.filter(({ operator }) => findOperator(operator ?? 'exact')?.negates === undefined);
  const first = ({ value = null }: Property): JsonValue => (isJsonArray(value) ? (value[0] ?? null) : value);
  return Object.fromEntries(named.map((property) => [property.key, first(property)]));
}

/** The bound on the time that one flag takes. */
const MOST_EVALUATIONS = 2000;

/** Sums of decimal shares are inexact by less than this. */
const NEGLIGIBLE = 1e-9;

function lacksDependency(flag: Flag, dependenciesOf: (name: string) => readonly string[]): boolean {
  return new Set(flagReferences(flag.filters).map(String)).size > new Set(dependenciesOf(flag.key)).size;
}

/** People in a holdout get a value that only experiments read: they do not have the flag. */
function withoutHoldouts(evaluate: FlagSide['evaluate'], flag: Flag): FlagSide['evaluate'] {
  return (input): EvaluationByFlag => {
    const found = evaluate(input);
    const own = found.get(flag);
    return own?.reason === 'holdout_condition_value' ? new Map([...found, [flag, { ...own, value: false }]]) : found;
  };
}

/** A side on which everybody gets the same. */
function constantSide(flag: Flag, flags: readonly Flag[], value: FlagValue): FlagSide {
  const reason = 'flag_disabled';
  const constant: Evaluation = { key: flag.key, enabled: value !== false, value, reason, conditionIndex: null };
  const answer: EvaluationByFlag = new Map([[flag, constant]]);
  return { flag, flags, evaluate: () => answer };
}
