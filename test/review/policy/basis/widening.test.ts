/** Nobody turns on for a larger share of the hashes than the bound says: random plans, evaluated before and after. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { objectOrEmpty, type JsonObject, type JsonValue } from '../../../../src/base/json.ts';
import { evaluateFlag } from '../../../../src/evaluation/evaluate.ts';
import type { Generation, Subject } from '../../../../src/evaluation/input.ts';
import { followPaths } from '../../impact/follow-paths.ts';
import { judge } from '../../../../src/review/policy/judge.ts';
import type { Policy } from '../../../../src/review/policy/built-in.ts';
import { buildPlan } from '../../../../src/posthog/planning/build-plan.ts';
import type { Flag } from '../../../../src/posthog/flag/model/flag.ts';
import { contextWith, subjectWith } from '../../../evaluation/support.ts';
import { isStored } from '../../../helpers/arbitraries.ts';
import { holds } from '../../../helpers/runs.ts';
import { declared, desiredState, liveFlag, liveState } from '../../../helpers/states.ts';

const KEYS = ['a', 'b', 'c'] as const;
type Key = (typeof KEYS)[number];
type World = Readonly<Record<Key, JsonObject>>;

const PROPERTIES = ['plan', 'country'].flatMap((key) =>
  ['exact', 'is_not'].map((operator): JsonObject => ({ key, type: 'person', operator, value: ['x'] })),
);
const wider: JsonObject = { key: 'plan', type: 'person', operator: 'exact', value: ['x', 'y'] };
const dependency = (key: Key, value: JsonValue): JsonObject => ({
  key,
  type: 'flag',
  operator: 'flag_evaluates_to',
  value,
});

const percentage = fc.constantFrom(0, 5, 10, 25, 33.3, 50, 50, 90);

/** `below`: the flags that it may depend on. */
function conditions(below: readonly Key[]): fc.Arbitrary<JsonObject[]> {
  const property = fc.constantFrom(
    ...PROPERTIES,
    wider,
    ...below.flatMap((key) => [true, false, 'red'].map((value) => dependency(key, value))),
  );
  return fc.array(
    fc.record(
      {
        properties: fc.array(property, { maxLength: 2 }),
        rollout_percentage: percentage,
        aggregation_group_type_index: fc.constantFrom<JsonValue>(null, null, 0, 1),
        variant: fc.constantFrom<JsonValue>(null, 'red'),
      },
      { requiredKeys: ['properties', 'rollout_percentage'] },
    ),
    { minLength: 1, maxLength: 3 },
  ) as fc.Arbitrary<JsonObject[]>;
}

function flag(below: readonly Key[]): fc.Arbitrary<JsonObject> {
  const rarely = <Value>(value: fc.Arbitrary<Value>, usual: Value): fc.Arbitrary<Value> =>
    fc.oneof({ weight: 4, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: value });
  return fc.record({
    active: rarely(fc.boolean(), true),
    bucketing_identifier: rarely(fc.constant('device_id'), 'distinct_id'),
    ensure_experience_continuity: rarely(fc.boolean(), false),
    filters: fc.record({
      groups: conditions(below),
      multivariate: fc.constant({ variants: [{ key: 'red', rollout_percentage: 40 }] }),
      holdout: rarely<JsonValue>(
        percentage.map((exclusion_percentage) => ({ id: 7, exclusion_percentage })),
        null,
      ),
      early_exit: rarely(fc.boolean(), false),
      feature_enrollment: rarely(fc.boolean(), false),
      super_groups: rarely<JsonValue>(fc.constant([{ properties: [wider] }]), []),
      aggregation_group_type_index: rarely<JsonValue>(fc.constantFrom(0, 1), null),
    }),
  }) as fc.Arbitrary<JsonObject>;
}

const world: fc.Arbitrary<World> = fc.record({ a: flag([]), b: flag(['a']), c: flag(['a', 'b']) });

/** Of a flag, and of its filters. */
const FIELDS = ['active', 'bucketing_identifier', 'ensure_experience_continuity'];
const PARTS = ['holdout', 'early_exit', 'feature_enrollment', 'super_groups', 'aggregation_group_type_index'];

/** Small edits: worlds that differ in everything have the largest bounds. */
const edit: fc.Arbitrary<(before: World) => World> = fc
  .array(
    fc.record({
      key: fc.constantFrom(...KEYS),
      place: fc.nat({ max: 3 }),
      what: fc.constantFrom(
        'rollout',
        'properties',
        'properties',
        'aggregation',
        'add',
        'remove',
        'swap',
        ...FIELDS,
        ...PARTS,
      ),
      other: flag([]),
      rollout: percentage,
    }),
    { minLength: 1, maxLength: 2 },
  )
  .map((edits) => (before) => edits.reduce(applyEdit, before));

interface Edit {
  readonly key: Key;
  readonly place: number;
  readonly what: string;
  readonly other: JsonObject;
  readonly rollout: number;
}

function applyEdit(all: World, { key, place, what, other, rollout }: Edit): World {
  const { [key]: own } = all;
  const filters = objectOrEmpty(own['filters']);
  const [groups, others] = [filters, objectOrEmpty(other['filters'])].map((one) => one['groups'] as JsonObject[]);
  const at = (change: (condition: JsonObject) => JsonObject): JsonObject[] =>
    (groups ?? []).map((condition, index, { length }) => (index === place % length ? change(condition) : condition));
  const changed = {
    rollout: () => at((condition) => ({ ...condition, rollout_percentage: rollout })),
    properties: () => at((condition) => ({ ...condition, properties: others?.[0]?.['properties'] ?? [] })),
    aggregation: () => at((condition) => ({ ...condition, aggregation_group_type_index: place === 3 ? null : place })),
    swap: () => (groups ?? []).toReversed(),
    add: () => [...(groups ?? []), ...(others ?? []).slice(0, 1)],
    remove: () => (groups ?? []).filter((_, index, { length }) => index !== place % length),
  }[what];
  if (changed !== undefined) return { ...all, [key]: { ...own, filters: { ...filters, groups: changed() } } };
  if (FIELDS.includes(what)) return { ...all, [key]: { ...own, [what]: other[what] } };
  const part = objectOrEmpty(other['filters'])[what];
  return { ...all, [key]: { ...own, filters: { ...filters, [what]: part } } };
}

const PEOPLE = [{}, { plan: 'x' }, { plan: 'y', country: 'x' }, { plan: 'x', country: 'x' }, { plan: 'z' }].flatMap(
  (personProperties, index): Subject[] =>
    [[], ['t0'], ['t0', 't1', 't2']].map((types) =>
      subjectWith({
        distinctId: `p${index}`,
        deviceId: `d${index}`,
        anonymousId: `n${index}`,
        personProperties: index === 4 ? { ...personProperties, '$feature_enrollment/b': true } : personProperties,
        groups: Object.fromEntries(types.map((type) => [type, `group of ${type}`])),
      }),
    ),
);

function flagsOf(all: World): Flag[] {
  return KEYS.map((key, index) => liveFlag(index + 1, key, all[key]));
}

/** The exact share of the hashes for which the flag turns on. */
function shareOf(key: Key, { before, after }: Sides, subject: Subject, generation: Generation): number | undefined {
  const isOn = (flags: readonly Flag[], hash: NonNullable<Assumed['hash']>): boolean => {
    const groupTypes = { '0': 't0', '1': 't1', '2': 't2' };
    const context = contextWith({ generation, groupTypes, assumptions: { hash } });
    return (evaluateFlag(key, { flags, context, subject })?.value ?? false) !== false;
  };
  const paths = followPaths((decide) => !isOn(before, decide) && isOn(after, decide), 5_000);
  return paths?.reduce((sum, { outcome, weight }) => sum + (outcome ? weight : 0), 0);
}

type Assumed = NonNullable<ReturnType<typeof contextWith>['assumptions']>;

interface Sides {
  readonly before: readonly Flag[];
  readonly after: readonly Flag[];
}

const SOURCE = { file: 'flagwright.yaml', line: 1, column: 1 };
const MAX_WIDEN: Policy = { rule: 'max-widen', level: 'error', source: SOURCE, points: 0 };

/** By flag: that of the finding with the limit 0. */
function boundsOf({ before, after }: Sides): ReadonlyMap<string, { readonly points: number; readonly exact: boolean }> {
  const wanted = desiredState(
    ...after.map(({ key, ...flag }) =>
      declared(key, Object.fromEntries([...FIELDS, 'filters'].map((name) => [name, flag[name] ?? null]))),
    ),
  );
  const plan = buildPlan(wanted, liveState(before));
  const findings = judge([MAX_WIDEN], plan, { project: 'p', now: 0, flags: before });
  const bounds = new Map<string, { readonly points: number; readonly exact: boolean }>();
  for (const { key, facts } of findings) {
    if (facts.what !== 'max-widen') continue;
    for (const name of facts.flags ?? [key]) {
      if ((bounds.get(name)?.points ?? 0) <= facts.points) bounds.set(name, facts);
    }
  }
  return bounds;
}

function expectBounded(sides: Sides): void {
  const bounds = boundsOf(sides);
  for (const key of KEYS) {
    const bound = bounds.get(key)?.points ?? 0;
    if (bound === 100) continue;
    for (const generation of ['python-2023', 'rust-2026'] as const) {
      for (const subject of PEOPLE) {
        const share = (shareOf(key, sides, subject, generation) ?? 0) * 100;
        const found = share > bound + 1e-6 ? { key, bound, share, generation, subject, ...sides } : undefined;
        expect(found && JSON.stringify(found)).toBeUndefined();
      }
    }
  }
}

describe('the bound', () => {
  it('is that of nobody whom a change turns on for more', () => {
    holds(250, [world, edit], (before, change) => {
      const after = flagsOf(change(before));
      fc.pre(after.every(isStored));
      expectBounded({ before: flagsOf(before), after });
    });
  }, 600_000);

  it('holds for flags that are created', () => {
    holds(120, [world, fc.subarray([...KEYS], { minLength: 1 })], (all, created) => {
      const after = flagsOf(all);
      expectBounded({ before: after.filter(({ key }) => !created.includes(key as Key)), after });
    });
  }, 600_000);
});
