/** What doctor says of the alerts that guard rollouts, over HTTP: whether each is one that can let a step through. */

import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { CONFIG } from '../../helpers/git-stage.ts';
import { schemaErrors } from '../../helpers/schemas.ts';
import { hour, timedStage } from '../../helpers/timed-stage.ts';

const MANIFEST = `flags:
  checkout: { active: true, rollout_percentage: { guard: errors, steps: [{ at: ${hour(1)}, to: 10 }, { at: ${hour(5)}, to: 50 }] } }
`;
const CHECK = { at: hour(1), state: 'Not firing' };

interface Result {
  readonly code: string;
  readonly status: string;
  readonly message: string;
  readonly remedy?: string;
}

interface Given {
  readonly alerts?: readonly JsonObject[];
  readonly guards?: string;
  readonly faults?: readonly JsonObject[];
}

/** What doctor says of guards, an hour and a half after the start; and of its text. */
async function examined({ alerts = [], guards = 'errors: { alert: Checkout errors }', faults = [] }: Given): Promise<{
  readonly results: readonly Result[];
  readonly text: string;
}> {
  const seed = { alerts: [...alerts] };
  const config = `${CONFIG}guards:\n  ${guards}\n`;
  const { runAt } = await timedStage(MANIFEST, {
    config,
    seed,
    ...(faults.length > 0 && { faults: { faults: [...faults] } }),
  });
  const text = (await runAt(1.5, 'doctor')).stdout;
  const document = (await runAt(1.5, 'doctor', '-f', 'json')).document();
  expect(schemaErrors('doctor', document)).toEqual([]);
  const results = document['results'] as unknown as readonly Result[];
  return { text, results: results.filter(({ code }) => code.startsWith('guard')) };
}

const alert = (more: JsonObject = {}): JsonObject => ({
  name: 'Checkout errors',
  calculation_interval: 'hourly',
  checks: [CHECK],
  ...more,
});

test.each<readonly [what: string, given: Given, status: string, words: string, remedy: string]>([
  ['is quiet', { alerts: [alert()] }, 'ok', 'errors passes: the alert Checkout errors does not fire', ''],
  ['fires', { alerts: [alert({ checks: [{ at: hour(1), state: 'Firing' }] })] }, 'ok', 'errors holds: the alert', ''],
  ['is not there', { alerts: [alert({ name: 'Other' })] }, 'warning', 'does not exist', 'Make an alert with this name'],
  ['is one of two', { alerts: [alert(), alert()] }, 'warning', 'several have the name', 'Rename all but one'],
  ['is disabled', { alerts: [alert({ enabled: false })] }, 'warning', 'is disabled', 'Enable the alert'],
  ['is snoozed', { alerts: [alert({ snoozed_until: hour(90) })] }, 'warning', 'is snoozed', 'End the snooze'],
  [
    'could not be checked',
    { alerts: [alert({ checks: [{ at: hour(1), state: 'Errored' }] })] },
    'warning',
    'the last check of the alert Checkout errors failed',
    'Correct the insight',
  ],
  [
    'was never checked',
    { alerts: [alert({ checks: [] })] },
    'warning',
    'was not checked yet',
    'Wait for the next check',
  ],
  [
    'was checked too long ago',
    { alerts: [alert({ checks: [{ at: hour(-40), state: 'Not firing' }] })] },
    'warning',
    'which is longer ago than `max_age`',
    'See why PostHog did not check',
  ],
  [
    'cannot be read',
    { alerts: [alert()], faults: [{ match: { operation: 'listAlerts' }, count: 9, answer: { status: 418 } }] },
    'warning',
    'could not be read',
    'Run again later',
  ],
])('an alert that %s', async (_, given, status, words, remedy) => {
  const { results, text } = await examined(given);
  expect(results).toHaveLength(1);
  expect(results[0]).toMatchObject({ code: 'guard_alert', status, message: expect.stringContaining(words) as string });
  expect(results[0]?.remedy ?? '').toContain(remedy);
  expect(results[0]?.remedy === undefined).toBe(remedy === '');
  expect(text).toContain(words);
});

test.each([
  ['monthly', '7d', true],
  ['daily', '1d', false],
  ['daily', '23h', true],
  ['every_15_minutes', '10m', true],
  ['real_time', '10m', false],
])('an alert that is checked %s, with a max_age of %s', async (interval, maxAge, isSlow) => {
  const alerts = [alert({ calculation_interval: interval })];
  const { results } = await examined({ alerts, guards: `errors: { alert: Checkout errors, max_age: ${maxAge} }` });
  const slow = results.filter(({ code }) => code === 'guard_slow');
  expect(slow.map(({ status }) => status)).toEqual(isSlow ? ['warning'] : []);
});

test('a guard that no rollout names is said, and alerts of other projects and verdicts are not asked for', async () => {
  const { results } = await examined({
    guards: `errors: { verdict: errors }\n  idle: { verdict: idle }`,
  });
  expect(results).toMatchObject([{ code: 'guards_idle', status: 'ok', message: 'no rollout names guard idle' }]);
});
