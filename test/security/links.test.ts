/** A repository with links that leave it, and the permissions of written files. */

import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { runCli } from '../helpers/run.ts';
import { stage } from '../helpers/stage.ts';
import { createWorkspace, type Workspace } from '../helpers/workspace.ts';

const MANIFEST = 'flags:\n  checkout: { active: true }\n';

/** A folder with a file that no run may touch. */
function outside(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'flagwright-outside-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(path.join(folder, 'own.yaml'), 'flags:\n  stolen: {}\n');
  return folder;
}

function expectUntouched(folder: string): void {
  expect(readdirSync(folder)).toEqual(['own.yaml']);
  expect(readFileSync(path.join(folder, 'own.yaml'), 'utf8')).toBe('flags:\n  stolen: {}\n');
}

function link({ root }: Workspace, name: string, target: string): void {
  mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
  symlinkSync(target, path.join(root, name));
}

describe('no file is written through a link that leaves the repository', () => {
  test.each([
    [['plan', '--out', 'plan.json'], 'plan.json', 'own.yaml'],
    [['plan', '--out', 'plan.json'], 'plan.json', 'new.yaml'],
    [['plan', '--out', 'folder/plan.json'], 'folder', '.'],
    [['plan', '-o', 'plan.txt'], 'plan.txt', 'own.yaml'],
    [['plan', '-o', 'folder/deeper/plan.txt'], 'folder', '.'],
    [['flags', 'list', '-f', 'jsonl', '-o', 'flags.jsonl'], 'flags.jsonl', 'own.yaml'],
    [['flags', 'list', '-f', 'csv', '-o', 'folder/flags.csv'], 'folder', '.'],
    [['export', '--dir', 'exported'], 'exported', '.'],
    [['export', '--dir', 'exported/deeper'], 'exported', '.'],
    [['export', '--dir', 'exported', '--force'], 'exported/checkout.yaml', 'own.yaml'],
    [['export', '--dir', 'exported', '--force', '--group-by', 'flag'], 'exported/checkout.yaml', 'new.yaml'],
    [['apply', '-y'], '.flagwright', '.'],
    [['apply', '-y'], '.flagwright/journal', '.'],
  ])('%j with %s', async (argv, name, target) => {
    const { workspace, run, world } = await stage(MANIFEST);
    await world.client.createFlag({ key: 'checkout', active: false });
    const folder = outside();
    link(workspace, name, path.join(folder, target));
    const ran = await run(...argv);
    if (!argv.includes('export') || ran.code !== 0)
      expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining('link') as string]);
    expectUntouched(folder);
  });

  test.each([['plan'], ['apply']])('%s on the embedded service with .flagwright', async (command) => {
    const workspace = createWorkspace({ 'flags/a.yaml': MANIFEST });
    const folder = outside();
    link(workspace, '.flagwright', folder);
    const ran = await runCli([command, ...(command === 'apply' ? ['-y'] : [])], { cwd: workspace.root });
    expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining('link') as string]);
    expectUntouched(folder);
  });

  test('init', async () => {
    const workspace = createWorkspace();
    const folder = outside();
    link(workspace, '.github', folder);
    const ran = await runCli(['init'], { cwd: workspace.root });
    expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining('link') as string]);
    expectUntouched(folder);
  });

  test('a link inside the repository is followed, and the user can name any file', async () => {
    const { workspace, run } = await stage(MANIFEST);
    const folder = outside();
    mkdirSync(path.join(workspace.root, 'real'));
    link(workspace, 'linked', path.join(workspace.root, 'real'));
    expect((await run('plan', '-o', 'linked/plan.txt')).code).toBe(0);
    expect(workspace.read('real/plan.txt')).toContain('1 to create');
    expect((await run('plan', '-o', path.join(folder, 'plan.txt'))).code).toBe(0);
    expect(existsSync(path.join(folder, 'plan.txt'))).toBe(true);
  });
});

describe('manifests are read only inside the repository', () => {
  test.each([
    ['a link to a file', 'flags/x.yaml', 'own.yaml', undefined],
    ['a link to a folder', 'flags/x', '.', undefined],
    ['a pattern', undefined, '.', '["flags/*.yaml", "../*/own.yaml"]'],
    ['an absolute pattern', undefined, '.', '["/etc/*"]'],
    ['a pattern with a detour', undefined, '.', '["flags/../../*/own.yaml"]'],
  ])('%s', async (_, name, target, manifests) => {
    const workspace = createWorkspace({
      'flags/a.yaml': MANIFEST,
      'flagwright.yaml': manifests === undefined ? '' : `manifests: ${manifests}\n`,
    });
    if (name !== undefined) link(workspace, name, path.join(outside(), target));
    const ran = await runCli(['validate', '-f', 'json'], { cwd: workspace.root });
    expect(ran.stdout).not.toContain('stolen');
    expect([ran.code, ran.stdout]).toEqual([1, expect.stringContaining('file-outside') as string]);
  });

  test.each([['/dev/zero'], ['/dev/stdin'], ['/proc/self/environ']])('a link to %s', async (target) => {
    const workspace = createWorkspace({ 'flags/a.yaml': MANIFEST });
    link(workspace, 'flags/x.yaml', target);
    const ran = await runCli(['validate'], { cwd: workspace.root });
    expect([ran.code, ran.stdout]).toEqual([1, expect.stringContaining('flags/x.yaml') as string]);
  });
});

describe('permissions', () => {
  const modeOf = (workspace: Workspace, name: string): string =>
    (statSync(path.join(workspace.root, name)).mode & 0o777).toString(8);

  test('only the owner can read a saved plan, even if it replaces a file with other permissions', async () => {
    const { workspace, run } = await stage(MANIFEST);
    workspace.write('plan.json', 'old');
    chmodSync(path.join(workspace.root, 'plan.json'), 0o666);
    expect((await run('plan', '--out', 'plan.json')).code).toBe(0);
    expect(modeOf(workspace, 'plan.json')).toBe('600');
  });

  test('only the owner can read the journal and its folders', async () => {
    const { workspace, run } = await stage(MANIFEST);
    expect((await run('apply', '-y')).code).toBe(0);
    const [journal = ''] = readdirSync(path.join(workspace.root, '.flagwright/journal'));
    expect([
      modeOf(workspace, '.flagwright'),
      modeOf(workspace, '.flagwright/journal'),
      modeOf(workspace, `.flagwright/journal/${journal}`),
    ]).toEqual(['700', '700', '600']);
  });

  test('only the owner can read the database, even in a folder that is open to all', async () => {
    const workspace = createWorkspace({ 'flags/a.yaml': MANIFEST });
    mkdirSync(path.join(workspace.root, '.flagwright'), { mode: 0o755 });
    expect((await runCli(['apply', '-y'], { cwd: workspace.root })).code).toBe(0);
    expect(modeOf(workspace, '.flagwright/local.db')).toBe('600');
  });
});
