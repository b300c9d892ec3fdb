/** The requests of flagwright-ci to a forge that only a proxy reaches. */

import { createServer, type IncomingMessage } from 'node:http';
import { connect, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.resetModules();
});

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

interface Caller {
  (method: string, path: string): Promise<{ readonly value: unknown }>;
}

/** Calls a forge through the environment, with a proxy that knows where every host is. */
async function callForge(env: (proxy: string) => Readonly<Record<string, string>>, host?: string): Promise<unknown> {
  const forge = createServer((request, response) => response.end(JSON.stringify({ url: request.url })));
  const port = await listen(forge);
  const asked: string[] = [];
  const proxy = createServer().on('connect', (request: IncomingMessage, client: Socket) => {
    asked.push(request.url ?? '');
    const onward = connect(port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      onward.pipe(client).pipe(onward);
    });
    onward.on('error', () => client.destroy());
    client.on('error', () => onward.destroy());
  });
  for (const [name, value] of Object.entries(env(`http://127.0.0.1:${await listen(proxy)}`))) vi.stubEnv(name, value);
  const { createCaller } = (await import('../../ci/forge/call.mjs')) as {
    readonly createCaller: (options: object) => Caller;
  };
  const call = createCaller({
    api: `http://${host ?? `127.0.0.1:${port}`}`,
    headers: {},
    seconds: 5,
    pause: () => undefined,
  });
  const value = await call('GET', '/pulls').then(
    (answer) => answer.value,
    (error: unknown) => (error as Error).name,
  );
  return { value, asked };
}

test.each([
  ['HTTP_PROXY', 'forge.example', { value: { url: '/pulls' }, asked: ['forge.example:80'] }],
  ['https_proxy', 'forge.example', { value: expect.any(String) as string, asked: [] }],
  ['HTTP_PROXY', undefined, { value: { url: '/pulls' }, asked: [] }],
])('%s and a forge at %s', async (name, host, expected) => {
  expect(await callForge((proxy) => ({ [name]: proxy, NO_PROXY: '' }), host)).toEqual(expected);
});

test('NO_PROXY keeps a forge of the own network from the proxy', async () => {
  const env = (proxy: string): Readonly<Record<string, string>> => ({ HTTP_PROXY: proxy, NO_PROXY: '.example' });
  expect(await callForge(env, 'forge.example')).toEqual({ value: expect.any(String) as string, asked: [] });
});
