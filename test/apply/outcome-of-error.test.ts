/** What each failure means for its change, alone and after others. */

import { describe, expect, test } from 'vitest';
import { isConflict, isKeyTaken, outcomeOfAttempts, outcomeOfError } from '../../src/apply/outcome-of-error.ts';
import { NotRecordedError } from '../../src/apply/recorder.ts';
import { FlaghoistError } from '../../src/base/errors.ts';
import { ServiceError, type Failure } from '../../src/service/errors.ts';

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
    ['no key', error({ kind: 'unauthorized', detail: null }), { outcome: 'failed', error: { status: 401 } }],
    [
      'a conflict',
      error({ kind: 'conflict', code: 'conflict', detail: null }),
      { outcome: 'failed', error: { status: 409 } },
    ],
    [
      'an approval that is asked for',
      error({ kind: 'conflict', code: 'approval_required', detail: null }),
      { outcome: 'pending', error: { code: 'approval_required', status: 409 } },
    ],
    [
      'an approval that is open already',
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
    [
      'a record that cannot be kept',
      new NotRecordedError('disk full'),
      { outcome: 'skipped', reason: { code: 'not_recorded' } },
    ],
    [
      'an error of our own',
      new FlaghoistError('file', 'disk full'),
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
    ['answers that nobody understands', [error({ kind: 'invalid_answer', why: 'not_json' }, true)], 'failed'],
    ['a reset, then a refusal', [lost, error(FORBIDDEN)], 'failed'],
    ['time-outs: it may still come', [late, late, late], 'unknown'],
    ['one time-out among others', [lost, late, lost], 'unknown'],
    ['a time-out, then a refusal', [late, error(FORBIDDEN)], 'unknown'],
    ['a proxy that gave up waiting', [error({ ...SERVER, status: 504 }, true)], 'unknown'],
    [
      'a server that gave up waiting',
      [error({ kind: 'unexpected_status', status: 408, code: null, detail: null }, true)],
      'unknown',
    ],
    ['a refusal after attempts of the client itself', [error(FORBIDDEN, true)], 'unknown'],
    [
      'a time-out, then an approval asked for',
      [late, error({ kind: 'conflict', code: 'approval_required', detail: null })],
      'pending',
    ],
    ['a reset, then the deadline before the next', [lost, error({ kind: 'aborted', code: 'deadline' })], 'skipped'],
    ['a reset, then a record that cannot be kept', [lost, new NotRecordedError('disk full')], 'failed'],
    ['a time-out, then a record that cannot be kept', [late, new NotRecordedError('disk full')], 'unknown'],
    ['a record that cannot be kept', [new NotRecordedError('disk full')], 'skipped'],
    ['a reset, then an error of our own', [lost, new FlaghoistError('file', 'disk full')], 'failed'],
    ['a bug', [new TypeError('x')], 'unknown'],
  ])('%s', (_name, errors, outcome) => {
    expect(outcomeOfAttempts(errors).outcome).toBe(outcome);
  });
});

test('an approval is no conflict, and only unique means that a key is taken', () => {
  expect(isConflict(error({ kind: 'conflict', code: 'approval_required', detail: null }))).toBe(false);
  expect(isConflict(error({ kind: 'conflict', code: null, detail: null }))).toBe(true);
  expect(isKeyTaken(error(VALIDATION))).toBe(true);
  expect(isKeyTaken(error({ ...VALIDATION, code: 'invalid_key' }))).toBe(false);
});
