import { expect, test } from 'vitest';
import { matchFiles } from '../../src/config/select.ts';

const FILES = ['src/a.ts', 'src/deep/b.ts', 'src/deep/b.test.ts', 'docs/c.md'];

test.each<[globs: string[], matched: string[]]>([
  [['src/**/*.ts'], ['src/a.ts', 'src/deep/b.ts', 'src/deep/b.test.ts']],
  [['src/*.ts'], ['src/a.ts']],
  [
    ['**/*.ts', '!**/*.test.ts'],
    ['src/a.ts', 'src/deep/b.ts'],
  ],
  [
    ['!src/deep/**', '**/*'],
    ['src/a.ts', 'docs/c.md'],
  ],
  [['!docs/**'], []],
])('the files that %j names', (globs, matched) => {
  expect(FILES.filter(matchFiles(globs))).toEqual(matched);
});
