/** The flag that is predicted after scheduled changes is the flag that the service has once its clock has passed them. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isJsonArray, jsonEquals, type JsonObject, type JsonValue } from '../../src/base/json.ts';
import { predictChanges, type PredictedChange } from '../../src/posthog/flag/schedules.ts';
import { readLiveState } from '../../src/posthog/reading/live-state.ts';
import { takeFlagSnapshot, sidesOf } from '../../src/posthog/flag/snapshot.ts';
import type { Flag } from '../../src/posthog/flag/model/flag.ts';
import { takeSnapshot } from '../../src/posthog/snapshot.ts';
import { selectionOf } from '../../src/posthog/live-selection.ts';
import { filters } from '../helpers/arbitraries.ts';
import { holdsAsync } from '../helpers/runs.ts';
import { declared, desiredState, planFor } from '../helpers/states.ts';
import { startWorld, type World } from '../helpers/world.ts';

const NOW = '2026-11-01T00:00:00Z';
const DAY_MS = 86_400_000;

/** Today's service refuses an empty list of variants, and a property without a type. */
const accepted = filters().map(({ multivariate, groups, ...others }): JsonObject => {
  const { variants } = (multivariate ?? {}) as { readonly variants?: readonly JsonValue[] };
  const typed = (groups as readonly JsonObject[]).map(({ properties, ...group }) => ({
    ...group,
    ...(isJsonArray(properties) && {
      properties: properties.map((one) => ({ type: 'person', ...(one as JsonObject) })),
    }),
  }));
  return {
    ...others,
    groups: typed,
    ...(variants?.length !== 0 && multivariate !== undefined && { multivariate }),
  };
});

const payload: fc.Arbitrary<JsonObject> = fc.oneof(
  fc.boolean().map((value) => ({ operation: 'update_status', value })),
  accepted.map(({ groups = [] }) => ({ operation: 'add_release_condition', value: { groups } })),
  accepted.map(({ multivariate, payloads }) => {
    const { variants = [] } = (multivariate ?? {}) as JsonObject;
    return { operation: 'update_variants', value: { variants, payloads: payloads ?? {} } };
  }),
);

interface Case {
  readonly live: JsonObject;
  /** What the manifests want of it. */
  readonly wanted: JsonObject;
  /** By the day on which each is made. */
  readonly payloads: readonly JsonObject[];
}

const anyCase: fc.Arbitrary<Case> = fc.record({
  live: fc.record({ active: fc.boolean(), filters: accepted }),
  wanted: fc.oneof(fc.constant({}), fc.record({ active: fc.boolean(), filters: accepted })),
  payloads: fc.array(payload, { minLength: 1, maxLength: 4 }),
});

const DECIDED = ['active', 'filters'] as const;

async function schedule(world: World, flag: Flag, body: JsonObject): Promise<void> {
  const response = await fetch(`${world.url}/api/projects/1/scheduled_changes/`, {
    method: 'POST',
    headers: { authorization: 'Bearer k', 'content-type': 'application/json' },
    body: JSON.stringify({ record_id: String(flag.id), model_name: 'FeatureFlag', ...body }),
  });
  expect(response.status).toBe(201);
}

function last(predicted: readonly PredictedChange[], start: JsonObject): JsonObject {
  const made = predicted.flatMap(({ outcome }) => (outcome.kind === 'made' ? [outcome.after] : []));
  return made.at(-1) ?? start;
}

test('holds for random flags, plans and schedules', async () => {
  let followed = 0;
  await holdsAsync(200, [anyCase], async ({ live, wanted, payloads }) => {
    const seed = { flags: [{ id: 1, key: 'a', ...live }] };
    const world = await startWorld('posthog', seed, { now: () => new Date(NOW) });
    try {
      const created = (await world.client.listFlags())[0] as Flag;
      for (const [index, one] of payloads.entries()) {
        const scheduled_at = new Date(Date.parse(NOW) + (index + 1) * DAY_MS).toISOString();
        await schedule(world, created, { payload: one, scheduled_at });
      }
      const desired = desiredState(declared('a', wanted));
      const before = await readLiveState(world.client, selectionOf(desired), { schedules: true });
      const plan = planFor(desired, before);
      const ofFlag = plan.changes.filter((change) => change.resource === 'flag');
      const { flags, schedules } = takeSnapshot(before);
      const start = ofFlag.length === 0 ? flags.comparable(before.flags[0] as Flag) : (sidesOf(ofFlag).after ?? {});
      const predicted = predictChanges(start, schedules.get(created.id), flags);
      const { outcomes } = await world.apply(plan);
      fc.pre(outcomes.applied === plan.changes.length);
      world.clock.advance(30 * DAY_MS);
      const ran = await world.client.listScheduledChanges();
      for (const { schedule: one, outcome } of predicted) {
        const failed = ran.find(({ id }) => id === one.id)?.['failure_reason'] !== null;
        if (outcome.kind === 'refused') expect(failed, JSON.stringify(one)).toBe(true);
        // Conditions of the schedule itself may be refused, which nobody predicts.
        if (outcome.kind !== 'refused') fc.pre(!failed);
      }
      fc.pre(predicted.every(({ outcome }) => outcome.kind !== 'unknown'));
      followed += 1;
      const after = await world.live(desired);
      const found = takeFlagSnapshot(after).comparable(after.flags[0] as Flag);
      const wantedAfter = last(predicted, start);
      for (const field of DECIDED) {
        const [is, told]: (JsonValue | undefined)[] = [found[field], wantedAfter[field]];
        if (!jsonEquals(is, told)) expect({ field, is }).toEqual({ field, is: told });
      }
    } finally {
      await world.close();
    }
  });
  expect(followed).toBeGreaterThan(0);
});
