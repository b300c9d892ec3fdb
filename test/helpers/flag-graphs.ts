/** Sound graphs of flags that depend on each other, a plan from one to another, and a model of the service that carries it out. */

import fc from 'fast-check';
import type { JsonObject } from '../../src/base/json.ts';
import type { DesiredFlag, DesiredState } from '../../src/posthog/desired.ts';
import type { Flag } from '../../src/posthog/flag/flag.ts';
import { flagReferences } from '../../src/posthog/flag/references.ts';
import type { Change } from '../../src/posthog/plan.ts';
import { declared, desiredState, liveFlag, retired } from './states.ts';

export interface GraphFlag {
  /** Which flag it is; its key follows from it and from `renamed`. */
  readonly number: number;
  readonly active: boolean;
  readonly renamed: boolean;
  /** Numbers of flags. */
  readonly dependsOn: readonly number[];
}

/** What one flag could be; what the graph as a whole does not allow is taken away. */
const wish = fc.record({
  exists: fc.nat(4).map((number) => number > 0),
  active: fc.nat(2).map((number) => number > 0),
  renamed: fc.nat(5).map((number) => number === 0),
  /** Bits: which of the flags before it. */
  dependsOn: fc.nat(0xffff),
});

/** A graph without circles, in which an active flag depends on active ones. Which flags come first is a matter of chance. */
export function graphs(count: number): fc.Arbitrary<readonly GraphFlag[]> {
  const numbers = Array.from({ length: count }, (_, number) => number);
  const order = fc.shuffledSubarray(numbers, { minLength: count });
  return fc.tuple(order, fc.array(wish, { minLength: count, maxLength: count })).map(([ranked, wishes]) => {
    const flags: GraphFlag[] = [];
    for (const number of ranked) {
      const { exists, active, renamed, dependsOn } = wishes[number] as (typeof wishes)[number];
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

/** Every flag of `before` that is not in the graph is retired. */
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

/** Flags with the number of the flag as id, and a tombstone where there was one. */
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

/** Today's service as far as dependencies go. `strict`: a dependency that is off is refused for a flag that is off too. */
export class ModelService {
  readonly flags = new Map<number, Flag>();
  readonly refusals: string[] = [];
  #next = 1000;

  constructor(flags: readonly Flag[]) {
    for (const flag of flags) this.flags.set(flag.id, flag);
  }

  /** Carries the change out; `idOf` gives the id of a flag by the key that it has at the end of the plan. */
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
