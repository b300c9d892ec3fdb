/** Decodes the bytes of an answer to a JSON value: UTF-8 whatever the content type says, with bounded nesting. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeJson } from '../../../src/posthog/client/answer.ts';

test('any JSON value round-trips', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value);
      expect(decodeJson(Buffer.from(text))).toEqual({ kind: 'value', value: JSON.parse(text) as unknown });
    }),
  );
});

test('any bytes are a value, nothing, or invalid', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      expect(['value', 'empty', 'invalid']).toContain(decodeJson(bytes).kind);
    }),
  );
});

const CASES: readonly [string, Buffer, unknown][] = [
  ['nothing', Buffer.from(''), { kind: 'empty' }],
  ['spaces', Buffer.from(' \r\n'), { kind: 'empty' }],
  ['HTML', Buffer.from('<!doctype html>'), { kind: 'invalid', why: 'not_json' }],
  ['half an object', Buffer.from('{"a": 1'), { kind: 'invalid', why: 'not_json' }],
  ['Latin-1', Buffer.from('"\xe9"', 'latin1'), { kind: 'invalid', why: 'not_utf8' }],
  ['a byte order mark', Buffer.from('\ufeff{}'), { kind: 'value', value: {} }],
  ['500 levels', Buffer.from('['.repeat(500) + ']'.repeat(500)), expect.objectContaining({ kind: 'value' })],
  ['501 levels', Buffer.from('['.repeat(501) + ']'.repeat(501)), { kind: 'invalid', why: 'too_deep' }],
  ['a million levels', Buffer.from('{"a":'.repeat(1e6)), { kind: 'invalid', why: 'too_deep' }],
  [
    'brackets in a string',
    Buffer.from(`["${'['.repeat(900)}\\"${'{'.repeat(900)}"]`),
    expect.objectContaining({ kind: 'value' }),
  ],
  ['brackets side by side', Buffer.from(`[${'[],'.repeat(900)}{}]`), expect.objectContaining({ kind: 'value' })],
];

test.each(CASES)('%s', (_name, bytes, expected) => {
  expect(decodeJson(bytes)).toEqual(expected);
});

test('members named like built-ins are ordinary members', () => {
  const body = decodeJson(Buffer.from('{"__proto__": {"polluted": 1}, "constructor": 2}'));
  expect(Object.keys(body.kind === 'value' ? (body.value as object) : {})).toEqual(['__proto__', 'constructor']);
  expect(({} as { polluted?: number }).polluted).toBeUndefined();
});
