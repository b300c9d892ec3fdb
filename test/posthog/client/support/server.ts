/** Real servers on loopback that answer as a test says and record the requests. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSocketServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export interface SeenRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A string or bytes are sent unchanged, anything else as JSON. */
  readonly body?: unknown;
}

export interface TestServer {
  readonly host: string;
  readonly seen: SeenRequest[];
}

/** Answers with what `reply` returns; when it returns nothing, it has handled `response` itself. */
export async function serve(
  reply: (request: SeenRequest, response: ServerResponse) => Reply | undefined | Promise<Reply | undefined>,
): Promise<TestServer> {
  const seen: SeenRequest[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = '', url = '', headers } = request;
    const seenRequest = { method, url, headers, body: Buffer.concat(chunks).toString() };
    seen.push(seenRequest);
    const made = await reply(seenRequest, response);
    if (made === undefined) return;
    response.writeHead(made.status ?? 200, { 'content-type': 'application/json', ...made.headers });
    const raw = typeof made.body === 'string' || Buffer.isBuffer(made.body) || made.body === undefined;
    response.end(raw ? made.body : JSON.stringify(made.body));
  };
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  return { host: await listen(server, () => server.closeAllConnections()), seen };
}

/** Answers the requests in order; the last reply is repeated. */
export function serveInTurn(...replies: readonly Reply[]): Promise<TestServer> {
  let turn = 0;
  return serve(() => replies[Math.min(turn++, replies.length - 1)]);
}

export interface SocketServer {
  readonly host: string;
  /** Connections that received data. */
  readonly received: string[];
}

/** Passes each connection's first bytes to `behave`, which may do anything to the socket that a network does. */
export async function serveSocket(behave: (socket: Socket, turn: number) => void): Promise<SocketServer> {
  const received: string[] = [];
  const sockets = new Set<Socket>();
  const server = createSocketServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('data', (data) => {
      received.push(data.toString());
      behave(socket, received.length);
    });
  });
  const host = await listen(server, () => sockets.forEach((socket) => socket.destroy()));
  return { host, received };
}

/** A loopback address without a listener. */
export async function closedHost(): Promise<string> {
  const server = createSocketServer();
  const port = await new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}

async function listen(server: Server, dropConnections: () => void): Promise<string> {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    dropConnections();
    await closed;
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
