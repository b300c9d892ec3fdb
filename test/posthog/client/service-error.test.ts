/** The error of a failed call: a sentence for logs, the service's own words, and the facts. */

import { describe, expect, test } from 'vitest';
import { ServiceError, type ServiceErrorFacts } from '../../../src/posthog/client/service-error.ts';
import { type Failure } from '../../../src/posthog/client/failure.ts';

const FACTS = {
  operation: 'getFlag',
  method: 'GET',
  path: '/api/projects/1/feature_flags/7/',
  attempts: 2,
  mayHaveHappened: false,
} as const;

const NO_REASON = 'no reason was given';

/** Failure, sentence after the operation, and what the service or the network said. */
const CASES: readonly (readonly [failure: Failure, sentence: string, said: string])[] = [
  [{ kind: 'unauthorized', detail: null }, '401 unauthorized', NO_REASON],
  [{ kind: 'unauthorized', detail: 'No key.' }, '401 unauthorized: No key.', 'No key.'],
  [{ kind: 'forbidden', detail: 'No right.' }, '403 forbidden: No right.', 'No right.'],
  [{ kind: 'not_found', detail: '' }, '404 not found', NO_REASON],
  [
    { kind: 'validation', status: 400, code: 'unique', attr: 'key', detail: 'Taken.' },
    '400 unique at key: Taken.',
    'Taken.',
  ],
  [{ kind: 'validation', status: 422, code: 'invalid', attr: null, detail: null }, '422 invalid', NO_REASON],
  [{ kind: 'validation', status: 400, code: null, attr: null, detail: 'Wrong.' }, '400: Wrong.', 'Wrong.'],
  [{ kind: 'conflict', code: null, detail: null }, '409 conflict', NO_REASON],
  [{ kind: 'conflict', code: 'approval_required', detail: 'Ask.' }, '409 approval_required: Ask.', 'Ask.'],
  [{ kind: 'rate_limited', detail: 'Slower.' }, '429 rate limited: Slower.', 'Slower.'],
  [{ kind: 'server', status: 502, detail: null }, 'the service answered 502', NO_REASON],
  [{ kind: 'server', status: 500, detail: 'Oh.' }, 'the service answered 500: Oh.', 'Oh.'],
  [
    { kind: 'unexpected_status', status: 405, code: null, detail: 'Not so.' },
    'unexpected status 405: Not so.',
    'Not so.',
  ],
  [{ kind: 'invalid_answer', why: 'not_json' }, 'invalid answer (not_json)', 'invalid answer (not_json)'],
  [
    { kind: 'invalid_answer', why: 'shape', at: '/id', expected: 'an integer' },
    "invalid answer (shape): expected an integer at '/id'",
    "invalid answer (shape): expected an integer at '/id'",
  ],
  [
    { kind: 'invalid_answer', why: 'shape', expected: 'text/csv' },
    'invalid answer (shape): text/csv',
    'invalid answer (shape): text/csv',
  ],
  [{ kind: 'network', code: 'ECONNRESET' }, 'network error ECONNRESET', 'the connection failed'],
  [{ kind: 'timeout', timeoutMs: 30 }, 'no complete answer within 30 ms', 'no complete answer within 30 ms'],
  [{ kind: 'too_large', limitBytes: 99 }, 'the answer is larger than 99 bytes', 'the answer is larger than 99 bytes'],
  [{ kind: 'redirected', status: 302, location: null }, 'redirected with 302', 'redirected with 302'],
  [
    { kind: 'redirected', status: 301, location: 'https://x/' },
    'redirected with 301: https://x/',
    'redirected with 301: https://x/',
  ],
  [{ kind: 'aborted', code: 'deadline' }, 'the deadline has passed', 'the deadline has passed'],
  [{ kind: 'aborted', code: 'interrupted' }, 'interrupted', 'the run was interrupted'],
];

test.each(CASES)('%j', (failure, sentence, said) => {
  const error = new ServiceError({ ...FACTS, failure });
  expect(error.message).toBe(`getFlag failed: ${sentence}`);
  expect(error.said).toBe(said);
  expect(error).toMatchObject({ name: 'ServiceError', ...FACTS, failure });
});

describe('the same failure about a flag', () => {
  const failure: Failure = { kind: 'forbidden', detail: 'No.' };

  test.each<[string, ServiceErrorFacts]>([
    ['with its cause', { ...FACTS, failure, cause: new Error('inner') }],
    ['without one', { ...FACTS, failure, mayHaveHappened: true }],
  ])('%s', (_name, facts) => {
    const error = new ServiceError(facts);
    const about = error.about('checkout');
    const { cause, ...others } = facts;
    expect(about).toMatchObject({ ...others, flag: 'checkout', message: error.message });
    expect(about.cause).toBe(cause);
    expect(Object.hasOwn(about, 'cause')).toBe(cause !== undefined);
    expect(error.flag).toBeUndefined();
  });
});
