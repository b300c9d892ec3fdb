/** Guarded rollouts by alerts of the service, over HTTP: what each state of an alert, and each failure of reading it, does to a due step. */

import { describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/base/json.ts';
import { CONFIG } from '../helpers/git-stage.ts';
import { guardedBy } from '../helpers/guarded.ts';
import { hour, timedStage, type TimedStage } from '../helpers/timed-stage.ts';

const MANIFEST = guardedBy('errors');
const config = `${CONFIG}guards:\n  errors: { alert: Checkout errors, max_age: 3h }\n`;

const check = (at: number, state = 'Not firing'): JsonObject => ({ at: hour(at), state });
/** At 10% since the first hour, by a check that let that step through. `unread`: the exit code of a run that could not read it. */
async function begun(
  checks: readonly JsonObject[],
  faults?: JsonValue,
  unread: number = faults === undefined ? 0 : 3,
): Promise<TimedStage> {
  const seed = { alerts: [{ name: 'Checkout errors', checks: [check(1), ...checks] }] };
  const staged = await timedStage(MANIFEST, { config, seed, ...(faults === undefined ? {} : { faults }) });
  for (const hours of [0, 1]) expect((await staged.runAt(hours, 'apply', '--yes')).code).toBe(unread * hours);
  return staged;
}

describe('a due step', () => {
  test('waits if the alert fires', async () => {
    const { runAt, percentages } = await begun([check(4.5, 'Firing')]);
    const ran = await runAt(5, 'apply', '--due');
    const words = 'errors holds: the alert Checkout errors fires (checked at 2026-12-01 12:30:00 UTC)';
    expect([ran.code, ran.stdout]).toEqual([0, expect.stringContaining(words)]);
    expect(await percentages()).toEqual({ checkout: 10 });
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

const UNREAD = 'the alert Checkout errors could not be read';
const NO_JSON = { status: 200, body: 'html' } as const;

describe('a service that answers badly about alerts lets no step through', () => {
  test.each<readonly [how: string, operation: string, fault: JsonObject, words: string]>([
    ['the key lacks the scope', 'listAlerts', { answer: { status: 403 } }, 'the API key lacks `alert:read`'],
    ['it has no alerts', 'listAlerts', { answer: { status: 404 } }, 'the service has no alerts'],
    ['it fails at once', 'listAlerts', { answer: { status: 418 } }, UNREAD],
    ['it fails for each alert', 'readAlert', { answer: { status: 418 } }, UNREAD],
    ['it fails whenever it is asked', 'listAlerts', { answer: { status: 500 } }, UNREAD],
    [
      'it takes no requests for hours',
      'listAlerts',
      { answer: { status: 429, retry_after: 7200 } },
      '429 rate limited',
    ],
    ['a login page answers', 'listAlerts', { answer: NO_JSON }, UNREAD],
    ['a login page answers for each alert', 'readAlert', { answer: NO_JSON }, UNREAD],
    ['the connection is cut', 'listAlerts', { reset: {} }, UNREAD],
    ['the connection is cut for each alert', 'readAlert', { reset: {} }, UNREAD],
    ['an answer is cut', 'readAlert', { truncate: {} }, UNREAD],
    ['a page ends early', 'listAlerts', { shrink: {} }, 'Checkout errors'],
  ])('%s', async (_, operation, fault, words) => {
    const { runAt, percentages, git } = await begun([check(4)], {
      faults: [{ match: { operation }, count: 999, ...fault }],
    });
    const record = git('rev-parse', 'refs/flagwright/applied/main');
    // Some failures are tried again for seconds.
    const said = await Promise.all(
      [['plan', '--detailed-exitcode'], ['apply', '--due'], ['drift'], ['explain', 'checkout']].map(async (argv) => {
        const { code, stdout } = await runAt(5, ...argv);
        return [argv[0], code, stdout.includes(words) && /errors does not know: \S/.test(stdout)];
      }),
    );
    expect(said).toEqual([
      ['plan', 0, true],
      ['apply', 3, true],
      ['drift', 0, true],
      ['explain', 0, true],
    ]);
    expect(await percentages()).toEqual({ checkout: 0 });
    expect(git('rev-parse', 'refs/flagwright/applied/main')).toBe(record);
  });

  test.each<readonly [how: string, fault: JsonObject]>([
    ['a short pause', { answer: { status: 429, retry_after: 1 } }],
    ['one failure', { answer: { status: 503 } }],
    ['one connection that is cut', { reset: {} }],
  ])('%s is waited out, and the step is made', async (_, fault) => {
    const { runAt, percentages } = await begun(
      [check(4)],
      { faults: [{ match: { operation: 'listAlerts' }, from: 2, count: 1, ...fault }] },
      0,
    );
    expect(await runAt(5, 'apply', '--due')).toMatchObject({ code: 0 });
    expect(await percentages()).toEqual({ checkout: 50 });
  });

  test('an answer that does not come ends the run at its deadline, and nothing is written', async () => {
    const { runAt, percentages } = await begun(
      [check(4)],
      { faults: [{ match: { operation: 'listAlerts' }, from: 2, count: 99, hang: {} }] },
      0,
    );
    const ran = await runAt(5, 'apply', '--due', '--deadline', '2s');
    expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining('deadline')]);
    expect(await percentages()).toEqual({ checkout: 10 });
  });
});
