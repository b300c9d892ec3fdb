/** Flags whose value changes for people only because a dependency or a cohort of theirs changes. */

import type { ResourceEffects } from '../effects/effect.ts';
import type { FlagImpact, Impact } from '../impact/impact.ts';

/** Flags without an effect of their own, which change because others do. */
export function changedByOthers(
  effects: readonly Pick<ResourceEffects, 'resource' | 'key'>[],
  impact: Impact,
): readonly FlagImpact[] {
  const own = new Set(effects.flatMap(({ resource, key }) => (resource === 'flag' ? [key] : [])));
  return impact.flags.filter(({ key }) => !own.has(key));
}
