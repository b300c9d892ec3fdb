/** Without libsql the built package works except for the embedded service, which reports what is missing. */

import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startEmbedded } from '../../src/index.ts';
import { loadLibsql } from '../../src/store/libsql.ts';
import { cli } from '../../../test/helpers/cli.ts';
import { createWorkspace } from '../../../test/helpers/workspace.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const MISSING = 'The embedded service needs the package libsql, which is not installed.';
const REMEDY = 'Install it next to flagwright: npm install libsql';

/** A copy of the package with links to the installed packages, except those named. */
function copyPackage(without: readonly string[]): string {
  const { root } = createWorkspace();
  cpSync(path.join(ROOT, 'dist'), path.join(root, 'dist'), {
    recursive: true,
    filter: (file) => !/\.(map|d\.ts)$/.test(file),
  });
  for (const name of ['package.json', 'schemas'])
    cpSync(path.join(ROOT, name), path.join(root, name), { recursive: true });
  mkdirSync(path.join(root, 'node_modules'));
  for (const name of readdirSync(path.join(ROOT, 'node_modules')).filter((entry) => !without.includes(entry))) {
    symlinkSync(path.join(ROOT, 'node_modules', name), path.join(root, 'node_modules', name));
  }
  return root;
}

const bin = (root: string): string => path.join(root, 'dist/cli/bin.js');

test('plan against a service needs no libsql', async () => {
  const service = await startEmbedded({
    data: ':memory:',
    now: () => new Date(),
    randomUuid: () => crypto.randomUUID(),
  });
  onTestFinished(async () => service.close());
  const { root } = createWorkspace({ 'flags/a.yaml': 'flags: { a: { active: true } }\n' });
  const env = { POSTHOG_HOST: service.url, POSTHOG_PROJECT_ID: '1', POSTHOG_API_KEY: 'phx_any' };
  const options = { cwd: root, env, bin: bin(copyPackage(['libsql', '@libsql'])) };
  expect(await cli(['plan', '--detailed-exitcode', '-f', 'json'], options)).toMatchObject({ code: 2, stderr: '' });
  expect(await cli(['apply', '--yes'], options)).toMatchObject({ code: 0 });
});

test.each([
  ['serve', ['serve', '--port', '0']],
  ['plan of the embedded project', ['plan']],
])('%s names the missing package and how to install it', async (_name, argv) => {
  const { root } = createWorkspace({ 'flags/a.yaml': 'flags: { a: { active: true } }\n' });
  const options = { cwd: root, bin: bin(copyPackage(['libsql', '@libsql'])) };
  const { code, stdout, stderr } = await cli(argv, options);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toContain(`error  ${MISSING}\n  → ${REMEDY}\n`);
});

test('the library loads without libsql, and startEmbedded rejects', () => {
  const root = copyPackage(['libsql', '@libsql']);
  const index = pathToFileURL(path.join(root, 'dist/index.js')).href;
  const program = `import { startEmbedded } from ${JSON.stringify(index)};
    startEmbedded({ data: ':memory:', now: () => new Date(), randomUuid: String })
      .catch(({ code, message, remedy }) => console.log(JSON.stringify({ code, message, remedy })));`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
  expect(JSON.parse(stdout)).toEqual({ code: 'file', message: MISSING, remedy: REMEDY });
});

describe('loading libsql', () => {
  /** A folder with a libsql of this text; absent: without one. */
  function place(text?: string): string {
    const files = {
      'node_modules/libsql/package.json': '{ "name": "libsql" }',
      'node_modules/libsql/index.js': text ?? '',
    };
    const { root } = createWorkspace(text === undefined ? {} : files);
    return path.join(root, 'module.js');
  }
  const thrownFor = (from: string): unknown => {
    try {
      return loadLibsql(from);
    } catch (error) {
      return error;
    }
  };

  test('finds the installed one', () => expect(loadLibsql(path.join(ROOT, 'module.js'))).toBeTypeOf('function'));

  test.each([
    ['without it', undefined, /needs the package libsql, which is not installed\.$/],
    [
      'without its binary',
      "require('@libsql/some-platform')",
      /needs the package libsql, whose binary for \w+-\w+ is not installed\.$/,
    ],
  ])('%s, names what is missing', (_, text, message) => {
    expect(thrownFor(place(text))).toMatchObject({
      code: 'file',
      message: expect.stringMatching(message),
      remedy: REMEDY,
    });
  });

  test.each([
    ['another missing package', "require('some-other-package')", 'some-other-package'],
    ['a failure of its own', "throw Object.assign(new Error('broken'), { code: 'MODULE_NOT_FOUND' })", 'broken'],
    ['a failure without a code', 'throw new Error("Cannot find module \'libsql\'")', 'Cannot find module'],
  ])('reports %s as it is', (_, text, message) => {
    expect(thrownFor(place(text))).toMatchObject({ message: expect.stringContaining(message) });
    expect(thrownFor(place(text))).not.toMatchObject({ remedy: REMEDY });
  });
});
