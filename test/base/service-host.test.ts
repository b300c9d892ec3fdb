/** To which hosts an API key may go. */

import { expect, test } from 'vitest';
import { parseHost } from '../../src/base/service-host.ts';

test.each([
  ['https://us.posthog.com', 'https://us.posthog.com', '', false],
  ['https://US.posthog.com:443/', 'https://us.posthog.com', '', false],
  ['https://example.com:8443/posthog/eu//', 'https://example.com:8443', '/posthog/eu', false],
  ['https://localhost', 'https://localhost', '', true],
  ['http://localhost:8000/x', 'http://localhost:8000', '/x', true],
  ['http://127.0.0.1', 'http://127.0.0.1', '', true],
  ['http://127.200.3.4:1', 'http://127.200.3.4:1', '', true],
  ['http://[::1]:80', 'http://[::1]', '', true],
])('%s is the origin %s with the path "%s"; this machine: %s', (written, origin, basePath, loopback) => {
  expect(parseHost(written)).toEqual({ origin, basePath, loopback });
});

test.each([
  'http://us.posthog.com/x',
  'http://app.localhost',
  'http://localhost.example.com',
  'http://127.0.0.1.example.com',
  'http://1.127.0.0',
  'http://[::2]',
])('a key is not sent to %s unencrypted', (written) => {
  expect(parseHost(written)).toEqual({ kind: 'plain-http', shown: new URL(written).origin });
});

test.each([
  ['us.posthog.com', 'us.posthog.com'],
  ['ftp://example.com', 'ftp://example.com'],
  ['', ''],
  ['user:secret@example.com', 'example.com'],
  ['ftp://user:secret@example.com/x', 'ftp://example.com/x'],
])('%s is no address of a service, and shows no secret', (written, shown) => {
  expect(parseHost(written)).toEqual({ kind: 'not-http', shown });
});

test('parts that a host must not have are named, each for itself and without their values', () => {
  const partsOf = (written: string): unknown => {
    const found = parseHost(written);
    expect(JSON.stringify(found)).not.toContain('secret');
    return 'parts' in found ? [found.shown, found.parts] : found;
  };
  expect(partsOf('https://secret@example.com/x/')).toEqual(['https://example.com/x', ['a user']]);
  expect(partsOf('https://:secret@example.com')).toEqual(['https://example.com', ['a password']]);
  expect(partsOf('http://secret:secret@example.com/?secret#secret')).toEqual([
    'http://example.com',
    ['a user', 'a password', 'a query', 'a fragment'],
  ]);
});
