/** The built command behind a company's proxy: a service with TLS that only the proxy reaches, as the name `posthog.example` does not exist. */

import { readFileSync } from 'node:fs';
import { createServer, request as send, type IncomingMessage } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect, type AddressInfo, type Server, type Socket } from 'node:net';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { cli } from '../helpers/cli.ts';
import { createWorkspace } from '../helpers/workspace.ts';
import { KEY, keysOf, MANIFEST } from '../helpers/stage.ts';
import { openWorld, type World } from '../helpers/world.ts';

const FOLDER = path.join(import.meta.dirname, '../fixtures/self-signed');
const CERTIFICATE = path.join(FOLDER, 'certificate.pem');
const HOST = 'https://posthog.example';
const PASSWORD = 'pass word%1';

interface Network {
  readonly world: World;
  /** `127.0.0.1:4711`. */
  readonly proxy: string;
  /** What the proxy was asked to connect to. */
  readonly asked: string[];
  readonly run: (env: Readonly<Record<string, string>>, ...argv: string[]) => ReturnType<typeof cli>;
}

/** `answer`: how the proxy answers in place of a connection, if it does. */
async function startNetwork(
  answer: (request: IncomingMessage) => string | undefined = () => undefined,
  config = `projects:\n  main: { host: "${HOST}", project_id: "1" }\n`,
): Promise<Network> {
  const world = await openWorld('posthog');
  const cert = { cert: readFileSync(CERTIFICATE), key: readFileSync(path.join(FOLDER, 'key.pem')) };
  const service = createTlsServer(cert, (request, response) => {
    const { method, url } = request;
    const headers = { ...request.headers, host: new URL(world.url).host };
    const onward = send(world.url + (url ?? ''), { method, headers }, (answered) => {
      response.writeHead(answered.statusCode ?? 500, answered.headers);
      answered.pipe(response);
    });
    request.pipe(onward);
  });
  const at = await listen(service);
  const asked: string[] = [];
  const proxy = createServer((_request, response) => response.writeHead(400).end());
  proxy.on('connect', (request: IncomingMessage, client: Socket) => {
    asked.push(request.url ?? '');
    client.on('error', () => undefined);
    const refusal = answer(request);
    if (refusal !== undefined) return void client.end(refusal);
    const onward = connect(at, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      onward.pipe(client).pipe(onward);
    });
    onward.on('error', () => client.destroy());
  });
  const { root: cwd } = createWorkspace({ 'flags/main.yaml': MANIFEST, 'flagwright.yaml': config });
  const address = `127.0.0.1:${await listen(proxy)}`;
  return {
    world,
    proxy: address,
    asked,
    run: (env, ...argv) => cli(argv, { cwd, env: { POSTHOG_API_KEY: KEY, NODE_EXTRA_CA_CERTS: CERTIFICATE, ...env } }),
  };
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

const refusal = (status: string): string =>
  `HTTP/1.1 ${status}\r\ncontent-type: text/html\r\ncontent-length: 13\r\n\r\n<html></html>`;

test('plan and apply reach the service through the proxy', async () => {
  const { world, proxy, asked, run } = await startNetwork();
  const env = { HTTPS_PROXY: `http://${proxy}` };
  expect(await run(env, 'apply', '--yes')).toMatchObject({ code: 0 });
  expect((await keysOf(world)).toSorted()).toEqual(['checkout', 'search']);
  expect(await run(env, 'plan', '--detailed-exitcode')).toMatchObject({ code: 0 });
  expect(new Set(asked)).toEqual(new Set(['posthog.example:443']));
});

test.each<[string, (proxy: string) => Readonly<Record<string, string>>]>([
  ['HTTP_PROXY alone, as undici reads it', (proxy) => ({ HTTP_PROXY: `http://${proxy}` })],
  [
    'a name in small letters, before the other',
    (proxy) => ({ https_proxy: `http://${proxy}`, HTTPS_PROXY: 'http://x' }),
  ],
  ['an address without a scheme', (proxy) => ({ HTTPS_PROXY: proxy })],
  [
    'NO_PROXY of other hosts',
    (proxy) => ({ HTTPS_PROXY: `http://${proxy}`, NO_PROXY: '.internal,other.example:8443' }),
  ],
])('%s', async (_name, env) => {
  const { proxy, asked, run } = await startNetwork();
  expect(await run(env(proxy), 'plan')).toMatchObject({ code: 0 });
  expect(asked).not.toEqual([]);
});

/** Each failure is tried again for seconds: those of all cases at the same time. */
async function forEach<Case>(cases: readonly Case[], check: (one: Case) => Promise<void>): Promise<void> {
  await Promise.all(cases.map(check));
}

test('no proxy is asked for a host that NO_PROXY names', async () => {
  await forEach(['posthog.example', '.example', '*', 'other.example, posthog.example:443'], async (none) => {
    const { proxy, asked, run } = await startNetwork();
    const { code, stderr } = await run({ HTTPS_PROXY: `http://${proxy}`, NO_PROXY: none }, 'plan');
    expect({ none, code, asked }).toEqual({ none, code: 1, asked: [] });
    expect(stderr).toContain(`${HOST} cannot be reached (`);
    expect(stderr).not.toContain('proxy');
  });
});

test('this machine is reached without a proxy: the embedded service, and a service at 127.0.0.1', async () => {
  const env = { HTTP_PROXY: 'http://127.0.0.1:9', HTTPS_PROXY: 'http://127.0.0.1:9' };
  const embedded = await startNetwork(undefined, 'projects:\n  local: { service: embedded }\n');
  expect(await embedded.run(env, 'plan')).toMatchObject({ code: 0 });
  const { world, run } = await startNetwork(undefined, 'projects:\n  main: { project_id: "1" }\n');
  expect(await run({ ...env, POSTHOG_HOST: world.url }, 'plan')).toMatchObject({ code: 0 });
});

test('a user and a password', async () => {
  const sent: (string | undefined)[] = [];
  const { proxy, run } = await startNetwork((request) => {
    sent.push(request.headers['proxy-authorization']);
    return undefined;
  });
  const env = { HTTPS_PROXY: `http://user:${encodeURIComponent(PASSWORD)}@${proxy}` };
  const { code, stdout, stderr } = await run(env, 'plan');
  expect({ code, sent: sent[0] }).toEqual({
    code: 0,
    sent: `Basic ${Buffer.from(`user:${PASSWORD}`).toString('base64')}`,
  });
  expect(stdout + stderr).not.toContain('pass');
});

test('a proxy that answers 407, 403 or 502', async () => {
  const cases: readonly [status: string, message: RegExp, requests: number][] = [
    [
      '407 Proxy Authentication Required',
      /The proxy http:\/\/127\.0\.0\.1:\d+ requires a valid user name and password \(407\)/,
      1,
    ],
    ['403 Forbidden', /The proxy http:\/\/127\.0\.0\.1:\d+ does not connect to https:\/\/posthog\.example \(403\)/, 1],
    [
      '502 Bad Gateway',
      /The proxy http:\/\/127\.0\.0\.1:\d+ does not connect to https:\/\/posthog\.example \(502\)/,
      5,
    ],
  ];
  await forEach(cases, async ([status, message, requests]) => {
    const { proxy, asked, run, world } = await startNetwork(() => refusal(status));
    const env = { HTTPS_PROXY: `http://u:${encodeURIComponent(PASSWORD)}@${proxy}` };
    const { code, stderr } = await run(env, 'apply', '--yes');
    expect(code, status).toBe(1);
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/pass(%20| )word/);
    expect(asked, status).toHaveLength(requests);
    expect(await keysOf(world)).toEqual([]);
    const doctor = await run(env, 'doctor');
    expect(doctor.stdout).toMatch(
      new RegExp(`cannot be reached: the proxy http://${proxy} .*\\(${status.slice(0, 3)}\\)`),
    );
    expect(doctor.stdout).not.toMatch(/pass(%20| )word/);
  });
});

test('the error names a proxy that does not work', async () => {
  const cases: readonly [name: string, answer: () => string | undefined, elsewhere: string][] = [
    ['nothing but a closed port', () => undefined, 'http://127.0.0.1:9'],
    ['a proxy that hangs up', () => '', ''],
    ['a proxy that closes each tunnel', () => 'HTTP/1.1 200 Connection established\r\n\r\n', ''],
    ['a proxy that speaks no HTTP', () => 'hello\r\n\r\n', ''],
  ];
  await forEach(cases, async ([name, answer, elsewhere]) => {
    const { proxy, asked, run } = await startNetwork(answer);
    const used = elsewhere || `http://${proxy}`;
    const { code, stderr } = await run({ HTTPS_PROXY: used }, 'plan');
    expect(code, name).toBe(1);
    expect(stderr, name).toContain(`${HOST} cannot be reached through the proxy ${used} (`);
    expect(stderr, name).toContain('NO_PROXY');
    expect(asked, name).toHaveLength(elsewhere === '' ? 5 : 0);
    const doctor = await run({ HTTPS_PROXY: used }, 'doctor');
    expect(doctor.stdout, name).toContain(`cannot be reached through the proxy ${used} (`);
    expect(doctor.stdout, name).not.toMatch(/refuses the connection|Check the port of the host/);
  });
});

test('a certificate that a proxy signed is not trusted by itself', async () => {
  const { proxy, run } = await startNetwork();
  const env = { HTTPS_PROXY: `http://${proxy}`, NODE_EXTRA_CA_CERTS: '' };
  const { code, stderr } = await run(env, 'plan');
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /cannot be reached through the proxy http:\/\/127\.0\.0\.1:\d+ \(DEPTH_ZERO_SELF_SIGNED_CERT\)/,
  );
});

test.each(['ftp://proxy.example', 'http://:3128', 'http://u:%zz@proxy.example', 'socks5://proxy.example:1080'])(
  'HTTPS_PROXY=%s is refused without its text',
  async (address) => {
    const { run } = await startNetwork();
    const { code, stderr } = await run({ HTTPS_PROXY: address }, 'plan');
    expect(code).toBe(1);
    expect(stderr).toContain('HTTPS_PROXY is not the address of an HTTP proxy.');
    expect(stderr).not.toContain(address);
  },
);

test.each<[string, (proxy: string) => Readonly<Record<string, string>>, string, string[]]>([
  ['uses it', (proxy) => ({ HTTPS_PROXY: `http://${proxy}` }), '', ['proxy_used']],
  [
    'is refused by it',
    (proxy) => ({ HTTPS_PROXY: `http://${proxy}` }),
    refusal('407 Login'),
    ['proxy_refuses', 'proxy_used'],
  ],
  ['does not read ALL_PROXY', (proxy) => ({ ALL_PROXY: `http://${proxy}` }), '', ['proxy_not_used']],
])('doctor %s', async (_name, env, answer, codes) => {
  const { proxy, run } = await startNetwork(() => answer || undefined);
  const { stdout } = await run(env(proxy), 'doctor', '-f', 'json');
  const { results } = JSON.parse(stdout) as { readonly results: readonly { readonly code: string }[] };
  expect(
    results
      .map(({ code }) => code)
      .filter((code) => code.startsWith('proxy'))
      .toSorted(),
  ).toEqual(codes);
});
