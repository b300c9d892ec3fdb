/** `--deadline` while a run writes. The test controls the clock, and moves it once the service got far enough. */

import { expect, onTestFinished, test } from 'vitest';
import { startEmbedded, type EmbeddedOptions } from '../../service/src/index.ts';
import { startGate } from '../helpers/gate.ts';
import { runCli, type Ran } from '../helpers/run.ts';
import { holdTimers } from '../helpers/timers.ts';
import { createWorkspace } from '../helpers/workspace.ts';

/** Shorter than the client's timeout for a response. */
const DEADLINE_MS = 20_000;

async function start(options: Partial<EmbeddedOptions> = {}): Promise<string> {
  const service = await startEmbedded({
    data: ':memory:',
    now: () => new Date(),
    randomUuid: () => crypto.randomUUID(),
    ...options,
  });
  onTestFinished(() => service.close());
  return service.url;
}

/** Applies this many new flags, two at a time. */
async function apply(url: string, count: number): Promise<Ran> {
  const flags = Array.from({ length: count }, (_, index) => `  f${index}: { description: x }\n`);
  const { root } = createWorkspace({ 'flags/main.yaml': `flags:\n${flags.join('')}` });
  const argv = ['apply', '--yes', '-f', 'json', '--deadline', `${DEADLINE_MS / 1000}s`, '--concurrency', '2'];
  const env = { POSTHOG_HOST: url, POSTHOG_PROJECT_ID: '1', POSTHOG_API_KEY: 'phx_planted_key_0123456789' };
  return runCli(argv, { cwd: root, env });
}

test('a run of which a 429 asks for longer than its deadline ends at once, says until when, and reports each change', async () => {
  holdTimers();
  let refusals = 0;
  const url = await start({
    // Four to read (an empty list may hide archived flags, and the log knows deleted ones), four to write.
    rateLimit: { requests: 8, windowMs: 10 * DEADLINE_MS },
    onRequest: ({ status }) => void (status === 429 && (refusals += 1)),
  });
  const { code, document } = await apply(url, 9);
  expect(code).toBe(3);
  expect(document()).toMatchObject({ outcomes: { applied: 4, skipped: 0, failed: 5, unknown: 0 }, verified: false });
  const { changes } = document() as { readonly changes: readonly { readonly error?: object }[] };
  const error = {
    code: 'rate_limited',
    status: 429,
    message: expect.stringMatching(/^no requests until \d{4}-.* UTC$/) as string,
  };
  expect(changes.flatMap((one) => one.error ?? [])).toEqual(Array.from({ length: 5 }, () => error));
  // The others are not sent.
  expect(refusals).toBeLessThanOrEqual(2);
});

test('a run that reaches its deadline finishes changes already begun and exits with 3', async () => {
  const timers = holdTimers();
  const gate = await startGate(await start());
  const hold = gate.hold(({ method }, number) => method === 'POST' && number > 4);
  const ran = apply(gate.host, 9);
  await hold.arrived(2);
  timers.pass(DEADLINE_MS);
  hold.open();
  const { code, document } = await ran;
  expect([code, document()]).toMatchObject([3, { outcomes: { applied: 6, skipped: 3, failed: 0, unknown: 0 } }]);
});
