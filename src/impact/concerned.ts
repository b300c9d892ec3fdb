/** The flags whose values a plan may change, on both sides. */

import { joinReaches, type ResourceEffects } from '../effects/effect.ts';
import { prepareFlag } from '../evaluation/evaluate.ts';
import type { FlagImpact } from './impact.ts';
import type { FlagPair, FlagSide } from './outcome.ts';
import { closureOf, dependentsOf, type ImpactWorld, type Worlds } from './worlds.ts';

/** A flag whose values may change, and why. */
export interface Concerned extends Pick<FlagImpact, 'key' | 'by' | 'through'> {
  readonly payloads: ReadonlySet<string>;
  /** Whether a cohort may get or lose members that the flag uses, or a flag on which it depends. */
  readonly cohortChanges: boolean;
  readonly uncounted: readonly string[];
}

export function findConcerned(found: readonly ResourceEffects[], worlds: Worlds): Concerned[] {
  const ofFlags = found.filter(({ resource }) => resource === 'flag');
  const viaCohorts = new Set(
    found.flatMap(({ effects }) => effects.flatMap((effect) => (effect.what === 'cohort' ? effect.flags : []))),
  );
  const payloads = new Map(ofFlags.map((one) => [one.key, payloadsOf(one)]));
  const uncounted = new Map(ofFlags.map((one) => [one.key, uncountedIn(one)]));
  const changed = ofFlags.filter(mayChange).map(({ key }) => key);
  const isChanged = new Set(changed);
  const dependents = dependentsOf(new Set([...changed, ...viaCohorts]), worlds);
  const others = [...[...viaCohorts].filter((key) => !isChanged.has(key)), ...dependents].toSorted();
  const isViaCohort = new Set([...viaCohorts, ...dependentsOf(viaCohorts, worlds)]);
  const dependsOnChanged = new Set(dependentsOf(isChanged, worlds));
  const concern = (key: string, by: Concerned['by']): Concerned => ({
    key,
    by,
    payloads: payloads.get(key) ?? new Set(),
    cohortChanges: isViaCohort.has(key),
    uncounted: uncounted.get(key) ?? [],
  });
  return [
    ...changed.map((key) => concern(key, 'change')),
    ...others.map((key) => {
      if (!dependsOnChanged.has(key)) return concern(key, 'cohort');
      return { ...concern(key, 'dependency'), through: throughOf(key, isChanged, worlds) };
    }),
  ];
}

function throughOf(key: string, changed: ReadonlySet<string>, { before, after }: Worlds): string[] {
  const reached = [before, after].flatMap((world) => [...closureOf([key], world)]);
  return [...new Set(reached)].filter((name) => changed.has(name)).toSorted();
}

/** The flag on both sides, with what it depends on. */
export function pairOf({ key, payloads }: Pick<Concerned, 'key' | 'payloads'>, { before, after }: Worlds): FlagPair {
  return { before: sideOf(key, before), after: sideOf(key, after), payloads };
}

function mayChange({ classes }: ResourceEffects): boolean {
  const { turnsOn, turnsOff, changesVariant } = joinReaches(classes);
  return turnsOn || turnsOff || changesVariant || classes.includes('payload');
}

function payloadsOf({ effects }: ResourceEffects): ReadonlySet<string> {
  return new Set(effects.flatMap((effect) => (effect.what === 'payload' ? [effect.payload] : [])));
}

/** The service and its clients decide by these whether a flag is evaluated at all. */
const DECIDED_ELSEWHERE: ReadonlySet<string> = new Set([
  'evaluation_runtime',
  'evaluation_contexts',
  'evaluation_tags',
]);

function uncountedIn({ effects }: ResourceEffects): string[] {
  return effects.flatMap((effect) => {
    if (effect.what === 'unknown') return [effect.path];
    return effect.what === 'setting' && DECIDED_ELSEWHERE.has(effect.field) ? [effect.field] : [];
  });
}

function sideOf(key: string, world: ImpactWorld): FlagSide | undefined {
  const flag = world.flags.get(key);
  if (flag === undefined) return undefined;
  const flags = [...closureOf([key], world)].flatMap((name) => world.flags.get(name) ?? []);
  return { flag, flags, evaluate: prepareFlag(flag, flags) };
}
