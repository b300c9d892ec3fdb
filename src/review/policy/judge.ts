/** Judges the changes of a plan by the policies: one finding for each rule and each resource whose change breaks it. */

import { memberOf } from '../../base/json.ts';
import { findEffects } from '../effects/find-effects.ts';
import { sidesOf } from '../../posthog/flag/snapshot.ts';
import { matchKeyPatterns } from '../../core/engine/scope.ts';
import type { FlagChange } from '../../posthog/flag/change.ts';
import { kindFor, nameOfChange } from '../../posthog/kinds.ts';
import type { Change, Plan } from '../../posthog/plan.ts';
import type { JudgedResource, PolicyContext, RuleBreach } from './basis/policy-kind.ts';
import { findWidenings } from './basis/widening.ts';
import { contextsOf, type CelContext } from './cel/context.ts';
import { compile, make, type CelResult } from './cel/language.ts';
import type { Finding, FoundFacts } from './finding.ts';
import type { OwnFacts } from './rules/own.ts';
import { nameOfPolicy, policyKindOf, type OwnPolicy, type Policy } from './built-in.ts';

export type JudgedPlan = Pick<Plan, 'changes' | 'warnings' | 'other_names' | 'rollout_changes'>;

/** Returns findings in the order of the plan, and of the policies for each resource. `steps`: the limit for all own rules together. */
export function judge(
  policies: readonly Policy[],
  plan: JudgedPlan,
  surroundings: PolicyContext & { readonly steps?: number },
): Finding[] {
  const applying = policies.filter(({ projects }) => projects?.includes(surroundings.project) ?? true);
  if (applying.length === 0) return [];
  const all = judgedOf(plan);
  // Only some rules need it.
  const asksWidening = applying.some(({ rule }) => rule === 'own' || policyKindOf(rule).asksWidening === true);
  const widenings = asksWidening ? findWidenings(all, surroundings.flags) : undefined;
  const resources = all.map((resource) => {
    const widening = widenings?.get(resource);
    return widening === undefined ? resource : { ...resource, widening };
  });
  const own = applying.filter(({ rule }) => rule === 'own').length;
  const judgeByOwn = createOwnJudge(own, surroundings, surroundings.steps);
  const judged = applying.map((policy) => {
    const concerned = resources.filter(concernedBy(policy));
    if (policy.rule === 'own') return { policy, found: judgeByOwn(policy, concerned) };
    const find = (resource: JudgedResource): readonly FoundFacts[] =>
      policyKindOf(policy.rule).judge(resource, policy, surroundings);
    return { policy, found: new Map(concerned.map((resource) => [resource, find(resource)])) };
  });
  return resources.flatMap((resource) =>
    judged.flatMap(({ policy, found }) => (found.get(resource) ?? []).map(toFinding(policy, resource))),
  );
}

function concernedBy({ keys, rule }: Policy): (resource: JudgedResource) => boolean {
  if (keys === undefined) return () => true;
  const isAbout = matchKeyPatterns(keys);
  const concerns = rule === 'own' ? undefined : policyKindOf(rule).concerns;
  return (resource) => resource.names.some(isAbout) || concerns?.(resource, isAbout) === true;
}

function judgedOf(plan: JudgedPlan): JudgedResource[] {
  const byRef = new Map(plan.changes.map((change) => [change.ref, change]));
  // Of renamed flags; the role access of one has the same name.
  const liveNames = new Map(
    plan.changes.flatMap((change) => {
      const [name, liveName] = [nameOfChange(change), kindFor(change).liveKey(change)];
      return name === liveName ? [] : [[name, liveName]];
    }),
  );
  return findEffects(plan).map((found) => {
    const changes = found.refs.flatMap((ref) => byRef.get(ref) ?? []);
    const sides = found.resource === 'flag' ? sidesOf(changes as readonly FlagChange[]) : {};
    // A plan changes such a resource by one request.
    const definition = changes[0] && kindFor(changes[0]).definition?.(changes[0]);
    const name = nameOfChange(found as Pick<Change, 'resource' | 'key'>);
    const liveName = liveNames.get(name);
    const others = [...(liveName === undefined ? [] : [liveName]), ...(memberOf(plan.other_names ?? {}, name) ?? [])];
    const names = [name, ...new Set(others)] as const;
    return {
      ...found,
      changes,
      names,
      ...sides,
      ...(liveName !== undefined && { liveName }),
      ...(definition && { definition }),
    };
  });
}

function toFinding(
  policy: Policy,
  { resource, key, refs, changes, liveName }: JudgedResource,
): (found: FoundFacts) => Finding {
  const own = changes.find(({ source }) => source !== undefined)?.source;
  return ({ facts, place = own, level = policy.level }) => ({
    rule: nameOfPolicy(policy),
    level,
    resource,
    key,
    ref: refs[0] ?? '',
    facts,
    ...(place === undefined ? {} : { place }),
    ...(liveName === undefined ? {} : { live_name: liveName }),
    policy: policy.source,
  });
}

/** The limit for all own rules of a run: some seconds. Fifty rules have 400 steps for each of 5,000 changes. */
const MOST_STEPS_OF_RUN = 100_000_000;

/**
 * Judges by one own rule, an expression, after the other. All share a number of steps, so that every run ends: each gets an equal share of the
 * steps that the earlier ones left. `rules`: the number of all rules.
 */
function createOwnJudge(
  rules: number,
  surroundings: PolicyContext,
  steps: number = MOST_STEPS_OF_RUN,
): (policy: OwnPolicy, resources: readonly JudgedResource[]) => ReadonlyMap<JudgedResource, readonly OwnBreach[]> {
  const run = { rules, left: steps };
  const made = new Map<JudgedResource, readonly CelContext[]>();
  return ({ when, message }, resources) => {
    const share = Math.floor(run.left / run.rules);
    const budget = { left: share };
    const compiled = compile(when);
    const evaluate = (resource: JudgedResource): CelResult => {
      if ('mistake' in compiled) return { failure: compiled.mistake.message };
      const contexts = made.get(resource) ?? contextsOf(resource, surroundings, make);
      made.set(resource, contexts);
      const answers = contexts.map((context) => compiled.evaluate(context, budget));
      return answers.find((answer) => typeof answer === 'object') ?? answers.includes(true);
    };
    const found = new Map<JudgedResource, readonly OwnBreach[]>();
    for (const [judged, resource] of resources.entries()) {
      const answer = evaluate(resource);
      found.set(resource, breachesOf(answer, message, { judged, changes: resources.length }));
      // The rule judges nothing after its last step, which this finding says.
      if (typeof answer === 'object' && 'exhausted' in answer) break;
    }
    run.rules -= 1;
    run.left -= share - budget.left;
    return found;
  };
}

type OwnBreach = RuleBreach<OwnFacts>;

/** A rule that fails reports the change as an error: the rule may be meant for exactly this change. */
function breachesOf(
  answer: CelResult,
  message: string,
  ended: { readonly judged: number; readonly changes: number },
): readonly OwnBreach[] {
  if (typeof answer === 'boolean') return answer ? [{ facts: { what: 'own', message } }] : [];
  if ('exhausted' in answer) return [{ facts: { what: 'own_exhausted', ...ended }, level: 'error' }];
  return [{ facts: { what: 'own_failed', detail: answer.failure }, level: 'error' }];
}
