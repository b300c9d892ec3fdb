import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { createRedactor, errorCode } from '../../../src/posthog/client/answer.ts';
import { KEY } from './support/client.ts';

const { text, error } = createRedactor(KEY);

test.each([
  ['as it is', `Bearer ${KEY}, again ${KEY}`],
  ['in a URL', `?personal_api_key=${encodeURIComponent(KEY)}`],
])('the key %s is replaced', (_name, value) => {
  expect(text(value)).not.toMatch(/planted/);
  expect(text(value)).toContain('[key]');
});

test('control and direction characters do not leave the client', () => {
  expect(text('a\u001b[31mb\r\nc\u009bd\u202Ee')).toBe('a [31mb c d e');
});

test('a long string is truncated', () => {
  expect(text('x'.repeat(100_000)).length).toBeLessThan(2100);
});

test('only the name, message and code of an error are kept', () => {
  const cause = new Error(`inner ${KEY}`);
  const original = Object.assign(new TypeError(`cannot send ${KEY}`, { cause }), {
    code: 'ECONNRESET',
    socket: { headers: [KEY] },
  });
  const plain = error(original);
  expect(plain).toMatchObject({ name: 'TypeError', message: 'cannot send [key]', code: 'ECONNRESET' });
  expect(inspect(plain, { depth: 20, showHidden: true })).not.toContain('planted');
});

test.each([
  [Object.assign(new Error(), { code: 'EPIPE' }), 'EPIPE'],
  [new AggregateError([Object.assign(new Error(), { code: 'ECONNREFUSED' })]), 'ECONNREFUSED'],
  [new Error('plain'), undefined],
  ['text', undefined],
  [null, undefined],
])('the code of %o', (value, code) => {
  expect(errorCode(value)).toBe(code);
});

test('the key is replaced within a JSON string', () => {
  const odd = 'phx_"quoted\\slashed';
  const redactor = createRedactor(odd);
  for (const spelling of [odd, JSON.stringify(odd), encodeURIComponent(odd)]) {
    expect(redactor.text(`<${spelling}>`)).toContain('[key]');
    expect(redactor.text(`<${spelling}>`)).not.toContain('slashed');
  }
});

test.each([
  [2000, 'x'.repeat(2000)],
  [2001, `${'x'.repeat(2000)}…`],
])('a string of %i characters', (length, expected) => {
  expect(text('x'.repeat(length))).toBe(expected);
});

test.each<[unknown, object, boolean]>([
  ['a string', { name: 'Error', message: 'a string' }, false],
  [undefined, { name: 'Error', message: 'undefined' }, false],
  [new RangeError('too far'), { name: 'RangeError', message: 'too far' }, false],
  [Object.assign(new Error('x'), { code: 7 }), { name: 'Error', message: 'x' }, false],
  [{ code: `E${KEY}` }, { code: 'E[key]' }, true],
])('an error of %o', (value, expected, hasCode) => {
  expect(error(value)).toMatchObject(expected);
  expect(Object.hasOwn(error(value), 'code')).toBe(hasCode);
});
