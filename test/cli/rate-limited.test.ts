/** A service that asks to be left alone for longer than a run waits. */

import { expect, test } from 'vitest';
import { stage } from '../helpers/stage.ts';

const MANIFEST = 'flags:\n  a: { active: true }\n  b: { active: true }\n  c: { active: true }\n';
const LONG = { status: 429, retry_after: 7200 };

test('a read ends the run, which says when the service takes requests again', async () => {
  const { run } = await stage(MANIFEST, undefined, {
    faults: { faults: [{ match: { operation: 'listFlags' }, count: 1, answer: LONG }] },
  });
  const { code, stderr } = await run('plan');
  expect(code).toBe(1);
  expect(stderr).toMatch(/takes no requests until \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC \(429\)/);
  expect(stderr).toContain('A run waits for an hour at most, and not longer than --deadline.');
  expect((await run('plan')).code).toBe(0);
});

test('a write ends the run, nothing more is sent, and --resume makes the rest', async () => {
  const sent: string[] = [];
  const { run } = await stage(MANIFEST, undefined, {
    onRequest: ({ method }) => void sent.push(method),
    faults: { faults: [{ match: { access: 'write' }, from: 2, count: 1, answer: LONG }] },
  });
  const { code, stdout, document } = await run('apply', '--yes', '--concurrency', '1', '-f', 'json');
  expect([code, document()]).toMatchObject([3, { outcomes: { applied: 1, failed: 2 }, verified: false }]);
  expect(stdout.match(/no requests until/g)).toHaveLength(2);
  expect(sent.filter((method) => method === 'POST')).toHaveLength(2);
  expect(sent.at(-1)).toBe('POST');
  const resumed = await run('apply', '--resume', '-f', 'json');
  expect([resumed.code, resumed.document()]).toMatchObject([0, { outcomes: { applied: 3 }, verified: true }]);
  expect((await run('plan', '--detailed-exitcode')).code).toBe(0);
});
