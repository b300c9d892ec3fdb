/** The document of `refs`: of each flag, whether it was searched for everywhere, so that a program does not take silence for proof. */

import { expect, test } from 'vitest';
import { type Gap, type KnownCode } from '../../../../src/code/references/use.ts';
import { judgeFlags } from '../../../../src/code/references/staleness.ts';
import { referencesDocument } from '../../../../src/report/formats/json/code.ts';
import { search } from '../../../code/references/support.ts';

const code = search(
  { 'a.ts': "isFeatureEnabled('a-on'); isFeatureEnabled(`b-${x}`); isFeatureEnabled('other')" },
  { keys: ['a-on', 'b-off', 'beta'] },
);

function documentOf(keys: readonly string[], gaps: readonly Gap[] = []) {
  const known: KnownCode = {
    repositories: [{ code }, { name: 'web', commit: 'c'.repeat(40), at: '2026-03-01T00:00:00.000Z', code }],
    gaps,
  };
  const flags = judgeFlags(
    keys.map((key) => ({ key, standing: 'active' as const })),
    known,
  );
  return referencesDocument({ kind: 'refs', code: known, flags, listed: false });
}

test('a key that one repository was not searched for says so, and other gaps do not', () => {
  const searched = (gaps: readonly Gap[] = []): unknown =>
    (documentOf(['a-on', 'new-one'], gaps)['flags'] as readonly { key: string; searched: boolean }[]).map(
      ({ key, searched: is }) => [key, is],
    );
  const found = [
    ['a-on', true],
    ['new-one', false],
  ];
  expect(searched()).toEqual(found);
  expect(searched([{ code: 'repository_not_searched', detail: 'x' }])).toEqual(found);
});

test('each repository has its name, commit and time, and each place its repository', () => {
  const document = documentOf(['a-on', 'b-off']);
  expect(document['searched']).toMatchObject([{ files: 1 }, { repository: 'web', commit: 'c'.repeat(40), files: 1 }]);
  expect((document['searched'] as readonly object[])[0]).not.toHaveProperty('repository');
  expect(document['flags']).toMatchObject([
    { key: 'a-on', verdict: 'read', references: [{ form: 'call', certain: true }, { repository: 'web' }], indirect: 0 },
    { key: 'b-off', verdict: 'indirect', references: [], indirect: 2 },
  ]);
  expect(document['indirect']).toMatchObject([{ prefix: 'b-' }, { prefix: 'b-', repository: 'web' }]);
  expect(document['not_declared']).toMatchObject([{ key: 'other' }, { key: 'other' }]);
});
