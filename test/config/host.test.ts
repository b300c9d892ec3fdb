import { expect, it } from 'vitest';
import { describe } from '../../src/report/words/diagnostics.ts';
import { checkHost } from '../../src/config/projects.ts';

it.each([
  ['https://us.posthog.com', 'https://us.posthog.com'],
  ['https://US.posthog.com:443/', 'https://us.posthog.com'],
  ['https://example.test/posthog//', 'https://example.test/posthog'],
  ['http://localhost:8000', 'http://localhost:8000'],
  ['http://127.0.0.1:8010/', 'http://127.0.0.1:8010'],
  ['http://[::1]:8010', 'http://[::1]:8010'],
])('%s is normalised to %s', (written, host) => {
  expect(checkHost(written)).toEqual({ host });
});

it.each([
  ['http://us.posthog.com', 'config-host-plain-http', 'http://us.posthog.com'],
  ['http://127.0.0.1.evil.test', 'config-host-plain-http', 'http://127.0.0.1.evil.test'],
  ['http://localhost.evil.test', 'config-host-plain-http', 'http://localhost.evil.test'],
  ['http://app.localhost', 'config-host-plain-http', 'http://app.localhost'],
  ['http://192.168.0.1', 'config-host-plain-http', 'http://192.168.0.1'],
  ['us.posthog.com', 'config-host-invalid', 'us.posthog.com'],
  ['ftp://us.posthog.com', 'config-host-invalid', 'ftp://us.posthog.com'],
  ['https://', 'config-host-invalid', 'https://'],
  ['ftp://user:secret@x.test', 'config-host-invalid', 'ftp://x.test'],
])('%s is refused', (written, problem, shown) => {
  expect(checkHost(written)).toEqual({ problem, args: { host: shown } });
});

it.each([
  ['https://user:secret@x.test', ['a user', 'a password'], 'https://x.test'],
  ['https://x.test/base/?key=secret', ['a query'], 'https://x.test/base'],
  ['https://user@x.test/#secret', ['a user', 'a fragment'], 'https://x.test'],
])('%s is refused for its parts, which are not shown', (written, unwanted, host) => {
  const checked = checkHost(written);
  expect(checked).toEqual({ problem: 'config-host-invalid', args: { host, unwanted } });
  const words = describe({ code: 'config-host-invalid', severity: 'error', args: { host, unwanted } });
  expect(words.message).toContain(unwanted.join(' and '));
  expect(words.remedy).toContain(`Write only "${host}"`);
  expect(JSON.stringify([checked, words])).not.toContain('secret');
});
