/** Undo restores what was stored, whatever the names of its members. */

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApplyResult } from '../../src/loop/apply/result.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../src/base/json.ts';
import type { Flag } from '../../src/posthog/flag/model/flag.ts';
import { invertPlan, type AppliedChange } from '../../src/posthog/planning/invert-plan.ts';
import { planDocument, parsePlanDocument } from '../../src/posthog/planning/plan-document.ts';
import { filters } from '../helpers/arbitraries.ts';
import { holdsAsync } from '../helpers/runs.ts';
import { declared, desiredState, planOptions } from '../helpers/states.ts';
import { startWorld, type World } from '../helpers/world.ts';

const NAMES = ['cohort_name', 'group_key_names', 'label', 'sort_key', '__proto__', 'constructor', 'name', 'true'];
const VARIANTS = ['cohort_name', 'group_key_names', 'label', '__proto__', 'constructor'];

const name = fc.constantFrom(...NAMES);
const scalar = fc.constantFrom<JsonValue>(null, true, 0, 1.5, '', 'x', '{"cohort_name": 1}');
const hostile: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    scalar,
    fc.array(tie('value'), { maxLength: 2 }),
    fc.array(fc.tuple(name, tie('value')), { maxLength: 3 }).map((members) => Object.fromEntries(members)),
  ),
})).value;

const property = fc
  .record({
    key: fc.constantFrom('email', '$group_key', ...NAMES),
    value: fc.oneof(fc.constantFrom<JsonValue>('x', ['x', 'y']), fc.array(fc.constantFrom(...NAMES), { minLength: 1 })),
    further: fc.array(fc.tuple(fc.constantFrom('cohort_name', 'label', 'note'), fc.constantFrom('a', 'b'))),
  })
  .map(({ key, value, further }): JsonObject => ({
    ...Object.fromEntries(further),
    key,
    type: 'person',
    operator: 'exact',
    value,
  }));

const hostileFilters: fc.Arbitrary<JsonObject> = fc
  .record({
    variants: fc.uniqueArray(fc.constantFrom(...VARIANTS), { maxLength: 3 }),
    groups: fc.array(
      fc.record({
        properties: fc.array(property, { maxLength: 2 }),
        rollout_percentage: fc.constantFrom(0, 10, 100),
        sort_key: fc.constantFrom('a', 'b'),
      }),
      { minLength: 1, maxLength: 2 },
    ),
    payload: fc.array(hostile, { minLength: 3, maxLength: 3 }),
    asText: fc.boolean(),
  })
  .map(({ variants, groups, payload, asText }): JsonObject => ({
    groups,
    ...(variants.length === 0
      ? {}
      : { multivariate: { variants: variants.map((key, at) => ({ key, rollout_percentage: at === 0 ? 100 : 0 })) } }),
    payloads: Object.fromEntries(
      (variants.length === 0 ? ['true'] : variants).map((key, at) => [
        key,
        asText || typeof payload[at] === 'string' ? JSON.stringify(payload[at]) : (payload[at] ?? null),
      ]),
    ),
  }));

/** What the journal passes to `undo`. */
function appliedOf(result: ApplyResult, document: string): AppliedChange[] {
  const { changes } = parsePlanDocument(document);
  return result.changes.map(({ result: outcome }, index) => {
    expect(outcome.outcome).toBe('applied');
    const id = outcome.outcome === 'applied' && outcome.id !== undefined ? { id: outcome.id } : {};
    return { change: changes[index] as AppliedChange['change'], ...id };
  });
}

/** A part that is null counts as absent. */
function stored(flag: Flag): JsonObject {
  const entries = Object.entries(isJsonObject(flag.filters) ? flag.filters : {});
  return Object.fromEntries(entries.filter((entry): entry is [string, JsonValue] => (entry[1] ?? null) !== null));
}

describe.each(['documented', 'posthog'] as const)('undo in profile %s', (profile) => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld(profile);
  });
  afterAll(() => world.close());

  it('restores what was stored, whatever its members are called', async () => {
    let count = 0;
    await holdsAsync(25, [hostileFilters, filters()], async (former, edited) => {
      const key = `flag-${(count += 1)}`;
      const { id } = await world.client.createFlag({ key, filters: former });
      // Saved once more, so that it has the service's own form.
      await world.client.updateFlag(id, { filters: former });
      const before = await world.client.getFlag(id);

      const plan = await world.plan(desiredState(declared(key, { filters: edited, active: true })));
      const document = JSON.stringify(planDocument(plan));
      const result = await world.apply(plan);
      const inversion = invertPlan(appliedOf(result, document), await world.live(), planOptions());
      expect(inversion.refused).toEqual([]);
      const undone = await world.apply(inversion.plan);
      expect([undone.remainder, undone.verified]).toEqual([[], true]);

      const after = await world.client.getFlag(id);
      expect(stored(after)).toEqual(stored(before));
      expect(JSON.stringify(stored(after)['payloads'])).toBe(JSON.stringify(stored(before)['payloads']));
      await world.client.updateFlag(id, { deleted: true });
    });
  });
});
