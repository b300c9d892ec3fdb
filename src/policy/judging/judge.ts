/** Judges the changes of a plan by the policies: one finding for each rule and resource whose change is at fault. */

import { findEffects } from '../../effects/find-effects.ts';
import { sidesOf } from '../../effects/sides.ts';
import { matchPermits } from '../../engine/scope.ts';
import type { FlagChange } from '../../posthog/flag/change.ts';
import { nameOfChange } from '../../posthog/kinds.ts';
import type { Change, Plan } from '../../posthog/plan.ts';
import type { Finding } from '../finding.ts';
import type { Found, JudgedResource, Rule, Surroundings } from '../judged.ts';
import { nameOfPolicy, type Policy } from '../policy.ts';
import { RULES } from './rules.ts';

/** In the order of the plan, and of the policies for each resource. */
export function judge(
  policies: readonly Policy[],
  plan: Pick<Plan, 'changes' | 'warnings'>,
  surroundings: Surroundings,
): Finding[] {
  const applying = policies
    .filter(({ projects }) => projects?.includes(surroundings.project) ?? true)
    .map((policy) => ({ policy, isAbout: policy.keys === undefined ? () => true : matchPermits(policy.keys) }));
  if (applying.length === 0) return [];
  return judgedOf(plan).flatMap((resource) => {
    const name = nameOfChange(resource as Pick<Change, 'resource' | 'key'>);
    return applying
      .filter(({ isAbout }) => isAbout(name))
      .flatMap(({ policy }) => applyRule(policy, resource, surroundings).map(toFinding(policy, resource)));
  });
}

function applyRule(policy: Policy, resource: JudgedResource, surroundings: Surroundings): readonly Found[] {
  return (RULES[policy.rule] as Rule)(resource, policy, surroundings);
}

function judgedOf(plan: Pick<Plan, 'changes' | 'warnings'>): JudgedResource[] {
  const byRef = new Map(plan.changes.map((change) => [change.ref, change]));
  return findEffects(plan).map((found) => {
    const changes = found.refs.flatMap((ref) => byRef.get(ref) ?? []);
    const sides = found.resource === 'flag' ? sidesOf(changes as readonly FlagChange[]) : {};
    return { ...found, changes, ...sides };
  });
}

function toFinding(policy: Policy, { resource, key, refs, changes }: JudgedResource): (found: Found) => Finding {
  return ({ facts, place = placeOf(changes), level = policy.level }) => ({
    rule: nameOfPolicy(policy),
    level,
    resource,
    key,
    ref: refs[0] ?? '',
    facts,
    ...(place === undefined ? {} : { place }),
    policy: policy.source,
  });
}

function placeOf(changes: readonly Change[]): Found['place'] {
  return changes.find(({ source }) => source !== undefined)?.source;
}
