/** Valid graphs of dependent flags, a plan from one to another, and a model of the service that applies it. */

import fc from 'fast-check';
import type { JsonObject } from '../../src/base/json.ts';
import type { DesiredFlag, DesiredState } from '../../src/posthog/desired.ts';
import type { Flag } from '../../src/posthog/flag/model/flag.ts';
import { flagReferences } from '../../src/posthog/flag/model/references.ts';
import type { Change } from '../../src/posthog/plan.ts';
import { declared, desiredState, liveFlag, retired } from './states.ts';

export interface GraphFlag {
  /** Identifies the flag; its key follows from this number and from `renamed`. */
  readonly number: number;
  readonly active: boolean;
  readonly renamed: boolean;
  /** The flags that it depends on, by number. */
  readonly dependsOn: readonly number[];
}

/** A candidate flag; the graph removes what is invalid as a whole. */
const candidate = fc.record({
  exists: fc.nat(4).map((number) => number > 0),
  active: fc.nat(2).map((number) => number > 0),
  renamed: fc.nat(5).map((number) => number === 0),
  /** Bit set of the earlier flags that it depends on. */
  dependsOn: fc.nat(0xffff),
});

/** An acyclic graph in which active flags depend on active flags only, in random order. */
export function graphs(count: number): fc.Arbitrary<readonly GraphFlag[]> {
  const numbers = Array.from({ length: count }, (_, number) => number);
  const order = fc.shuffledSubarray(numbers, { minLength: count });
  return fc.tuple(order, fc.array(candidate, { minLength: count, maxLength: count })).map(([ranked, candidates]) => {
    const flags: GraphFlag[] = [];
    for (const number of ranked) {
      const { exists, active, renamed, dependsOn } = candidates[number] as (typeof candidates)[number];
      if (!exists) continue;
      const possible = flags.filter((flag, index) => (dependsOn >> index) % 2 === 1 && (!active || flag.active));
      flags.push({ number, active, renamed, dependsOn: possible.map((flag) => flag.number).toSorted((a, b) => a - b) });
    }
    return flags;
  });
}

export interface Naming {
  readonly prefix: string;
  readonly count: number;
}

function keyOf(number: number, renamed: boolean, { prefix }: Naming): string {
  return `${prefix}${number}${renamed ? '-renamed' : ''}`;
}

/** Retires every flag of `before` that is not in the graph. */
export function desiredGraph(
  graph: readonly GraphFlag[],
  naming: Naming,
  before: readonly GraphFlag[] = [],
): DesiredState {
  const keys = new Map(graph.map(({ number, renamed }) => [number, keyOf(number, renamed, naming)]));
  const flags = graph.map((flag): DesiredFlag => {
    const { number, active, renamed, dependsOn } = flag;
    const filters = filtersOn(dependsOn.map((dependency) => keys.get(dependency) ?? ''));
    return declared(
      keyOf(number, renamed, naming),
      { active, filters },
      { previousKeys: [keyOf(number, !renamed, naming)] },
    );
  });
  const gone = before.filter(({ number }) => !keys.has(number));
  return desiredState(...flags, ...gone.map(({ number, renamed }) => retired(keyOf(number, renamed, naming))));
}

/** Flags with their numbers as ids, and a tombstone for each former one. */
export function liveGraph(graph: readonly GraphFlag[], naming: Naming): Flag[] {
  return graph.map(({ number, active, renamed, dependsOn }) =>
    liveFlag(number + 1, keyOf(number, renamed, naming), {
      active,
      filters: filtersOn(dependsOn.map((one) => String(one + 1))),
    }),
  );
}

function filtersOn(keys: readonly string[]): JsonObject {
  const properties = keys.map((key) => ({ key, type: 'flag', operator: 'flag_evaluates_to', value: true }));
  return { groups: [{ properties, rollout_percentage: 100 }] };
}

/**
 * The graphs without dependencies that no write can make: those on flags that are inactive in the graph, and, where another
 * graph comes before, inactive there, too.
 */
export function reachable(graph: readonly GraphFlag[], before: readonly GraphFlag[] = []): readonly GraphFlag[] {
  const on = new Set([...graph, ...before].filter(({ active }) => active).map(({ number }) => number));
  return graph.map((flag) => ({ ...flag, dependsOn: flag.dependsOn.filter((number) => on.has(number)) }));
}

/**
 * Whether a flag that is disabled gets other dependencies, and has dependents afterwards: it is disabled before it is changed,
 * so that its new conditions affect nobody, and a dependent that waits for the change finds it disabled.
 */
export function isReversed(before: readonly GraphFlag[], after: readonly GraphFlag[]): boolean {
  return after.some((flag) => {
    const former = before.find(({ number }) => number === flag.number);
    const isChanged = former?.active === true && !flag.active && String(former.dependsOn) !== String(flag.dependsOn);
    return isChanged && after.some(({ dependsOn }) => dependsOn.includes(flag.number));
  });
}

/**
 * The dependency rules of the current service. `strict`: also an inactive flag cannot depend on an inactive one, as since
 * 2026.
 */
export class ModelService {
  readonly flags = new Map<number, Flag>();
  readonly refusals: string[] = [];
  #next = 1000;

  constructor(flags: readonly Flag[]) {
    for (const flag of flags) this.flags.set(flag.id, flag);
  }

  /** Applies the change; `idOf` returns the id of a flag by the key that it has at the end of the plan. */
  write(change: Exclude<Change, { resource: 'role_access' }>, { idOf, strict }: Writing): number {
    const before = change.action === 'create' ? undefined : this.flags.get(change.id);
    const id = before?.id ?? (this.#next += 1);
    const { filters, ...fields } = change.body as JsonObject & { readonly filters?: JsonObject };
    const written = filters === undefined ? {} : { filters: onWire(filters, idOf) };
    const after: Flag = { ...(before ?? liveFlag(id, change.key)), ...fields, ...written };
    this.#check(change, { before, after, strict });
    this.flags.set(id, after);
    return id;
  }

  #check(change: Change, { before, after, strict }: { before: Flag | undefined; after: Flag; strict: boolean }): void {
    const refuse = (why: string): void => void this.refusals.push(`${change.action} ${change.ref}: ${why}`);
    const writesFilters = change.action === 'create' || ('body' in change && change.body['filters'] !== undefined);
    const isOn = after.active === true && after.deleted !== true;
    const wasOn = before?.active === true && before.deleted !== true;
    for (const dependency of dependenciesOf(after)) {
      const flag = this.flags.get(dependency);
      const exists = flag !== undefined && flag.deleted !== true;
      if (writesFilters && !exists) refuse(`${dependency} does not exist`);
      if (writesFilters && (strict || isOn) && flag?.active !== true) refuse(`${dependency} is off`);
      if (isOn && !wasOn && flag?.active !== true) refuse(`${dependency} is off`);
    }
    if (before?.active === false && after.active === true) {
      const off = dependenciesOf(before).filter((id) => this.flags.get(id)?.active === false);
      if (off.some((id) => this.flags.get(id)?.deleted !== true)) refuse('it is enabled with a dependency that is off');
    }
    if (writesFilters && this.#reaches(after.id, after)) refuse('a circle');
    if (wasOn && !isOn) {
      for (const other of this.flags.values()) {
        const rests = other.deleted !== true && other.active === true && other.id !== after.id;
        if (rests && dependenciesOf(other).includes(after.id)) refuse(`${other.key} depends on it`);
      }
    }
  }

  #reaches(goal: number, from: Flag): boolean {
    const seen = new Set<number>();
    const ahead = dependenciesOf(from);
    for (let id = ahead.pop(); id !== undefined; id = ahead.pop()) {
      if (id === goal) return true;
      const flag = this.flags.get(id);
      if (seen.has(id) || flag === undefined || flag.deleted === true) continue;
      seen.add(id);
      ahead.push(...dependenciesOf(flag));
    }
    return false;
  }
}

export interface Writing {
  readonly idOf: (key: string) => number | undefined;
  readonly strict: boolean;
}

function dependenciesOf({ filters }: Flag): number[] {
  return flagReferences(filters).map(Number);
}

function onWire(filters: JsonObject, idOf: Writing['idOf']): JsonObject {
  return JSON.parse(JSON.stringify(filters), (_name, value: unknown) => {
    if (typeof value !== 'object' || value === null || !('type' in value) || value.type !== 'flag') return value;
    return { ...value, key: String('key' in value && typeof value.key === 'string' ? idOf(value.key) : Number.NaN) };
  }) as JsonObject;
}
