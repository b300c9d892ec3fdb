import { describe, expect, test } from 'vitest';
import { headerText, readAnswer, readDownload, createRedactor } from '../../../src/posthog/client/answer.ts';
import { readFlag } from '../../../src/posthog/client/shape.ts';
import { KEY } from './support/client.ts';

function read(status: number, body: unknown, headers: Record<string, string> = {}) {
  const raw = typeof body === 'string' ? body : JSON.stringify(body);
  return readAnswer(
    { kind: 'answer', status, headers, body: Buffer.from(raw) },
    { read: (value) => readFlag(value), redactor: createRedactor(KEY), now: 0 },
  );
}

const envelope = (code: string, attr: string | null = null, detail = 'Because.') => ({ type: 'x', code, attr, detail });
const HTML = '<html><h1>502 Bad Gateway</h1></html>';

const FAILURES: readonly [string, number, unknown, object][] = [
  ['a missing key', 401, envelope('not_authenticated'), { kind: 'unauthorized', detail: 'Because.' }],
  ['a missing scope', 403, envelope('permission_denied'), { kind: 'forbidden', detail: 'Because.' }],
  ['an unknown flag', 404, envelope('not_found'), { kind: 'not_found', detail: 'Because.' }],
  ['the activity of an unknown flag', 404, '""', { kind: 'not_found', detail: null }],
  ['a taken key', 400, envelope('unique', 'key'), { kind: 'validation', status: 400, code: 'unique', attr: 'key' }],
  ['incomplete history', 422, { detail: 'No.' }, { kind: 'validation', status: 422, code: null, detail: 'No.' }],
  ['another envelope', 400, { error: 'Bad ids' }, { kind: 'validation', code: null, detail: 'Bad ids' }],
  ['a lifecycle action', 400, { success: false, error: 'Deleted' }, { kind: 'validation', detail: 'Deleted' }],
  [
    'code and detail swapped',
    400,
    { type: 'validation_error', code: 'Say which.', detail: 'required', attr: 'properties' },
    { kind: 'validation', status: 400, code: 'required', attr: 'properties', detail: 'Say which.' },
  ],
  ['a message', 400, { message: 'Say when' }, { kind: 'validation', detail: 'Say when' }],
  ['the framework’s own shape', 400, { key: ['Taken.'] }, { kind: 'validation', detail: 'Taken.' }],
  [
    'envelope members of the wrong type',
    400,
    { code: 7, detail: { a: 1 }, attr: [] },
    { kind: 'validation', code: null },
  ],
  ['a lock', 409, envelope('conflict'), { kind: 'conflict', code: 'conflict', detail: 'Because.' }],
  [
    'an approval',
    409,
    { ...envelope('approval_required'), extra: { change_request_id: 77 } },
    { kind: 'conflict', code: 'approval_required', changeRequest: { id: '77' } },
  ],
  ['a pending approval', 409, { change_request_id: 'cr-1' }, { kind: 'conflict', changeRequest: { id: 'cr-1' } }],
  ['too many requests', 429, { detail: 'available in 4 seconds' }, { kind: 'rate_limited', retryAfterMs: 4000 }],
  ['a proxy', 502, HTML, { kind: 'server', status: 502, detail: null }],
  ['an empty body', 500, '', { kind: 'server', status: 500, detail: null }],
  [
    'a paid feature',
    402,
    envelope('payment_required'),
    { kind: 'unexpected_status', status: 402, code: 'payment_required' },
  ],
  ['the hard delete', 405, '', { kind: 'unexpected_status', status: 405, code: null, detail: null }],
  ['an HTML page as success', 200, HTML, { kind: 'invalid_answer', why: 'not_json' }],
  ['an empty success', 201, '', { kind: 'invalid_answer', why: 'shape', at: '', expected: 'an object' }],
  ['a flag without a key', 200, { id: 1 }, { kind: 'invalid_answer', at: '/key', expected: 'a string' }],
  ['a flag with a text id', 200, { id: '1', key: 'a' }, { kind: 'invalid_answer', at: '/id', expected: 'an integer' }],
];

test.each(FAILURES)('%s', (_name, status, body, failure) => {
  expect(read(status, body)).toMatchObject({ ok: false, failure });
});

test('a flag keeps all its fields, including unknown ones', () => {
  const flag = { id: 1, key: 'a', brand_new: { deep: [1] }, __proto__x: 1 };
  expect(read(200, flag, { 'content-type': 'text/html' })).toEqual({ ok: true, value: flag });
});

test('details of the service are redacted', () => {
  const answer = read(400, { code: KEY, attr: KEY, detail: `key ${KEY}\u001b[2J`, change_request_id: KEY });
  expect(JSON.stringify(answer)).not.toContain('planted');
  expect(JSON.stringify(answer)).not.toContain('001b');
});

test('a compressed body is not decompressed', () => {
  expect(read(200, 'xx', { 'content-encoding': 'gzip' })).toMatchObject({ failure: { why: 'encoded' } });
  expect(read(200, { id: 1, key: 'a' }, { 'content-encoding': 'identity' })).toMatchObject({ ok: true });
});

test.each<[number, object]>([
  [200, { ok: true }],
  [299, { ok: true }],
  [300, { failure: { kind: 'redirected', status: 300 } }],
  [399, { failure: { kind: 'redirected', status: 399 } }],
  [499, { failure: { kind: 'unexpected_status', status: 499 } }],
  [500, { failure: { kind: 'server', status: 500 } }],
])('status %i', (status, expected) => {
  expect(read(status, { id: 1, key: 'a' })).toMatchObject(expected);
});

test.each<[string | undefined, string | null]>([
  ['https://x.example.com/', 'https://x.example.com/'],
  [`https://x.example.com/?k=${KEY}`, 'https://x.example.com/?k=[key]'],
  [undefined, null],
])('a redirect to %s', (location, shown) => {
  const answer = read(302, '', location === undefined ? {} : { location });
  expect(answer).toEqual({ ok: false, failure: { kind: 'redirected', status: 302, location: shown } });
});

test.each<[unknown, object]>([
  [{ detail: 'first', error: 'second', message: 'third' }, { detail: 'first' }],
  [{ detail: '', error: 'second', message: 'third' }, { detail: 'second' }],
  [{ error: '', message: 'third' }, { detail: 'third' }],
  [{ detail: 'first', key: ['other'] }, { detail: 'first' }],
  [{ key: 'no list', name: ['Too long.', 'x'], other: ['y'] }, { detail: 'Too long.' }],
  [{ key: [] }, { detail: null }],
  [{ key: [7] }, { detail: null }],
  [['Taken.'], { detail: null }],
  ['"Taken."', { detail: null }],
  [
    { code: 'required', detail: 'this field' },
    { code: 'required', detail: 'this field' },
  ],
  [
    { code: 'Say which.', detail: 'Not a code' },
    { code: 'Say which.', detail: 'Not a code' },
  ],
  [
    { code: 'Say which.', detail: 'has2numbers' },
    { code: 'Say which.', detail: 'has2numbers' },
  ],
  [
    { code: 'Say which.', detail: ' required' },
    { code: 'Say which.', detail: ' required' },
  ],
  [{ code: 'Say which.' }, { code: 'Say which.', detail: null }],
  [{ detail: 'required' }, { code: null, detail: 'required' }],
])('what %j says', (body, said) => {
  expect(read(400, body)).toMatchObject({ failure: { kind: 'validation', ...said } });
});

test.each<[unknown, string | undefined]>([
  [{ change_request_id: 'top', extra: { change_request_id: 'below' } }, 'top'],
  [{ extra: { change_request_id: 5 } }, '5'],
  [{ change_request_id: true }, undefined],
  [{ extra: null }, undefined],
  [{}, undefined],
])('the change request of %j', (body, id) => {
  const answer = read(409, body);
  expect(answer.ok ? {} : answer.failure).toEqual({
    kind: 'conflict',
    code: null,
    detail: null,
    ...(id === undefined ? {} : { changeRequest: { id } }),
  });
});

test('only a 429 gives seconds in its detail; the header counts with every refusal', () => {
  const detail = { detail: 'again in 4 seconds' };
  expect(read(429, detail)).toMatchObject({ retryAfterMs: 4000, failure: { retryAfterMs: 4000 } });
  expect(read(503, detail)).not.toHaveProperty('retryAfterMs');
  expect(read(503, detail, { 'retry-after': '7' })).toMatchObject({ retryAfterMs: 7000, failure: { kind: 'server' } });
  expect(read(429, {})).toEqual({ ok: false, failure: { kind: 'rate_limited', detail: null } });
});

test.each<[string, boolean]>([
  ['', true],
  [' Identity ', true],
  ['GZIP', false],
  ['gzip, identity', false],
])('a body with the encoding %j is read: %s', (encoding, isRead) => {
  expect(read(200, { id: 1, key: 'a' }, { 'content-encoding': encoding }).ok).toBe(isRead);
});

test('the first of two equal headers counts', () => {
  expect(headerText({ 'retry-after': ['3', '9'] }, 'retry-after')).toBe('3');
  expect(headerText({}, 'retry-after')).toBeUndefined();
});

test('the reader gets the status', () => {
  const wire = { kind: 'answer', status: 204, headers: {}, body: Buffer.alloc(0) } as const;
  const statusOf = { read: (_body: unknown, status: number) => status, redactor: createRedactor(KEY), now: 0 };
  expect(readAnswer(wire, statusOf)).toEqual({ ok: true, value: 204 });
});

test('a bug in a reader is no invalid answer', () => {
  const wire = { kind: 'answer', status: 200, headers: {}, body: Buffer.from('{}') } as const;
  const read = (): never => {
    throw new TypeError('a bug');
  };
  expect(() => readAnswer(wire, { read, redactor: createRedactor(KEY), now: 0 })).toThrow('a bug');
});

describe('a download', () => {
  async function* bytes(): AsyncGenerator<Buffer> {
    yield Buffer.from('id');
  }
  const download = (headers: Record<string, string>): ReturnType<typeof readDownload> =>
    readDownload(
      { kind: 'stream', status: 200, headers, body: bytes() },
      { accept: 'text/csv', redactor: createRedactor(KEY), now: 0 },
    );
  const SHAPE = { ok: false, failure: { kind: 'invalid_answer', why: 'shape', expected: 'text/csv' } };

  test.each<[Record<string, string>, object]>([
    [{ 'content-type': 'text/csv; charset=utf-8' }, { ok: true }],
    [{ 'content-type': 'application/octet-stream' }, { ok: true }],
    [{}, { ok: true }],
    [{ 'content-type': 'application/JSON' }, SHAPE],
    [{ 'content-type': 'text/html' }, SHAPE],
    [{ 'content-type': 'text/csv', 'content-encoding': 'br' }, { failure: { why: 'encoded' } }],
  ])('with %j', (headers, expected) => {
    expect(download(headers)).toMatchObject(expected);
  });

  test('that is refused is a refusal', () => {
    const wire = { kind: 'answer', status: 403, headers: {}, body: Buffer.from('{"detail":"No."}') } as const;
    expect(readDownload(wire, { accept: 'text/csv', redactor: createRedactor(KEY), now: 0 })).toEqual({
      ok: false,
      failure: { kind: 'forbidden', detail: 'No.' },
    });
  });
});
