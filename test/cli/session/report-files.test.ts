/** `--report FORMAT=FILE`: several documents of one run. */

import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { KEY, LIMITED, stage } from '../../helpers/stage.ts';

test('a run writes each report in its format, beside its own document', async () => {
  const { run, workspace } = await stage();
  const ran = await run('plan', '--report', 'json=plan.json', '--report=markdown=plan.md', '-o', 'plan.txt');
  expect([ran.code, ran.stdout, ran.stderr]).toEqual([0, '', expect.any(String)]);
  expect(JSON.parse(workspace.read('plan.json'))).toMatchObject({ summary: { create: 2 } });
  expect(workspace.read('plan.md')).toMatch(/^### Plan for `environment`/);
  expect(workspace.read('plan.txt')).toMatch(/^Plan for environment/);
  expect(workspace.read('plan.md')).toBe((await run('plan', '-f', 'markdown')).stdout);
});

test('a report on a coloured terminal has no colours', async () => {
  const { runWith, workspace } = await stage();
  const env = { TERM: 'xterm-256color', FORCE_COLOR: '1' };
  const ran = await runWith({ columns: 40, env }, 'plan', '--report', 'text=plan.txt');
  expect(ran.stdout).toContain('\u001b[');
  expect(workspace.read('plan.txt')).not.toContain('\u001b');
});

test('a run that fails reports why in each format that shows failures', async () => {
  const { run, workspace } = await stage('flags: { a: { activ: true } }\n', LIMITED);
  const ran = await run('plan', '--report', 'json=plan.json', '--report', 'text=plan.txt');
  expect([ran.code, ran.stdout]).toEqual([1, '']);
  expect(JSON.parse(workspace.read('plan.json'))).toMatchObject({ error: { code: 'manifest_invalid' } });
  expect(workspace.read('plan.txt')).toBe(ran.stderr);
});

test('a failure after the report leaves the report', async () => {
  const { run, workspace } = await stage();
  await run('apply', '-y', '--report', 'json=result.json', '--no-journal');
  expect(JSON.parse(workspace.read('result.json'))).toMatchObject({ outcomes: { applied: 2 } });
  const ran = await run('drift', '--report', 'json=drift.json', '--write-baseline', 'flags/main.yaml');
  expect(ran.code).toBe(1);
  expect(JSON.parse(workspace.read('drift.json'))).toHaveProperty('summary');
});

test('a report that cannot be written fails the run, and the others are written', async () => {
  const { run, workspace } = await stage();
  const ran = await run('plan', '--report', 'json=no/such/folder/plan.json', '--report', 'markdown=plan.md');
  expect([ran.code, ran.stdout.startsWith('Plan for')]).toEqual([1, true]);
  expect(ran.stderr).toContain('Cannot write no/such/folder/plan.json: no such file or folder.\n');
  expect(existsSync(path.join(workspace.root, 'plan.md'))).toBe(true);
});

test('no report contains the API key', async () => {
  const { run, workspace } = await stage(`flags: { a: { description: "${KEY}" } }\n`);
  const ran = await run('plan', '--report', 'json=plan.json', '--report', 'text=plan.txt');
  expect(ran.code).toBe(0);
  expect(workspace.read('plan.json') + workspace.read('plan.txt')).not.toContain(KEY);
});

test.each([
  ['no format', ['plan', '--report', 'plan.md'], 'It must begin with a format, as in markdown=FILE: text, json'],
  ['no file', ['plan', '--report', 'markdown='], 'It must name a file, as in markdown=FILE.'],
  ['stdout', ['plan', '--report', 'markdown=-'], 'stdout is for --format.'],
  ['the same file twice', ['plan', '--report', 'json=a', '--report', 'text=./a'], 'Another --report writes ./a.'],
  [
    'the file of --output',
    ['plan', '--report', 'json=a', '--output', 'a'],
    '--output and --report both write a; name two files.',
  ],
  ['a format of others', ['plan', '--report', 'csv=a'], 'plan has no --report csv=a; use text or json or markdown'],
  ['a list', ['flags', 'list', '--report', 'json=a'], 'list does not use --report; remove it.'],
  ['a service', ['serve', '--report', 'json=a'], 'serve does not use --report; remove it.'],
])('%s is refused', async (_, argv, words) => {
  const { run } = await stage();
  const ran = await run(...argv);
  expect([ran.code, ran.stdout, ran.stderr]).toEqual([1, '', expect.stringContaining(words)]);
});
