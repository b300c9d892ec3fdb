/** The effects of changes on people, and their number, below the fields; and flags that change because others do. */

import type { Effect, EffectClass, ResourceEffects } from '../../effects/effect.ts';
import { EFFECT_CLASSES } from '../../effects/effect.ts';
import { findDriftEffects, findEffects } from '../../effects/find-effects.ts';
import type { Impact } from '../../impact/impact.ts';
import type { Change, Plan } from '../../posthog/plan.ts';
import { escapeLine } from '../escape.ts';
import { classCounts, classesText, effectText } from '../words/effects.ts';
import {
  impactFacts,
  impactReadTexts,
  throughText,
  impactTexts,
  personsTexts,
  blastRadiusTexts,
} from '../words/impact.ts';
import { linesOf, LIST } from './change.ts';
import { phraseOf, toned } from './phrase.ts';
import type { ReportFact, ReportGroup, ReportLine } from './report-model.ts';
import { changedByOthers } from '../changed-by-others.ts';

/** The effects of a plan's changes, by the ref of the first change of each resource. */
export type EffectsByRef = ReadonlyMap<string, ResourceEffects>;

/** Used for reports without effects. */
export const NO_EFFECTS: EffectsByRef = new Map();

export function effectsByRef(plan: Plan): EffectsByRef {
  return byFirstRef(findEffects(plan));
}

/** The effects of the live state, compared with the declared one. */
export function driftEffectsByRef(plan: Pick<Plan, 'changes' | 'warnings'>): EffectsByRef {
  return byFirstRef(findDriftEffects(plan));
}

function byFirstRef(effects: readonly ResourceEffects[]): EffectsByRef {
  return new Map(effects.map((one) => [one.refs[0] ?? '', one]));
}

/** `widen: condition 2 (country is US): 10% → 35%`. Without what the lines above say already. */
export function effectLines(change: Change, effects: EffectsByRef): ReportLine[] {
  const own = effects.get(change.ref);
  if (own === undefined || change.action === 'create' || change.action === 'delete') return [];
  const shown = own.effects.filter(
    ({ what, classes }) => what !== 'renamed' && (EXPLAINS.has(what) || classes.some(isShown)),
  );
  const lines = shown.map((effect) => `${classesText(effect.classes)}: ${effectText(effect)}`);
  const dormant = own.dormant === true && shown.length > 0 ? ['The flag is disabled: nobody notices yet.'] : [];
  return linesOf([...lines, ...dormant].map((text) => [toned('dim', text)]));
}

/** `Effects: 1 kill (checkout), 3 widen`; without the classes that the plan's own summary counts and that take nothing away. */
export function effectFacts(effects: EffectsByRef, label = 'Effects'): ReportFact[] {
  const listed = EFFECT_CLASSES.filter((name) => !COUNTED.has(name));
  const phrase = phraseOf((quote) => classCounts([...effects.values()], listed, quote));
  return phrase === '' ? [] : [{ about: 'effects', label, phrase }];
}

/** The classes of each change, by its ref: all changes of a resource have its classes. */
export function classesByRef(effects: EffectsByRef): ReadonlyMap<string, readonly EffectClass[]> {
  return new Map([...effects.values()].flatMap(({ refs, classes }) => refs.map((ref) => [ref, classes])));
}

const COUNTED: ReadonlySet<EffectClass> = new Set(['create', 'restore', 'access']);

/** Effects that the lines above do not state are shown even if they affect nobody. */
const EXPLAINS: ReadonlySet<Effect['what']> = new Set(['condition_moved', 'condition_rewritten']);

function isShown(name: EffectClass): boolean {
  return name !== 'metadata' && name !== 'payload' && name !== 'access';
}

/** `impact: of everyone, 25% turn on`, below the first change of the flag. */
export function impactLines(change: Change, effects: EffectsByRef, impact: Impact | undefined): ReportLine[] {
  const changed = effects.get(change.ref);
  if (changed?.resource !== 'flag') return [];
  const own = impact?.flags.find(({ key }) => key === changed.key);
  if (own === undefined) return [];
  return linesOf(
    [
      ...impactTexts(own).map((text) => `impact: ${text}`),
      ...personsTexts(own).map((text) => `people: ${text}`),
      ...blastRadiusTexts(own).map((text) => `blast radius: ${text}`),
    ].map((text) => [toned('aside', text)]),
  );
}

/** The facts about the requested counts and people. */
export function impactReadFacts(impact: Impact | undefined): ReportFact[] {
  return impactReadTexts(impact).map((phrase) => ({ about: 'impact', phrase }));
}

/** Flags without a change of their own. */
export function affectedGroup(effects: EffectsByRef, impact: Impact | undefined): ReportGroup {
  return {
    about: 'affected',
    title: 'Also affected, by flags or cohorts that change',
    isHeaded: true,
    isAside: true,
    ...LIST,
    form: 'blocks',
    entries: changedByOthers([...effects.values()], impact).flatMap((flag) => {
      const facts = impactFacts(flag);
      if (facts.length === 0) return [];
      const [head = '', ...lines] = [throughText(flag), ...facts].map((text) => `${escapeLine(flag.key)}: ${text}`);
      return [{ head, lines: linesOf(lines) }];
    }),
  };
}
