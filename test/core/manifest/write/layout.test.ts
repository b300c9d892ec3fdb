import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';

import type { JsonObject, JsonValue } from '../../../../src/base/json.ts';
import { layOut as layOutWith } from '../../../../src/core/manifest/write/layout.ts';
import { FLAG_BLOCK } from '../../../../src/posthog/flag/layout.ts';
import { arbitraryJson, arbitraryText } from '../../../loop/export/arbitrary-flags.ts';
import { ANY_CHARACTER } from '../../../helpers/any-character.ts';

const layOut = (manifest: JsonObject): string => layOutWith(manifest, { blocks: { flags: FLAG_BLOCK } });

const member = (value: JsonValue): JsonObject => ({ flags: { a: { filters: { payloads: { on: value } } } } });
const property = (value: JsonValue): JsonObject => ({
  flags: { a: { filters: { groups: [{ properties: [value] }] } } },
});

test.each([[], {}])('the empty value %j is on the line of its name', (empty) => {
  const manifest = { flags: { a: { rollback_conditions: empty, filters: { groups: empty, payloads: empty } } } };
  const text = JSON.stringify(empty);
  expect(layOut(manifest)).toBe(
    `flags:\n  a:\n    rollback_conditions: ${text}\n    filters:\n      groups: ${text}\n      payloads: ${text}\n`,
  );
});

describe('the text parses to the same value', () => {
  const places = { member, property };

  test.each(Object.entries(places))('any value as a %s', (_, place) => {
    fc.assert(
      fc.property(fc.oneof(arbitraryJson, arbitraryText, fc.dictionary(arbitraryText, arbitraryText)), (value) => {
        expect(parse(layOut(place(value)))).toEqual(place(value));
      }),
    );
  });

  test.each([' \n', '\n', ' a\nb', 'a \nb', 'a\n', 'a\n\n', 'a\n\n  b', 'a\n ', '- a\n# b', 'a\r\nb'])(
    'the lines %j',
    (lines) => {
      const manifest = { flags: { a: { description: lines, filters: { payloads: { [lines]: [lines] } } } } };
      expect(parse(layOut(manifest))).toEqual(manifest);
    },
  );

  test.each(['1.1', '1.2'] as const)('strings that look like other types, read as YAML %s', (version) => {
    const texts = [
      'yes',
      'no',
      'on',
      'off',
      'y',
      'n',
      'null',
      '~',
      '',
      '1e3',
      '0777',
      '0o17',
      '0x1F',
      '1_000',
      '12:30:00',
      '2026-01-31',
      '.inf',
      '@a',
      '`a',
      '%a',
      '!a',
      '*a',
      '&a',
      '- a',
      '? a',
      ': a',
      'a: b',
      'a #b',
      '{a',
      '[a',
      'true',
      'True',
      '-',
      '---',
      '...',
      '<<',
    ];
    for (const text of texts) {
      expect(parse(layOut(property({ value: text })), { version, merge: false })).toEqual(property({ value: text }));
      expect(parse(layOut(member({ [text]: [text] })), { version, merge: false })).toEqual(member({ [text]: [text] }));
    }
  });
});

describe('lines', () => {
  const cases: readonly { what: string; manifest: JsonObject; line: string }[] = [
    {
      what: 'a short property',
      manifest: property({ key: 'email', type: 'person', operator: 'icontains', value: '@acme.com' }),
      line: '            - { key: email, type: person, operator: icontains, value: "@acme.com" }',
    },
    {
      what: 'the values of a long property',
      manifest: property({
        key: 'email',
        type: 'person',
        operator: 'exact',
        value: ['first@example.org', 'second@example.org', 'third@example.org'],
      }),
      line: '              value: [first@example.org, second@example.org, third@example.org]',
    },
    { what: 'a regular expression', manifest: member('^\\d+$'), line: '        "on": \'^\\d+$\'' },
    {
      what: 'a string of several lines',
      manifest: { flags: { a: { description: 'one\ntwo' } } },
      line: '    description: |-',
    },
    {
      what: 'a string that is longer than a line',
      manifest: { flags: { a: { description: 'word '.repeat(40).trim() } } },
      line: '    description: >-',
    },
    {
      what: 'invisible characters',
      manifest: member('a\u{202e}b\u{1b}[1m\u{e0041}'),
      line: '        "on": "a\\u202eb\\e[1m\\U000e0041"',
    },
  ];

  test.each(cases)('$what', ({ manifest, line }) => {
    const text = layOut(manifest);
    expect(text.split('\n')).toContain(line);
    expect(parse(text)).toEqual(manifest);
  });

  test('stay within the width if words allow it', () => {
    const words = fc.array(fc.stringMatching(/^[a-z]{1,20}$/), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(words, fc.dictionary(fc.stringMatching(/^[a-z]{1,20}$/), words), (value, object) => {
        const text = layOut(property({ value: value.join(' '), object }));
        expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(110);
      }),
    );
  });

  test('the file contains no invisible characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: ANY_CHARACTER }), (text) => {
        expect(layOut(member({ [text]: text }))).not.toMatch(
          /(?![\n\u{200c}\u{200d}])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u,
        );
      }),
    );
  });
});

test('a part that is one line stays one however long it is, unless it has a part in block style', () => {
  const long = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`quite_a_long_name_${index}`, index]));
  const block = { members: { fields: { isLine: true as const, members: { filters: {} } } } };
  const lines = (fields: JsonObject): number =>
    layOutWith({ flags: { a: { fields } } }, { blocks: { flags: block } }).split('\n').length;
  expect(lines(long)).toBe(4);
  expect(lines({ ...long, filters: { groups: [] } })).toBeGreaterThan(10);
});
