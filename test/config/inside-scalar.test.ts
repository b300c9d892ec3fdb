/** The offset in a text of YAML of a character in the value of a scalar. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isScalar, parseDocument, Scalar, stringify } from 'yaml';
import { offsetInScalar } from '../../src/config/expressions.ts';
import { holds } from '../helpers/runs.ts';

/** The text of the file from the place of a character of the value of `when`. */
function restAt(text: string, offset: number): string {
  const node = parseDocument(text).get('when', true);
  if (!isScalar(node)) throw new Error('no scalar');
  return text.slice(offsetInScalar(text, node, offset));
}

describe('the place of a character in a string of YAML', () => {
  it.each<[string, string, string, string]>([
    ['plain', 'when: a == X && b\n', 'X', 'X && b\n'],
    ['plain over lines', 'when: a ==\n    X\n    && b\nlevel: error\n', 'X', 'X\n    && b\nlevel: error\n'],
    ['in single quotes', "when: 'it''s ''X'' '\n", 'X', "X'' '\n"],
    ['in double quotes', 'when: "\\"a\\" == \\"X\\""\n', 'X', 'X\\""\n'],
    ['with escapes of any length', 'when: "\\x41\\u00e9\\U0001F600\\t\\_\\e X"\n', 'X', 'X"\n'],
    ['with a line break that is escaped', 'when: "a \\\n    == X"\n', 'X', 'X"\n'],
    ['a folded block', 'when: >- # why\n  a\n  == X\n  && b\n', 'X', 'X\n  && b\n'],
    ['a literal block', 'when: |\n  a\n    == X\n\n  && b\n', 'X', 'X\n\n  && b\n'],
    ['with an indentation of its own', 'when: |2\n    a\n  X\n', 'X', 'X\n'],
    ['after an anchor', 'when: &rule a == X\n', 'X', 'X\n'],
  ])('is found %s', (_, text, character, rest) => {
    const value = String(parseDocument(text).get('when'));
    expect(restAt(text, value.indexOf(character))).toBe(rest);
  });

  it.each<[string, string, string]>([
    ['of white space, is that of what follows', 'when: a   X\n', 'X\n'],
    ['of white space over lines, as well', 'when: >\n  a\n  X\n', 'X\n'],
  ])('%s', (_, text, rest) => {
    expect(restAt(text, 1)).toBe(rest);
  });

  it.each([
    ['plain', 'when: a &&\nb: 1\n', '\nb: 1\n'],
    ['quoted', 'when: "a &&"\n', '"\n'],
    ['a block', 'when: |\n  a &&\n\n', '\n\n'],
  ])('after the last character: %s', (_, text, rest) => {
    const value = String(parseDocument(text).get('when'));
    expect(restAt(text, value.length)).toBe(rest);
  });

  it('is unknown for a string that was not read', () => {
    expect(offsetInScalar('', new Scalar('a'), 0)).toBeUndefined();
  });

  it('is that of the same character, however the string is written', () => {
    const values = fc.string({ unit: fc.constantFrom('a', ' ', '\n', '"', "'", '\\', 'é', '😀', ':', '#', '\t') });
    const types = fc.constantFrom(
      Scalar.PLAIN,
      Scalar.QUOTE_SINGLE,
      Scalar.QUOTE_DOUBLE,
      Scalar.BLOCK_FOLDED,
      Scalar.BLOCK_LITERAL,
    );
    holds(500, [values, types, values], (before, type, after) => {
      const value = `x${before}X${after}`;
      const text = stringify({ when: value }, { defaultStringType: type, lineWidth: 20 });
      const read = String(parseDocument(text).get('when'));
      expect(restAt(text, read.indexOf('X'))).toMatch(/^X/);
    });
  });
});
