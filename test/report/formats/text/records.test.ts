import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../../src/base/json.ts';
import { recordText, tableText } from '../../../../src/report/formats/text/records.ts';
import { PLAIN } from '../../../../src/report/view.ts';
import { ANY_CHARACTER } from '../../../helpers/any-character.ts';

describe('a table', () => {
  const table = (records: readonly JsonObject[], columns: readonly string[], width?: number): string =>
    tableText(records, columns, { palette: PLAIN, ...(width === undefined ? {} : { width }) });

  test('is aligned, without trailing spaces', () => {
    const records = [
      { id: 1, name: 'Ada', note: 'x' },
      { id: 1000, name: '李小龍', note: '' },
      { id: 2, name: 'e\u0301a', note: 'y' },
    ];
    expect(table(records, ['id', 'name', 'note'])).toBe(
      'id    name    note\n1     Ada     x\n1000  李小龍\n2     e\u0301a      y\n',
    );
  });

  test('is aligned with emoji that consist of several', () => {
    const records = [
      { name: '👩🏽\u200d💻 Ada', note: 'x' },
      { name: 'Grace 🇺🇸', note: 'y' },
      { name: '❤\ufe0f', note: 'z' },
    ];
    expect(table(records, ['name', 'note'])).toBe(
      'name      note\n👩🏽\u200d💻 Ada    x\nGrace 🇺🇸  y\n❤\ufe0f        z\n',
    );
  });

  test('without records has its headings', () => {
    expect(table([], ['id', 'name'])).toBe('id  name\n');
  });

  test.each([40, 25, 10])('keeps to %i characters, or to the least width of its columns', (width) => {
    const text = table([{ a: 'x'.repeat(500), b: '龍'.repeat(30), c: 'short' }], ['a', 'b', 'c'], width);
    const least = 8 + 2 + 8 + 2 + 5;
    for (const line of text.trimEnd().split('\n')) expect(widthOf(line)).toBeLessThanOrEqual(Math.max(width, least));
    expect(text).toContain('short');
    expect(text).toContain('…');
  });

  test('contains no character that a terminal obeys, and no command to a build log', () => {
    fc.assert(
      fc.property(fc.array(fc.dictionary(fc.string(), fc.string({ unit: ANY_CHARACTER }))), (records) => {
        const columns = [...new Set(records.flatMap(Object.keys))];
        for (const line of table(records, columns, 60).split('\n'))
          expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
      }),
    );
    expect(table([{ a: '::error::x' }], ['a'])).not.toMatch(/^::/m);
    expect(table([{ a: '\u001b[2J\r\nx\u202e' }], ['a'])).toBe('a\n\\u001b[2J\\r\\nx\\u202e\n');
  });

  test('one record has a line for each member', () => {
    const record = { id: 7, properties: { a: 1 }, absent: undefined, note: 'x'.repeat(99) };
    const text = recordText(record, { palette: PLAIN, width: 30 });
    expect(text).toBe(`id          7\nproperties  {"a":1}\nnote        ${'x'.repeat(17)}…\n`);
  });
});

function widthOf(line: string): number {
  return Array.from(line).reduce((width, character) => width + (character === '龍' ? 2 : 1), 0);
}
