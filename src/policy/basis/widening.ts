/**
 * Bounds the share of people for whom a plan turns flags on: changed flags, and flags that depend on them or use a changed cohort. A flag
 * turns on by its own change, or because a flag or cohort that it depends on changes; the shares add up.
 */

import { reach } from '../../base/graph.ts';
import { objectOrEmpty, type JsonObject } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { joinReaches } from '../../effects/effect.ts';
import type { Flag } from '../../posthog/flag/model/flag.ts';
import { flagReferences } from '../../posthog/flag/model/references.ts';
import type { JudgedResource, Widening } from './judged.ts';
import { isOn, NOBODY, turnedOn, UNKNOWN, type TurnedOn } from './turned-on.ts';

/** A changed resource before its widening is known. */
type ChangedResource = Omit<JudgedResource, 'widening'>;

/**
 * The widening of each resource that may turn a flag on. `flags`: all flags before the changes, with dependencies by key or id; absent if
 * unknown.
 */
export function findWidenings(
  resources: readonly ChangedResource[],
  flags: readonly Flag[] | undefined,
): ReadonlyMap<ChangedResource, Widening> {
  const graph = createGraph(resources, flags ?? []);
  const found = resources.map((resource): [ChangedResource, Widening] => {
    const own = resource.resource === 'flag' ? ownOf(resource, graph) : NOBODY;
    return [resource, { own, others: othersOf(resource, graph, flags !== undefined) }];
  });
  return new Map(found.filter(([, { own, others }]) => own.points > 0 || others.length > 0));
}

interface FlagGraph {
  /** The flags after the changes, by key. */
  readonly flags: ReadonlyMap<string, JsonObject>;
  readonly dependenciesOf: (key: string) => readonly string[];
  readonly dependentsOf: (key: string) => readonly string[];
  /** The percentage points of everybody who may get another value by the flag's own change, for each changed flag. */
  readonly changes: ReadonlyMap<string, number>;
  /** Flags with a changed cohort: it may now have any members. */
  readonly cohortUsers: ReadonlySet<string>;
}

function createGraph(resources: readonly ChangedResource[], known: readonly Flag[]): FlagGraph {
  const ofFlags = resources.filter(({ resource }) => resource === 'flag');
  const former = new Set(ofFlags.flatMap(({ key, liveName = key }) => [key, liveName]));
  const others = known.filter(({ key, deleted }) => deleted !== true && !former.has(key));
  const after = [
    ...others.map((flag): [string, JsonObject] => [flag.key, flag]),
    ...ofFlags.flatMap(({ key, after: flag }): [string, JsonObject][] => (flag === undefined ? [] : [[key, flag]])),
  ];
  const named = nameFlags(ofFlags, known);
  const edges = new Map<string, Set<string>>();
  const connect = (key: string, flag: JsonObject | undefined): void => {
    const names = flagReferences(objectOrEmpty(flag?.['filters'])).map((name) => named(String(name)));
    edges.set(key, new Set([...(edges.get(key) ?? []), ...names]));
  };
  for (const [key, flag] of after) connect(key, flag);
  for (const { key, before } of ofFlags) connect(key, before);
  const reversed = new Map<string, string[]>();
  for (const [key, names] of edges) for (const name of names) reversed.set(name, [...(reversed.get(name) ?? []), key]);
  return {
    flags: new Map(after),
    dependenciesOf: (key) => [...(edges.get(key) ?? [])],
    dependentsOf: (key) => reversed.get(key) ?? [],
    changes: new Map(ofFlags.map((resource) => [resource.key, valueChanges(resource)])),
    cohortUsers: new Set(resources.flatMap(usersOf)),
  };
}

/** Resolves ids in live flags, and keys elsewhere; a renamed flag has its new key. */
function nameFlags(ofFlags: readonly ChangedResource[], known: readonly Flag[]): (name: string) => string {
  const byId = new Map(known.map(({ id, key }) => [String(id), key]));
  const renamed = new Map(ofFlags.flatMap(({ key, liveName }) => (liveName === undefined ? [] : [[liveName, key]])));
  return (name) => {
    const key = byId.get(name) ?? name;
    return renamed.get(key) ?? key;
  };
}

/** The flags that use a changed cohort. A new cohort has no users yet: a flag that begins to use it has its own change. */
function usersOf({ effects }: ChangedResource): readonly string[] {
  return effects.flatMap((effect) => (effect.what === 'cohort' && effect.action !== 'create' ? effect.flags : []));
}

/** A flag that is created or deleted changes the flags that depend on it, even if it is disabled. */
function valueChanges({ classes, effects, before, after, changes }: ChangedResource): number {
  const isRenamed = effects.some(({ what }) => what === 'renamed');
  if (before === undefined || after === undefined || isRenamed) return 100;
  if (changes.some(({ action }) => action === 'restore')) return 100;
  const { turnsOn, turnsOff } = joinReaches(classes);
  if (classes.includes('opaque')) return 100;
  const points = effects.map((effect) => {
    if (!joinReaches(effect.classes).changesVariant) return 0;
    return effect.what === 'variants' ? effect.moved : 100;
  });
  const shares = [
    turnsOn ? turnedOn({ before, after }).points : 0,
    turnsOff ? turnedOn({ before: after, after: before }).points : 0,
  ];
  return Math.min(
    100,
    [...points, ...shares].reduce((sum, share) => sum + share, 0),
  );
}

function ownOf(resource: ChangedResource, graph: FlagGraph): TurnedOn {
  const { key, classes, effects, before, after, dormant } = resource;
  if (dormant === true || after === undefined || !isOn(after)) return NOBODY;
  const turning = effects.filter((effect) => joinReaches(effect.classes).turnsOn);
  if (turning.some((effect) => effect.classes.includes('opaque'))) return UNKNOWN;
  const own = joinReaches(classes).turnsOn ? turnedOn(defined({ before, after })) : NOBODY;
  // Adds what dependencies change, up to the flag's own audience: it turns on for nobody outside.
  const upstream = upstreamOf(key, graph);
  if (upstream === 0) return own;
  const whole = turnedOn({ after });
  const points = Math.min(whole.points, own.points + upstream);
  return points === own.points ? own : { ...(own.points > 0 ? own : whole), points, exact: false };
}

/** The share of people for whom flags and cohorts change that the flag's conditions use. */
function upstreamOf(key: string, { dependenciesOf, changes, cohortUsers }: FlagGraph): number {
  const others = [...reach(dependenciesOf(key), dependenciesOf)].filter((name) => name !== key);
  if ([key, ...others].some((name) => cohortUsers.has(name))) return 100;
  return Math.min(
    100,
    others.reduce((sum, name) => sum + (changes.get(name) ?? 0), 0),
  );
}

/** The widening of flags without a change of their own; the others are judged themselves. */
function othersOf(resource: ChangedResource, graph: FlagGraph, areKnown: boolean): Widening['others'] {
  const users = usersOf(resource);
  const starts = (graph.changes.get(resource.key) ?? 0) > 0 && resource.resource === 'flag' ? [resource.key] : users;
  const reached = [...reach(starts, graph.dependentsOf)].filter((key) => !graph.changes.has(key));
  return reached.toSorted().flatMap((key) => {
    const flag = graph.flags.get(key);
    if (flag === undefined) return areKnown ? [] : [{ key, points: 100 }];
    const points = Math.min(turnedOn({ after: flag }).points, upstreamOf(key, graph));
    return points > 0 ? [{ key, points }] : [];
  });
}
