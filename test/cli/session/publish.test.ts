/** Where a document goes, and how wide it is. */

import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { FlagwrightError } from '../../../src/base/errors.ts';
import { createPublisher } from '../../../src/cli/session/publish.ts';
import { createSecrets } from '../../../src/cli/session/secrets.ts';
import type { SessionParts } from '../../../src/cli/session/session-parts.ts';
import { stage } from '../../helpers/stage.ts';
import { createWorkspace } from '../../helpers/workspace.ts';

const LONG = `flags:\n  a: { description: "${'a very long description '.repeat(10).trim()}" }\n`;

test('a table is cut at the width of a terminal, and whole in a file, with --verbose and in a pipe', async () => {
  const { run, runWith, workspace } = await stage(LONG);
  expect((await run('apply', '-y')).code).toBe(0);
  const widest = (text: string): number => Math.max(...text.split('\n').map((line) => line.length));
  expect(widest((await runWith({ columns: 60 }, 'flags', 'list')).stdout)).toBeLessThanOrEqual(60);
  expect(widest((await runWith({ columns: 60 }, 'flags', 'list', '-o', '-')).stdout)).toBeLessThanOrEqual(60);
  expect(widest((await runWith({ columns: 60 }, 'flags', 'list', '-v')).stdout)).toBeGreaterThan(200);
  expect(widest((await run('flags', 'list')).stdout)).toBeGreaterThan(200);
  await runWith({ columns: 60 }, 'flags', 'list', '-o', 'flags.txt');
  expect(widest(workspace.read('flags.txt'))).toBeGreaterThan(200);
});

test('a document that cannot be written to its file goes to stdout, and the run fails', async () => {
  const { run } = await stage();
  for (const argv of [['plan'], ['drift'], ['flags', 'list', '-f', 'json']]) {
    const ran = await run(...argv, '-o', 'no/such/folder/out.txt');
    expect([ran.code, ran.stdout === '']).toEqual([1, false]);
    expect(ran.stderr).toContain('Cannot write no/such/folder/out.txt: no such file or folder.');
  }
  const refused = await run('apply', '-f', 'json', '-o', 'no/such/folder/out.txt');
  expect([refused.code, refused.stderr]).toEqual([4, expect.stringContaining('written to stdout instead') as string]);
});

test('annotations name a file from the checkout, also one outside of it', async () => {
  const { runWith, workspace } = await stage('flags: { a: { activ: true } }\n');
  writeFileSync(path.join(workspace.root, 'elsewhere'), '');
  const env = { GITHUB_WORKSPACE: path.join(workspace.root, 'elsewhere') };
  const outside = await runWith({ env }, 'validate', '-f', 'github');
  expect(outside.stdout).toContain('::error file=../flags/main.yaml,');
  const above = await runWith({ env: { CI_PROJECT_DIR: path.dirname(workspace.root) } }, 'validate', '-f', 'github');
  expect(above.stdout).toContain(`::error file=${path.basename(workspace.root)}/flags/main.yaml,`);
});

test('records are streamed to a device as they are', async () => {
  const { run } = await stage();
  await run('apply', '-y');
  expect(await run('flags', 'list', '-f', 'jsonl', '-o', '/dev/null')).toMatchObject({
    code: 0,
    stdout: '',
    stderr: '',
  });
});

test('records are streamed to stdout, or to a file', async () => {
  const { run, workspace } = await stage();
  await run('apply', '-y');
  const { stdout: lines } = await run('flags', 'list', '-f', 'jsonl');
  expect(lines.match(/"key":"\w+"/g)).toEqual(expect.arrayContaining(['"key":"checkout"', '"key":"search"']));
  expect((await run('flags', 'list', '-f', 'jsonl', '-o', '-')).stdout).toBe(lines);
  expect((await run('flags', 'list', '-f', 'jsonl', '-o', 'flags.jsonl')).stdout).toBe('');
  expect(workspace.read('flags.jsonl')).toBe(lines);
  expect(readdirSync(workspace.root)).toEqual(['.flagwright', 'flags', 'flags.jsonl']);
});

const FAILED = { kind: 'failure', error: new FlagwrightError('file', 'No 12345678.') } as const;

/** A publisher of JSON with a key, whose stdout is `write`. */
function publisherIn(root: string, output: string | undefined, write: (text: string) => Promise<void>) {
  const secrets = createSecrets();
  secrets.add('12345678');
  const context = { cwd: root, env: {}, randomUuid: () => '0', stdout: { isTerminal: false, columns: 80, write } };
  const options = {
    format: 'json',
    color: false,
    verbose: false,
    quiet: false,
    ...(output === undefined ? {} : { output }),
  };
  const parts = { context, options, secrets, places: { root } } as unknown as SessionParts;
  return createPublisher(parts, async () => undefined);
}

test.each([undefined, '-'])('a stdout that cannot be written to is named, with --output %s', async (output) => {
  const { root } = createWorkspace();
  const full = async (): Promise<never> => Promise.reject(Object.assign(new Error('x'), { code: 'ENOSPC' }));
  await expect(publisherIn(root, output, full).publish(FAILED)).rejects.toMatchObject({
    code: 'file',
    message: 'Cannot write to stdout: the disk is full.',
  });
});

test('a document without the key goes to its file, or else to stdout, and the failure is kept', async () => {
  const { root, read } = createWorkspace();
  const written: string[] = [];
  const write = async (text: string): Promise<void> => void written.push(text);
  const publisher = publisherIn(root, 'a.json', write);
  let begun = 0;
  await publisher.publish(FAILED, { beforeOutput: () => (begun += 1) });
  expect([read('a.json'), written, publisher.outputFailures(), begun]).toEqual([
    expect.stringContaining('No [redacted].') as string,
    [],
    [],
    1,
  ]);
  const failing = publisherIn(root, 'no/a.json', write);
  await failing.publish(FAILED);
  expect(written).toEqual([read('a.json')]);
  expect(failing.outputFailures()).toMatchObject([
    { onStdout: true, afterChanges: false, error: { message: 'Cannot write no/a.json: no such file or folder.' } },
  ]);
});
