/**
 * Finds the dependencies of each change. At every moment, not only at the end, the service refuses a dependency that does not exist or is
 * disabled, a disabled or deleted flag that an active one depends on, and dependency cycles; it also refuses to enable a flag that depends
 * on a flag that is still disabled. (docs/service.md, "PATCH")
 */

import { keyInManifest } from './comparison.ts';
import { cyclicParts, reach, type Graph } from '../../base/graph.ts';
import type { Needs } from '../../engine/kind.ts';
import type { Change, FlagChange, UpdateFlag } from '../plan.ts';
import { dependenciesIn, type DependencyGraph, flagsAfterPlan, type FlagSnapshot } from './snapshot.ts';
import { disables } from './split-change.ts';

/** `waived`: refs of disables that do not wait for flags that will depend on theirs while both are disabled. */
export function findFlagNeeds(changes: readonly Change[], flags: FlagSnapshot, waived: ReadonlySet<string>): Needs {
  const index = indexChanges(changes, flags);
  const own = changes.filter((change) => change.resource === 'flag');
  return new Map(own.map((change) => [change.ref, findNeeds(change, index, waived.has(change.ref))]));
}

/** Whether a request would enable the flag and remove its condition on a flag that is disabled. */
export function isRefusedAsWhole(change: FlagChange, flags: FlagSnapshot): change is UpdateFlag {
  if (!enables(change) || change.action !== 'update' || change.body['filters'] === undefined) return false;
  const live = flags.graph();
  const wanted = new Set(dependenciesIn(change.body['filters'], (reference) => keyInManifest(reference, flags)));
  return dependenciesOf(change.key, live).some((key) => !wanted.has(key) && live.get(key)?.active === false);
}

/** Refs of changes by the key of the flag that they concern. */
type Refs = ReadonlyMap<string, readonly string[]>;

interface Index {
  readonly live: DependencyGraph;
  readonly wanted: DependencyGraph;
  /** The change that creates, restores or enables the flag. */
  readonly usable: ReadonlyMap<string, string>;
  /** The change that writes what the flag depends on. */
  readonly writers: ReadonlyMap<string, string>;
  /** Changes after which an active flag no longer depends on the flag. */
  readonly releases: Refs;
  /** Changes that write a dependency on the flag. */
  readonly adopters: Refs;
  /** Flags that may form a cycle while some changes are applied and some are not, each with the number of its cycle. */
  readonly circles: ReadonlyMap<string, number>;
}

function indexChanges(changes: readonly Change[], flags: FlagSnapshot): Index {
  const live = flags.graph();
  const wanted = flagsAfterPlan(changes, flags).flags;
  const flagChanges = changes.filter((change) => change.resource === 'flag');
  const writers = flagChanges.filter(writesDependencies);
  return {
    live,
    wanted,
    usable: new Map(flagChanges.filter(makesUsable).map(({ key, ref }) => [key, ref])),
    writers: new Map(writers.map(({ key, ref }) => [key, ref])),
    releases: grouped(flagChanges.flatMap((change) => pairWith(change, releasedBy(change, live, wanted)))),
    adopters: grouped(writers.flatMap((change) => pairWith(change, dependenciesOf(change.key, wanted)))),
    circles: writers.length === 0 ? new Map() : cyclicParts(unionOf(live, wanted)),
  };
}

/** The flags on which a flag that is active before or after the change stops depending. */
function releasedBy(change: FlagChange, live: DependencyGraph, wanted: DependencyGraph): readonly string[] {
  const now = live.get(change.key);
  // The first of two writes disables the flag, so the second releases nothing.
  const isOffBefore = change.action === 'update' && change.base.flag['active'] === false;
  const isOn = now?.active === true && !isOffBefore;
  if (now === undefined || !(isOn || enables(change))) return [];
  if (change.action === 'delete' || disables(change)) return now.dependsOn;
  if (!writesDependencies(change)) return [];
  const kept = new Set(dependenciesOf(change.key, wanted));
  return now.dependsOn.filter((key) => !kept.has(key));
}

function findNeeds(change: FlagChange, index: Index, isWaived: boolean): readonly string[] {
  const { key } = change;
  if (change.action === 'delete') return index.releases.get(key) ?? [];
  const isOff = disables(change);
  const isWriter = writesDependencies(change);
  const dependencies = isWriter || makesUsable(change) ? dependenciesOf(key, index.wanted) : [];
  return [
    ...dependencies.flatMap((dependency) => index.usable.get(dependency) ?? []),
    ...(isWriter ? writersReachedFrom(key, index) : []),
    ...(isOff ? (index.releases.get(key) ?? []) : []),
    ...(isOff && !isWaived ? (index.adopters.get(key) ?? []) : []),
  ];
}

/**
 * The next writes of dependencies on every path from the flag's new dependencies through the new graph. With them applied
 * first, the flag closes no cycle, since all that it newly reaches has its final dependencies. Only the flag's own cycle
 * matters.
 */
function writersReachedFrom(key: string, { live, wanted, writers, circles }: Index): readonly string[] {
  const circle = circles.get(key);
  if (circle === undefined) return [];
  const onCircle = (flag: string): string[] =>
    dependenciesOf(flag, wanted).filter((next) => next !== key && circles.get(next) === circle);
  const isFormer = (flag: string, next: string): boolean => dependenciesOf(flag, live).includes(next);
  const added = onCircle(key).filter((next) => !isFormer(key, next));
  // A write waits for what its own new dependencies reach.
  const reached = reach(added, (flag) => onCircle(flag).filter((next) => !writers.has(flag) || isFormer(flag, next)));
  return [...reached].flatMap((next) => writers.get(next) ?? []);
}

function makesUsable(change: FlagChange): boolean {
  return change.action === 'create' || change.action === 'restore' || enables(change);
}

function enables(change: FlagChange): boolean {
  return change.action === 'update' && change.body['active'] === true;
}

function writesDependencies(change: FlagChange): boolean {
  if (change.action === 'create' || change.action === 'restore') return true;
  return change.action === 'update' && change.body['filters'] !== undefined;
}

function dependenciesOf(key: string, graph: DependencyGraph): readonly string[] {
  return graph.get(key)?.dependsOn ?? [];
}

function unionOf(live: DependencyGraph, wanted: DependencyGraph): Graph<string> {
  const keys = new Set([...live.keys(), ...wanted.keys()]);
  return new Map([...keys].map((key) => [key, [...dependenciesOf(key, live), ...dependenciesOf(key, wanted)]]));
}

function pairWith({ ref }: Change, keys: readonly string[]): [string, string][] {
  return keys.map((key) => [key, ref]);
}

function grouped(pairs: readonly (readonly [string, string])[]): Refs {
  const groups = new Map<string, string[]>();
  for (const [key, ref] of pairs) {
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [ref]);
    else group.push(ref);
  }
  return groups;
}
