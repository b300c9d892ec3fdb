/** Laws of cohorts over generated definitions: their canonical form, and plans of them, in memory and over HTTP. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isJsonArray, type JsonObject, type JsonValue } from '../../src/base/json.ts';
import { canonicalCohort, sentCohort, statedCohort } from '../../src/posthog/cohort/cohort.ts';
import type { Cohort } from '../../src/posthog/cohort/cohort.ts';
import type { DesiredState } from '../../src/posthog/desired.ts';
import { parseManifest, resolveManifests } from '../../src/posthog/manifests/manifests.ts';
import { holds, holdsAsync } from '../helpers/runs.ts';
import { planFor } from '../helpers/states.ts';
import { openWorld } from '../helpers/world.ts';

const ALIASES = ['crew', 'staff', 'first', 'early'] as const;

const text = fc.constantFrom('pro', 'free', 'ä', '"quoted"', '1', 'true', 'a\nb');
const person = fc.oneof(
  fc.record({
    key: fc.constantFrom('plan', 'email'),
    type: fc.constant('person'),
    operator: fc.constantFrom('exact', 'is_not'),
    value: fc.oneof(text, fc.array(text, { minLength: 1, maxLength: 3 })),
  }),
  fc.record({
    key: fc.constant('plan'),
    type: fc.constant('person'),
    operator: fc.constant('icontains'),
    value: text,
    negation: fc.constant(false),
  }),
  fc.record({ key: fc.constant('plan'), type: fc.constant('person'), operator: fc.constant('is_set') }),
  fc.record({ key: fc.constant('plan'), value: text }),
) as fc.Arbitrary<JsonObject>;

/** A group of filters, or of groups. Only earlier cohorts are named, so that there is no cycle. */
function group(earlier: readonly string[]): fc.Arbitrary<JsonObject> {
  const other = fc.constantFrom(...earlier, '').map((value): JsonObject => ({ key: 'id', type: 'cohort', value }));
  const leaf =
    earlier.length === 0
      ? person
      : fc.oneof(
          person,
          other.filter(({ value }) => value !== ''),
        );
  const type = fc.constantFrom('AND', 'OR');
  const flat = fc.record({ type, values: fc.array(leaf, { minLength: 1, maxLength: 3 }) });
  const nested = fc.record({ type, values: fc.array(flat, { minLength: 1, maxLength: 2 }) });
  return fc.oneof(flat, nested) as fc.Arbitrary<JsonObject>;
}

type Declared = Readonly<Record<string, JsonObject>>;

const declaredCohorts: fc.Arbitrary<Declared> = fc
  .tuple(
    ...ALIASES.map((_alias, index) =>
      fc.record({
        description: fc.constantFrom('', 'Some.', ' padded '),
        filters: group(ALIASES.slice(0, index)).map((properties): JsonObject => ({ properties })),
      }),
    ),
  )
  .map((all) => Object.fromEntries(all.map((cohort, index) => [ALIASES[index], cohort]))) as fc.Arbitrary<Declared>;

function desiredOf(cohorts: readonly (readonly [string, JsonValue])[]): DesiredState {
  const { file, diagnostics } = parseManifest('cohorts.yaml', JSON.stringify({ cohorts: Object.fromEntries(cohorts) }));
  const resolved = resolveManifests([file], { name: 'p', roles: {}, cohorts: {} }, ['p']);
  // A generated cohort may name another one twice, which is only warned of.
  expect([...diagnostics, ...resolved.diagnostics].filter(({ severity }) => severity === 'error')).toEqual([]);
  return resolved.desired;
}

test('forms are idempotent, and what is sent or written means the same', () => {
  holds(200, [declaredCohorts], (cohorts) => {
    for (const fields of Object.values(cohorts)) {
      const canonical = canonicalCohort(fields);
      expect(canonicalCohort(canonical)).toEqual(canonical);
      for (const form of [sentCohort, statedCohort]) {
        expect(form(form(fields))).toEqual(form(fields));
        expect(canonicalCohort(form(fields))).toEqual(canonical);
      }
    }
  });
});

test('a plan is the same for any order of declarations and of live cohorts', () => {
  const order = fc.shuffledSubarray([...ALIASES], { minLength: ALIASES.length });
  holds(100, [declaredCohorts, declaredCohorts, order, order], (wanted, held, first, second) => {
    const live = first.slice(1).map((alias): Cohort => {
      const filters = JSON.parse(JSON.stringify(held[alias]?.['filters']), withoutNames) as JsonObject;
      return { ...held[alias], id: 100 + ALIASES.indexOf(alias), name: alias, is_static: false, filters };
    });
    const desired = desiredOf(Object.entries(wanted));
    const declared = new Map(desired.cohorts?.map((one) => [one.key, one]));
    const orders = [
      { declarations: [...ALIASES], cohorts: live },
      { declarations: second, cohorts: live.toReversed() },
    ];
    const [one, other] = orders.map(({ declarations, cohorts }) => {
      const shuffled = { ...desired, cohorts: declarations.flatMap((alias) => declared.get(alias) ?? []) };
      const { changes, fingerprint, warnings } = planFor(shuffled, { flags: [], roleAccess: {}, cohorts });
      return { refs: changes.map(({ ref, needs }) => [ref, needs]), fingerprint, warnings };
    });
    expect(other).toEqual(one);
  });
});

/** The service holds ids, never aliases. */
function withoutNames(key: string, value: JsonValue): JsonValue {
  if (key !== 'value' || isJsonArray(value) || typeof value !== 'string') return value;
  const index = (ALIASES as readonly string[]).indexOf(value);
  return index === -1 ? value : 100 + index;
}

test.each(['documented', 'posthog'] as const)('an apply leads to every state, in the profile %s', async (profile) => {
  const world = await openWorld(profile);
  await holdsAsync(12, [declaredCohorts], async (cohorts) => {
    const desired = desiredOf(Object.entries(cohorts));
    const { changes, remainder } = await world.apply(await world.plan(desired));
    expect(changes.filter(({ result }) => result.outcome !== 'applied')).toEqual([]);
    expect(remainder).toEqual([]);
    expect((await world.plan(desired)).changes).toEqual([]);
  });
});
