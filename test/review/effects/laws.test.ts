/** What the classes of a change say of people holds for people who are evaluated, in both generations of the service. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJson } from '../../../src/base/json-text.ts';
import {
  arrayOrEmpty,
  canonicalText,
  isJsonArray,
  isJsonObject,
  objectOrEmpty,
  type JsonArray,
  type JsonObject,
  type JsonValue,
} from '../../../src/base/json.ts';
import { defined } from '../../../src/base/optional.ts';
import { joinReaches, type EffectClass } from '../../../src/review/effects/effect.ts';
import { findDriftEffects, findEffects, movedShare } from '../../../src/review/effects/find-effects.ts';
import { effectText } from '../../../src/report/words/effects.ts';
import { evaluateFlag } from '../../../src/evaluation/evaluate.ts';
import type { FlagValue, Generation } from '../../../src/evaluation/input.ts';
import type { buildPlan } from '../../../src/posthog/planning/build-plan.ts';
import type { Flag } from '../../../src/posthog/flag/model/flag.ts';
import { contextWith, subjectWith } from '../../evaluation/support.ts';
import { filters, flagFields, isStored } from '../../helpers/arbitraries.ts';
import { holds } from '../../helpers/runs.ts';
import { declared, desiredState, liveFlag, liveState, planFor } from '../../helpers/states.ts';

const PEOPLE = people();

/** A field that the manifests leave out is no change. */
const DECLARED: JsonObject = {
  active: true,
  name: '',
  tags: [],
  ensure_experience_continuity: false,
  bucketing_identifier: 'distinct_id',
  filters: { groups: [{}] },
};

/** Others decide about these where the manifests leave them out. */
const PARTS_OF_OTHERS: JsonObject = {
  holdout: { id: 7, exclusion_percentage: 0 },
  super_groups: [{ properties: [] }],
  feature_enrollment: false,
};

it('keeps the promise of its classes for everybody', () => {
  holds(1_200, [flagFields(), edits()], (fields, edit) => {
    const before = { active: true, bucketing_identifier: 'distinct_id', filters: { groups: [{}] }, ...fields };
    const after = { ...before, ...edit(before) };
    for (const generation of ['python-2023', 'rust-2026'] as const) {
      const found = classify(before, after, generation);
      const reach = joinReaches(found ?? []);
      // Nothing is promised.
      if (Object.values(reach).every(Boolean)) continue;
      for (const [former, wanted] of answersOf(before, after, generation)) {
        const what = JSON.stringify({ before, after, classes: found, former, wanted, generation });
        if (former.value === false && wanted.value !== false) expect(reach.turnsOn, what).toBe(true);
        if (former.value !== false && wanted.value === false) expect(reach.turnsOff, what).toBe(true);
        const isOn = former.value !== false && wanted.value !== false;
        if (isOn && former.value !== wanted.value) expect(reach.changesVariant, what).toBe(true);
        if (former.value === wanted.value && former.payload !== wanted.payload)
          expect(found, what).toContain('payload');
      }
    }
  });
});

/** They decide before the conditions, or end them. */
const DECIDING: readonly JsonObject[] = [
  { early_exit: true },
  { feature_enrollment: true },
  { super_groups: [{ properties: [], rollout_percentage: 100 }] },
  { holdout: { id: 7, exclusion_percentage: 100 } },
];
const FEW = { properties: [{ key: 'plan', type: 'person', operator: 'exact', value: ['pro'] }], rollout_percentage: 0 };
const GROUPS: readonly JsonArray[] = [[{}], [FEW, {}], [{ rollout_percentage: 0 }], []];

it.each(['python-2023', 'rust-2026'] as const)('says of a new flag what holds for everybody: %s', (generation) => {
  const said = { nobody: 0, everyone: 0 };
  const deciding = fc.constantFrom<JsonObject>({}, ...DECIDING);
  const listed = fc.constantFrom<JsonObject>({}, ...GROUPS.map((groups) => ({ groups })));
  holds(1_000, [flagFields(), deciding, listed], (fields, parts, groups) => {
    const filters = { groups: [{}], ...objectOrEmpty(fields['filters']), ...parts, ...groups };
    const flag = { active: true, ...fields, filters };
    const plan = planFor(desiredState(declared('a', flag)), liveState([]));
    const text =
      findEffects(plan)[0]
        ?.effects.map((effect) => effectText(effect))
        .join() ?? '';
    const values = [...answersOf(flag, flag, generation)].map(([{ value }]) => value);
    const what = JSON.stringify({ flag, text, values });
    if (text.startsWith('nobody gets it')) {
      said.nobody += 1;
      expect(
        values.every((value) => value === false),
        what,
      ).toBe(true);
    }
    if (text === 'on for everyone') {
      said.everyone += 1;
      expect(
        values.every((value) => value !== false),
        what,
      ).toBe(true);
    }
  });
  expect([said.nobody > 10, said.everyone > 3]).toEqual([true, true]);
});

describe('claims an effect only where the answer of somebody changes', () => {
  it.each(['python-2023', 'rust-2026'] as const)('%s', (generation) => {
    let [claimed, silent] = [0, 0];
    holds(400, [alternatives()], ([one, other]) => {
      const [before, after] = [
        { active: true, filters: one },
        { active: true, filters: other },
      ];
      const found = classify(before, after, generation) ?? [];
      const isClaimed = Object.values(joinReaches(found)).some(Boolean);
      const changed = [...answersOf(before, after, generation, EVERY_PERSON)].some(
        ([former, wanted]) => former.value !== wanted.value,
      );
      if (changed) claimed += 1;
      else silent += 1;
      const what = JSON.stringify({ before, after, found });
      expect([isClaimed, what]).toEqual([changed, what]);
    });
    expect([claimed > 20, silent > 20]).toEqual([true, true]);
  });
});

it.each<[what: string, live: JsonObject, wanted: JsonObject]>([
  ['a negation that negates nothing', { negation: false }, {}],
  ['an operator that is null', { operator: null }, { operator: undefined }],
])('sees no difference in %s', (_, live, wanted) => {
  const of = (own: object): JsonObject => ({
    filters: { groups: [{ properties: [{ key: 'plan', type: 'person', operator: 'exact', value: 'pro', ...own }] }] },
  });
  expect(planOf(of(live), defined(of(wanted))).changes).toEqual([]);
  expect(planOf({ filters: { groups: [{ variant: '' }] } }, { filters: { groups: [{}] } }).changes).toEqual([]);
});

it('names a class for every change', () => {
  holds(500, [flagFields(), edits()], (fields, edit) => {
    const before = { ...DECLARED, ...fields };
    const plan = planOf(before, { ...before, ...edit(before) });
    for (const { effects, classes } of [...findEffects(plan), ...findDriftEffects(plan)]) {
      expect(effects, JSON.stringify(plan.changes)).not.toEqual([]);
      expect(classes).not.toEqual([]);
    }
  });
});

it('does not depend on the direction: what one way may turn on, the other may turn off', () => {
  holds(500, [flagFields(), edits()], (fields, edit) => {
    const start = { ...DECLARED, ...fields };
    const before = { ...start, filters: { ...PARTS_OF_OTHERS, ...objectOrEmpty(start['filters']) } };
    const after = { ...before, ...edit(before) };
    fc.pre(isStored(before) && isStored(after));
    const [there, back] = [joinReaches(classify(before, after) ?? []), joinReaches(classify(after, before) ?? [])];
    expect([there.turnsOn, there.turnsOff, there.changesVariant]).toEqual([
      back.turnsOff,
      back.turnsOn,
      back.changesVariant,
    ]);
  });
});

it('reads drift as the plan of the opposite direction', () => {
  holds(300, [flagFields(), edits()], (fields, edit) => {
    const start = { ...DECLARED, ...fields };
    const one = { ...start, filters: { ...PARTS_OF_OTHERS, ...objectOrEmpty(start['filters']) } };
    const other = { ...one, ...edit(one) };
    fc.pre(isStored(one) && isStored(other));
    const plan = planFor(desiredState(declared('a', one)), liveState([liveFlag(1, 'a', other)]));
    const drifted = findDriftEffects(plan)[0];
    const applied = findEffects(planOf(one, other))[0];
    expect([drifted?.classes, drifted?.dormant]).toEqual([applied?.classes, applied?.dormant]);
  });
});

it('has exactly the changes of the plan in its effects', () => {
  holds(300, [flagFields(), flagFields()], (live, wanted) => {
    const plan = planOf(live, wanted);
    expect(findEffects(plan).flatMap(({ refs }) => refs)).toEqual(plan.changes.map(({ ref }) => ref));
    for (const { effects } of findEffects(plan)) expect(effects).not.toEqual([]);
  });
});

it('measures the share that moves as a distance: symmetric, zero for the same, never more than everybody', () => {
  const shares = fc
    .uniqueArray(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1 })
    .chain((keys) =>
      fc
        .array(fc.integer({ min: 0, max: 40 }), { minLength: keys.length, maxLength: keys.length })
        .map((parts) =>
          keys.map((key, index) => ({ key, percentage: Math.min(parts[index] ?? 0, 100 / keys.length) })),
        ),
    );
  holds(300, [shares, shares], (one, other) => {
    expect(movedShare(one, one)).toBe(0);
    expect(movedShare(one, other)).toBe(movedShare(other, one));
    expect(movedShare(one, other)).toBeLessThanOrEqual(100);
  });
});

function planOf(live: JsonObject, wanted: JsonObject): ReturnType<typeof buildPlan> {
  return planFor(desiredState(declared('a', wanted)), liveState([liveFlag(1, 'a', live), ...OTHER_FLAGS]));
}

/** As a service of the generation answers the flag. */
function classify(
  before: JsonObject,
  after: JsonObject,
  generation: Generation = 'rust-2026',
): readonly EffectClass[] | undefined {
  const era = generation === 'python-2023' ? { version: null } : {};
  return findEffects(planOf({ ...before, ...era }, after))[0]?.classes;
}

interface Answer {
  readonly value: FlagValue;
  readonly payload: string | undefined;
}

function* answersOf(
  before: JsonObject,
  after: JsonObject,
  generation: Generation,
  subjects = PEOPLE,
): Iterable<[Answer, Answer]> {
  const context = contextWith({ generation, cohorts: { '42': { kind: 'static' }, '43': { kind: 'static' } } });
  for (const subject of subjects) {
    const answerOf = (fields: JsonObject): Answer => {
      const flags = [liveFlag(1, 'a', fields) as Flag, ...OTHER_FLAGS];
      const { value = false, payload } = evaluateFlag('a', { flags, context, subject }) ?? {};
      return { value, payload: payloadText(payload) };
    };
    yield [answerOf(before), answerOf(after)];
  }
}

/** As a client reads it: the service stores JSON as a string. */
function payloadText(payload: JsonValue | undefined): string | undefined {
  if (payload === undefined) return undefined;
  return canonicalText(typeof payload === 'string' ? parseJson(payload) : payload);
}

/** On which conditions depend: one that is on for some people in some variants, and one that is off. */
const OTHER_FLAGS = [
  liveFlag(2, 'other', {
    filters: {
      groups: [{ rollout_percentage: 60 }],
      multivariate: { variants: ['a', 'b'].map((key) => ({ key, rollout_percentage: 50 })) },
    },
  }),
  liveFlag(3, 'never', { active: false }),
] as Flag[];

/** With the properties that the arbitrary flags ask for, alone and together. */
function people(): ReturnType<typeof subjectWith>[] {
  const values: readonly JsonValue[] = ['@acme.com', 'DE', 'pro', '25', 'true', '', false, true, null];
  const properties = ['email', 'country', 'plan', 'seats', 'beta', 'company'];
  return Array.from({ length: 48 }, (_, index) => {
    const own = Object.fromEntries(
      properties.flatMap((name, place) => {
        const value = values[(index * (place + 1)) % (values.length + 2)];
        return value === undefined ? [] : [[name, value]];
      }),
    );
    return subjectWith({
      distinctId: `person-${index}`,
      personProperties: index % 7 === 0 ? { ...own, '$feature_enrollment/a': index % 2 === 0 } : own,
      cohortIds: [42, 43].filter((_, place) => index % (place + 2) === 0),
      ...(index % 2 === 0 ? { groups: { company: `g${index}` }, groupProperties: { company: own } } : {}),
      ...(index % 3 === 0 ? { deviceId: `device-${index}` } : {}),
      ...(index % 5 === 0 ? { anonymousId: `anonymous-${index}` } : {}),
    });
  });
}

/**
 * Filters of one condition that differ in one part, and of which `EVERY_PERSON` tells each meaning. Of several conditions, one may hide
 * another, which classes do not tell.
 */
function alternatives(): fc.Arbitrary<[before: JsonObject, after: JsonObject]> {
  const word = fc.constantFrom<JsonValue>('pro', 'PRO', 'free', 10, '10');
  const part = fc.constantFrom('pr', 'Pr', 'pro');
  const parts = fc.array(fc.constantFrom('pro', 'Pro', 'free'), { minLength: 1, maxLength: 3 });
  const kinds: fc.Arbitrary<JsonObject>[] = [
    ...['exact', 'is_not', null].flatMap((operator) => [
      plan(operator, fc.oneof(word, fc.array(word, { minLength: 1, maxLength: 3 }))),
      plan(operator, fc.constantFrom<JsonValue>(true, 'true', ['true'], 'True', [true, 'true'])),
    ]),
    ...['icontains', 'not_icontains', 'starts_with', 'ends_with'].map((operator) => plan(operator, part)),
    ...['icontains_multi', 'not_icontains_multi'].map((operator) => plan(operator, parts)),
    fc.constant({ key: 'plan', type: 'person', operator: 'is_set' }),
    fc.constantFrom(true, false, 'a').map((value) => ({
      ...{ key: 'other', type: 'flag', operator: 'flag_evaluates_to', value },
    })),
    fc.constantFrom('in', 'not_in', null).map((operator) => ({ key: 'id', type: 'cohort', value: 42, operator })),
  ];
  const property = fc.oneof(...kinds);
  const times = fc.constantFrom(0, 1, 1, 2);
  const alike = fc.oneof(...kinds.map((kind) => fc.tuple(kind, kind)), fc.tuple(property, property));
  const properties = fc
    .tuple(alike, times, times)
    .map(([pair, ...often]) => pair.map((one, side) => Array.from({ length: often[side] ?? 1 }, () => one)));
  const rollout = fc.constantFrom<JsonValue | undefined>(50, 100, null, undefined);
  const forced = fc.constantFrom<JsonValue | undefined>('', null, undefined, 'a', 'b');
  const split = fc.constantFrom<JsonValue | undefined>(...SPLITS, null, undefined);
  const halves = fc.constantFrom<JsonValue | undefined>(...SPLITS.slice(0, 1), null, undefined);
  const flag = fc.tuple(fc.constantFrom({ key: 'plan', type: 'person', operator: 'is_set' }), rollout, forced, halves);
  return flag.chain(([own, percentage, variant, multivariate]) => {
    const of = (condition: JsonObject, variants = multivariate): JsonObject => {
      const usual = { properties: [own], rollout_percentage: percentage, variant };
      return defined({ groups: [defined({ ...usual, ...condition })], multivariate: variants }) as JsonObject;
    };
    const sides = <Value>(value: fc.Arbitrary<Value>, make: (value: Value) => JsonObject) =>
      fc.tuple(value.map(make), value.map(make));
    return fc.oneof(
      properties.map(([one = [], other = []]): [JsonObject, JsonObject] => [
        of({ properties: one }),
        of({ properties: other }),
      ]),
      sides(fc.oneof(rollout, fc.constant(0)), (one) => of({ rollout_percentage: one as JsonValue })),
      sides(forced, (one) => of({ variant: one as JsonValue })),
      sides(split, (one) => of({}, one)),
    );
  });
}

function plan(operator: JsonValue, value: fc.Arbitrary<JsonValue>): fc.Arbitrary<JsonObject> {
  return fc
    .tuple(value, fc.constantFrom<JsonValue | undefined>(false, null, undefined))
    .map(([wanted, negation]) => defined({ key: 'plan', type: 'person', operator, value: wanted, negation }));
}

const SPLITS = (
  [
    [50, 50],
    [50, 50, 0],
    [0, 100],
    [20, 80],
  ] as const
).map((shares) => ({
  variants: shares.map((share, index) => ({ key: 'abc'[index] ?? '', rollout_percentage: share })),
}));

/** One for each mix of a value or a cohort with a hash that `alternatives` distinguishes. */
const EVERY_PERSON = ['', ...Array.from({ length: 24 }, (_, index) => `person-${index}`)].flatMap((distinctId) => {
  const words = ['pro', 'PRO', 'Pro', 'pr', 'xPR', 'proX', 'free', 'Free', 10, '10', 'true', true, 'True', false];
  return [
    subjectWith({ distinctId }),
    subjectWith({ distinctId, cohortIds: [42] }),
    ...words.map((word) => subjectWith({ distinctId, personProperties: { plan: word } })),
  ];
});

type Edit = (flag: JsonObject) => JsonObject;

const operand = fc.constantFrom<JsonValue>('pro', 'DE', 'true', 'false', true, false, null, 42);

/** A property whose operator compares with a list, of every type that conditions know. */
function comparison(): fc.Arbitrary<JsonObject> {
  const value = fc.oneof(operand, fc.array(operand, { maxLength: 3 }));
  return fc.oneof(
    fc.record({
      key: fc.constantFrom('beta', 'plan'),
      type: fc.constantFrom('person', 'group'),
      operator: fc.constantFrom('exact', 'is_not', 'icontains_multi', 'not_icontains_multi'),
      value,
    }),
    fc.record({
      key: fc.constant('id'),
      type: fc.constant('cohort'),
      operator: fc.constantFrom('in', 'not_in', 'exact'),
      value: fc.constantFrom<JsonValue>(42, 43, [42], [42, 43]),
    }),
    fc.record({
      key: fc.constantFrom('other', 'never'),
      type: fc.constant('flag'),
      operator: fc.constantFrom('flag_evaluates_to', 'exact'),
      value: fc.constantFrom<JsonValue>(true, false, 'a', 'b'),
    }),
  );
}

/** With more values of its list, or a list in place of its value. */
function withMore(property: JsonValue, more: JsonArray): JsonValue {
  if (!isJsonObject(property)) return property;
  const value = property['value'] ?? null;
  return { ...property, value: [...(isJsonArray(value) ? value : [value]), ...more] };
}

/** Small edits, one to three of them: whole random flags differ in everything, so that no class could be wrong. */
function edits(): fc.Arbitrary<Edit> {
  const place = fc.nat({ max: 3 });
  const ofFilters =
    (edit: (filters: JsonObject) => JsonObject): Edit =>
    (flag) => ({
      ...flag,
      filters: edit(objectOrEmpty(flag['filters'])),
    });
  const ofCondition = (index: number, edit: (condition: JsonObject) => JsonObject): Edit =>
    ofFilters((all) => ({
      ...all,
      groups: arrayOrEmpty(all['groups']).map((condition, at) =>
        at === index && isJsonObject(condition) ? edit(condition) : condition,
      ),
    }));
  const ofProperties = (index: number, edit: (properties: JsonArray) => JsonArray): Edit =>
    ofCondition(index, (condition) => ({ ...condition, properties: edit(arrayOrEmpty(condition['properties'])) }));
  const one: fc.Arbitrary<Edit> = fc.oneof(
    fc
      .tuple(place, fc.constantFrom(0, 10, 50, 90, 100))
      .map(([index, rollout]) => ofCondition(index, (condition) => ({ ...condition, rollout_percentage: rollout }))),
    fc
      .tuple(place, fc.constantFrom<JsonValue>(null, 'control', 'test', 'only', 'a'))
      .map(([index, forced]) => ofCondition(index, (condition) => ({ ...condition, variant: forced }))),
    fc.tuple(place, filters()).map(([index, other]) => {
      const [donor] = arrayOrEmpty(other['groups']);
      const [property] = arrayOrEmpty(objectOrEmpty(donor)['properties']);
      return ofCondition(index, (condition) => ({
        ...condition,
        properties: [...arrayOrEmpty(condition['properties']), ...(property === undefined ? [] : [property])],
      }));
    }),
    place.map((index) =>
      ofCondition(index, (condition) => ({ ...condition, properties: arrayOrEmpty(condition['properties']).slice(1) })),
    ),
    place.map((index) =>
      ofCondition(index, (condition) => ({
        ...condition,
        properties: arrayOrEmpty(condition['properties']).map((property): JsonValue =>
          isJsonObject(property) && Array.isArray(property['value'])
            ? { ...property, value: [...arrayOrEmpty(property['value']), 'pro'] }
            : property,
        ),
      })),
    ),
    place.map((index) => ofCondition(index, (condition) => ({ ...condition, description: `said ${index}` }))),
    place.map((index) =>
      ofFilters((all) => ({ ...all, groups: arrayOrEmpty(all['groups']).filter((_, at) => at !== index) })),
    ),
    filters().map((other) =>
      ofFilters((all) => ({
        ...all,
        groups: [...arrayOrEmpty(all['groups']), ...arrayOrEmpty(other['groups']).slice(0, 1)],
      })),
    ),
    fc.constant(ofFilters((all) => ({ ...all, groups: arrayOrEmpty(all['groups']).toReversed() }))),
    place.map((index) => ofProperties(index, (properties) => properties.toReversed())),
    // Both sides have the property, so that only its value differs.
    fc.tuple(place, comparison()).map(([index, property]) => ofProperties(index, () => [property])),
    fc
      .tuple(place, fc.array(operand, { maxLength: 2 }))
      .map(([index, more]) =>
        ofProperties(index, (properties) => properties.map((property) => withMore(property, more))),
      ),
    fc
      .tuple(place, operand)
      .map(([index, value]) =>
        ofProperties(index, (properties) =>
          properties.map((property) => (isJsonObject(property) ? { ...property, value } : property)),
        ),
      ),
    fc
      .tuple(place, fc.constantFrom<JsonValue | undefined>(0, null, undefined))
      .map(([index, own]) => ofCondition(index, (condition) => ({ ...condition, aggregation_group_type_index: own }))),
    fc.boolean().map((enrols) => ofFilters((all) => ({ ...all, feature_enrollment: enrols }))),
    comparison().map((property) => ofFilters((all) => ({ ...all, super_groups: [{ properties: [property] }] }))),
    fc
      .constantFrom('device_id', 'distinct_id')
      .map((bucketing_identifier): Edit => (flag) => ({ ...flag, bucketing_identifier })),
    fc.constant(ofFilters((all) => ({ ...all, multivariate: null }))),
    filters().map((other) => ofFilters((all) => ({ ...all, multivariate: other['multivariate'] ?? null }))),
    filters().map((other) => ofFilters((all) => ({ ...all, payloads: other['payloads'] ?? null }))),
    fc.boolean().map((exits) => ofFilters((all) => ({ ...all, early_exit: exits }))),
    fc.boolean().map((active): Edit => (flag) => ({ ...flag, active })),
    fc.constant<Edit>((flag) => ({ ...flag, name: 'renamed', tags: ['other'] })),
    fc.boolean().map((continuity): Edit => (flag) => ({ ...flag, ensure_experience_continuity: continuity })),
    fc
      .nat({ max: 100 })
      .map((percentage) => ofFilters((all) => ({ ...all, holdout: { id: 7, exclusion_percentage: percentage } }))),
    fc
      .constantFrom<JsonValue>(0, null)
      .map((index) => ofFilters((all) => ({ ...all, aggregation_group_type_index: index }))),
  );
  return fc
    .array(one, { minLength: 1, maxLength: 3 })
    .map((all) => (flag) => all.reduce((value, edit) => edit(value), flag));
}
