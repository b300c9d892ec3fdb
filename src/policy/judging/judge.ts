/** Judges the changes of a plan by the policies: one finding for each rule and each resource whose change breaks it. */

import { memberOf } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { findEffects } from '../../effects/find-effects.ts';
import { sidesOf } from '../../posthog/flag/after-plan.ts';
import { matchKeyPatterns } from '../../engine/scope.ts';
import type { FlagChange } from '../../posthog/flag/change.ts';
import { kindFor, nameOfChange } from '../../posthog/kinds.ts';
import type { Change, Plan } from '../../posthog/plan.ts';
import type { JudgedResource, PolicyContext } from '../basis/judged.ts';
import { findWidenings } from '../basis/widening.ts';
import { createOwnJudge } from '../cel/find-own.ts';
import type { Finding, FoundFacts } from '../finding.ts';
import { policyKindOf } from '../built-in.ts';
import { nameOfPolicy, type Policy } from '../policy.ts';

export type JudgedPlan = Pick<Plan, 'changes' | 'warnings' | 'other_names' | 'rollout_changes'>;

/** Returns findings in the order of the plan, and of the policies for each resource. `steps`: the limit for all own rules together. */
export function judge(
  policies: readonly Policy[],
  plan: JudgedPlan,
  surroundings: PolicyContext & { readonly steps?: number },
): Finding[] {
  const applying = policies.filter(({ projects }) => projects?.includes(surroundings.project) ?? true);
  if (applying.length === 0) return [];
  const resources = withWidenings(judgedOf(plan), applying, surroundings);
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

/** Only some rules need it. */
function withWidenings(
  resources: readonly JudgedResource[],
  policies: readonly Policy[],
  { flags }: PolicyContext,
): readonly JudgedResource[] {
  if (!policies.some(({ rule }) => rule === 'own' || policyKindOf(rule).asksWidening)) return resources;
  const widenings = findWidenings(resources, flags);
  return resources.map((resource) => ({ ...resource, ...defined({ widening: widenings.get(resource) }) }));
}

function concernedBy({ keys, rule }: Policy): (resource: JudgedResource) => boolean {
  if (keys === undefined) return () => true;
  const isAbout = matchKeyPatterns(keys);
  const concerns = rule === 'own' ? undefined : policyKindOf(rule).concerns;
  return (resource) => resource.names.some(isAbout) || concerns?.(resource, isAbout) === true;
}

function judgedOf(plan: JudgedPlan): JudgedResource[] {
  const byRef = new Map(plan.changes.map((change) => [change.ref, change]));
  const liveNames = new Map(plan.changes.flatMap(liveNameOf));
  return findEffects(plan).map((found) => {
    const changes = found.refs.flatMap((ref) => byRef.get(ref) ?? []);
    const sides = found.resource === 'flag' ? sidesOf(changes as readonly FlagChange[]) : {};
    // A plan changes such a resource by one request.
    const definition = changes[0] && kindFor(changes[0]).definition?.(changes[0]);
    const name = nameOfChange(found as Pick<Change, 'resource' | 'key'>);
    const liveName = liveNames.get(name);
    const others = [...(liveName === undefined ? [] : [liveName]), ...(memberOf(plan.other_names ?? {}, name) ?? [])];
    const names = [name, ...new Set(others)] as const;
    return { ...found, changes, names, ...sides, ...defined({ liveName, definition }) };
  });
}

/** The live name of a renamed flag; its role access has the same name. */
function liveNameOf(change: Change): [name: string, liveName: string][] {
  const [name, liveName] = [nameOfChange(change), kindFor(change).liveKey(change)];
  return name === liveName ? [] : [[name, liveName]];
}

function toFinding(
  policy: Policy,
  { resource, key, refs, changes, liveName }: JudgedResource,
): (found: FoundFacts) => Finding {
  return ({ facts, place = placeOf(changes), level = policy.level }) => ({
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

function placeOf(changes: readonly Change[]): FoundFacts['place'] {
  return changes.find(({ source }) => source !== undefined)?.source;
}
