/** How a document looks on stdout and in a file, and how it names files and shows their lines. */

import { mkdirSync, truncateSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { SessionParts } from '../../../src/cli/session/session-parts.ts';
import { sourceLines, viewOfFile, viewOfStdout } from '../../../src/cli/session/publish.ts';
import { GITHUB_COMMENT, GITLAB_COMMENT, PLAIN } from '../../../src/report/view.ts';
import { createWorkspace } from '../../helpers/workspace.ts';

interface Given {
  readonly options?: object;
  readonly env?: Readonly<Record<string, string>>;
  readonly isTerminal?: boolean;
  readonly root?: string;
  readonly cwd?: string;
}

function partsOf({ options = {}, env = {}, isTerminal = true, root = '/w', cwd = '/w' }: Given): SessionParts {
  const context = { cwd, env, stdout: { isTerminal, columns: 60 } };
  return { context, options: { color: true, verbose: false, ...options }, places: { root } } as unknown as SessionParts;
}

test.each<[string, Given, object, isPlain: boolean]>([
  ['a terminal', {}, { terminal: true, width: 60 }, false],
  ['a terminal, named', { options: { output: '-' } }, { terminal: true, width: 60 }, true],
  ['a terminal, with all details', { options: { verbose: true } }, { terminal: true, width: 60 }, false],
  ['a terminal, with COLUMNS', { env: { COLUMNS: '50' } }, { terminal: true, width: 50 }, false],
  ['a terminal, with COLUMNS that is no number', { env: { COLUMNS: 'wide' } }, { terminal: true, width: 60 }, false],
  ['a pipe', { isTerminal: false, env: { COLUMNS: '50' } }, { terminal: false, width: undefined }, true],
  ['a file', { options: { output: 'a.txt' } }, { terminal: false, width: undefined }, true],
  ['a file, with colours forced', { options: { output: 'a' }, env: { FORCE_COLOR: '1' } }, { terminal: false }, true],
])('the document goes to %s', (_, given, expected, isPlain) => {
  const view = viewOfStdout(partsOf(given));
  expect({ terminal: view.terminal, width: view.width }).toMatchObject(expected);
  expect(view.palette === PLAIN).toBe(isPlain);
  expect(viewOfFile(partsOf(given))).toMatchObject({ palette: PLAIN, terminal: false });
});

test.each<[Given, number]>([
  [{}, GITHUB_COMMENT],
  [{ env: { GITLAB_CI: 'true' } }, GITLAB_COMMENT],
  [{ env: { GITLAB_CI: 'true' }, options: { markdownLimit: 20_000 } }, 20_000],
])('the limit of a document with %j', (given, limit) => {
  expect(viewOfFile(partsOf(given)).documentLimit).toBe(limit);
});

describe('a file is named', () => {
  const nameOf = (given: Given, file = 'flags/a.yaml'): string | undefined =>
    viewOfFile(partsOf(given)).repositoryFile?.(file);

  test('from the folder that the CI system names, GitHub first', () => {
    const env = { GITHUB_WORKSPACE: '/w', CI_PROJECT_DIR: '/' };
    expect(nameOf({ root: '/w/app', env })).toBe('app/flags/a.yaml');
    expect(nameOf({ root: '/w/app', env: { CI_PROJECT_DIR: '/' } })).toBe('w/app/flags/a.yaml');
  });

  test('from the top of the checkout, or else from the working directory', () => {
    const { root } = createWorkspace({ 'app/flags/a.yaml': '' });
    const app = path.join(root, 'app');
    expect(nameOf({ root: app, cwd: root })).toBe('app/flags/a.yaml');
    expect(nameOf({ root: app, cwd: app })).toBe('flags/a.yaml');
    mkdirSync(path.join(root, '.git'));
    expect(nameOf({ root: app, cwd: app })).toBe('app/flags/a.yaml');
  });

  test('from where the project is by then', () => {
    const parts = partsOf({ env: { GITHUB_WORKSPACE: '/w' } });
    const { repositoryFile } = viewOfFile(parts);
    expect(repositoryFile?.('a.yaml')).toBe('a.yaml');
    parts.places.root = '/w/app';
    expect(repositoryFile?.('a.yaml')).toBe('app/a.yaml');
  });
});

test('lines are those of the file, whichever way they end, and a file that cannot be read has none', () => {
  const { root, write } = createWorkspace({ 'a.yaml': 'one\ntwo\r\nthree\rfour', 'large.yaml': 'x', 'b/c': '' });
  const lineOf = sourceLines(root);
  const at = (file: string, line: number): string | undefined => lineOf({ file, line, column: 1 });
  expect([1, 2, 3, 4, 5].map((line) => at('a.yaml', line))).toEqual(['one', 'two', 'three', 'four', undefined]);
  write('a.yaml', 'changed');
  expect(at('a.yaml', 1)).toBe('one');
  truncateSync(path.join(root, 'large.yaml'), 16 * 1024 * 1024 + 1);
  expect([at('large.yaml', 1), at('absent.yaml', 1), at('b', 1)]).toEqual([undefined, undefined, undefined]);
});
