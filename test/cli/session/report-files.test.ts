/** `--report FORMAT=FILE`: several documents of one run. */

import { existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { createReportFiles } from '../../../src/cli/session/publish.ts';
import type { SessionParts } from '../../../src/cli/session/session-parts.ts';
import type { Report } from '../../../src/report/report.ts';
import { KEY, keysOf, LIMITED, stage } from '../../helpers/stage.ts';

test('a run writes each report in its format, beside its own document', async () => {
  const { run, workspace } = await stage();
  const ran = await run('plan', '--report', 'json=plan.json', '--report=markdown=plan.md', '-o', 'plan.txt');
  expect([ran.code, ran.stdout, ran.stderr]).toEqual([0, '', expect.any(String)]);
  expect(JSON.parse(workspace.read('plan.json'))).toMatchObject({ summary: { create: 2 } });
  expect(workspace.read('plan.md')).toMatch(/^### Plan for `environment`/);
  expect(workspace.read('plan.txt')).toMatch(/^Plan for environment/);
  expect(workspace.read('plan.md')).toBe((await run('plan', '-f', 'markdown')).stdout);
});

test('a limit of Markdown documents holds for all of them, and names each change or counts it', async () => {
  const flags = Array.from(
    { length: 400 },
    (_, index) => `  flag-${index}: { description: ${'x'.repeat(100)}, active: true }`,
  );
  const { run, workspace } = await stage(`flags:\n${flags.join('\n')}\n`);
  const ran = await run('plan', '-f', 'markdown', '--markdown-limit', '10000', '--report', 'markdown=plan.md');
  expect(Buffer.byteLength(ran.stdout)).toBeLessThanOrEqual(10_000);
  expect(ran.stdout).toMatch(/<summary>.*400 to create/);
  expect(ran.stdout).toMatch(/Shortened to fit a comment: .* not listed/);
  expect(workspace.read('plan.md')).toBe(ran.stdout);
});

test.each([
  [['--markdown-limit', '10000'], 'add --format markdown or --report markdown=FILE'],
  [['--markdown-limit', '9999', '-f', 'markdown'], 'It must be a whole number from 10000'],
])('%j is refused', async (options, words) => {
  const { run } = await stage();
  expect(await run('plan', ...options)).toMatchObject({ code: 1, stderr: expect.stringContaining(words) as string });
});

test('a report on a coloured terminal has no colours', async () => {
  const { runWith, workspace } = await stage();
  const env = { TERM: 'xterm-256color', FORCE_COLOR: '1' };
  expect((await runWith({ columns: 40, env }, 'plan', '--report', 'text=plan.txt')).stdout).toContain('\u001b[');
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
  expect((await run('drift', '--report', 'json=drift.json', '--write-exceptions', 'flags/main.yaml')).code).toBe(1);
  expect(JSON.parse(workspace.read('drift.json'))).toHaveProperty('summary');
  await run('apply', '-y', '--report', 'json=result.json', '--no-journal');
  expect(JSON.parse(workspace.read('result.json'))).toMatchObject({ outcomes: { applied: 2 } });
});

describe('a report that nobody could write', () => {
  const CUSTOM =
    'projects: { main: { host: $HOST, project_id: "1" } }\nmanifests: [flags/main.yaml, more/*.flags, "!more/x*"]\n';

  test.each([
    ['in no folder', 'html=out/a b/plan.html', 'the folder out/a b does not exist.', "mkdir -p 'out/a b'"],
    ['below a file', 'html=flagwright.yaml/plan.html', 'flagwright.yaml is not a folder', 'Name a file in a folder'],
    ['that is a folder', 'html=flags', 'it is a folder', 'Name a file in it.'],
    ['in a folder of git', 'html=.git/plan.html', 'it is in a folder of git', 'outside of .git'],
    ['over a manifest', 'json=flags/main.yaml', 'no report is YAML', 'another extension'],
    ['over the configuration', 'json=flagwright.yaml', 'no report is YAML', 'another extension'],
    ['over a manifest of another name', 'json=more/a.flags', 'names it as a manifest', 'Name another file'],
    ['out of the folder by a link', 'json=away.json', 'a symbolic link points outside', 'Name a file in a folder'],
    [
      'over another report by a link',
      'json=link/plan.md',
      '--report markdown=plan.md writes the same',
      'Name two files',
    ],
    ['over the document by a link', 'json=link/plan.txt', '--output writes the same file', 'Name two files'],
  ])('%s is refused before anything is read or written', async (_, report, why, remedy) => {
    const { run, workspace, world } = await stage(undefined, CUSTOM);
    mkdirSync(path.join(workspace.root, '.git'));
    mkdirSync(path.join(workspace.root, 'more'));
    symlinkSync('.', path.join(workspace.root, 'link'));
    symlinkSync('/tmp/nowhere-else.json', path.join(workspace.root, 'away.json'));
    const before = workspace.read('flagwright.yaml') + workspace.read('flags/main.yaml');
    const ran = await run('apply', '-y', '-o', 'plan.txt', '--report', 'markdown=plan.md', '--report', report);
    expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining(why)]);
    expect(ran.stderr).toContain(`Cannot write --report ${report}: `);
    expect(ran.stderr).toContain(remedy);
    expect(workspace.read('flagwright.yaml') + workspace.read('flags/main.yaml')).toBe(before);
    expect(await keysOf(world)).toEqual([]);
    // The other report says why nothing happened.
    expect(workspace.read('plan.md')).toContain('Failed');
  });

  test('is named with every other such report', async () => {
    const { run } = await stage();
    const ran = await run('plan', '--report', 'json=x/plan.json', '--report', 'html=y/plan.html');
    expect(ran.stderr).toContain('the folder x does not exist. Cannot write --report html=y/plan.html');
  });

  test('is not a device, or a file that the configuration leaves out', async () => {
    const { run, workspace } = await stage(undefined, CUSTOM);
    mkdirSync(path.join(workspace.root, 'more'));
    symlinkSync('/dev/null', path.join(workspace.root, '..', `${path.basename(workspace.root)}-null`));
    const link = `../${path.basename(workspace.root)}-null`;
    const ran = await run(
      'plan',
      '--report',
      'html=/dev/null',
      '--report',
      `html=${link}`,
      '--report',
      'json=more/x.flags',
    );
    expect([ran.code, ran.stderr]).toEqual([0, '']);
    expect(JSON.parse(workspace.read('more/x.flags'))).toHaveProperty('summary');
    rmSync(path.join(workspace.root, link));
  });

  test('over a file that the command reads is refused', async () => {
    const { run, workspace } = await stage();
    expect((await run('plan', '--out', 'plan.json')).code).toBe(0);
    const before = workspace.read('plan.json');
    for (const argv of [
      ['apply', 'plan.json', '-y', '--report', 'json=./plan.json'],
      ['plan', '--out', 'plan.json', '--report', 'json=plan.json'],
    ]) {
      const ran = await run(...argv);
      expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining('which the command line names too')]);
      expect(workspace.read('plan.json')).toBe(before);
    }
  });
});

describe('a report that cannot be written at the end', () => {
  const FULL = '/dev/full';

  test('leaves the document and the other reports, and fails the run', async () => {
    const { run, workspace } = await stage();
    const ran = await run('plan', '--report', `json=${FULL}`, '--report', 'markdown=plan.md');
    expect([ran.code, ran.stdout.startsWith('Plan for')]).toEqual([1, true]);
    expect(ran.stderr).toContain('Cannot write /dev/full: the disk is full.\n');
    expect(existsSync(path.join(workspace.root, 'plan.md'))).toBe(true);
  });

  test('after an apply says that the changes were made, in words and by the exit code', async () => {
    const { run, world } = await stage();
    const ran = await run('apply', '-y', '--report', `json=${FULL}`);
    expect([ran.code, ran.stdout]).toEqual([3, expect.stringContaining('Applied 2 changes')]);
    expect(ran.stderr).toContain('Cannot write /dev/full: the disk is full. The changes were made before that.\n');
    expect((await keysOf(world)).toSorted()).toEqual(['checkout', 'search']);
    // Nothing is left to change, so nothing was.
    expect((await run('apply', '-y', '--report', `json=${FULL}`)).code).toBe(1);
  });

  test('because of a fault of ours costs no other document', async () => {
    const broken = { kind: 'plan', plan: {} } as unknown as Report;
    const parts = { options: { report: [{ format: 'html', file: 'a.html' }] } } as unknown as SessionParts;
    const [failure, ...others] = await createReportFiles(parts).write(broken);
    expect([failure?.code, failure?.message, others]).toEqual([
      'internal',
      expect.stringMatching(/^Cannot write a\.html: /),
      [],
    ]);
  });
});

test('no report contains the API key', async () => {
  const { run, workspace } = await stage(`flags: { a: { description: "${KEY}" } }\n`);
  expect((await run('plan', '--report', 'json=plan.json', '--report', 'text=plan.txt')).code).toBe(0);
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
