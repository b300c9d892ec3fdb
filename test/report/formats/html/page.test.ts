/** Cards of a page: what a reader can filter by, in which order they are, and which groups are folded. */

import { describe, expect, test } from 'vitest';
import { filterLines, groupLines, painted, unpainted } from '../../../../src/report/formats/html/page.ts';
import type { EntryKind, ReportEntry, ReportGroup } from '../../../../src/report/model/report-model.ts';
import type { Phrase } from '../../../../src/report/phrase.ts';
import { renderWhole } from '../../render-whole.ts';
import { sampleOf } from '../../samples-of-kinds.ts';
import { VIEW } from '../../samples.ts';

const entry = (head: string, kinds?: readonly EntryKind[], more: Partial<ReportEntry> = {}): ReportEntry => ({
  head,
  lines: [],
  ...(kinds && { kinds }),
  ...more,
});
const group = (entries: readonly ReportEntry[], more: Partial<ReportGroup> = {}): ReportGroup => ({
  title: 'Changes',
  entries,
  form: 'changes',
  indent: { head: 0, lines: 0 },
  ...more,
});
const linesOf = (entries: readonly ReportEntry[], more: Partial<ReportGroup> = {}, view = VIEW): string =>
  groupLines(group(entries, more), view).join('\n');

describe('a reader can filter', () => {
  const labels = (...groups: readonly ReportGroup[]): readonly string[] =>
    [
      ...filterLines(groups)
        .join('\n')
        .matchAll(/<label for="show-([\w-]+)">(?:.*?<\/span> )?([^<]*)<\/label>/g),
    ].map(([, id, words]) => `${id}: ${words}`);

  test('by each kind that there is, with the numbers of cards, across groups, the gravest first', () => {
    const widen = [entry('a', ['widen']), entry('b', ['widen', 'metadata'])];
    expect(labels(group(widen), group([entry('c', ['kill'])]))).toEqual([
      'all: all 3',
      'kill: kill 1',
      'widen: widen 2',
      'metadata: metadata 1',
    ]);
  });

  test('by the number of changes, where several are one card', () => {
    const failed = entry('x', ['failed'], { named: ['a', 'b', 'c'] });
    expect(labels(group([failed, entry('y', ['applied'], { named: [] })]))).toEqual(
      expect.arrayContaining(['all: all 4', 'failed: failed 3', 'applied: applied 1']),
    );
  });

  test.each<[string, readonly ReportGroup[]]>([
    ['one card has two kinds', [group([entry('a', ['kill', 'widen'])])]],
    ['two cards have one kind', [group([entry('a', ['kill']), entry('b', ['kill'])])]],
    ['cards have no kind', [group([entry('a'), entry('b')])]],
    ['the others are a list', [group([entry('a', ['kill'])]), group([entry('b', ['widen'])], { form: 'list' })]],
    ['there is nothing', []],
  ])('not where %s', (_what, groups) => {
    expect(filterLines(groups)).toEqual([]);
  });

  test('and everything is shown at first', () => {
    const lines = filterLines([group([entry('a', ['kill']), entry('b', ['widen'])])]).join('\n');
    expect(lines.match(/checked="checked"/g)).toHaveLength(1);
    expect(lines).toContain('id="show-all" checked="checked"');
    expect(lines).toMatch(/^<fieldset>\n<legend>Show<\/legend>/);
  });
});

describe('a group', () => {
  const many = (amount: number): readonly ReportEntry[] =>
    Array.from({ length: amount }, (_, index) => entry(`e${index}`));

  test('without entries is not there', () => {
    expect(linesOf([])).toBe('');
  });

  test('of cards has the gravest first, each with its kinds', () => {
    const lines = linesOf([entry('mild', ['metadata']), entry('none'), entry('grave', ['widen', 'kill'])]);
    expect([...lines.matchAll(/<h3>(\w+)<\/h3>/g)].map(([, head]) => head)).toEqual(['grave', 'mild', 'none']);
    expect(lines).toContain('class="card is-widen is-kill"');
    expect(lines).toContain('<article class="card">');
  });

  test('that is no subject of the run is folded where it is long', () => {
    expect(linesOf(many(13), { prominence: 'rest' })).toMatch(
      /^<details class="group">\n<summary><h2>Changes: 13<\/h2><\/summary>/,
    );
    expect(linesOf(many(12), { prominence: 'rest' })).toMatch(/^<section class="group">\n<h2>Changes<\/h2>/);
    expect(linesOf(many(13))).toMatch(/^<section class="group">/);
  });

  test('of a list has its number, and its entries below their subjects, each once', () => {
    const shared = { subject: 'search' };
    const lines = linesOf([entry('a', [], shared), entry('b', [], shared), entry('c', [], { subject: 'other' })], {
      form: 'list',
      amount: 7,
      hints: ['Fix <it>'],
      more: 'and 4 more',
    });
    expect(lines).toContain('<h2>Changes: 7</h2>');
    expect([...lines.matchAll(/<li>(?:<span[^>]*>)?([^<]*)/g)].map(([, text]) => text)).toEqual([
      'search',
      'a',
      'b',
      'other',
      'c',
      '  Fix &lt;it&gt;',
      '  and 4 more',
    ]);
    expect(lines).toContain('<ul class="list">');
  });

  test('of a list with lines has rows', () => {
    const lines = linesOf([entry('a', [], { lines: [{ phrase: 'why' }] })], { form: 'list' });
    expect(lines).toContain('<ul class="list rows">');
    expect(lines).toContain('<li>a<ul><li>why</li></ul></li>');
  });
});

test('a page links to addresses of the web alone', () => {
  const link = (url: string): string => painted([{ link: 'page', url }]);
  expect(link('https://x.example/"a')).toBe('<a href="https://x.example/&quot;a">page</a>');
  for (const url of ['javascript:alert(1)', 'data:text/html,x', '//x.example']) expect(link(url)).toBe('page');
});

test('names and commands are code in a notice, and plain in a card', () => {
  const phrase = ['run ', { code: '<a>' }];
  expect(painted(phrase)).toBe('run &lt;a&gt;');
  expect(unpainted(phrase)).toBe('run <code>&lt;a&gt;</code>');
});

describe('what stands between backticks in a sentence is code', () => {
  test.each<[string, Phrase, string]>([
    ['a command', 'Run `flagwright refs`.', 'Run <code>flagwright refs</code>.'],
    ['with a mark of HTML', 'Run `off <KEY>`.', 'Run <code>off &lt;KEY&gt;</code>.'],
    ['one alone is a backtick', 'a ` b', 'a ` b'],
    ['two with nothing between them are backticks', 'a `` b', 'a `` b'],
    ['a value has its own backticks', [{ value: 'x`y`' }, ' `z`'], '<code>x&#96;y&#96;</code> <code>z</code>'],
    ['also with a value in it', ['add `', { value: 'a' }, ': 1`'], 'add <code>a: 1</code>'],
    [
      'a quoted string is data',
      'description "use `x`, \\"`y`\\"" and `z`',
      'description &quot;use &#96;x&#96;, \\&quot;&#96;y&#96;\\&quot;&quot; and <code>z</code>',
    ],
  ])('%s', (_, phrase, html) => {
    expect(unpainted(phrase)).toBe(html);
  });

  test('and in a card, where an element of a tone is not cut', () => {
    expect(painted(['a ` b ', { tone: 'dim', of: 'c ` d `e`' }])).toBe(
      'a ` b <span class="dim">c ` d `e`</span>'.replace('` d `', '<code> d </code>'),
    );
  });

  test('in a summary, a title, a hint and a remedy', async () => {
    const report = sampleOf('refs');
    const page = await renderWhole(report, 'html');
    expect(page).toContain('<code>flagwright refs export</code>');
    expect(page.replace(/<style>.*?<\/style>/s, '')).not.toMatch(/`/);
  });

  test('the line of a file is shown as it is', () => {
    const lines = linesOf(
      [entry('a', [], { lines: [{ phrase: '', excerpt: { file: 'a', line: 1, column: 3 } }] })],
      {},
      {
        ...VIEW,
        sourceLine: () => 'x: `y`',
      },
    );
    expect(lines).toContain('x: &#96;y&#96;');
  });
});
