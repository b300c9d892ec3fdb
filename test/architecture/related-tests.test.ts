/** `npm run test:related`: which tests a change reaches, and in which order. */

import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createRepository } from '../helpers/repository.ts';

const SCRIPT = path.resolve('scripts/related-tests.mjs');

/** `near` loads `changed`, `far` loads `near`, and `typed` knows only its types. */
const FILES = {
  'src/a/changed.ts': 'export const one = 1;\n',
  'src/a/near.ts': "export { one } from './changed.ts';\n",
  'src/b/far.ts': "import {\n  one,\n} from '../a/near.ts';\nexport const far = one;\n",
  'src/b/typed.ts': "import type {\n  One,\n} from '../a/changed.ts';\nexport type Two = One;\n",
  'test/a/changed.test.ts': "import { one } from '../../src/a/changed.ts';\n",
  'test/b/far.test.ts': "import { far } from '../../src/b/far.ts';\n",
  'test/b/late.test.ts': "const { one } = await import('../../src/a/changed.ts');\n",
  'test/b/reads.test.ts': "const page = 'docs/page.md';\n",
  'test/b/typed.test.ts': "import '../../src/b/typed.ts';\n",
  'docs/page.md': 'One\n',
};

function listed(changes: Readonly<Record<string, string>>, ...options: string[]): readonly string[] {
  const { root, write } = createRepository(FILES);
  for (const [file, text] of Object.entries(changes)) write(file, text);
  const text = execFileSync(process.execPath, [SCRIPT, '--list', ...options], { cwd: root, encoding: 'utf8' });
  return text.trim().split('\n').filter(Boolean);
}

test('the tests that a change reaches are listed, the nearest and those of its folder first', () => {
  expect(listed({ 'src/a/changed.ts': 'export const one = 2;\n' })).toEqual([
    'test/a/changed.test.ts',
    'test/b/late.test.ts',
    'test/b/far.test.ts',
  ]);
});

test('what takes longer than the time is left out and counted, but for the five nearest', () => {
  const far = Array.from({ length: 4 }, (_, index): [string, string] => [
    `test/c/${index}.test.ts`,
    "import '../../src/b/far.ts';\n",
  ]);
  const changes = { ...Object.fromEntries(far), 'src/a/changed.ts': 'export const one = 2;\n' };
  const [said, ...files] = listed(changes, '--seconds', '0');
  expect(said).toMatch(/^2 of 7 tests .* are left out; --all runs them\.$/);
  expect(files.slice(0, 4)).toEqual(far.map(([file]) => file));
  expect(listed(changes, '--seconds', '0', '--all')).toHaveLength(7);
});

test('what runs the built command is left out until the next build', () => {
  const built = {
    'test/cli/run.test.ts': "import { cli } from '../helpers/cli.ts';\n",
    'test/helpers/cli.ts': "'dist/cli/bin.js';\n",
  };
  const [said, ...files] = listed({ ...built, 'test/b/new.test.ts': '' });
  expect(said).toMatch(/^1 of 2 tests .* are left out, 1 of them until the next build; --all runs them\.$/);
  expect(files).toEqual(['test/b/new.test.ts']);
  expect(listed(built, '--all')).toEqual(['test/cli/run.test.ts']);
});

test('a new test and a test that names a changed document are reached', () => {
  expect(listed({ 'test/b/new.test.ts': '', 'docs/page.md': 'Two\n' })).toEqual([
    'test/b/new.test.ts',
    'test/b/reads.test.ts',
  ]);
});
