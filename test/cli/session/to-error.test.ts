/** The error that a run reports for anything that was thrown. */

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { FlagwrightError } from '../../../src/base/errors.ts';
import { reportFailure, toFlagwrightError } from '../../../src/cli/session/failure.ts';
import { ServiceError, type ServiceErrorFacts } from '../../../src/posthog/client/service-error.ts';
import { type Failure } from '../../../src/posthog/client/failure.ts';
import type { Context } from '../../../src/cli/session/context.ts';
import { createSecrets } from '../../../src/cli/session/session-parts.ts';
import { createSession } from '../../../src/cli/session/session.ts';
import { watchSession } from '../../helpers/watched-session.ts';

function thrownBy(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return error;
  }
}

test.each<[string, unknown, string, string]>([
  ['a failed file', thrownBy(() => readFileSync('/nowhere/at/all')), 'file', 'ENOENT: no such file'],
  ['an error of ours', new FlagwrightError('usage', 'Wrong.'), 'usage', 'Wrong.'],
  ['a bug', thrownBy(() => (undefined as unknown as string).length), 'internal', 'Unexpected error: Cannot read'],
  ['a thrown string', 'text', 'internal', 'Unexpected error: text'],
])('%s', (_, thrown, code, message) => {
  const error = toFlagwrightError(thrown);
  expect([error.code, error.message.startsWith(message)]).toEqual([code, true]);
});

test('a bug keeps what was thrown, and so does a failed file', () => {
  const thrown = new TypeError('x is not a function');
  expect(toFlagwrightError(thrown).cause).toBe(thrown);
  const failed = thrownBy(() => readFileSync('/nowhere/at/all'));
  expect(toFlagwrightError(failed).cause).toBe(failed);
});

test.each(['syscall', 'code', 'path'])('an error without a %s is not one of a file', (name) => {
  const facts = Object.entries({ syscall: 'open', code: 'ENOENT', path: '/x' }).filter(([other]) => other !== name);
  const error = Object.assign(new Error('No.'), Object.fromEntries(facts));
  expect(toFlagwrightError(error).code).toBe('internal');
});

const SERVER: Failure = { kind: 'server', status: 503, detail: null };
const NOT_FOUND: Failure = { kind: 'not_found', detail: 'Not found.' };

function errorOf(facts: Partial<ServiceErrorFacts>, flag?: string) {
  const error = new ServiceError({
    ...{ failure: SERVER, operation: 'listFlags', method: 'GET', path: '/api/x/' },
    ...{ attempts: 1, mayHaveHappened: false, ...facts },
  });
  const about = flag === undefined ? error : error.about(flag);
  return { about, error: toFlagwrightError(about) };
}

test.each([
  [1, ' (GET /api/x/).'],
  [2, ' (GET /api/x/, 2 requests).'],
])('after %d requests, the message ends with%s', (attempts, end) => {
  const { about, error } = errorOf({ attempts });
  expect(error.message).toMatch(new RegExp(`${end.replaceAll(/[().]/g, String.raw`\$&`)}$`));
  expect([error.code, error.cause]).toEqual(['service_failed', about]);
});

test.each<[string, string | undefined, RegExp]>([
  ['listRoleAccess', 'checkout', /^The service has no role access list for the flag 'checkout': Not found\. \(/],
  ['getAccess', undefined, /^The service has no role access list for a flag: Not found\. \(/],
])('a 404 of %s is about the list and not about the project', (operation, flag, message) => {
  const { error } = errorOf({ failure: NOT_FOUND, operation }, flag);
  expect(error).toMatchObject({ code: 'service_refused', message: expect.stringMatching(message) as string });
});

test('another 404 is about the project, and another failure of a list of roles about the service', () => {
  expect(errorOf({ failure: NOT_FOUND }).error.code).toBe('project_not_found');
  expect(errorOf({ operation: 'listRoleAccess' }).error.code).toBe('service_failed');
});

test('a missing permission names the scopes of the collection, and the service', () => {
  const callee = { host: 'https://x.example', keyVariable: 'PROD_KEY' };
  const path = '/api/projects/1/cohorts/';
  expect(errorOf({ failure: { kind: 'forbidden', detail: null }, path, callee }).error).toMatchObject({
    code: 'forbidden',
    message: expect.stringContaining('PROD_KEY lacks a permission on https://x.example') as string,
    remedy: expect.stringContaining('cohort:read') as string,
  });
});

test.each([
  ['text', ''],
  ['csv', ''],
  ['json', expect.stringContaining('"code": "refused"') as string],
] as const)('a failure is told on stderr, and in the format %s stdout has %s', async (format, document) => {
  const written = { stdout: '', stderr: '' };
  const output = (name: 'stdout' | 'stderr'): Context['stdout'] => ({
    isTerminal: false,
    columns: 80,
    write: async (text) => void (written[name] += text),
  });
  const { session } = watchSession({
    context: { stdout: output('stdout'), stderr: output('stderr') },
    options: { format, color: false },
  });
  const own = createSession({ ...session, secrets: createSecrets() });
  expect(await reportFailure(own, new FlagwrightError('refused', 'No.'), { hazards: [] })).toBe(4);
  expect(written).toEqual({ stdout: document, stderr: expect.stringContaining('error  No.') as string });
});
