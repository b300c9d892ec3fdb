/** How many people each change concerns, below what it does; and flags that change because others do. */

import type { ResourceEffects } from '../../../effects/effect.ts';
import type { FlagImpact, Impact } from '../../../impact/impact.ts';
import type { Change } from '../../../posthog/plan.ts';
import { escapeLine } from '../../escape.ts';
import type { Palette } from '../../view.ts';
import { blastRadiusTexts, impactFacts, impactTexts, personsTexts, throughText } from '../../words/impact.ts';
import type { EffectsByRef } from './effects.ts';

/** `impact: of everyone, 25% turn on`, below the first change of the flag. */
export function impactLines(change: Change, effects: EffectsByRef, impact: Impact | undefined): string[] {
  const found = effects.get(change.ref);
  if (found?.resource !== 'flag') return [];
  const own = impact?.flags.find(({ key }) => key === found.key);
  return own === undefined
    ? []
    : [
        ...impactTexts(own).map((text) => `impact: ${text}`),
        ...personsTexts(own).map((text) => `people: ${text}`),
        ...blastRadiusTexts(own).map((text) => `blast radius: ${text}`),
      ];
}

export const ALSO_AFFECTED = 'Also affected, by flags or cohorts that change:';

/** Flags without a change of their own. */
export function alsoAffectedLines(effects: EffectsByRef, impact: Impact | undefined, palette: Palette): string[] {
  const entries = alsoAffected(effects, impact);
  return entries.length === 0 ? [] : [ALSO_AFFECTED, ...entries.flat().map((line) => palette.dim(`  ${line}`))];
}

/** The lines of each flag. */
export function alsoAffected(effects: EffectsByRef, impact: Impact | undefined): string[][] {
  return changedByOthers([...effects.values()], impact)
    .map(entryLines)
    .filter((lines) => lines.length > 0);
}

/** Flags without an effect of their own. */
export function changedByOthers(
  effects: readonly Pick<ResourceEffects, 'resource' | 'key'>[],
  impact: Impact | undefined,
): readonly FlagImpact[] {
  const own = new Set(effects.flatMap(({ resource, key }) => (resource === 'flag' ? [key] : [])));
  return impact?.flags.filter(({ key }) => !own.has(key)) ?? [];
}

function entryLines(found: FlagImpact): string[] {
  const facts = impactFacts(found);
  return facts.length === 0 ? [] : [throughText(found), ...facts].map((text) => `${escapeLine(found.key)}: ${text}`);
}
