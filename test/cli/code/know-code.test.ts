/** The documents of other repositories: each is read or a gap, and only one that was read is compared with what it said before. */

import { truncateSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { knowSources } from '../../../src/cli/code/know-code.ts';
import { createRepository } from '../../helpers/repository.ts';
import { runCli } from '../../helpers/run.ts';

const NOW = Date.parse('2026-03-01T00:00:00Z');

test('of several documents each that cannot be used is a gap with its reason', async () => {
  const work = createRepository({
    'keys.txt': 'search\n',
    'a.ts': "isFeatureEnabled('search');\n",
    'cut.json': '{',
    'folder/x': '',
    'huge.json': '',
  });
  const argv = ['refs', 'export', '--keys', 'keys.txt', '--repository', 'github.com/acme/web', '--out', 'web.json'];
  expect(await runCli(argv, { cwd: work.root, now: NOW })).toMatchObject({ code: 0 });
  truncateSync(path.join(work.root, 'huge.json'), 100_000_001);
  const sources = ['none.json', 'web.json', 'cut.json', 'folder', 'huge.json'].map((file) => ({
    repository: 'github.com/acme/web',
    file,
    maxAgeDays: 7,
  }));
  const place = { session: { context: { now: () => NOW } }, config: { root: work.root, refs: { sources } } };
  const asked: string[] = [];
  const { repositories, gaps } = await knowSources(place as never, async ({ file }) => {
    asked.push(file);
    return { file };
  });
  expect(repositories).toMatchObject([{ former: { file: 'web.json' }, code: { keys: ['search'] } }]);
  expect(asked).toEqual(['web.json']);
  expect(gaps).toMatchObject([
    { code: 'source_missing', file: 'none.json' },
    { code: 'source_unreadable', file: 'cut.json' },
    { code: 'source_unreadable', file: 'folder', detail: 'EISDIR' },
    { code: 'source_unreadable', file: 'huge.json', detail: 'it has more than 100 MB' },
  ]);
  const alone = await knowSources(place as never);
  expect(alone.repositories[0]).not.toHaveProperty('former');
});
