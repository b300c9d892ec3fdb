import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../../../src/base/json.ts';
import { csvHeader, csvRecord } from '../../../../src/report/formats/csv/records.ts';
import { ANY_CHARACTER } from '../../../helpers/any-character.ts';

const cell = (value: JsonValue): string => csvRecord({ a: value }, ['a']).slice(0, -2);

describe('a cell', () => {
  test.each<[JsonValue, string]>([
    ['Ada', 'Ada'],
    ['', ''],
    [null, ''],
    [0, '0'],
    [-5, '-5'],
    [true, 'true'],
    ['a,b', '"a,b"'],
    ['say "hi"', '"say ""hi"""'],
    ['two\nlines', '"two\nlines"'],
    [' blank', '" blank"'],
    [['a', 1], '"[""a"",1]"'],
    [{ a: '=1' }, '"{""a"":""=1""}"'],
  ])('%j is %s', (value, text) => {
    expect(cell(value)).toBe(text);
  });

  test.each([
    ['=1+1', "'=1+1"],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', "'\t=1"],
    ['\r=1', '"\'\r=1"'],
    ['\n=1', '"\'\n=1"'],
    ['  =1', "'  =1"],
    ['＝1', "'＝1"],
    ['\u001b]0;title\u0007', '\\u001b]0;title\\u0007'],
    ['=HYPERLINK("http://x","y")', '"\'=HYPERLINK(""http://x"",""y"")"'],
    ['a=1', 'a=1'],
    ["'=1", "'=1"],
    ['ada@example.org', 'ada@example.org'],
  ])('the text %j is no formula: %s', (text, written) => {
    expect(cell(text)).toBe(written);
  });
});

test('headings are neutralised too, and nested columns are found', () => {
  expect(csvHeader(['id', '=cmd', 'properties.plan'])).toBe("id,'=cmd,properties.plan\r\n");
  expect(csvRecord({ id: 7, properties: { plan: 'pro' } }, ['id', 'nothing', 'properties.plan'])).toBe('7,,pro\r\n');
});

test('a CSV reader gets every string back, and none begins a formula', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: ANY_CHARACTER }), { minLength: 1 }), (texts) => {
      const record: JsonObject = Object.fromEntries(texts.map((text, index) => [`c${index}`, text]));
      const cells = parseLine(csvRecord(record, Object.keys(record)));
      expect(cells.map((text) => text.replace(/^'(?=[ ]*[=+\-@\t\r\n＝＋－＠])/, ''))).toEqual(
        texts.map((text) => withVisibleControls(text).replace(/^'(?=[ ]*[=+\-@\t\r\n＝＋－＠])/, '')),
      );
      for (const text of cells) {
        expect(text).not.toMatch(/^[=+\-@\t\r\n]/);
        expect(text).not.toMatch(/[^\P{Cc}\t\r\n]/u);
      }
    }),
  );
});

function withVisibleControls(text: string): string {
  return text.replace(/[^\P{Cc}\t\r\n]/gu, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** One record of RFC 4180, read character by character. */
function parseLine(line: string): string[] {
  const cells = [''];
  let inQuotes = false;
  const body = line.slice(0, -2);
  for (let index = 0; index < body.length; index += 1) {
    const character = body.charAt(index);
    if (inQuotes && character === '"' && body.charAt(index + 1) === '"') {
      cells[cells.length - 1] += '"';
      index += 1;
    } else if (character === '"') inQuotes = !inQuotes;
    else if (character === ',' && !inQuotes) cells.push('');
    else cells[cells.length - 1] += character;
  }
  return cells;
}
