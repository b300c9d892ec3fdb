/** What a change does to people, below its fields. */

import { EFFECT_CLASSES, type Effect, type EffectClass, type ResourceEffects } from '../../../effects/effect.ts';
import { findDriftEffects, findEffects } from '../../../effects/find-effects.ts';
import type { Change, Plan } from '../../../posthog/plan.ts';
import type { Palette } from '../../view.ts';
import { classCounts, classesText, effectText } from '../../words/effects.ts';

/** Of the changes of a plan, by the ref of the first change of each resource. */
export type EffectsByRef = ReadonlyMap<string, ResourceEffects>;

export function effectsByRef(plan: Pick<Plan, 'changes' | 'warnings'>): EffectsByRef {
  return byFirstRef(findEffects(plan));
}

/** What the live state does, compared with the declared one. */
export function driftEffectsByRef(plan: Pick<Plan, 'changes' | 'warnings'>): EffectsByRef {
  return byFirstRef(findDriftEffects(plan));
}

function byFirstRef(effects: readonly ResourceEffects[]): EffectsByRef {
  return new Map(effects.map((found) => [found.refs[0] ?? '', found]));
}

/** `widen: condition 2 (country is US): 10% → 35%`. Without what the lines above say already. */
export function effectLines(change: Change, effects: EffectsByRef, palette: Palette): string[] {
  const found = effects.get(change.ref);
  if (found === undefined || change.action === 'create' || change.action === 'delete') return [];
  const told = found.effects.filter(
    ({ what, classes }) => what !== 'renamed' && (EXPLAINS.has(what) || classes.some(isTold)),
  );
  const lines = told.map((effect) => `${classesText(effect.classes)}: ${effectText(effect)}`);
  const dormant = found.dormant === true && told.length > 0 ? ['The flag is disabled: nobody notices yet.'] : [];
  return [...lines, ...dormant].map((line) => palette.dim(line));
}

/** `Effects: 1 kill, 3 widen`; without the classes that the plan's own summary counts. */
export function effectsSummary(effects: EffectsByRef, words = 'Effects'): string[] {
  const shown = EFFECT_CLASSES.filter((name) => !COUNTED.has(name));
  const counts = classCounts([...effects.values()], shown);
  return counts === '' ? [] : [`${words}: ${counts}`];
}

/** Heads the counts of a drift report. */
export const DRIFT_EFFECTS = 'Effects of live, compared with declared';

/** The classes of each change, by its ref: all changes of a resource have its classes. */
export function classesByRef(effects: EffectsByRef): ReadonlyMap<string, readonly EffectClass[]> {
  return new Map([...effects.values()].flatMap(({ refs, classes }) => refs.map((ref) => [ref, classes])));
}

/** The lower, the riskier. */
export function riskRank(classes: readonly string[] = []): number {
  const ranks = classes.map((name) => EFFECT_CLASSES.indexOf(name as EffectClass));
  return Math.min(EFFECT_CLASSES.length, ...ranks);
}

const COUNTED: ReadonlySet<EffectClass> = new Set(['create', 'delete', 'restore', 'access']);

/** What the lines above do not say, even if it does nothing to people. */
const EXPLAINS: ReadonlySet<Effect['what']> = new Set(['condition_moved', 'condition_rewritten']);

function isTold(name: EffectClass): boolean {
  return name !== 'metadata' && name !== 'payload' && name !== 'access';
}
