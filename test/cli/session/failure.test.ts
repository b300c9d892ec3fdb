import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { toFlagwrightError } from '../../../src/cli/session/failure.ts';
import { ServiceError } from '../../../src/posthog/client/service-error.ts';
import { startBroken } from '../../helpers/broken-service.ts';
import { runCli } from '../../helpers/run.ts';
import { schemaErrors } from '../../helpers/schemas.ts';
import { holdTimers } from '../../helpers/timers.ts';
import { createWorkspace } from '../../helpers/workspace.ts';

const KEY = 'phx_planted_key_0123456789';
const FILES = { 'flags/a.yaml': 'flags: { checkout: { active: true } }\n' };

const envelope = (status: number, code: string, detail: string) => (response: ServerResponse) => {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ type: 'x', code, detail, attr: null }));
};
const page = (status: number, text: string) => (response: ServerResponse) => {
  response.writeHead(status, { 'content-type': 'text/html' });
  response.end(text);
};

describe('a failing service', () => {
  test.each<[string, (response: ServerResponse) => void, string, string]>([
    [
      '401',
      envelope(401, 'authentication_failed', `no such key ${KEY}`),
      'unauthorized',
      'does not accept the API key in POSTHOG_API_KEY: no such key',
    ],
    [
      '403',
      envelope(403, 'permission_denied', 'scope'),
      'forbidden',
      'in POSTHOG_API_KEY lacks a permission on http://127.0.0.1',
    ],
    ['404', envelope(404, 'not_found', 'Project not found.'), 'project_not_found', 'has no such project'],
    ['400', envelope(400, 'invalid_input', 'odd'), 'service_refused', '400 invalid_input: odd'],
    [
      '400 about a field',
      (response) => {
        response.writeHead(400, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ type: 'x', code: 'invalid_input', detail: 'Not JSON.', attr: 'events' }));
      },
      'service_refused',
      '400 invalid_input at events: Not JSON.',
    ],
    [
      'HTML instead of JSON',
      page(200, '<html>login</html>'),
      'answer_invalid',
      'sent HTML or something else that is not JSON',
    ],
    ['a list of the wrong shape', page(200, '{"results": 3}'), 'answer_invalid', 'sent an unexpected answer (shape'],
    ['a redirect to another host', redirect, 'answer_invalid', 'redirects (302) to an address that is not followed'],
  ])('%s: code, message, exit code 1 and a document', async (_, answer, code, words) => {
    const service = await startBroken((_request, response) => answer(response));
    const { root } = createWorkspace(FILES);
    const env = { POSTHOG_HOST: service.url, POSTHOG_PROJECT_ID: '1', POSTHOG_API_KEY: KEY };
    const ran = await runCli(['plan', '-f', 'json'], { cwd: root, env });
    expect(ran.code).toBe(1);
    expect(schemaErrors('error', ran.document())).toEqual([]);
    expect(ran.document()).toMatchObject({ error: { code } });
    expect(ran.stderr).toContain(words);
    expect(ran.stderr).toContain(service.url);
    expect(ran.stdout + ran.stderr).not.toContain(KEY);
  });

  test('the variable is the one that the configuration names', async () => {
    const service = await startBroken((_request, response) => envelope(401, 'authentication_failed', 'no')(response));
    const project = `{ host: '${service.url}', project_id: 1, api_key_env: PROD_KEY }`;
    const { root } = createWorkspace({ ...FILES, 'flagwright.yaml': `projects: { production: ${project} }\n` });
    const ran = await runCli(['plan'], { cwd: root, env: { PROD_KEY: KEY } });
    expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining('the API key in PROD_KEY: no') as string]);
    expect(ran.stderr).toContain('Check that PROD_KEY holds a valid personal API key');
  });

  test.each([
    ['errors', envelope(500, 'error', 'oops')],
    ['HTML of a proxy', page(502, '<html>bad gateway</html>')],
  ])('%s: repeated until the deadline, then code deadline and exit code 1', async (_, answer) => {
    const timers = holdTimers();
    const service = await startBroken((_request, response) => answer(response));
    const { root } = createWorkspace(FILES);
    const env = { POSTHOG_HOST: service.url, POSTHOG_PROJECT_ID: '1', POSTHOG_API_KEY: KEY };
    // Shorter than any pause before another attempt. It passes once the first answer was read; nothing but the pause goes on then.
    const argv = ['flags', 'list', '-f', 'json', '-v', '--deadline', '100ms'];
    let isPausing = false;
    const onStderr = (written: string): void => {
      if (isPausing || !/attempt 2 of 5 in/.test(written)) return;
      isPausing = true;
      setImmediate(() => timers.pass(100));
    };
    const ran = await runCli(argv, { cwd: root, env, onStderr });
    expect([ran.code, ran.document()]).toMatchObject([1, { error: { code: 'deadline' } }]);
    expect(ran.stderr).toContain(`The deadline has passed while waiting for ${service.url}; last attempt: `);
    expect(service.requests()).toBe(1);
  });

  test('a pause that would pass the deadline is not begun: code rate_limited, with the time of its end', async () => {
    const service = await startBroken((_request, response) => pause(response));
    const { root } = createWorkspace(FILES);
    const env = { POSTHOG_HOST: service.url, POSTHOG_PROJECT_ID: '1', POSTHOG_API_KEY: KEY };
    const ran = await runCli(['flags', 'list', '-f', 'json', '--deadline', '50m'], { cwd: root, env });
    expect([ran.code, ran.document()]).toMatchObject([1, { error: { code: 'rate_limited' } }]);
    expect(ran.stderr).toMatch(/127\.0\.0\.1:\d+ takes no requests until \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC \(429\)/);
    expect(service.requests()).toBe(1);
  });

  test('nothing listens', async () => {
    const { root } = createWorkspace(FILES);
    const env = { POSTHOG_HOST: 'http://127.0.0.1:9', POSTHOG_PROJECT_ID: '1', POSTHOG_API_KEY: KEY };
    const ran = await runCli(['plan', '-f', 'json', '--deadline', '20s'], { cwd: root, env });
    expect([ran.code, ran.document()]).toMatchObject([
      1,
      { error: { code: expect.stringMatching(/network|deadline/) as string } },
    ]);
    expect(ran.stderr).toContain('http://127.0.0.1:9');
  });

  test('Ctrl-C while reading ends at once with 130 and a document', async () => {
    const service = await startBroken(() => undefined);
    const { root } = createWorkspace(FILES);
    const env = { POSTHOG_HOST: service.url, POSTHOG_PROJECT_ID: '1', POSTHOG_API_KEY: KEY };
    const ran = await runCli(['plan', '-f', 'json'], {
      cwd: root,
      env,
      onStart: (interrupt) => {
        const poll = setInterval(() => {
          if (service.requests() === 0) return;
          clearInterval(poll);
          interrupt();
        }, 10);
      },
    });
    expect([ran.code, ran.document()]).toMatchObject([130, { error: { code: 'interrupted' } }]);
  });
});

describe('errors before any request', () => {
  test.each([
    ['a part of the environment', { POSTHOG_HOST: 'https://us.posthog.com' }, 'config_invalid', 'POSTHOG_API_KEY'],
    [
      'plain http',
      { POSTHOG_HOST: 'http://example.com', POSTHOG_PROJECT_ID: '1', POSTHOG_API_KEY: KEY },
      'config_invalid',
      'http',
    ],
  ])('%s', async (_, env, code, words) => {
    const { root } = createWorkspace(FILES);
    const ran = await runCli(['plan', '-f', 'json'], { cwd: root, env });
    expect([ran.code, ran.document()]).toMatchObject([1, { error: { code } }]);
    expect(ran.stderr).toContain(words);
  });

  test.each([
    ['an unknown project', ['plan', '-p', 'prodution'], 'production'],
    ['a missing configuration file', ['plan', '-c', 'none.yaml'], 'none.yaml'],
  ])('%s', async (_, argv, words) => {
    const { root } = createWorkspace({
      ...FILES,
      'flagwright.yaml': 'projects: { production: { service: embedded } }\n',
    });
    const ran = await runCli(argv, { cwd: root });
    expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining(words) as string]);
  });

  test('no manifest at all is an error, not “delete everything”', async () => {
    const { root } = createWorkspace();
    const ran = await runCli(['plan', '--prune', '-f', 'json'], { cwd: root });
    expect([ran.code, ran.document()]).toMatchObject([1, { error: { code: 'manifest_invalid' } }]);
  });
});

test('a bug is reported as a bug, with a request to report it', () => {
  const error = toFlagwrightError(new TypeError('x is not a function'));
  expect(error).toMatchObject({ code: 'internal', remedy: expect.stringContaining('bug') as string });
});

test('a service without role access lists: the error names the flag and does not blame the project', () => {
  const failure = { kind: 'not_found', detail: 'Not found.' } as const;
  const path = '/api/projects/1/feature_flags/12/role_access/';
  const facts = { failure, operation: 'listRoleAccess', method: 'GET', path, attempts: 1, mayHaveHappened: false };
  expect(toFlagwrightError(new ServiceError(facts).about('checkout'))).toMatchObject({
    code: 'service_refused',
    message: expect.stringContaining("no role access list for the flag 'checkout': Not found.") as string,
    remedy: expect.stringContaining('leave role_access out') as string,
  });
});

test('a list that kept changing suggests another run, not another host', () => {
  const failure = { kind: 'invalid_answer', why: 'listing_unstable' } as const;
  const facts = { failure, operation: 'listFlags', method: 'GET', path: '/', attempts: 1, mayHaveHappened: false };
  expect(toFlagwrightError(new ServiceError(facts)).remedy).toMatch(/^Run the same command again/);
});

function redirect(response: ServerResponse): void {
  response.writeHead(302, { location: 'http://127.0.0.2:9/' });
  response.end();
}

function pause(response: ServerResponse): void {
  response.writeHead(429, { 'retry-after': '3600' });
  response.end();
}
