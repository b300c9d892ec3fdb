import { expect, test } from 'vitest';
import { readAnswer } from '../../src/service/answer.ts';
import { createRedactor } from '../../src/service/redact.ts';
import { readFlag } from '../../src/service/shape.ts';
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
  ['no key', 401, envelope('not_authenticated'), { kind: 'unauthorized', detail: 'Because.' }],
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
    { kind: 'conflict', code: 'approval_required', changeRequestId: '77' },
  ],
  ['a pending approval', 409, { change_request_id: 'cr-1' }, { kind: 'conflict', changeRequestId: 'cr-1' }],
  ['too many requests', 429, { detail: 'available in 4 seconds' }, { kind: 'rate_limited', retryAfterMs: 4000 }],
  ['a proxy', 502, HTML, { kind: 'server', status: 502, detail: null }],
  ['nothing at all', 500, '', { kind: 'server', status: 500, detail: null }],
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

test('a flag is taken as it came, with fields never seen before', () => {
  const flag = { id: 1, key: 'a', brand_new: { deep: [1] }, __proto__x: 1 };
  expect(read(200, flag, { 'content-type': 'text/html' })).toEqual({ ok: true, value: flag });
});

test('what the service says is redacted', () => {
  const answer = read(400, { code: KEY, attr: KEY, detail: `key ${KEY}\u001b[2J`, change_request_id: KEY });
  expect(JSON.stringify(answer)).not.toContain('planted');
  expect(JSON.stringify(answer)).not.toContain('001b');
});

test('a compressed body is not unpacked', () => {
  expect(read(200, 'xx', { 'content-encoding': 'gzip' })).toMatchObject({ failure: { why: 'encoded' } });
  expect(read(200, { id: 1, key: 'a' }, { 'content-encoding': 'identity' })).toMatchObject({ ok: true });
});
