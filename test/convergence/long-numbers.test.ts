/** Numbers that a double would round are unchanged on every path through a run. */

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseJson, stringifyJson } from '../../src/base/json-text.ts';
import type { JsonObject, JsonValue } from '../../src/base/json.ts';
import { invertPlan } from '../../src/posthog/planning/invert-plan.ts';
import { planDocument, parseSavedPlan } from '../../src/posthog/planning/plan-document.ts';
import { holdsAsync } from '../helpers/runs.ts';
import { declared, desiredState, planOptions } from '../helpers/states.ts';
import { startWorld, type World } from '../helpers/world.ts';

const literal = fc.constantFrom(
  '9007199254740993',
  '-9007199254740993',
  '12345678901234567890',
  '100000000000000000000000000000000001',
  '0.12345678901234567890123',
);

interface Shape {
  readonly inPayload: boolean;
  readonly asText: boolean;
  readonly inValue: boolean;
  readonly inHoldout: boolean;
}

const shape: fc.Arbitrary<Shape> = fc.record({
  inPayload: fc.boolean(),
  asText: fc.boolean(),
  inValue: fc.boolean(),
  inHoldout: fc.boolean(),
});

function filters(number: JsonValue, rollout: number, { inPayload, asText, inValue }: Shape): JsonObject {
  const payload = { id: number, list: [1, number] };
  return {
    groups: [
      {
        properties: inValue ? [{ key: 'id', type: 'person', operator: 'exact', value: ['x', number] }] : [],
        rollout_percentage: rollout,
      },
    ],
    ...(inPayload ? { payloads: { true: asText ? stringifyJson(payload) : payload } } : {}),
  };
}

const holdout = (number: JsonValue): JsonObject => ({
  holdout_groups: [{ properties: [], rollout_percentage: 0, variant: 'holdout-1', id: number }],
});

/** The filters as the service answers, read by another parser: a short number replaces each long one. */
async function rawFilters(world: World, id: number, text: string): Promise<unknown> {
  const url = `${world.url}/api/projects/1/feature_flags/${id}/`;
  const answer = await fetch(url, { headers: { authorization: 'Bearer phx_test' } });
  return (JSON.parse((await answer.text()).replaceAll(text, '77077')) as { filters: unknown }).filters;
}

describe.each(['documented', 'posthog'] as const)('long numbers in profile %s', (profile) => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld(profile);
  });
  afterAll(() => world.close());

  it('are the same after an apply of a saved plan, and after its undo', async () => {
    let count = 0;
    await holdsAsync(25, [literal, shape], async (text, form) => {
      const key = `flag-${(count += 1)}`;
      const number = parseJson(text);
      const former = { ...filters(number, 10, form), ...(form.inHoldout ? holdout(number) : {}) };
      const { id } = await world.client.createFlag({ key, filters: former });
      await world.client.updateFlag(id, { filters: former });
      const before = await rawFilters(world, id, text);

      const wanted = declared(key, { filters: filters(number, 20, form) });
      expect((await world.plan(desiredState(declared(key, { filters: filters(number, 10, form) })))).changes).toEqual(
        [],
      );
      const document = stringifyJson(planDocument(await world.plan(desiredState(wanted))));
      const result = await world.apply(parseSavedPlan(document));
      expect([result.remainder, result.verified]).toEqual([[], true]);
      expect((await world.plan(desiredState(wanted))).changes).toEqual([]);
      const after = (await rawFilters(world, id, text)) as { groups: { rollout_percentage: number }[] };
      for (const group of after.groups) group.rollout_percentage = 10;
      expect(after).toEqual(before);

      const applied = parseSavedPlan(document).changes.map((change) => ({ change }));
      const inversion = invertPlan(applied, await world.live(), planOptions());
      expect(inversion.refused).toEqual([]);
      const undone = await world.apply(inversion.plan);
      expect([undone.remainder, undone.verified]).toEqual([[], true]);
      expect(await rawFilters(world, id, text)).toEqual(before);
      await world.client.updateFlag(id, { deleted: true });
    });
  });

  it('differ from numbers that a double would treat as equal', async () => {
    const key = 'differs';
    const form = { inPayload: true, asText: false, inValue: true, inHoldout: false };
    await world.client.createFlag({ key, filters: filters(9_007_199_254_740_993n, 10, form) });
    const plan = await world.plan(desiredState(declared(key, { filters: filters(9_007_199_254_740_992, 10, form) })));
    expect(plan.changes).toHaveLength(1);
  });
});
