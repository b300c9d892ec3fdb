/** Payloads are written as values: the service stores JSON text. */

import { expect, test } from 'vitest';

import type { JsonValue } from '../../../src/base/json.ts';
import { writePayload } from '../../../src/posthog/flag/layout.ts';

const deep = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

const cases: readonly { stored: JsonValue; written: JsonValue }[] = [
  { stored: '{"color": "red", "n": [1.5, true, null]}', written: { color: 'red', n: [1.5, true, null] } },
  { stored: '42', written: 42 },
  { stored: '1.50e1', written: 15 },
  { stored: '0.1', written: 0.1 },
  { stored: '-0', written: -0 },
  { stored: 'null', written: 'null' },
  { stored: null, written: null },
  { stored: '"just text"', written: '"just text"' },
  { stored: 'not JSON', written: 'not JSON' },
  { stored: '', written: '' },
  { stored: '12345678901234567890', written: '12345678901234567890' },
  { stored: '[12345678901234.5678]', written: '[12345678901234.5678]' },
  { stored: '1e400', written: '1e400' },
  { stored: '{"id": "12345678901234567890"}', written: { id: '12345678901234567890' } },
  { stored: '{"<<": {"a": 1}}', written: '{"<<": {"a": 1}}' },
  { stored: deep(3), written: [[[]]] },
  { stored: deep(20), written: JSON.parse(deep(20)) as JsonValue },
  { stored: deep(21), written: deep(21) },
  { stored: `[${'[],'.repeat(30)}{}]`, written: [...Array.from({ length: 30 }, () => []), {}] },
  { stored: '["<<", "[", 12345678901234567]', written: '["<<", "[", 12345678901234567]' },
  {
    stored: '["[[[[[[[[[[[[[[[[[[[[[[", "12345678901234567890"]',
    written: ['[[[[[[[[[[[[[[[[[[[[[[', '12345678901234567890'],
  },
  { stored: deep(50), written: deep(50) },
  { stored: deep(100_000), written: deep(100_000) },
  { stored: { color: 'red' }, written: { color: 'red' } },
  { stored: false, written: false },
];

test.each(cases)('$stored', ({ stored, written }) => {
  expect(writePayload(stored)).toEqual(written);
});
