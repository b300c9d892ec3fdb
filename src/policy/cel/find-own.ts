/** Judges changes by own rules, which are expressions. All rules of a run share a number of steps, so that every run ends. */

import type { RuleBreach, JudgedResource, PolicyContext } from '../basis/judged.ts';
import type { OwnPolicy } from '../policy.ts';
import { contextsOf, type CelContext } from './context.ts';
import type { OwnFacts } from '../rules/own.ts';
import { compile, make, type CelResult, type Budget } from './language.ts';

/** Judges resources by one own rule. */
export type JudgeByOwn = (
  policy: OwnPolicy,
  resources: readonly JudgedResource[],
) => ReadonlyMap<JudgedResource, readonly RuleBreach<OwnFacts>[]>;

/** The limit for all own rules of a run: some seconds. Fifty rules have 400 steps for each of 5,000 changes. */
const MOST_STEPS_OF_RUN = 100_000_000;

/**
 * Judges by one rule after the other. Each gets an equal share of the steps that the earlier ones left. `rules`: the number of all rules.
 */
export function createOwnJudge(
  rules: number,
  surroundings: PolicyContext,
  steps: number = MOST_STEPS_OF_RUN,
): JudgeByOwn {
  const run = { rules, left: steps };
  const made = new Map<JudgedResource, readonly CelContext[]>();
  const contextsFor = (resource: JudgedResource): readonly CelContext[] => {
    const contexts = made.get(resource) ?? contextsOf(resource, surroundings, make);
    made.set(resource, contexts);
    return contexts;
  };
  return (policy, resources) => {
    const share = Math.floor(run.left / run.rules);
    const budget = { left: share };
    const found = judgeEach(policy, resources, { contextsFor, budget });
    run.rules -= 1;
    run.left -= share - budget.left;
    return found;
  };
}

interface RuleEvaluation {
  readonly contextsFor: (resource: JudgedResource) => readonly CelContext[];
  readonly budget: Budget;
}

/** Stops when the steps of the rule are used up, which the last finding says. */
function judgeEach(
  { when, message }: OwnPolicy,
  resources: readonly JudgedResource[],
  { contextsFor, budget }: RuleEvaluation,
): ReadonlyMap<JudgedResource, readonly RuleBreach<OwnFacts>[]> {
  const compiled = compile(when);
  const evaluate = (resource: JudgedResource): CelResult => {
    if ('mistake' in compiled) return { failure: compiled.mistake.message };
    const answers = contextsFor(resource).map((context) => compiled.evaluate(context, budget));
    return answers.find((answer) => typeof answer === 'object') ?? answers.includes(true);
  };
  const found = new Map<JudgedResource, readonly RuleBreach<OwnFacts>[]>();
  for (const [judged, resource] of resources.entries()) {
    const answer = evaluate(resource);
    if (typeof answer === 'object' && 'exhausted' in answer) {
      const facts = { what: 'own_exhausted', judged, changes: resources.length } as const;
      return found.set(resource, [{ facts, level: 'error' }]);
    }
    found.set(resource, foundBy(answer, message));
  }
  return found;
}

/** A rule that fails reports the change as an error: the rule may be meant for exactly this change. */
function foundBy(answer: boolean | { readonly failure: string }, message: string): readonly RuleBreach<OwnFacts>[] {
  if (typeof answer === 'object') return [{ facts: { what: 'own_failed', detail: answer.failure }, level: 'error' }];
  return answer ? [{ facts: { what: 'own', message } }] : [];
}
