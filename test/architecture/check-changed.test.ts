/** `npm run check:changed`: it asks of a change what the scripts of package.json ask of everything. */

import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createRepository } from '../helpers/repository.ts';

const SCRIPT = path.resolve('scripts/check-changed.mjs');

test.each([
  [0, 'ok  types'],
  [1, 'FAILED  types'],
])('every check of types is run: one that ends with %i', (code, line) => {
  const { root } = createRepository({
    'package.json': '{ "scripts": { "types": "node all.mjs && node page.mjs -p page" } }',
    'scripts/build.mjs': '',
    'all.mjs': '',
    'page.mjs': `process.exitCode = process.argv[3] === 'page' ? ${code} : 2;`,
  });
  const { status, stdout } = spawnSync(process.execPath, [SCRIPT], { cwd: root, encoding: 'utf8' });
  expect([status, stdout]).toEqual([code, expect.stringContaining(line)]);
  expect(stdout.match(/types/g)).toHaveLength(2);
});
