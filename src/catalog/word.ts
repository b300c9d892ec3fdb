/** One word for who gets a flag, proved by evaluating it for every kind of person. */

import type { EvaluationByFlag } from '../evaluation/evaluate.ts';
import { prepareFlag } from '../evaluation/evaluate.ts';
import type { Evaluation, FlagValue } from '../evaluation/input.ts';
import { isUnreadable, variantsOf } from '../evaluation/parts.ts';
import { stringifyJson } from '../base/json-text.ts';
import type { Flag } from '../posthog/flag/model/flag.ts';
import { flagReferences } from '../posthog/flag/model/references.ts';
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
  const { after: world } = makeWorlds([], flags);
  const context = { generation, now, timeZone: 'UTC', groupTypes: {}, cohorts: {} };
  const known = new Map<string, FlagWord>();
  return (key) => {
    const flag = world.flags.get(key);
    if (flag === undefined) return undefined;
    if (flag.active === false) return 'off';
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
    if (closure.some((one) => isUnreadable(one) || lacksDependency(one, world.dependenciesOf))) return 'unknown';
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
