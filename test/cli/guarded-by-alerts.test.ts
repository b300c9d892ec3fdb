/** Guarded rollouts by alerts of the service, over HTTP: what each state of an alert, and each failure of reading it, does to a due step. */

import { describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/base/json.ts';
import { CONFIG } from '../helpers/git-stage.ts';
import { KEY } from '../helpers/stage.ts';
import { hour, timedStage, type TimedStage } from '../helpers/timed-stage.ts';

const MANIFEST = `flags:
  checkout:
    active: true
    rollout_percentage:
      guard: errors
      steps:
        - { at: ${hour(1)}, to: 10 }
        - { at: ${hour(5)}, to: 50 }
`;
const config = `${CONFIG}guards:\n  errors: { alert: Checkout errors, max_age: 3h }\n`;

const check = (at: number, state = 'Not firing'): JsonObject => ({ at: hour(at), state });
/** At 10% since the first hour, by a check that let that step through. */
async function begun(checks: readonly JsonObject[], faults?: JsonValue): Promise<TimedStage> {
  const seed = { alerts: [{ name: 'Checkout errors', checks: [check(1), ...checks] }] };
  const staged = await timedStage(MANIFEST, { config, seed, ...(faults === undefined ? {} : { faults }) });
  for (const hours of [0, 1]) expect((await staged.runAt(hours, 'apply', '--yes')).code).toBe(faults ? 3 * hours : 0);
  return staged;
}

/** What somebody does to the alert in the service. */
async function change({ world }: TimedStage, method: string, body?: JsonObject): Promise<void> {
  const send = async (verb: string, path: string, content?: JsonObject): Promise<Response> =>
    fetch(`${world.url}/api/projects/1/alerts/${path}`, {
      method: verb,
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      ...(content && { body: JSON.stringify(content) }),
    });
  const { results } = (await (await send('GET', '')).json()) as {
    readonly results: readonly [JsonObject & { readonly id: string }];
  };
  const [{ id, insight }] = results;
  const answer =
    method === 'POST'
      ? await send('POST', '', { ...body, insight: (insight as JsonObject)['id'] ?? null, subscribed_users: [] })
      : await send(method, `${id}/`, body);
  expect(answer.ok).toBe(true);
}

describe('a due step', () => {
  test.each<readonly [what: string, checks: readonly JsonObject[], words: string]>([
    [
      'fires',
      [check(4.5, 'Firing')],
      'errors holds: the alert Checkout errors fires (checked at 2026-12-01 12:30:00 UTC)',
    ],
    ['could not be checked', [check(4.5, 'Errored')], 'the last check of the alert Checkout errors failed'],
    ['was not checked since the last step', [], 'is from 2026-12-01 09:00:00 UTC, which is not after the last step'],
    ['was checked longer ago than max_age', [check(1.5)], 'which is longer ago than `max_age`'],
  ])('waits if the alert %s', async (_, checks, words) => {
    const { runAt, percentages } = await begun(checks);
    const ran = await runAt(5, 'apply', '--due');
    expect(ran.stdout).toContain(words);
    expect(ran).toMatchObject({ code: 0 });
    expect(await percentages()).toEqual({ checkout: 10 });
  });

  const THRESHOLD = { threshold: { configuration: { type: 'absolute', bounds: { upper: 9 } } } };
  test.each<readonly [what: string, method: string, body: JsonObject | undefined, words: string]>([
    ['deletes the alert', 'DELETE', undefined, 'does not exist'],
    ['renames it', 'PATCH', { name: 'Errors' }, 'does not exist'],
    ['disables it', 'PATCH', { enabled: false }, 'is disabled'],
    ['snoozes it', 'PATCH', { snoozed_until: '1d' }, 'is snoozed'],
    ['makes another of the name', 'POST', { name: 'Checkout errors', ...THRESHOLD }, 'several have the name'],
    ['edits it while it fires, which sets it to not firing', 'PATCH', THRESHOLD, 'was edited after its last check'],
  ])('waits if somebody %s', async (_, method, body, words) => {
    const staged = await begun([check(4, 'Firing')]);
    staged.setClock(4.5);
    await change(staged, method, body);
    const ran = await staged.runAt(5, 'apply', '--due');
    expect(ran.stdout).toContain(words);
    expect(ran).toMatchObject({ code: 0 });
    expect(await staged.percentages()).toEqual({ checkout: 10 });
  });

  test.each([
    ['the key lacks the scope', 'listAlerts', 403, 'the API key lacks `alert:read`'],
    ['the service has no alerts', 'listAlerts', 404, 'the service has no alerts'],
    ['the service fails', 'listAlerts', 418, 'the alert Checkout errors could not be read'],
    ['the checks cannot be read', 'readAlert', 418, 'the alert Checkout errors could not be read'],
  ])('waits if %s, and the run is no success', async (_, operation, status, words) => {
    const { runAt, percentages } = await begun([check(4)], {
      faults: [{ match: { operation }, count: 99, answer: { status } }],
    });
    const ran = await runAt(5, 'apply', '--due');
    expect(ran.stdout).toContain(words);
    expect(ran).toMatchObject({ code: 3 });
    expect(await percentages()).toEqual({ checkout: 0 });
  });

  test('is made if the alert does not fire, by a check after the last step', async () => {
    const { git, runAt, percentages } = await begun([check(4, 'Firing'), check(4.5)]);
    expect(await runAt(5, 'apply', '--due')).toMatchObject({ code: 0 });
    expect(await percentages()).toEqual({ checkout: 50 });
    expect(git('cat-file', '-p', 'refs/flagwright/applied/main')).toContain(
      '"let_through":[{"guard":"errors","source":{"alert":"Checkout errors"},"says":"pass","at":"2026-12-01T12:30:00.000Z"}]',
    );
  });
});
