/** `npm run demo`: its output, in the order that the script promises. */

// @module-tag untimely
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const DEMO = fileURLToPath(new URL('../../scripts/demo.mjs', import.meta.url));

test('the demo does what it says, in the promised order', async () => {
  const env = { PATH: process.env['PATH'] ?? '' };
  const child = spawn(process.execPath, [DEMO], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const code = await new Promise((resolve) => {
    child.once('close', resolve);
  });
  expect([code, text]).toEqual([0, expect.any(String) as string]);
  const steps = [
    '$ flagwright serve --port 0 --seed seed.json &',
    'Plan: 1 to create, 1 to update, 1 to delete, 1 to grant',
    'Applied 4 changes',
    'In sync: 3 flags',
    '$ curl -X PATCH ',
    '(exit code 2)',
    'Applied 1 change ·',
    'In sync: 3 flags',
    '# That was the tour',
  ];
  const found = steps.reduce((position, step) => {
    const next = text.indexOf(step, position);
    expect(next, step).toBeGreaterThan(-1);
    return next + step.length;
  }, 0);
  expect(found).toBeGreaterThan(0);
});
