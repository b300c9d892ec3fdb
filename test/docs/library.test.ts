/** The programs of docs/library.md: each compiles against the built declarations and prints what it should. */

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const ROOT = path.join(import.meta.dirname, '../..');
const TEXT = readFileSync(path.join(ROOT, 'docs/library.md'), 'utf8');
const TSC = path.join(path.dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');

/** Code blocks that begin with the name of their file. */
const FILES = [...TEXT.matchAll(/```(?:ts|yaml)\n(?:\/\/|#) (\S+)\n(.*?)```/gs)].map(
  ([, name = '', text = '']) => [name, text] as const,
);

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'flagwright-library-'));
  for (const [name, text] of FILES) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  }
  mkdirSync(path.join(folder, 'node_modules'));
  symlinkSync(ROOT, path.join(folder, 'node_modules/flagwright'));
  writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }');
  const compilerOptions = {
    target: 'es2023',
    module: 'nodenext',
    strict: true,
    exactOptionalPropertyTypes: true,
    noUnusedLocals: true,
    types: ['node'],
    typeRoots: [path.join(ROOT, 'node_modules/@types')],
    rootDir: '.',
  };
  writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function run(program: string): { readonly status: number | null; readonly said: string } {
  const env = { PATH: process.env['PATH'] ?? '', HOME: folder };
  const { status, stdout, stderr } = spawnSync(process.execPath, [program], { cwd: folder, env, encoding: 'utf8' });
  return { status, said: stdout + stderr };
}

describe('docs/library.md', () => {
  test('every block of code names its file', () => {
    expect(FILES).toHaveLength([...TEXT.matchAll(/```(?:ts|yaml)\n/g)].length);
  });

  test('every program compiles', () => {
    expect(spawnSync(process.execPath, [TSC, '-p', folder], { encoding: 'utf8' }).stdout).toBe('');
  });

  test.each([
    ['drift.js', 2, 'flag:one-page-checkout drifted (create)\n'],
    ['apply.js', 0, 'create flag:one-page-checkout\n1 applied, 0 failed\n'],
    ['drift.js', 0, 'no drift\n'],
    ['evaluate.js', 0, 'pro: true (condition_match)\nfree: false (no_condition_match)\n'],
    ['undo.js', 0, /^\d{8}T\d{9}Z-[0-9a-f]{4}: 1 of 1 changes reverted\n$/],
    ['drift.js', 2, 'flag:one-page-checkout drifted (restore)\n'],
    ['test.js', 0, "[ 'beta' ]\n"],
  ])('%s, run in this order, exits with %i and prints %j', (program, status, said) => {
    expect(run(program)).toEqual({ status, said: typeof said === 'string' ? said : expect.stringMatching(said) });
  });

  test('every program is run', () => {
    const programs = FILES.flatMap(([name]) => (name.endsWith('.ts') ? [name] : []));
    expect(programs.sort()).toEqual(['apply.ts', 'drift.ts', 'evaluate.ts', 'project.ts', 'test.ts', 'undo.ts']);
  });
});
