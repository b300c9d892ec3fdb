/** The effects of a plan's changes on people, found once for all formats. */

import type { ResourceEffects } from '../effects/effect.ts';
import { findEffects } from '../effects/find-effects.ts';
import type { FlagImpact, Impact } from '../impact/impact.ts';
import type { Plan } from '../posthog/plan.ts';

const found = new WeakMap<Plan, readonly ResourceEffects[]>();

export function effectsOf(plan: Plan): readonly ResourceEffects[] {
  const known = found.get(plan);
  if (known !== undefined) return known;
  const effects = findEffects(plan);
  found.set(plan, effects);
  return effects;
}

/** Flags without an effect of their own, which change because others do. */
export function changedByOthers(
  effects: readonly Pick<ResourceEffects, 'resource' | 'key'>[],
  impact: Impact | undefined,
): readonly FlagImpact[] {
  const own = new Set(effects.flatMap(({ resource, key }) => (resource === 'flag' ? [key] : [])));
  return impact?.flags.filter(({ key }) => !own.has(key)) ?? [];
}
