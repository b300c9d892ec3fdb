/** What is said of code that reads flags: where, how certainly, and what was not searched. */

import { describe, expect, test } from 'vitest';
import type { ReadLoss } from '../../../src/code/references/losses.ts';
import type { FlagUse, Gap } from '../../../src/code/references/use.ts';
import {
  filesText,
  gapRemedy,
  gapText,
  readLossText,
  referencesSummary,
  skippedText,
  unclearText,
  unsearchedText,
} from '../../../src/report/words/code.ts';
import { readsText } from '../../../src/report/words/rules.ts';

const place = (line: number) => ({ file: 'a.ts', line, column: 1 });
const reference = (line: number, certain: boolean, more: object = {}): ReadLoss['references'][number] => ({
  place: place(line),
  form: 'call',
  certain,
  ...more,
});
const repository = 'github.com/acme/web';
const source = { repository, file: 'refs/web.json' };

const GAPS: readonly (readonly [gap: Gap, text: string, remedy: string])[] = [
  [
    { code: 'files_not_searched', why: 'large', files: ['a'] },
    '1 file of more than 10 MB not searched: a',
    'If they are not code, add them to `refs.ignore`; otherwise make them readable.',
  ],
  [
    { code: 'files_not_searched', why: 'submodules', files: ['a', 'b'], repository },
    'github.com/acme/web: 2 submodules not searched: a, b',
    'If they do not read flags, add them to `refs.ignore`.',
  ],
  [
    { code: 'key_not_searched' },
    'the key was not searched for',
    'A key is searched for if it consists of letters, digits, `_` and `-`; in another repository, export again with the current keys.',
  ],
  [
    { code: 'code_hidden', files: ['a', 'b', 'c', 'd', 'e'] },
    'a, b, c, 2 more read it before, and not searched since',
    'Remove what reads the flag, or the files.',
  ],
  [
    { code: 'source_edited', ...source },
    'github.com/acme/web: refs/web.json named it before, and was edited since',
    'Run `flagwright refs export` in that repository, and get its document.',
  ],
  [
    { code: 'no_reader_found' },
    'no code that was searched reads a flag, so it is probably elsewhere',
    'Run `flagwright refs export` in the repositories that have the code, and name the documents that it writes in `refs.sources`.',
  ],
  [
    { code: 'repository_not_searched', detail: 'no git' },
    'this repository was not searched: no git',
    'Make `git status` work in this folder.',
  ],
  [
    { code: 'source_missing', ...source },
    'github.com/acme/web: refs/web.json does not exist',
    'Run `flagwright refs export` in that repository, and get its document.',
  ],
  [
    { code: 'source_unreadable', ...source, detail: 'it is not JSON' },
    'github.com/acme/web: refs/web.json cannot be read: it is not JSON',
    'Run `flagwright refs export` in that repository, and get its document.',
  ],
  [
    { code: 'source_renamed', ...source, found: 'github.com/acme/site' },
    'github.com/acme/web: refs/web.json has the references of github.com/acme/site',
    'If the repository was renamed, correct `refs.sources`.',
  ],
  [
    { code: 'source_old', ...source, days: 9, max_days: 1 },
    'github.com/acme/web: refs/web.json is 9 days old; the limit is 1 day',
    'Run `flagwright refs export` in that repository, and get its document.',
  ],
];

test.each(GAPS)('%j is told with its remedy', (gap, text, remedy) => {
  expect([gapText(gap), gapRemedy(gap)]).toEqual([text, remedy]);
});

test('of many gaps three are told, and the number of the others', () => {
  const gaps = GAPS.slice(2).map(([gap]) => gap);
  const told = (amount: number): string | undefined => unsearchedText({ flags: [], gaps: gaps.slice(0, amount) });
  expect(told(0)).toBeUndefined();
  expect(told(1)).toBe('Not all code was searched, so more may read what changes (the key was not searched for)');
  expect(told(3)).not.toContain('more reason');
  expect(told(4)).toMatch(/; and 1 more reason\)$/);
  expect(told(5)).toMatch(/; and 2 more reasons\)$/);
});

test('files and places that are left out are counted', () => {
  expect([filesText(['a']), filesText(['a', 'b', 'c']), filesText(['a', 'b', 'c', 'd'])]).toEqual([
    'a',
    'a, b, c',
    'a, b, c, 1 more',
  ]);
  const places = [{ place: place(1) }, { place: place(2), repository }];
  expect(readsText({ count: 2, places })).toBe('a.ts:1:1, github.com/acme/web: a.ts:2:1');
  expect(readsText({ count: 5, places })).toBe('a.ts:1:1, github.com/acme/web: a.ts:2:1 and 3 more');
});

test('files that were not searched are counted by reason', () => {
  const none = { binary: [], generated: [], large: [], unreadable: [], submodules: [] };
  expect(skippedText(none)).toBe('');
  expect(
    skippedText({ binary: ['a', 'b'], generated: ['c'], large: ['d', 'e'], unreadable: ['f'], submodules: ['g', 'h'] }),
  ).toBe('2 binary files, 1 generated or minified file, 2 files of more than 10 MB, 1 unreadable file, 2 submodules');
});

describe('what a change takes from code is told', () => {
  const loss = (more: Partial<ReadLoss>): string | undefined =>
    readLossText({
      ref: 'flag:a',
      key: 'a',
      loses: 'delete',
      verdict: 'unknown',
      searched: true,
      references: [],
      indirect: [],
      ...more,
    });
  const certain = [1, 2, 3, 4].map((line) => reference(line, true));

  test.each<[string, Partial<ReadLoss>, string | undefined]>([
    [
      'where code reads it for certain',
      { references: [...certain, reference(9, false)] },
      'code reads it at a.ts:1:1, a.ts:2:1, a.ts:3:1 and 1 more',
    ],
    ['where code may read it', { references: [reference(9, false)] }, 'code may read it at a.ts:9:1'],
    [
      'how many places may make its key',
      { indirect: [{ place: place(1) }, { place: place(2) }] },
      '2 places of code may make its key at run time',
    ],
    [
      'that the key was not searched for',
      { searched: false },
      'it is not known whether code reads it: not all code was searched for this key',
    ],
    ['that its key is an ordinary word', { verdict: 'possible' }, 'its key is an ordinary word, which code uses'],
    ['with nothing where nothing was found', {}, undefined],
    [
      'which line names a variant that goes',
      { variants: ['x'], references: [reference(1, true, { variants: ['x'] }), reference(2, true)] },
      'code reads it at a.ts:1:1, a.ts:2:1; this line names the variant that goes: a.ts:1:1',
    ],
    [
      'which lines name variants that go',
      { variants: ['x', 'y'], references: [1, 2].map((line) => reference(line, false, { variants: ['x'] })) },
      'code may read it at a.ts:1:1, a.ts:2:1; these lines name a variant that goes: a.ts:1:1, a.ts:2:1',
    ],
    [
      'without variants that no line names',
      { variants: ['x'], references: [reference(1, true)] },
      'code reads it at a.ts:1:1',
    ],
    [
      'that a file is hidden by the change',
      { hidden: ['b.ts'] },
      'b.ts read it before, and this change takes it out of the search, so nobody knows whether code still reads it',
    ],
    [
      'that files are hidden, beside what is found, and a document is edited',
      { references: [reference(1, true)], hidden: ['b.ts', 'c.ts'], edited: ['refs/web.json'] },
      'code reads it at a.ts:1:1; b.ts, c.ts read it before, and this change takes them out of the search, so nobody knows whether code still reads it; refs/web.json named it before, and this change edits that, so nobody knows whether code still reads it',
    ],
  ])('%s', (_what, more, text) => {
    expect(loss(more)).toBe(text);
  });
});

test.each<[Partial<FlagUse>, string]>([
  [{ verdict: 'unknown' }, 'not all code was searched'],
  [
    { verdict: 'unknown', gaps: [{ code: 'no_reader_found' }, { code: 'key_not_searched', repository }] },
    'not all code was searched; github.com/acme/web: the key was not searched for',
  ],
  [
    { verdict: 'possible', references: [{ ...reference(1, false), key: 'a' }] },
    'named in 1 place, of which none reads it for certain',
  ],
  [{ verdict: 'possible', loose: 2 }, 'its key is an ordinary word, which occurs 2 times outside quotes'],
  [{ verdict: 'indirect', indirect: [{ place: place(1) }] }, '1 place may make its key at run time'],
  [{ verdict: 'read' }, 'read'],
  [{ verdict: 'not_found' }, 'not_found'],
])('%j is unclear: %s', (use, text) => {
  expect(unclearText({ key: 'a', verdict: 'unknown', references: [], indirect: [], loose: 0, gaps: [], ...use })).toBe(
    text,
  );
});

test('the summary counts what there is, and nothing else', () => {
  const none = { read: 1, notFound: 0, unclear: 0, unknownReads: 0, stillRead: 0 };
  expect(referencesSummary([], { ...none, read: 0 })).toBe('References: 0 of 0 flags read');
  expect(referencesSummary([], { read: 0, notFound: 1, unclear: 2, unknownReads: 1, stillRead: 3 })).toBe(
    'References: 0 of 0 flags read · 1 not found · 2 not known · 1 key read but not declared · 3 still read',
  );
});
