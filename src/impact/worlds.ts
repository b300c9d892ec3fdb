/** Makes the flags of a project before and after the changes of a plan, in a form that can be evaluated. */

import { reach } from '../base/graph.ts';
import { isJsonObject, type JsonObject } from '../base/json.ts';
import { defined } from '../base/optional.ts';
import { sidesOf, type FlagStates } from '../posthog/flag/after-plan.ts';
import { jsonText } from '../evaluation/values/scalars.ts';
import type { FlagChange } from '../posthog/flag/change.ts';
import { keyInManifest, keyOnWire } from '../posthog/flag/comparison.ts';
import type { Flag } from '../posthog/flag/model/flag.ts';
import { cohortValues, flagReferences, mapReferences } from '../posthog/flag/model/references.ts';
import type { Change } from '../posthog/plan.ts';

/** A flag has the same name on both sides: its key once the plan is applied. */
export interface Worlds {
  readonly before: ImpactWorld;
  readonly after: ImpactWorld;
  /** The flags with changes before and after, by name, in the order of the plan. */
  readonly changed: ReadonlyMap<string, FlagStates>;
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
  const keyOf: KeyOf = (id) => renamed.get(id) ?? liveKeys.get(id);
  const changed = groupSides(ofFlags, keyOf);
  const kept = live.filter(({ id, deleted }) => deleted !== true && !renamed.has(id));
  const others = kept.map((flag): [string, JsonObject] => [flag.key, withKeys(flag, keyOf)]);
  const names = [...changed.keys(), ...others.map(([name]) => name)];
  const ids = new Map(names.map((name, index) => [name, index + 1]));
  const side = (which: keyof FlagStates): ImpactWorld =>
    makeWorld([...[...changed].map(([name, sides]) => [name, sides[which]] as const), ...others], ids);
  const byId = new Map([...ids].map(([name, id]) => [String(id), name]));
  const nameFlags = (filters: JsonObject): JsonObject =>
    mapReferences(filters, { flag: (reference) => byId.get(String(reference)) ?? reference });
  return { before: side('before'), after: side('after'), changed, nameFlags };
}

/** The flag itself and all flags on which it depends, directly or not. */
export function closureOf(names: Iterable<string>, { dependenciesOf }: ImpactWorld): ReadonlySet<string> {
  return reach(names, dependenciesOf);
}

/** The other flags that depend on these, directly or not, before or after. */
export function dependentsOf(names: ReadonlySet<string>, { before, after }: Worlds): string[] {
  const edges = [before, after].flatMap(({ flags, dependenciesOf }) =>
    [...flags.keys()].flatMap((name) => dependenciesOf(name).map((dependency) => [dependency, name] as const)),
  );
  const dependents = new Map<string, string[]>();
  for (const [dependency, name] of edges) dependents.set(dependency, [...(dependents.get(dependency) ?? []), name]);
  return [...reach(names, (name) => dependents.get(name) ?? [])].filter((name) => !names.has(name)).toSorted();
}

/** The ids of all cohorts that the flags name, as text. */
export function cohortsOf(flags: readonly Flag[]): readonly string[] {
  return [...new Set(flags.flatMap(({ filters }) => cohortValues(filters).map(jsonText)))];
}

function groupSides(changes: readonly FlagChange[], keyOf: KeyOf): Map<string, FlagStates> {
  const groups = new Map<string, FlagChange[]>();
  for (const change of changes) groups.set(change.key, [...(groups.get(change.key) ?? []), change]);
  // A manifest may name a flag by its id.
  const named = (fields: JsonObject | undefined): JsonObject | undefined =>
    fields && mapFilters(fields, (reference) => keyInManifest(reference, { keyOf }));
  return new Map(
    [...groups].map(([name, group]) => {
      const { before, after } = sidesOf(group);
      return [name, defined({ before: named(before), after: named(after) })];
    }),
  );
}

type KeyOf = (id: number) => string | undefined;

/** Returns the form of plans: dependencies by key. */
function withKeys(flag: Flag, keyOf: KeyOf): JsonObject {
  return mapFilters(flag, (reference) => keyOnWire(reference, { keyOf }));
}

function makeWorld(
  named: readonly (readonly [name: string, fields: JsonObject | undefined])[],
  ids: ReadonlyMap<string, number>,
): ImpactWorld {
  const byId = new Map([...ids].map(([name, id]) => [String(id), name]));
  const flags = new Map(
    named.flatMap(([name, fields]): [string, Flag][] => {
      const id = ids.get(name);
      if (fields === undefined || id === undefined) return [];
      const { key } = fields;
      const own = mapFilters(fields, (reference) => String(ids.get(String(reference)) ?? `no flag ${reference}`));
      return [[name, { ...own, id, key: typeof key === 'string' ? key : name }]];
    }),
  );
  return {
    flags,
    dependenciesOf: (name) => {
      const references = flagReferences(flags.get(name)?.filters);
      return references.flatMap((reference) => byId.get(String(reference)) ?? []);
    },
  };
}

function mapFilters(fields: JsonObject, flag: (reference: string | number) => string | number): JsonObject {
  const { filters } = fields;
  return isJsonObject(filters) ? { ...fields, filters: mapReferences(filters, { flag }) } : fields;
}
