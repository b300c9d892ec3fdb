/** Scheduled changes of the service beside declared rollouts: a conflict is said when the steps are reviewed, before the two meet. */

import { expect, test } from 'vitest';
import type { JsonValue } from '../../src/base/json.ts';
import { REF } from '../helpers/git-stage.ts';
import { schemaErrors } from '../helpers/schemas.ts';
import { KEY } from '../helpers/stage.ts';
import { hour as at, timedStage, type TimedStage } from '../helpers/timed-stage.ts';

const STEPS = `{ steps: [{ at: ${at(10)}, to: 10 }, { at: ${at(20)}, to: 50 }] }`;
const manifest = (active: string, percentage: string): string =>
  `flags:\n  checkout:\n    active: ${active}\n    rollout_percentage: ${percentage}\n  search: { active: true, rollout_percentage: 30 }\n`;
const MERGED = manifest('true', '0');
const APPENDS: JsonValue = { operation: 'add_release_condition', value: { groups: [{ rollout_percentage: 20 }] } };
const SWITCHES: JsonValue = { operation: 'update_status', value: false };

interface Staged extends TimedStage {
  readonly schedule: (payload: JsonValue) => Promise<void>;
}

/** Applied at hour 0. */
async function staged(merged: string = MERGED): Promise<Staged> {
  const here = await timedStage(merged);
  expect(await here.runAt(0, 'apply', '--yes')).toMatchObject({ code: 0 });
  const [checkout] = (await here.world.client.listFlags()).filter(({ key }) => key === 'checkout');
  return {
    ...here,
    schedule: async (payload) => {
      const body = { record_id: String(checkout?.id), model_name: 'FeatureFlag', scheduled_at: at(15), payload };
      const answer = await fetch(`${here.world.url}/api/projects/1/scheduled_changes/`, {
        method: 'POST',
        headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      expect(answer.status).toBe(201);
    },
  };
}

test.each<[string, string, JsonValue, readonly string[]]>([
  ['conditions', manifest('true', STEPS), APPENDS, ['conditions']],
  ['the state', manifest(`{ from: true, steps: [{ at: ${at(20)}, to: false }] }`, '0'), SWITCHES, ['active']],
  ['what nobody knows', manifest('true', STEPS), { operation: 'archive', value: true }, ['conditions']],
  ['another part', manifest('true', STEPS), SWITCHES, []],
])('a rollout that a change declares, and a schedule of %s', async (_, pull, payload, parts) => {
  const { runAt, schedule, commit, git } = await staged();
  await schedule(payload);
  commit({ 'flags/main.yaml': pull });
  const before = git('rev-parse', REF);
  const document = (await runAt(1, 'plan', '-f', 'json')).document();
  expect(schemaErrors('plan', document)).toEqual([]);
  expect(document).toMatchObject({ changes: [], warnings: [{ code: 'scheduled', key: 'checkout' }] });
  expect(document['hazards']).toMatchObject(
    parts.length === 0
      ? []
      : [{ code: 'schedule_conflict', key: 'checkout', parts, at: expect.any(String) as unknown }],
  );
  expect((await runAt(1, 'apply', '--yes')).code).toBe(parts.length === 0 ? 0 : 4);
  if (parts.length === 0) return;
  expect(git('rev-parse', REF)).toBe(before);
  const { stdout } = await runAt(1, 'plan');
  expect(stdout).toContain(`the service is to change its ${parts.join(' and ')} too`);
  expect(stdout).toContain('--allow-risky checkout');
  expect((await runAt(1, 'apply', '--yes', '--target', 'search')).code).toBe(0);
  expect((await runAt(1, 'apply', '--yes', '--allow-risky', 'checkout')).code).toBe(0);
  expect((await runAt(1.1, 'plan', '-f', 'json')).document()).toMatchObject({ changes: [], hazards: [] });
});

test('a schedule that is added later refuses no plan of other flags, and is told of', async () => {
  const { runAt, schedule, commit } = await staged(manifest('true', STEPS));
  await schedule(APPENDS);
  commit({ 'flags/main.yaml': manifest('true', STEPS).replace('30', '40') });
  const ran = await runAt(1, 'plan');
  expect(ran.stdout).toContain('changes checkout on 2026-12-01 23:00:00 UTC (adds conditions)');
  expect(ran.stdout).not.toContain('too, from');
  expect((await runAt(1, 'apply', '--yes')).code).toBe(0);
});

test('a schedule of another part finds the flag at the step that it has by then', async () => {
  const { runAt, schedule } = await staged(manifest('true', STEPS));
  await schedule(SWITCHES);
  for (const [hours, share] of [
    [1, 10],
    [10, 10],
  ] as const) {
    expect((await runAt(hours, 'plan')).stdout).toContain(`impact: of everyone, ${share}% lose the flag`);
  }
  // Late: the step is made now, and the next one is as much later.
  const { scheduled } = (await runAt(14.9, 'plan', '-f', 'json')).document() as { scheduled: { changes: object[] } };
  expect(scheduled.changes).toMatchObject([{ impact: [{ key: 'checkout', up_to: { turnsOff: 10 } }] }]);
});
