/** Each page of the documentation that a message names by its address exists, with its heading. */

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { anchorOf } from '../../site/pages.mjs';

const root = path.join(import.meta.dirname, '../..');
const sources = ['src', 'service/src'].flatMap((folder) =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.includes('generated'))
    .map((name) => path.join(folder, name)),
);
const named = sources.flatMap((file) =>
  [...readFileSync(path.join(root, file), 'utf8').matchAll(/docsPage\('([^']+)'\)/g)].map(([, page = '']) => page),
);

test.each([...new Set(named)])('%s', (name) => {
  const [page = '', anchor] = name.split('#');
  const text = readFileSync(path.join(root, 'docs', `${page}.md`), 'utf8');
  const anchors = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading));
  if (anchor !== undefined) expect(anchors).toContain(anchor);
});

test('no message names a page by its file, which users of the package do not look for', () => {
  const strings = sources.filter((file) =>
    readFileSync(path.join(root, file), 'utf8')
      .split('\n')
      .some((line) => /^(?!\s*(?:\/\/|\/?\*)).*['"`].*docs\/[a-z-]+\.md/.test(line)),
  );
  expect(strings).toEqual([]);
  expect(named.length).toBeGreaterThan(5);
});
