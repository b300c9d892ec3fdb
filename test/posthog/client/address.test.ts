/** The service's address: a host, checked before a key is sent to it, and the paths of a project. */

import { expect, test } from 'vitest';
import { FlagwrightError } from '../../../src/base/errors.ts';
import { parseAddress, projectPath } from '../../../src/posthog/client/connection.ts';

const ACCEPTED: readonly [string, string, string, boolean][] = [
  ['https://us.posthog.com', 'https://us.posthog.com', '', false],
  ['https://US.posthog.com:443/', 'https://us.posthog.com', '', false],
  ['https://example.com/posthog/', 'https://example.com', '/posthog', false],
  ['http://localhost:8000', 'http://localhost:8000', '', true],
  ['http://127.0.0.1:1', 'http://127.0.0.1:1', '', true],
  ['http://[::1]:1', 'http://[::1]:1', '', true],
  ['https://localhost', 'https://localhost', '', true],
];

test.each(ACCEPTED)('%s is accepted', (host, origin, basePath, loopback) => {
  expect(parseAddress(host)).toEqual({ origin, basePath, loopback });
});

const REFUSED = [
  'us.posthog.com',
  '',
  'ftp://example.com',
  'http://us.posthog.com',
  'http://127.0.0.1.example.com',
  'http://localhost.example.com',
  'https://user:secret@example.com',
  'https://example.com/?a=b',
  'https://example.com/#a',
];

test.each(REFUSED)('%s is refused', (host) => {
  expect(() => parseAddress(host)).toThrow(expect.objectContaining({ code: 'config_invalid' }));
});

test('a password in a host is not repeated', () => {
  expect(() => parseAddress('https://user:hunter2@example.com')).toThrow(
    expect.objectContaining({ message: expect.not.stringContaining('hunter2') as string }),
  );
});

test.each([
  ['5678', '/base/api/projects/5678'],
  ['@current', '/base/api/projects/@current'],
  ['../../admin', '/base/api/projects/..%2F..%2Fadmin'],
  ['a b?c', '/base/api/projects/a%20b%3Fc'],
])('project %s', (id, path) => {
  expect(projectPath({ origin: 'https://x', basePath: '/base', loopback: false }, id)).toBe(path);
});

test.each(['', '.', '..'])('project %j is refused', (id) => {
  expect(() => projectPath(parseAddress('https://x'), id)).toThrow(FlagwrightError);
});

test.each([
  ['us.posthog.com', 'The host of a project is not an http or https URL.', /with its scheme: https:/],
  [
    'https://user:secret@example.com',
    'The host of a project has parts beyond scheme, host, port and path.',
    /Remove the user name/,
  ],
  [
    'http://us.posthog.com',
    'The host http://us.posthog.com must start with https:// (the API key would be sent unencrypted).',
    /Use https/,
  ],
])('%s is refused with a reason and a remedy', (host, message, remedy) => {
  expect(() => parseAddress(host)).toThrow(
    expect.objectContaining({ code: 'config_invalid', message, remedy: expect.stringMatching(remedy) as string }),
  );
});

test('an invalid project is named', () => {
  expect(() => projectPath(parseAddress('https://x'), '..')).toThrow(
    expect.objectContaining({ code: 'config_invalid', message: "'..' is not the id of a project." }),
  );
});
