/** What the classes of a change say of people holds for people who are evaluated, in both generations of the service. */

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { arrayOrEmpty, isJsonObject, objectOrEmpty, type JsonObject, type JsonValue } from '../../src/base/json.ts';
import { joinReaches, type EffectClass } from '../../src/effects/effect.ts';
import { findDriftEffects, findEffects } from '../../src/effects/find-effects.ts';
import { movedShare } from '../../src/effects/variant-effects.ts';
import { evaluateFlag } from '../../src/evaluation/evaluate.ts';
import type { FlagValue } from '../../src/evaluation/evaluation.ts';
import type { Generation } from '../../src/evaluation/input.ts';
import { buildPlan } from '../../src/posthog/build-plan.ts';
import type { Flag } from '../../src/posthog/flag/flag.ts';
import { contextWith, subjectWith } from '../evaluation/support.ts';
import { filters, flagFields } from '../helpers/arbitraries.ts';
import { runs } from '../helpers/runs.ts';
import { declared, desiredState, liveFlag, liveState, planOptions } from '../helpers/states.ts';

const PEOPLE = people();

/** A field that the manifests leave out is no change. */
const DECLARED: JsonObject = {
  active: true,
  name: '',
  tags: [],
  ensure_experience_continuity: false,
  filters: { groups: [{}] },
};

it('keeps the promise of its classes for everybody', () => {
  fc.assert(
    fc.property(flagFields(), edits(), (fields, edit) => {
      const before = { active: true, filters: { groups: [{}] }, ...fields };
      const after = { ...before, ...edit(before) };
      const found = classify(before, after);
      const reach = joinReaches(found ?? []);
      for (const generation of ['python-2023', 'rust-2026'] as const) {
        for (const [former, wanted] of valuesOf(before, after, generation)) {
          const what = { classes: found, former, wanted };
          if (former === false && wanted !== false) expect(reach.turnsOn, JSON.stringify(what)).toBe(true);
          if (former !== false && wanted === false) expect(reach.turnsOff, JSON.stringify(what)).toBe(true);
          const isOn = former !== false && wanted !== false;
          if (isOn && former !== wanted) expect(reach.changesVariant, JSON.stringify(what)).toBe(true);
        }
      }
    }),
    { numRuns: runs(1_000) },
  );
});

it('does not depend on the direction: what one way may turn on, the other may turn off', () => {
  fc.assert(
    fc.property(flagFields(), edits(), (fields, edit) => {
      const start = { ...DECLARED, ...fields };
      // Others decide about a holdout that the manifests leave out.
      const holdout = { id: 7, exclusion_percentage: 0 };
      const before = { ...start, filters: { ...objectOrEmpty(start['filters']), holdout } };
      const after = { ...before, ...edit(before) };
      const [there, back] = [joinReaches(classify(before, after) ?? []), joinReaches(classify(after, before) ?? [])];
      expect([there.turnsOn, there.turnsOff, there.changesVariant]).toEqual([
        back.turnsOff,
        back.turnsOn,
        back.changesVariant,
      ]);
    }),
    { numRuns: runs(500) },
  );
});

it('reads drift as the plan of the opposite direction', () => {
  fc.assert(
    fc.property(flagFields(), edits(), (fields, edit) => {
      const start = { ...DECLARED, ...fields };
      const one = {
        ...start,
        filters: { ...objectOrEmpty(start['filters']), holdout: { id: 7, exclusion_percentage: 0 } },
      };
      const other = { ...one, ...edit(one) };
      const plan = buildPlan(desiredState(declared('a', one)), liveState([liveFlag(1, 'a', other)]), planOptions());
      const drifted = findDriftEffects(plan)[0];
      const applied = findEffects(planOf(one, other))[0];
      expect([drifted?.classes, drifted?.dormant]).toEqual([applied?.classes, applied?.dormant]);
    }),
    { numRuns: runs(300) },
  );
});

it('has exactly the changes of the plan in its effects', () => {
  fc.assert(
    fc.property(flagFields(), flagFields(), (live, wanted) => {
      const plan = planOf(live, wanted);
      expect(findEffects(plan).flatMap(({ refs }) => refs)).toEqual(plan.changes.map(({ ref }) => ref));
      for (const { effects } of findEffects(plan)) expect(effects).not.toEqual([]);
    }),
    { numRuns: runs(300) },
  );
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
  fc.assert(
    fc.property(shares, shares, (one, other) => {
      expect(movedShare(one, one)).toBe(0);
      expect(movedShare(one, other)).toBe(movedShare(other, one));
      expect(movedShare(one, other)).toBeLessThanOrEqual(100);
    }),
    { numRuns: runs(300) },
  );
});

function planOf(live: JsonObject, wanted: JsonObject): ReturnType<typeof buildPlan> {
  return buildPlan(desiredState(declared('a', wanted)), liveState([liveFlag(1, 'a', live)]), planOptions());
}

function classify(before: JsonObject, after: JsonObject): readonly EffectClass[] | undefined {
  return findEffects(planOf(before, after))[0]?.classes;
}

function* valuesOf(before: JsonObject, after: JsonObject, generation: Generation): Iterable<[FlagValue, FlagValue]> {
  const context = contextWith({ generation });
  for (const subject of PEOPLE) {
    const valueOf = (fields: JsonObject): FlagValue =>
      evaluateFlag('a', { flags: [liveFlag(1, 'a', fields) as Flag], context, subject })?.value ?? false;
    yield [valueOf(before), valueOf(after)];
  }
}

/** With the properties that the arbitrary flags ask for, alone and together. */
function people(): ReturnType<typeof subjectWith>[] {
  const values = ['@acme.com', 'DE', 'pro', '25', 'true', ''];
  const properties = ['email', 'country', 'plan', 'seats', 'beta', 'company'];
  return Array.from({ length: 60 }, (_, index) => {
    const own = Object.fromEntries(
      properties.flatMap((name, place) => {
        const value = values[(index * (place + 1)) % (values.length + 2)];
        return value === undefined ? [] : [[name, value]];
      }),
    );
    return subjectWith({
      distinctId: `person-${index}`,
      personProperties: own,
      ...(index % 2 === 0 ? { groups: { company: `g${index}` }, groupProperties: { company: own } } : {}),
    });
  });
}

type Edit = (flag: JsonObject) => JsonObject;

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
