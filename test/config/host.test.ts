import { expect, it } from 'vitest';
import { checkHost } from '../../src/config/host.ts';

it.each([
  ['https://us.posthog.com', 'https://us.posthog.com'],
  ['https://US.posthog.com:443/', 'https://us.posthog.com'],
  ['https://example.test/posthog//', 'https://example.test/posthog'],
  ['http://localhost:8000', 'http://localhost:8000'],
  ['http://app.localhost', 'http://app.localhost'],
  ['http://127.0.0.1:8010/', 'http://127.0.0.1:8010'],
  ['http://[::1]:8010', 'http://[::1]:8010'],
])('%s is taken as %s', (written, host) => {
  expect(checkHost(written)).toEqual({ host });
});

it.each([
  ['http://us.posthog.com', 'config-host-plain-http', 'http://us.posthog.com'],
  ['http://127.0.0.1.evil.test', 'config-host-plain-http', 'http://127.0.0.1.evil.test'],
  ['http://localhost.evil.test', 'config-host-plain-http', 'http://localhost.evil.test'],
  ['http://192.168.0.1', 'config-host-plain-http', 'http://192.168.0.1'],
  ['us.posthog.com', 'config-host-invalid', 'us.posthog.com'],
  ['ftp://us.posthog.com', 'config-host-invalid', 'ftp://us.posthog.com'],
  ['https://', 'config-host-invalid', 'https://'],
  ['https://user:secret@x.test', 'config-host-invalid', 'https://x.test'],
  ['ftp://user:secret@x.test', 'config-host-invalid', 'ftp://x.test'],
  ['https://x.test/?key=secret', 'config-host-invalid', 'https://x.test'],
  ['https://x.test/#a', 'config-host-invalid', 'https://x.test'],
])('%s is refused', (written, problem, shown) => {
  expect(checkHost(written)).toEqual({ problem, shown });
});
