/** The consequences of each kind of failure: status, meaning for a write, words of a run that ends, remedy for a change. */

import { describe, expect, test } from 'vitest';
import type { Failure } from '../../../src/posthog/client/failure.ts';
import {
  changeRemedy,
  describeRunError,
  isRetried,
  kindOfStatus,
  mayHaveHappened,
  refusesKey,
  statusOf,
  scopesOf,
} from '../../../src/posthog/client/failure-table.ts';

const detail = 'Because.';
const status = (code: number): Failure => ({ kind: 'unexpected_status', status: code, code: null, detail });
const redirect = (code: number): Failure => ({ kind: 'redirected', status: code, location: null });

describe('the consequences of a failure', () => {
  test.each<[Failure, status: number | undefined, mayHaveHappened: boolean, isRetried: boolean]>([
    [{ kind: 'unauthorized', detail }, 401, false, false],
    [{ kind: 'forbidden', detail }, 403, false, false],
    [{ kind: 'not_found', detail }, 404, false, false],
    [{ kind: 'validation', status: 422, code: null, attr: null, detail }, 422, false, false],
    [{ kind: 'conflict', code: null, detail }, 409, false, false],
    [{ kind: 'rate_limited', detail }, 429, false, true],
    [{ kind: 'server', status: 503, detail }, 503, true, true],
    [status(405), 405, false, false],
    [status(408), 408, true, true],
    [{ kind: 'invalid_answer', why: 'not_json' }, undefined, true, false],
    [{ kind: 'network', code: 'ECONNRESET' }, undefined, true, true],
    [{ kind: 'network', code: 'CERT_HAS_EXPIRED' }, undefined, true, false],
    [{ kind: 'timeout', timeoutMs: 5 }, undefined, true, true],
    [{ kind: 'too_large', limitBytes: 5 }, undefined, true, false],
    [redirect(301), 301, false, false],
    [redirect(302), 302, true, false],
    [redirect(303), 303, true, false],
    [redirect(307), 307, false, false],
    [redirect(308), 308, false, false],
    [{ kind: 'aborted', code: 'deadline' }, undefined, true, false],
  ])('%j', (failure, ...expected) => {
    expect([statusOf(failure), mayHaveHappened(failure), isRetried(failure)]).toEqual(expected);
  });
});

test.each([
  [{ status: 403, message: "API key missing required scope 'feature_flag:write'" }, true],
  [{ status: 403, message: 'This action does not support Personal API Key access' }, true],
  [{ status: 401, message: 'Invalid personal API key.' }, true],
  [{ status: 403, message: 'You do not have edit permissions for this feature flag.' }, false],
  [{ status: 401, message: 'a proxy says no' }, false],
  [{ status: 400, message: 'The scope is wrong.' }, false],
  [{ message: 'no API key' }, false],
])('%j shows that the key may not write: %s', (error, expected) => {
  expect(refusesKey(error)).toBe(expected);
});

test.each([
  [400, 'validation'],
  [401, 'unauthorized'],
  [402, 'unexpected_status'],
  [403, 'forbidden'],
  [404, 'not_found'],
  [409, 'conflict'],
  [422, 'validation'],
  [429, 'rate_limited'],
  [499, 'unexpected_status'],
  [500, 'server'],
  [599, 'server'],
])('status %i is the failure %s', (code, kind) => {
  expect(kindOfStatus(code)).toBe(kind);
});

describe('the words of a run that ends', () => {
  test.each<[Failure, code: string, message: string]>([
    [{ kind: 'server', status: 502, detail: null }, 'service_failed', 'The service failed with status 502'],
    [{ kind: 'network', code: 'ENOTFOUND' }, 'network', 'The service cannot be reached (ENOTFOUND)'],
    [{ kind: 'timeout', timeoutMs: 5 }, 'network', 'No complete answer arrived within 5 ms'],
    [{ kind: 'too_large', limitBytes: 5 }, 'answer_invalid', 'The answer is larger than 5 bytes'],
    [
      { kind: 'validation', status: 400, code: null, attr: 'key', detail: null },
      'service_refused',
      'The service refused the request: 400 invalid at key',
    ],
    [status(405), 'service_refused', 'The service refused the request: 405: Because.'],
    [
      { kind: 'invalid_answer', why: 'shape', at: '/id', expected: 'an integer' },
      'answer_invalid',
      "The service sent an unexpected answer (shape, expected an integer at '/id')",
    ],
    [{ kind: 'aborted', code: 'interrupted' }, 'interrupted', 'Interrupted'],
  ])('%j', (failure, code, message) => {
    expect(describeRunError(failure)).toMatchObject({ code, message });
  });
});

describe('the words of a run that ends, where the service is known', () => {
  const callee = { host: 'https://eu.posthog.com', keyVariable: 'POSTHOG_PRODUCTION_KEY' };

  test.each<[Failure, known: string, unknown: string]>([
    [
      { kind: 'unauthorized', detail: null },
      'https://eu.posthog.com does not accept the API key in POSTHOG_PRODUCTION_KEY',
      'The service does not accept the API key',
    ],
    [
      { kind: 'forbidden', detail: 'No.' },
      'The API key in POSTHOG_PRODUCTION_KEY lacks a permission on https://eu.posthog.com: No.',
      'The API key lacks a permission: No.',
    ],
    [
      { kind: 'timeout', timeoutMs: 5 },
      'No complete answer arrived from https://eu.posthog.com within 5 ms',
      'No complete answer arrived within 5 ms',
    ],
    [
      { kind: 'too_large', limitBytes: 5 },
      'The answer of https://eu.posthog.com is larger than 5 bytes',
      'The answer is larger than 5 bytes',
    ],
    [
      { kind: 'invalid_answer', why: 'listing_unstable' },
      'The list of https://eu.posthog.com kept changing while it was being read',
      'The list kept changing while it was being read',
    ],
    [
      { kind: 'invalid_answer', why: 'shape', expected: 'an object' },
      "https://eu.posthog.com sent an unexpected answer (shape, expected an object at '')",
      "The service sent an unexpected answer (shape, expected an object at '')",
    ],
    [
      { kind: 'aborted', code: 'deadline' },
      'The deadline has passed while waiting for https://eu.posthog.com',
      'The deadline has passed',
    ],
  ])('%j', (failure, known, unknown) => {
    expect(describeRunError(failure, { callee }).message).toBe(known);
    expect(describeRunError(failure).message).toBe(unknown);
  });

  test('a refused key is looked for in its variable', () => {
    const failure = { kind: 'unauthorized', detail: null } as const;
    expect(describeRunError(failure, { callee }).remedy).toContain('Check that POSTHOG_PRODUCTION_KEY holds');
    expect(describeRunError(failure).remedy).toContain('Check that the variable holds');
  });

  test('a run that ends says what the attempt before it was answered', () => {
    const last = { kind: 'rate_limited', detail: null } as unknown as Failure;
    expect(describeRunError({ kind: 'aborted', code: 'deadline' }, { last }).message).toContain(
      '; last attempt: 429 rate limited',
    );
  });
});

describe('the remedy for a change that failed', () => {
  test.each<[code: string, status: number | undefined, words: string | undefined]>([
    ['authentication_failed', 401, 'API key'],
    ['not_found', 404, 'Plan again'],
    ['conflict', 409, 'Another user'],
    ['throttled', 429, '--deadline'],
    ['server', 503, 'Run the same command again'],
    ['ECONNRESET', undefined, 'Check the network'],
    ['UND_ERR_SOCKET', undefined, 'Check the network'],
    ['timeout', undefined, 'Run the same command again'],
    ['invalid', 400, undefined],
    ['internal', undefined, undefined],
    ['toString', undefined, undefined],
  ])('%s %s', (code, failureStatus, words) => {
    const remedy = changeRemedy({ code, ...(failureStatus === undefined ? {} : { status: failureStatus }) });
    if (words === undefined) expect(remedy).toBeUndefined();
    else expect(remedy).toContain(words);
  });
});

test.each([
  ['/api/projects/1/feature_flags/', 'feature_flag:write'],
  ['/api/projects/1/feature_flags/3/activity/', 'activity_log:read'],
  ['/api/projects/1/cohorts/', 'cohort:write'],
  ['/api/projects/1/cohorts/7/activity/', 'activity_log:read'],
  ['/api/projects/1/feature_flags/3/access_controls/', 'access_control:write'],
  ['/api/projects/1/', 'project:read'],
  ['/posthog/api/organizations/0188/roles/', 'organization:read'],
])('a refusal of %s names the scope %s', (path, scope) => {
  expect(scopesOf(path)).toContain(scope);
});
