/** Output to real streams: a terminal's size, a closed pipe, a full disk. */

import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { PassThrough } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { processContext, standardOutput } from '../../../src/cli/session/context.ts';

test('what is written arrives', async () => {
  const stream = new PassThrough();
  const output = standardOutput(stream);
  await output.write('a document');
  expect([String(stream.read()), output.isGone?.()]).toEqual(['a document', false]);
});

test('a closed pipe is no failure, and is known', async () => {
  const reader = spawn('sh', ['-c', 'exec 0<&-; exec sleep 600']);
  onTestFinished(() => void reader.kill());
  const output = standardOutput(reader.stdin);
  // The system accepts what is written before the reader closes its end.
  for (let written = 0; written < 50 && output.isGone?.() !== true; written += 1)
    await output.write('x'.repeat(70_000));
  expect(output.isGone?.()).toBe(true);
});

test.skipIf(process.platform !== 'linux')('a full disk is a failure', async () => {
  await expect(standardOutput(createWriteStream('/dev/full')).write('a document')).rejects.toThrow('ENOSPC');
});

test.each([
  [undefined, 80],
  [0, 80],
  [132, 132],
])('a stream of %s columns counts as one of %d', (columns, expected) => {
  const stream = Object.assign(new PassThrough(), columns === undefined ? {} : { columns, isTTY: true });
  expect(standardOutput(stream)).toMatchObject({ columns: expected, isTerminal: columns !== undefined });
});

test('the surroundings are those of the process', () => {
  const { cwd, userId, now, randomUuid } = processContext();
  expect([cwd, userId]).toEqual([process.cwd(), process.getuid?.()]);
  expect(Math.abs(now() - Date.now())).toBeLessThan(60_000);
  expect(randomUuid()).not.toBe(randomUuid());
});
