/** The programs of docs/testing-code.md: they compile for both module systems, and their tests pass in vitest and in Jest. */

import { spawnSync } from 'node:child_process';
import { readFileSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createWorkspace, type Workspace } from '../helpers/workspace.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const TEXT = readFileSync(path.join(ROOT, 'docs/testing-code.md'), 'utf8');
const FILES = Object.fromEntries(
  [...TEXT.matchAll(/```(?:ts|js|yaml)\n(?:\/\/|#) (\S+)\n(.*?)```/gs)].map(([, name = '', text = '']) => [name, text]),
);
const { resolve } = createRequire(import.meta.url);

/** The files of the page beside the installed package. */
function writePage(packageJson: object = { type: 'module' }): Workspace {
  const workspace = createWorkspace({
    ...FILES,
    'package.json': JSON.stringify(packageJson),
    'node_modules/.keep': '',
  });
  for (const name of ['posthog-node', 'vitest', '@types', 'typescript']) link(workspace, name);
  symlinkSync(ROOT, path.join(workspace.root, 'node_modules/flagwright'));
  return workspace;
}

function link({ root }: Workspace, name: string): void {
  symlinkSync(path.join(ROOT, 'node_modules', name), path.join(root, 'node_modules', name));
}

function run({ root }: Workspace, program: string, args: readonly string[]): { status: number | null; said: string } {
  const env = { PATH: process.env['PATH'] ?? '', HOME: root, CI: 'true', NO_COLOR: '1' };
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    cwd: root,
    env,
    encoding: 'utf8',
  });
  return { status, said: stdout + stderr };
}

function programOf(name: string, file: string): string {
  return path.join(path.dirname(resolve(`${name}/package.json`)), file);
}

test('every block of code names its file', () => {
  expect(Object.keys(FILES)).toHaveLength([...TEXT.matchAll(/```(?:ts|js|yaml)\n/g)].length);
});

test.each([
  ['ES modules', { type: 'module' }],
  ['CommonJS', { type: 'commonjs' }],
])('the programs compile as %s', (_name, packageJson) => {
  const workspace = writePage(packageJson);
  const compilerOptions = {
    target: 'es2023',
    module: 'nodenext',
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
    noEmit: true,
    types: ['node'],
  };
  workspace.write('tsconfig.json', JSON.stringify({ compilerOptions, include: ['*.ts'] }));
  expect(run(workspace, programOf('typescript', 'bin/tsc'), ['-p', '.'])).toEqual({ status: 0, said: '' });
});

test('the tests pass in vitest, and fail when a manifest changes what they rely on', () => {
  const workspace = writePage();
  const vitest = programOf('vitest', 'vitest.mjs');
  const passed = run(workspace, vitest, ['run', '--root', '.']);
  expect(passed.said).toMatch(/Tests\s+3 passed/);
  expect(passed.status).toBe(0);

  workspace.write('flags/checkout.yaml', (FILES['flags/checkout.yaml'] ?? '').replaceAll('one-page', 'single'));
  const failed = run(workspace, vitest, ['run', '--root', '.']);
  expect(failed.said).toContain("expected 'single' to be 'one-page'");
  expect(failed.said).toContain('condition 1 (plan is pro): it matches');
  expect(failed.status).toBe(1);

  workspace.write('flags/checkout.yaml', 'flags:\n  new-checkout: { active: 7 }\n');
  expect(run(workspace, vitest, ['run', '--root', '.']).said).toMatch(
    /flags\/checkout\.yaml:2:19: Expected true or false/,
  );
});

test('the test passes in Jest', () => {
  const workspace = writePage({ jest: { testMatch: ['**/*.jest.cjs'] } });
  const { status, said } = run(workspace, programOf('jest', 'bin/jest.js'), ['--rootDir', '.', '--no-cache']);
  expect(said).toContain('1 passed, 1 total');
  expect(status).toBe(0);
});
