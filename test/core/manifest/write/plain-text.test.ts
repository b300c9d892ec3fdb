/** The text of simple values is the one that the `yaml` package writes. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../../../src/base/json.ts';
import { type Position, memberText, yamlMember } from '../../../../src/core/manifest/write/layout.ts';
import { FLAG_BLOCK, SHORT_FLAG_BLOCK } from '../../../../src/posthog/flag/layout.ts';
import { arbitraryJson, arbitraryText } from '../../../loop/export/arbitrary-flags.ts';
import { holds } from '../../../helpers/runs.ts';

/** Words, numbers, characters with a meaning, and characters that are not seen. */
const WORDS = [
  ...[
    'y',
    'Yes',
    'yEs',
    'on',
    'no',
    'null',
    '~',
    'true',
    'TRUE',
    'e5',
    'E+3',
    '12',
    '1.5',
    '1e5',
    '.5',
    '0x1f',
    '0o7',
    '0777',
  ],
  ...[
    '1_000',
    '-1',
    '+1',
    '2026-01-31',
    '12:30',
    '-',
    '--',
    '---',
    '...',
    '?',
    '?a',
    ':',
    'a:',
    'a: b',
    '#c',
    'http://a.b/c',
  ],
  ...[
    '[',
    ']',
    '{',
    '}',
    ',',
    '"',
    "'",
    '\\',
    '\t',
    '\n',
    '%',
    '@',
    '`',
    '!',
    '&',
    '*',
    '|',
    '>',
    '<<',
    '=',
    '$x',
    '/',
    '(',
  ],
  ...['é', 'Ü', '×', '\u00a0', '\u00ad', '🙂', '\u2028', '\u200d', 'word-'.repeat(20)],
];

const piece = fc.oneof(fc.constantFrom(...WORDS, '', ' '), fc.stringMatching(/^[a-z]{1,6}$/));
const text = fc.oneof(
  fc.array(piece, { maxLength: 4 }).map((pieces) => pieces.join('')),
  fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(' ')),
  arbitraryText,
);
const number = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(-0, 1e21, 1e-7, -5.25, 2 ** 53),
);
const name = fc.oneof(
  fc.constantFrom('filters', 'groups', 'properties', 'multivariate', 'variants', 'payloads', 'fields', 'projects'),
  text,
);
const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'medium' },
    text,
    number,
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(name, tie('value'), { maxKeys: 4 }),
    arbitraryJson,
  ),
}));
const position = fc.record({
  block: fc.constantFrom(FLAG_BLOCK, SHORT_FLAG_BLOCK, { each: SHORT_FLAG_BLOCK }, {}),
  indent: fc.constantFrom(0, 2, 4, 8),
});
const at = (indent: number): Position => ({ block: {}, column: indent, indent });

test('the text is that of the yaml package, for any value at any place', () => {
  holds(500, [name, value, position], (member, declared, { block, indent }) => {
    const around: Position = { block, column: indent, indent };
    expect(memberText(member, declared, around)).toBe(yamlMember(member, declared, around));
  });
});

describe.each(WORDS)('the text %j', (word) => {
  test.each(['', 'a', ' '])('alone, in a list, in a mapping and as a key, beside %j', (beside) => {
    for (const one of [`${word}${beside}`, `${beside}${word}`, `${word} ${beside}`, `${beside} ${word}`]) {
      for (const place of [one, [one], { a: one }, { [one]: 1 }, { a: { [one]: [one, one] } }])
        expect(memberText('a', place, at(2))).toBe(yamlMember('a', place, at(2)));
      expect(memberText(one, 1, at(0))).toBe(yamlMember(one, 1, at(0)));
    }
  });
});

test.each(Array.from({ length: 12 }, (_, index) => 86 + index))(
  'a text of %i characters, near the end of a line',
  (length) => {
    for (const long of ['a'.repeat(length), `a ${'b'.repeat(length - 2)}`, `@${'a '.repeat(length / 2)}b`])
      for (const place of [long, [long], { a: long }])
        expect(memberText('a', place, at(4))).toBe(yamlMember('a', place, at(4)));
  },
);
