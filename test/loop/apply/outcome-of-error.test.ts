/** The outcome of each failure, alone and after others. */

import { describe, expect, test } from 'vitest';
import {
  isConflict,
  isKeyTaken,
  needsSeveralApprovals,
  isUncertain,
  outcomeOfAttempts,
  outcomeOfEffect,
  outcomeOfError,
} from '../../../src/loop/apply/outcome-of-error.ts';
import { NotRecordedError } from '../../../src/loop/apply/recorder.ts';
import { FlagwrightError } from '../../../src/base/errors.ts';
import { ServiceError, isNotFound } from '../../../src/posthog/client/service-error.ts';
import { type Failure } from '../../../src/posthog/client/failure.ts';

function error(failure: Failure, mayHaveHappened = false): ServiceError {
  const facts = { operation: 'createFlag', method: 'POST', path: '/api/projects/1/feature_flags/', attempts: 1 };
  return new ServiceError({ failure, mayHaveHappened, ...facts });
}

const VALIDATION = { kind: 'validation', status: 400, code: 'unique', attr: 'key', detail: 'taken' } as const;
const SERVER = { kind: 'server', status: 500, detail: null } as const;
const TIMEOUT = { kind: 'timeout', timeoutMs: 5 } as const;
const FORBIDDEN = { kind: 'forbidden', detail: null } as const;
const RESET = { kind: 'network', code: 'ECONNRESET' } as const;

describe('alone', () => {
  test.each<[string, unknown, object]>([
    [
      'a refusal of a field',
      error(VALIDATION),
      { outcome: 'failed', error: { code: 'unique', status: 400, field: 'key' } },
    ],
    ['no permission', error(FORBIDDEN), { outcome: 'failed', error: { code: 'forbidden', status: 403 } }],
    ['a missing key', error({ kind: 'unauthorized', detail: null }), { outcome: 'failed', error: { status: 401 } }],
    [
      'a conflict',
      error({ kind: 'conflict', code: 'conflict', detail: null }),
      { outcome: 'failed', error: { status: 409 } },
    ],
    [
      'a required approval',
      error({ kind: 'conflict', code: 'approval_required', detail: null }),
      { outcome: 'pending', error: { code: 'approval_required', status: 409 } },
    ],
    [
      'an open approval',
      error({ kind: 'conflict', code: 'change_request_pending', detail: null }),
      { outcome: 'pending' },
    ],
    ['429 for too long', error({ kind: 'rate_limited', detail: null }), { outcome: 'failed', error: { status: 429 } }],
    ['a connection that was never made', error(RESET), { outcome: 'failed', error: { code: 'ECONNRESET' } }],
    ['a lost answer', error(RESET, true), { outcome: 'unknown', error: { code: 'ECONNRESET' } }],
    ['a server error', error(SERVER, true), { outcome: 'unknown', error: { code: 'server', status: 500 } }],
    [
      'the deadline, before it was sent',
      error({ kind: 'aborted', code: 'deadline' }),
      { outcome: 'skipped', reason: { code: 'deadline' } },
    ],
    ['the deadline, after it was sent', error({ kind: 'aborted', code: 'deadline' }, true), { outcome: 'unknown' }],
    ['a failed record', new NotRecordedError('disk full'), { outcome: 'skipped', reason: { code: 'not_recorded' } }],
    [
      'an error of flagwright',
      new FlagwrightError('file', 'disk full'),
      { outcome: 'failed', error: { code: 'file', message: 'disk full' } },
    ],
    ['a bug', new TypeError('x is not a function'), { outcome: 'unknown', error: { code: 'internal' } }],
  ])('%s', (_name, thrown, outcome) => {
    expect(outcomeOfError(thrown)).toMatchObject(outcome);
  });
});

describe('attempts that were looked up and not found', () => {
  const lost = error(RESET, true);
  const late = error(TIMEOUT, true);
  test.each<[string, readonly unknown[], string]>([
    ['resets', [lost, lost, lost], 'failed'],
    ['server errors', [error(SERVER, true), error(SERVER, true)], 'failed'],
    ['answers that cannot be read', [error({ kind: 'invalid_answer', why: 'not_json' }, true)], 'failed'],
    ['a reset, then a refusal', [lost, error(FORBIDDEN)], 'failed'],
    ['timeouts: the write may still happen', [late, late, late], 'unknown'],
    ['one timeout among others', [lost, late, lost], 'unknown'],
    ['a timeout, then a refusal', [late, error(FORBIDDEN)], 'unknown'],
    ['a proxy that gave up waiting', [error({ ...SERVER, status: 504 }, true)], 'unknown'],
    [
      'a server that gave up waiting',
      [error({ kind: 'unexpected_status', status: 408, code: null, detail: null }, true)],
      'unknown',
    ],
    ['a refusal after attempts within the client', [error(FORBIDDEN, true)], 'unknown'],
    [
      'a timeout, then a required approval',
      [late, error({ kind: 'conflict', code: 'approval_required', detail: null })],
      'pending',
    ],
    ['a reset, then the deadline before the next', [lost, error({ kind: 'aborted', code: 'deadline' })], 'skipped'],
    ['a reset, then a failed record', [lost, new NotRecordedError('disk full')], 'failed'],
    ['a timeout, then a failed record', [late, new NotRecordedError('disk full')], 'unknown'],
    ['a failed record', [new NotRecordedError('disk full')], 'skipped'],
    ['a reset, then an error of flagwright', [lost, new FlagwrightError('file', 'disk full')], 'failed'],
    ['a bug', [new TypeError('x')], 'unknown'],
  ])('%s', (_name, errors, outcome) => {
    expect(outcomeOfAttempts(errors).outcome).toBe(outcome);
  });
});

test('an approval is no conflict, and only the code unique means a taken key', () => {
  expect(isConflict(error({ kind: 'conflict', code: 'approval_required', detail: null }))).toBe(false);
  expect(isConflict(error({ kind: 'conflict', code: null, detail: null }))).toBe(true);
  expect(isKeyTaken(error(VALIDATION))).toBe(true);
  expect(isKeyTaken(error({ ...VALIDATION, code: 'invalid_key' }))).toBe(false);
});

describe('the outcome of a failure', () => {
  const CASES: readonly (readonly [failure: Failure, shown: Readonly<Record<string, unknown>>])[] = [
    [
      { kind: 'unauthorized', detail: 'No key.' },
      { code: 'unauthorized', message: 'No key.', status: 401 },
    ],
    [
      { kind: 'forbidden', detail: 'No right.' },
      { code: 'forbidden', message: 'No right.', status: 403 },
    ],
    [
      { kind: 'not_found', detail: 'Not found.' },
      { code: 'not_found', message: 'Not found.', status: 404 },
    ],
    [
      { kind: 'validation', status: 422, code: 'invalid_input', attr: 'filters', detail: 'Wrong.' },
      { code: 'invalid_input', message: 'Wrong.', status: 422, field: 'filters' },
    ],
    [
      { kind: 'validation', status: 400, code: null, attr: null, detail: null },
      { code: 'validation', message: 'no reason was given', status: 400 },
    ],
    [
      { kind: 'conflict', code: null, detail: 'Moved.' },
      { code: 'conflict', message: 'Moved.', status: 409 },
    ],
    [
      { kind: 'rate_limited', detail: 'Slower.' },
      { code: 'rate_limited', message: 'Slower.', status: 429 },
    ],
    [
      { kind: 'server', status: 503, detail: '' },
      { code: 'server', message: 'no reason was given', status: 503 },
    ],
    [
      { kind: 'unexpected_status', status: 418, code: 'teapot', detail: 'Tea.' },
      { code: 'teapot', message: 'Tea.', status: 418 },
    ],
    [
      { kind: 'redirected', status: 302, location: 'https://x.example.com/' },
      { code: 'redirected', message: 'redirected with 302: https://x.example.com/', status: 302 },
    ],
    [
      { kind: 'invalid_answer', why: 'not_json' },
      { code: 'invalid_answer', message: 'invalid answer (not_json)' },
    ],
    [
      { kind: 'network', code: 'ECONNRESET' },
      { code: 'ECONNRESET', message: 'the connection failed' },
    ],
    [
      { kind: 'timeout', timeoutMs: 5 },
      { code: 'timeout', message: 'no complete answer within 5 ms' },
    ],
    [
      { kind: 'too_large', limitBytes: 9 },
      { code: 'too_large', message: 'the answer is larger than 9 bytes' },
    ],
  ];

  test.each(CASES)('%j', (failure, shown) => {
    // Strictly: absent facts are absent members, as the schema of the result requires.
    expect(outcomeOfError(error(failure))).toStrictEqual({ outcome: 'failed', error: shown });
    expect(outcomeOfError(error(failure, true))).toStrictEqual({ outcome: 'unknown', error: shown });
  });

  test('a field that is refused with the code of an approval is refused', () => {
    const failure = { ...VALIDATION, code: 'approval_required' };
    expect(outcomeOfError(error(failure))).toMatchObject({ outcome: 'failed', error: { code: 'approval_required' } });
  });

  test('a request that was never sent is skipped, one that may have arrived is not', () => {
    const aborted = { kind: 'aborted', code: 'interrupted' } as const;
    expect(outcomeOfError(error(aborted))).toEqual({ outcome: 'skipped', reason: { code: 'interrupted' } });
    expect(outcomeOfError(error(aborted, true))).toEqual({
      outcome: 'unknown',
      error: { code: 'interrupted', message: 'the run was interrupted' },
    });
  });

  test('any other error is shown with its message', () => {
    expect(outcomeOfError(new TypeError('x is no function'))).toEqual({
      outcome: 'unknown',
      error: { code: 'internal', message: 'x is no function' },
    });
    expect(outcomeOfError('a string')).toEqual({
      outcome: 'unknown',
      error: { code: 'internal', message: 'a string' },
    });
    expect(outcomeOfError(new FlagwrightError('file', 'disk full'))).toEqual({
      outcome: 'failed',
      error: { code: 'file', message: 'disk full' },
    });
  });
});

describe('a write that no look-up found, by its last failure', () => {
  /** Whether the service may still execute a request that was sent and failed so. */
  const CASES: readonly (readonly [mayStillHappen: boolean, failure: Failure])[] = [
    [true, { kind: 'timeout', timeoutMs: 5 }],
    [true, { kind: 'aborted', code: 'interrupted' }],
    [true, { kind: 'server', status: 504, detail: null }],
    [true, { kind: 'unexpected_status', status: 408, code: null, detail: null }],
    [false, { kind: 'server', status: 500, detail: null }],
    [false, { kind: 'server', status: 502, detail: null }],
    [false, { kind: 'server', status: 503, detail: null }],
    [false, { kind: 'unexpected_status', status: 418, code: null, detail: null }],
    [false, { kind: 'network', code: 'ECONNRESET' }],
    [false, { kind: 'invalid_answer', why: 'shape' }],
    [false, { kind: 'too_large', limitBytes: 5 }],
    [false, { kind: 'redirected', status: 302, location: null }],
    // A refusal after an earlier attempt of the same call with an unknown outcome.
    [true, { kind: 'unauthorized', detail: null }],
    [true, { kind: 'forbidden', detail: null }],
    [true, { kind: 'not_found', detail: null }],
    [true, VALIDATION],
    [true, { kind: 'conflict', code: null, detail: null }],
    [true, { kind: 'rate_limited', detail: null }],
  ];

  test.each(CASES)('it may still happen (%j) after %j', (mayStillHappen, failure) => {
    const shown = outcomeOfError(error(failure, true));
    expect(outcomeOfAttempts([error(failure, true)])).toEqual({
      ...shown,
      outcome: mayStillHappen ? 'unknown' : 'failed',
    });
  });

  test('a conflict, then a timeout: the refused attempt cannot still happen', () => {
    const refused = error({ kind: 'conflict', code: null, detail: null });
    expect(outcomeOfAttempts([refused, error(TIMEOUT, true)])).toMatchObject({
      outcome: 'unknown',
      error: { code: 'timeout' },
    });
  });

  test('the outcome reports the attempt that may still happen', () => {
    const outcome = outcomeOfAttempts([error(RESET, true), error(TIMEOUT, true), error(SERVER, true)]);
    expect(outcome).toEqual({
      outcome: 'unknown',
      error: { code: 'timeout', message: 'no complete answer within 5 ms' },
    });
  });
});

describe('a look-up that finds the change in effect', () => {
  test.each<[string, readonly unknown[], boolean]>([
    ['after a conflict: another user made it', [error({ kind: 'conflict', code: null, detail: null })], true],
    ['after two refusals', [error(FORBIDDEN), error(VALIDATION)], true],
    ['after a lost answer: it is ours', [error(RESET, true)], false],
    [
      'after a lost answer and a conflict',
      [error(RESET, true), error({ kind: 'conflict', code: null, detail: null })],
      false,
    ],
  ])('%s', (_name, errors, already) => {
    expect(outcomeOfEffect(7, errors)).toEqual({ outcome: 'applied', id: 7, ...(already ? { already } : {}) });
  });
});

test('only a failure of the service is a conflict, a taken key or not found', () => {
  const others: unknown[] = [
    new Error('x'),
    new FlagwrightError('file', 'x'),
    undefined,
    error(SERVER),
    error(FORBIDDEN),
  ];
  for (const judge of [isConflict, isKeyTaken, isNotFound]) expect(others.map(judge)).toEqual(others.map(() => false));
  expect(isNotFound(error({ kind: 'not_found', detail: null }))).toBe(true);
  expect(isUncertain(new Error('x'))).toBe(false);
  expect(isUncertain(error(SERVER))).toBe(false);
  expect(isUncertain(error(SERVER, true))).toBe(true);
});

test('the code unique in another kind of failure is no taken key', () => {
  expect(isKeyTaken(error({ kind: 'conflict', code: 'unique', detail: null }))).toBe(false);
  expect(isKeyTaken(error({ kind: 'unexpected_status', status: 402, code: 'unique', detail: null }))).toBe(false);
});

test.each<[string, Failure, boolean]>([
  ['today', { ...VALIDATION, code: 'policy_conflict', attr: null }, true],
  ['in its first release', { ...VALIDATION, code: 'invalid_input', attr: 'code', detail: 'policy_conflict' }, true],
  [
    'in another error about the field code',
    { ...VALIDATION, code: 'invalid_input', attr: 'code', detail: 'Too long.' },
    false,
  ],
  ['in the detail of another field', { ...VALIDATION, code: 'invalid_input', detail: 'policy_conflict' }, false],
  ['with another status', { kind: 'conflict', code: 'policy_conflict', detail: null }, false],
])('a conflict of approval policies %s', (_name, failure, isOne) => {
  expect(needsSeveralApprovals(error(failure))).toBe(isOne);
  const outcome = outcomeOfError(error(failure));
  if (isOne) expect(outcome).toMatchObject({ outcome: 'failed', error: { code: 'policy_conflict' } });
});
