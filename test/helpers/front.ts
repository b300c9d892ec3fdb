/** A proxy before a service: it leaves the time out of answers, or answers in its place. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface Front {
  readonly url: string;
  /** The address of the service behind it. */
  target: string;
  /** Whether answers have no `Date`. */
  isTimeless: boolean;
  /** The status with which it answers itself; `undefined`: it passes the request on. */
  refuses: (method: string, path: string) => number | undefined;
  /** Awaited before a request is passed on. */
  before: (method: string) => Promise<void>;
}

export async function startFront(): Promise<Front> {
  const server = createServer((request, response) => {
    void (async () => {
      const { method = 'GET', url = '/' } = request;
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      await front.before(method);
      const status = front.refuses(method, url);
      // The clock of this machine is not that of the service.
      response.sendDate = !front.isTimeless && status === undefined;
      if (status !== undefined) return response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
      const headers = { authorization: request.headers.authorization ?? '', 'content-type': 'application/json' };
      const body = method === 'GET' ? {} : { body: Buffer.concat(chunks) };
      const answer = await fetch(front.target + url, { method, headers, ...body });
      const date = front.isTimeless ? {} : { date: answer.headers.get('date') ?? '' };
      response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '', ...date });
      return response.end(Buffer.from(await answer.arrayBuffer()));
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const front: Front = {
    url: `http://127.0.0.1:${port}`,
    target: '',
    isTimeless: false,
    refuses: () => undefined,
    before: async () => undefined,
  };
  return front;
}
