/** Properties of the service: it stores what it answered, and writing that again changes nothing. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/base/json.ts';
import { FLAGS, pathOf, start } from './harness.ts';
import { holdsAsync } from '../../test/helpers/runs.ts';
import { ANY_CHARACTER } from '../../test/helpers/any-character.ts';

const property = fc.oneof(
  fc.record(
    {
      key: fc.string({ minLength: 1 }),
      type: fc.constant('person'),
      operator: fc.constantFrom('exact', 'is_not'),
      value: fc.jsonValue(),
    },
    { requiredKeys: ['key'] },
  ),
  fc.record({
    key: fc.constantFrom('n', 5),
    operator: fc.constantFrom('min', 'max', 'gte'),
    value: fc.constantFrom('1', '25'),
  }),
  fc.constant({ key: 'id', type: 'cohort', operator: 'in', value: 42, cohort_name: 'echo' }),
);

const group = fc.record(
  {
    properties: fc.option(fc.array(property, { maxLength: 3 })),
    rollout_percentage: fc.constantFrom(null, 0, 12.5, '40', 100),
    variant: fc.constantFrom(null, 'a'),
    description: fc.string(),
    aggregation_group_type_index: fc.constant(null),
    unknown: fc.jsonValue(),
  },
  { requiredKeys: [] },
);

const filters = fc.record(
  {
    groups: fc.array(group, { minLength: 1, maxLength: 3 }),
    multivariate: fc.constantFrom(null, { variants: [{ key: 'a', rollout_percentage: 100 }] }),
    payloads: fc.oneof(fc.record({ a: fc.jsonValue() }), fc.record({ true: fc.jsonValue() }), fc.constant({})),
    super_groups: fc.jsonValue(),
    aggregation_group_type_index: fc.constant(null),
  },
  { requiredKeys: ['groups'] },
);

const flag = fc.record(
  {
    key: fc.stringMatching(/^[a-z][a-z0-9_-]{0,20}$/),
    name: fc.string({ unit: ANY_CHARACTER }),
    active: fc.boolean(),
    deleted: fc.boolean(),
    filters,
    tags: fc.array(fc.string({ unit: ANY_CHARACTER }), { maxLength: 4 }),
    ensure_experience_continuity: fc.constantFrom(null, true, false),
    created_at: fc
      .date({ noInvalidDate: true, min: new Date('2000-01-01'), max: new Date('2099-01-01') })
      .map((date) => date.toISOString()),
    rollback_conditions: fc.jsonValue(),
  },
  { requiredKeys: ['key'] },
);

/** The fields that every write changes. */
function settled({ version: _version, updated_at: _updatedAt, ...rest }: JsonObject): JsonObject {
  return rest;
}

test.each(['documented', 'posthog'] as const)('in the profile %s', async (profile) => {
  const client = await start({ profile });
  await holdsAsync(60, [flag], async (drawn) => {
    const body = JSON.parse(JSON.stringify(drawn)) as Record<string, JsonValue>;
    const created = await client.post(FLAGS, body);
    expect([201, 400]).toContain(created.status);
    // A refused flag counts as no run: another is drawn, so that chance does not decide how many flags are tried.
    fc.pre(created.status === 201);
    const path = pathOf(created.body);
    expect((await client.get(path)).body).toEqual(created.body);
    expect((await client.get(path)).body).toEqual(created.body);
    expect(settled((await client.patch(path, body)).body)).toEqual(settled(created.body));
    expect(settled((await client.patch(path, created.body)).body)).toEqual(settled(created.body));
    expect(settled((await client.get(path)).body)).toEqual(settled(created.body));
    await client.patch(path, { deleted: true });
  });
});
