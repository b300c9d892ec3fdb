import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonValue } from '../../../../src/base/json.ts';
import { jsonLine, jsonText } from '../../../../src/report/formats/json/seal.ts';

test('JSON is the same value without characters that a terminal obeys', () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
      for (const text of [jsonLine(value as JsonValue), jsonText(value as JsonValue)]) {
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/u);
      }
      expect(jsonLine(value as JsonValue)).not.toContain('\n');
    }),
  );
  expect(jsonLine('\u009b2J\u202e')).toBe('"\\u009b2J\\u202e"');
});
