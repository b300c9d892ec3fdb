/** The flags of a project before and after the changes of a plan, in a form that can be evaluated, and those whose values the plan may change. */

import { reach } from '../../base/graph.ts';
import { type JsonObject } from '../../base/json.ts';
import { joinReaches, type ResourceEffects } from './effect.ts';
import { prepareFlag, type EvaluationByFlag } from '../../evaluation/evaluate.ts';
import type { FlagValue, EvaluationInput } from '../../evaluation/input.ts';
import { jsonText } from '../../evaluation/values/scalars.ts';
import { sidesOf, type FlagStates } from '../../posthog/flag/snapshot.ts';
import type { FlagChange } from '../../posthog/flag/change.ts';
import { keyInManifest, keyOnWire } from '../../posthog/flag/comparison.ts';
import type { Flag } from '../../posthog/flag/model/flag.ts';
import { cohortValues, flagReferences, mapReferences, mapReferencesIn } from '../../posthog/flag/model/references.ts';
import type { Change } from '../../posthog/plan.ts';
import type { FlagImpact, Shares } from './impact.ts';

/** A flag has the same name on both sides: its key once the plan is applied. */
export interface Worlds {
  readonly before: ImpactWorld;
  readonly after: ImpactWorld;
  /** Puts keys in place of the ids that the filters of these worlds have for flags. */
  readonly nameFlags: (filters: JsonObject) => JsonObject;
}

export interface ImpactWorld {
  /** Dependencies are ids of `flags`, not of the service. */
  readonly flags: ReadonlyMap<string, Flag>;
  readonly dependenciesOf: (name: string) => readonly string[];
}

export function makeWorlds(changes: readonly Change[], live: readonly Flag[]): Worlds {
  const ofFlags = changes.filter((change) => change.resource === 'flag');
  const renamed = new Map(ofFlags.flatMap((change) => ('id' in change ? [[change.id, change.key] as const] : [])));
  const liveKeys = new Map(live.map((flag) => [flag.id, flag.key]));
  const keyOf = (id: number): string | undefined => renamed.get(id) ?? liveKeys.get(id);
  // A manifest may name a flag by its id.
  const named = (fields: JsonObject): JsonObject =>
    mapReferencesIn(fields, { flag: (flag) => keyInManifest(flag, { keyOf }) });
  const groups = new Map<string, FlagChange[]>();
  for (const change of ofFlags) groups.set(change.key, [...(groups.get(change.key) ?? []), change]);
  const changed = [...groups].map(([name, group]) => [name, sidesOf(group)] as const);
  const kept = live
    .filter(({ id, deleted }) => deleted !== true && !renamed.has(id))
    .map((flag) => [flag.key, mapReferencesIn(flag, { flag: (other) => keyOnWire(other, { keyOf }) })] as const);
  const ids = new Map([...changed, ...kept].map(([name], index) => [name, index + 1]));
  const byId = new Map([...ids].map(([name, id]) => [String(id), name]));
  const side = (which: keyof FlagStates): ImpactWorld => {
    const own = changed.map(([name, { [which]: fields }]) => [name, fields && named(fields)] as const);
    const flags = new Map(
      [...own, ...kept].flatMap(([name, fields]): [string, Flag][] => {
        const id = ids.get(name);
        if (fields === undefined || id === undefined) return [];
        const { key } = fields;
        const mapped = mapReferencesIn(fields, { flag: (flag) => String(ids.get(String(flag)) ?? `no flag ${flag}`) });
        return [[name, { ...mapped, id, key: typeof key === 'string' ? key : name }]];
      }),
    );
    const dependenciesOf = (name: string): readonly string[] =>
      flagReferences(flags.get(name)?.filters).flatMap((reference) => byId.get(String(reference)) ?? []);
    return { flags, dependenciesOf };
  };
  const nameFlags = (filters: JsonObject): JsonObject =>
    mapReferences(filters, { flag: (reference) => byId.get(String(reference)) ?? reference });
  const after = side('after');
  return { before: changed.length === 0 ? after : side('before'), after, nameFlags };
}

/** The flag itself and all flags on which it depends, directly or not. */
export function closureOf(names: Iterable<string>, { dependenciesOf }: ImpactWorld): ReadonlySet<string> {
  return reach(names, dependenciesOf);
}

/** The other flags that depend on these, directly or not, before or after. */
export function dependentsOf(names: ReadonlySet<string>, { before, after }: Worlds): string[] {
  const dependents = new Map<string, string[]>();
  for (const { flags, dependenciesOf } of [before, after])
    for (const name of flags.keys())
      for (const dependency of dependenciesOf(name))
        dependents.set(dependency, [...(dependents.get(dependency) ?? []), name]);
  return [...reach(names, (name) => dependents.get(name) ?? [])].filter((name) => !names.has(name)).toSorted();
}

/** The ids of all cohorts that the flags name, as text. */
export function cohortsOf(flags: readonly Flag[]): readonly string[] {
  return [...new Set(flags.flatMap(({ filters }) => cohortValues(filters).map(jsonText)))];
}

/** A flag whose values may change, and why. */
export interface Concerned extends Pick<FlagImpact, 'key' | 'by' | 'through'> {
  readonly payloads: ReadonlySet<string>;
  /** Whether a cohort may get or lose members that the flag uses, or a flag on which it depends. */
  readonly cohortChanges: boolean;
  readonly uncounted: readonly string[];
}

export function findConcerned(found: readonly ResourceEffects[], worlds: Worlds): Concerned[] {
  const ofFlags = new Map(found.flatMap((one) => (one.resource === 'flag' ? [[one.key, one] as const] : [])));
  const viaCohorts = new Set(
    found.flatMap(({ effects }) => effects.flatMap((effect) => (effect.what === 'cohort' ? effect.flags : []))),
  );
  const changed = new Set([...ofFlags].filter(([, one]) => mayChangeValues(one)).map(([key]) => key));
  const dependents = dependentsOf(new Set([...changed, ...viaCohorts]), worlds);
  const others = [...[...viaCohorts].filter((key) => !changed.has(key)), ...dependents].toSorted();
  const isViaCohort = new Set([...viaCohorts, ...dependentsOf(viaCohorts, worlds)]);
  const dependsOnChanged = new Set(dependentsOf(changed, worlds));
  const concern = (key: string, by: Concerned['by']): Concerned => {
    const effects = ofFlags.get(key)?.effects ?? [];
    return {
      key,
      by,
      payloads: new Set(effects.flatMap((effect) => (effect.what === 'payload' ? [effect.payload] : []))),
      cohortChanges: isViaCohort.has(key),
      uncounted: effects.flatMap((effect) => {
        if (effect.what === 'unknown') return [effect.path];
        return effect.what === 'setting' && DECIDED_ELSEWHERE.has(effect.field) ? [effect.field] : [];
      }),
    };
  };
  const throughOf = (key: string): string[] => {
    const reached = [worlds.before, worlds.after].flatMap((world) => [...closureOf([key], world)]);
    return [...new Set(reached)].filter((name) => changed.has(name)).toSorted();
  };
  return [
    ...[...changed].map((key) => concern(key, 'change')),
    ...others.map((key) =>
      dependsOnChanged.has(key) ? { ...concern(key, 'dependency'), through: throughOf(key) } : concern(key, 'cohort'),
    ),
  ];
}

/** The service and its clients decide by these whether a flag is evaluated at all. */
const DECIDED_ELSEWHERE: ReadonlySet<string> = new Set([
  'evaluation_runtime',
  'evaluation_contexts',
  'evaluation_tags',
]);

function mayChangeValues({ classes }: ResourceEffects): boolean {
  const { turnsOn, turnsOff, changesVariant } = joinReaches(classes);
  return turnsOn || turnsOff || changesVariant || classes.includes('payload');
}

/** A flag on both sides, each with the flags that it depends on. A side on which the flag does not exist is absent. */
export interface FlagPair {
  readonly before: FlagSide | undefined;
  readonly after: FlagSide | undefined;
  /** Keys of the payloads that differ. */
  readonly payloads: ReadonlySet<string>;
}

export interface FlagSide {
  readonly flag: Flag;
  /** Includes the flag itself. */
  readonly flags: readonly Flag[];
  /** The flag with those whose values it needs. */
  readonly evaluate: (input: Omit<EvaluationInput, 'flags'>) => EvaluationByFlag;
}

export function pairOf({ key, payloads }: Pick<Concerned, 'key' | 'payloads'>, { before, after }: Worlds): FlagPair {
  const sideIn = (world: ImpactWorld): FlagSide | undefined => {
    const flag = world.flags.get(key);
    if (flag === undefined) return undefined;
    const flags = [...closureOf([key], world)].flatMap((name) => world.flags.get(name) ?? []);
    return { flag, flags, evaluate: prepareFlag(flag, flags) };
  };
  return { before: sideIn(before), after: sideIn(after), payloads };
}

/** What a person gets that they did not get before; `undefined`: the same. */
export type PersonOutcome = keyof Shares | undefined;

export function compareValues(former: FlagValue, wanted: FlagValue, payloads: ReadonlySet<string>): PersonOutcome {
  if (former === false) return wanted === false ? undefined : 'turnsOn';
  if (wanted === false) return 'turnsOff';
  if (former !== wanted) return 'changesVariant';
  return payloads.has(String(wanted)) ? 'changesPayload' : undefined;
}
