/** The place of an offset in a text: its line and its column. */

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createPlacer } from '../../../src/base/place.ts';

it('places every offset, in any order', () => {
  const texts = fc.array(fc.constantFrom('a', '\n', '\r\n', 'bc', '\n'.repeat(3), 'x'.repeat(1200)), { maxLength: 30 });
  fc.assert(
    fc.property(texts, fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1 }), (parts, positions) => {
      const text = parts.join('');
      const placer = createPlacer('a.yaml', text);
      for (const position of positions) {
        const offset = Math.floor(position * text.length);
        const before = text.slice(0, offset).split('\n');
        const column = (before.at(-1) ?? '').length + 1;
        expect(placer(offset)).toEqual({ file: 'a.yaml', line: before.length, column });
      }
    }),
  );
});
