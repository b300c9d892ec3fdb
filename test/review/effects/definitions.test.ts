/** What is said of the people of a cohort, and of the flags that use it, holds for everybody for whom both definitions are evaluated. */

import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { evaluateFlag } from '../../../src/evaluation/evaluate.ts';
import type { Generation } from '../../../src/evaluation/input.ts';
import { compareDefinitions } from '../../../src/review/effects/audience.ts';
import type { Flag } from '../../../src/posthog/flag/model/flag.ts';
import { findEffects } from '../../../src/review/effects/find-effects.ts';
import { joinReaches } from '../../../src/review/effects/effect.ts';
import type { DesiredState } from '../../../src/posthog/desired.ts';
import type { Policy } from '../../../src/review/policy/built-in.ts';
import { judge } from '../../../src/review/policy/judge.ts';
import { contextWith, subjectWith } from '../../evaluation/support.ts';
import { cohort, desiredOf } from '../../helpers/cohorts.ts';
import { holds } from '../../helpers/runs.ts';
import { declared, desiredState, liveFlag, planFor } from '../../helpers/states.ts';

const leaf = (key: string, value: JsonValue, more: JsonObject = {}): JsonObject => ({
  key,
  type: 'person',
  operator: 'exact',
  value,
  ...more,
});
const all = (...values: JsonObject[]): JsonObject => ({ type: 'AND', values });
const any = (...values: JsonObject[]): JsonObject => ({ type: 'OR', values });
const [PRO, US] = [leaf('plan', ['pro']), leaf('country', ['US'])];
const OTHER = { key: 'id', type: 'cohort', value: 8 };

it.each<[string, JsonObject, JsonObject, string]>([
  ['one filter more that all must match', all(PRO), all(PRO, US), 'narrower'],
  ['one less', any(all(PRO, US)), any(all(US)), 'wider'],
  ['one more value', all(PRO), all(leaf('plan', ['pro', 'free'])), 'wider'],
  [
    'one more value, excluded',
    all(leaf('plan', ['pro'], { operator: 'is_not' })),
    all(leaf('plan', ['pro', 'free'], { operator: 'is_not' })),
    'narrower',
  ],
  ['one more alternative', any(all(PRO)), any(all(PRO), all(US)), 'wider'],
  ['one less of three', any(PRO, US, all(PRO, US)), any(PRO, US), 'narrower'],
  ['another order', all(PRO, US), all(US, PRO), 'same'],
  ['another value', all(PRO), all(leaf('plan', ['free'])), 'other'],
  ['what was required becomes an alternative', all(PRO, US), any(PRO, US), 'other'],
  ['a filter on another cohort', all(PRO, OTHER), all(PRO), 'other'],
  ['what people did', all({ type: 'behavioral', key: '$pageview' }), all(PRO), 'other'],
  ['nothing', any(), all(PRO), 'other'],
  [
    'a value that is negated',
    all(leaf('plan', ['pro'], { negation: true })),
    all(leaf('plan', ['pro', 'free'], { negation: true })),
    'other',
  ],
])('%s', (_, before, after, direction) => {
  expect(compareDefinitions(before, after)).toBe(direction);
});

const value = fc.constantFrom<JsonValue>('pro', 'PRO', 'free', 10, '10', true, 'true');
const leaves = fc
  .record({
    key: fc.constantFrom('plan', 'country'),
    value: fc.oneof(value, fc.array(value, { maxLength: 3 })),
    operator: fc.constantFrom('exact', 'is_not', 'icontains', 'is_set'),
    negation: fc.boolean(),
  })
  .map(({ key, value: own, operator, negation }) => leaf(key, own, { operator, ...(negation ? { negation } : {}) }));
const lists = fc.array(leaves, { minLength: 1, maxLength: 3 });
const definitions = fc.oneof(
  lists.map((list) => all(...list)),
  fc.array(lists, { minLength: 1, maxLength: 2 }).map((some) => any(...some.map((list) => all(...list)))),
);
/** The other definition, near to the first. */
const pairs = fc
  .tuple(definitions, definitions, lists)
  .chain(([one, other, list]) =>
    fc.constantFrom(
      [one, other],
      [one, all(one, ...list)],
      [one, any(one, ...list)],
      [
        all(...list),
        all(
          ...list.slice(1),
          ...list
            .slice(0, 1)
            .map((first) => ({ ...first, value: [first['value'] as JsonValue].flat().concat('free') })),
        ),
      ],
    ),
  );
const VALUES: readonly JsonValue[] = ['pro', 'PRO', 'free', 'x', 10, '10', true, 'true', false, null, ''];
const PEOPLE = VALUES.flatMap((plan) =>
  [undefined, ...VALUES].map((country) =>
    subjectWith({
      distinctId: JSON.stringify([plan, country]),
      personProperties: { plan, ...(country === undefined ? {} : { country }) },
    }),
  ),
);

it.each<Generation>(['python-2023', 'rust-2026'])('holds for everybody: %s', (generation) => {
  const seen = new Map<string, number>();
  holds(2_000, [pairs], ([before, after]) => {
    const [one, other] = [before as JsonObject, after as JsonObject];
    const direction = compareDefinitions(one, other);
    seen.set(direction, (seen.get(direction) ?? 0) + 1);
    const isIn = (properties: JsonObject, subject: (typeof PEOPLE)[number]): boolean => {
      const context = contextWith({ generation, cohorts: { '7': { kind: 'dynamic', properties } } });
      const flags = [
        liveFlag(1, 'a', { filters: { groups: [{ properties: [{ key: 'id', type: 'cohort', value: 7 }] }] } }) as Flag,
      ];
      return evaluateFlag('a', { flags, context, subject })?.value === true;
    };
    for (const subject of PEOPLE) {
      const sides = [isIn(one, subject), isIn(other, subject)];
      const what = JSON.stringify({ one, other, direction, subject });
      if (direction === 'wider' || direction === 'same') expect(sides, what).not.toEqual([true, false]);
      if (direction === 'narrower' || direction === 'same') expect(sides, what).not.toEqual([false, true]);
    }
  });
  expect(['wider', 'narrower', 'same', 'other'].map((direction) => (seen.get(direction) ?? 0) > 0)).toEqual([
    true,
    true,
    true,
    true,
  ]);
});

const SOURCE = { file: 'flagwright.yaml', line: 1, column: 1 };
const MAX_WIDEN: Policy = { rule: 'max-widen', level: 'error', source: SOURCE, points: 0 };
const cohortIs = (id: number, more: JsonObject = {}): JsonObject => ({ key: 'id', type: 'cohort', value: id, ...more });
const operators = fc.constantFrom<JsonObject>({}, { operator: 'in' }, { operator: 'not_in' }, { operator: null });
/** Of two definitions, often one that is proved to select fewer people, in both directions. */
const changes = fc
  .oneof(
    { weight: 1, arbitrary: pairs },
    { weight: 2, arbitrary: fc.tuple(lists, lists).map(([one, more]) => [all(...one), all(...one, ...more)]) },
    { weight: 1, arbitrary: fc.tuple(lists, lists).map(([one, more]) => [any(...one), any(...one, ...more)]) },
  )
  .chain((both) => fc.constantFrom(both, both.toReversed()));
/** A cohort that names the one that changes, in one of all ways. */
const outer = fc
  .record({
    type: fc.constantFrom('AND', 'OR'),
    operator: operators,
    negation: fc.constantFrom<JsonObject>({}, { negation: true }, { negation: false }),
    others: fc.array(leaves, { maxLength: 1 }),
  })
  .map(({ type, operator, negation, others }) => ({
    type: 'OR',
    values: [{ type, values: [cohortIs(7, { ...operator, ...negation }), ...others] }],
  }));
const rarely = <Value>(value: Value, usual: Value): fc.Arbitrary<Value> =>
  fc.oneof({ weight: 9, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constant(value) });
const condition = fc.record({
  properties: fc.oneof(
    { weight: 4, arbitrary: fc.tuple(fc.constantFrom(7, 7, 8), operators).map(([id, how]) => [cohortIs(id, how)]) },
    { weight: 1, arbitrary: fc.array(leaves, { maxLength: 1 }) },
  ),
  rollout_percentage: fc.constantFrom(50, 100, 100),
  variant: fc.constantFrom<JsonValue>(null, null, 'red'),
});
const flagFields = fc
  .record({
    groups: fc.oneof(fc.array(condition, { minLength: 1, maxLength: 1 }), fc.array(condition, { maxLength: 3 })),
    multivariate: fc.constantFrom<JsonValue>(null, {
      variants: ['red', 'blue'].map((key) => ({ key, rollout_percentage: 50 })),
    }),
    early_exit: fc.constantFrom<JsonValue>(false, false, false, true),
    super_groups: fc.constantFrom<JsonValue>(null, null, null, [
      { properties: [cohortIs(7)], rollout_percentage: 100 },
    ]),
  })
  .map((filters): JsonObject => ({ filters }));
/** Depends on the flag `a`. */
const dependents = fc.tuple(fc.boolean(), rarely(true, false), condition).map(([value, isUser, own]): JsonObject => {
  const dependency = { key: 'a', type: 'flag', operator: 'flag_evaluates_to', value };
  const properties = [dependency, ...(isUser ? (own.properties as JsonObject[]) : [])];
  return { filters: { groups: [{ properties, rollout_percentage: 100 }] } };
});

it.each<Generation>(['python-2023', 'rust-2026'])('bounds what flags do that use the cohort: %s', (generation) => {
  const seen = new Map<string, number>();
  const sides = fc.oneof(
    { weight: 3, arbitrary: flagFields.map((one) => [one, one] as const) },
    { weight: 1, arbitrary: fc.tuple(flagFields, flagFields) },
  );
  holds(2_000, [changes, outer, sides, dependents], (definition, around, [a, wantedA], b) => {
    const [former, wanted] = definition as [JsonObject, JsonObject];
    const cohorts = [cohort(7, 'beta', { filters: { properties: former } }), cohort(8, 'outer')];
    const live = [liveFlag(1, 'a', a), liveFlag(2, 'b', b)] as Flag[];
    const desired = {
      ...desiredState(declared('a', wantedA)),
      cohorts: desiredOf({ flags: {}, cohorts: { beta: { filters: { properties: all(PRO) } } } }).cohorts?.map(
        (one) => ({
          ...one,
          ...(one.kind === 'declared' && { fields: { ...one.fields, filters: { properties: wanted } } }),
        }),
      ),
    } as DesiredState;
    const state = {
      flags: live,
      roleAccess: {},
      cohorts: cohorts.map((one) => (one.id === 8 ? { ...one, filters: { properties: around } } : one)),
    };
    const plan = planFor(desired, state);
    const effects = findEffects(plan);
    const reach = joinReaches(effects.flatMap(({ classes }) => classes));
    const told = judge([MAX_WIDEN], plan, { project: 'p', now: 0, flags: live });
    const widened = new Set(
      told.flatMap(({ key, facts }) => (facts.what === 'max-widen' ? (facts.flags ?? [key]) : [])),
    );
    const ofCohort = effects.find(({ resource }) => resource === 'cohort')?.classes.join() ?? 'none';
    seen.set(ofCohort, (seen.get(ofCohort) ?? 0) + 1);
    for (const subject of PEOPLE) {
      const valueOf = (key: string, fields: JsonObject, properties: JsonObject): JsonValue => {
        const context = contextWith({
          generation,
          cohorts: { '7': { kind: 'dynamic', properties }, '8': { kind: 'dynamic', properties: around } },
        });
        const flags = [liveFlag(1, 'a', fields) as Flag, liveFlag(2, 'b', b) as Flag];
        return evaluateFlag(key, { flags, context, subject })?.value ?? false;
      };
      for (const key of ['a', 'b']) {
        const [before, after] = [valueOf(key, a, former), valueOf(key, wantedA, wanted)];
        const what = JSON.stringify({ key, former, wanted, around, a, wantedA, b, subject, ofCohort });
        if (before === false && after !== false) expect(widened, what).toContain(key);
        if (key === 'b' || before === after) continue;
        if (before === false) expect(reach.turnsOn, what).toBe(true);
        else if (after === false) expect(reach.turnsOff, what).toBe(true);
        else expect(reach.changesVariant, what).toBe(true);
      }
    }
  });
  const classes = ['widen', 'narrow', 'widen,narrow', 'widen,narrow,re-split', 'metadata'];
  expect(classes.map((one) => [one, (seen.get(one) ?? 0) > 2])).toEqual(classes.map((one) => [one, true]));
});
