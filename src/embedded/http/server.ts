/** The HTTP edge: sockets to requests, answers to sockets, with bounds on time and size. */

import { stringifyJson } from '../../base/json-text.ts';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate as turn } from 'node:timers/promises';
import { answer, type AnsweringOptions } from '../answering/answer.ts';
import type { RequestRecord, ServiceRequest, Sleep } from '../answering/request.ts';
import { hostMissing, refuseBroken } from './broken-request.ts';
import type { Answer, TextBody } from '../handler/call.ts';
import { answerFor, Refusal, tooLarge } from '../handler/envelope.ts';
import type { Faults } from '../faults/faults.ts';

/** 20 MB, as the real service has it. */
const BODY_LIMIT = 20 * 1024 * 1024;
const CONNECTION_CHECK_MS = 1000;
/** How long a refused sender may go on before its connection is cut. */
const DRAIN_MS = 1000;

export interface ServerOptions extends AnsweringOptions {
  readonly latencyMs: number;
  readonly sleep: Sleep;
  readonly requestTimeoutMs: number;
  readonly onRequest: ((record: RequestRecord) => void) | undefined;
  readonly faults: Faults | undefined;
}

export function createHttpServer(options: ServerOptions): Server {
  const answering = new WeakMap<Duplex, ServerResponse>();
  const server = createServer(
    {
      requestTimeout: options.requestTimeoutMs,
      headersTimeout: options.requestTimeoutMs,
      connectionsCheckingInterval: Math.min(CONNECTION_CHECK_MS, options.requestTimeoutMs),
      // Longer than clients keep a connection, so that none is closed just as a request is sent.
      keepAliveTimeout: 65_000,
      // Refused here instead, in the envelope.
      requireHostHeader: false,
    },
    (message, response) => {
      answering.set(message.socket, response);
      // A connection that is kept for later requests would hold up a server that is closing.
      response.on('finish', () => {
        if (!server.listening) message.socket.end();
      });
      void serve(message, response, options);
    },
  );
  server.on('clientError', (error, socket) => {
    const response = answering.get(socket);
    // A second answer in the middle of one would be read as its body.
    if (response?.headersSent && !response.writableFinished) socket.destroy();
    else refuseBroken(error, socket);
  });
  return server;
}

interface Exchange {
  readonly message: IncomingMessage;
  readonly response: ServerResponse;
}

async function serve(message: IncomingMessage, response: ServerResponse, options: ServerOptions): Promise<void> {
  const start = performance.now();
  let result: Answer | undefined;
  let error: unknown;
  const refusalFor = (thrown: unknown): Answer => {
    if (!(thrown instanceof Refusal)) error = thrown;
    return answerFor(thrown);
  };
  try {
    const request = await readRequest(message);
    const handle = (): Answer => answerOrRefuse(request, options, refusalFor);
    result = options.faults === undefined ? handle() : await options.faults({ request, response, handle });
  } catch (thrown) {
    if (message.destroyed && !message.complete) return;
    result = refusalFor(thrown);
  }
  const line = { method: message.method ?? '', path: (message.url ?? '').split('?')[0] ?? '' };
  if (options.latencyMs > 0) await options.sleep(options.latencyMs, line);
  if (result?.text !== undefined) error = (await sendText({ message, response }, result, result.text)) ?? error;
  else if (result !== undefined) error = send(message, response, result) ?? error;
  options.onRequest?.({
    ...line,
    status: response.headersSent ? response.statusCode : 0,
    durationMs: performance.now() - start,
    ...(error !== undefined && { error }),
  });
}

function answerOrRefuse(
  request: ServiceRequest,
  options: ServerOptions,
  refusalFor: (thrown: unknown) => Answer,
): Answer {
  try {
    return answer(request, options);
  } catch (thrown) {
    return refusalFor(thrown);
  }
}

async function readRequest(message: IncomingMessage): Promise<ServiceRequest> {
  const { headers } = message;
  if (headers.host === undefined && message.httpVersion === '1.1') throw hostMissing();
  return {
    method: message.method ?? '',
    ...readAddress(message),
    authorization: headers.authorization,
    contentType: headers['content-type'],
    contentEncoding: headers['content-encoding'],
    ifNoneMatch: headers['if-none-match'],
    body: await readBody(message),
  };
}

/** Through a proxy the request line has the whole URL, which then counts in place of `Host`. */
function readAddress({ url = '/', headers, socket }: IncomingMessage): Pick<ServiceRequest, 'origin' | 'target'> {
  const [, authority, target] = /^http:\/\/([^/?#]+)(.*)$/i.exec(url) ?? [];
  if (authority !== undefined) return { origin: `http://${authority}`, target: target || '/' };
  return { origin: `http://${headers.host ?? `${socket.localAddress}:${socket.localPort}`}`, target: url };
}

async function readBody(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  return new Promise((resolve, reject) => {
    message.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= BODY_LIMIT) chunks.push(chunk);
      else reject(tooLarge(BODY_LIMIT));
    });
    message.on('end', () => resolve(Buffer.concat(chunks)));
    message.on('error', reject);
  });
}

/** Sends an answer; what is returned is the error of one that cannot be written as JSON, answered as a 500. */
function send(message: IncomingMessage, response: ServerResponse, result: Answer): unknown {
  let text = '';
  try {
    text = result.body === undefined ? '' : stringifyJson(result.body);
  } catch (thrown) {
    return send(message, response, answerFor(thrown)) ?? thrown;
  }
  const headers: Record<string, string | number> = { ...result.headers };
  if (text !== '') headers['Content-Type'] = 'application/json';
  if (result.status !== 204 && result.status !== 304) headers['Content-Length'] = Buffer.byteLength(text);
  if (!message.complete) {
    headers['Connection'] = 'close';
    setTimeout(() => message.destroy(), DRAIN_MS).unref();
  }
  response.writeHead(result.status, headers).end(text);
  return undefined;
}

/** Sends a body as it is made, no faster than it is read. What is returned is the error that cut it short. */
async function sendText(
  { message, response }: Exchange,
  { status, headers }: Answer,
  text: TextBody,
): Promise<unknown> {
  response.writeHead(status, { ...headers, 'Content-Type': `${text.type}; charset=utf-8` });
  try {
    await pipeline(message.method === 'HEAD' ? [] : unhurried(text.chunks), response);
    return undefined;
  } catch (thrown) {
    response.destroy();
    return message.destroyed ? undefined : thrown;
  }
}

/** Making a part takes milliseconds: between two of them everybody else has a turn, and none is made before it is asked for. */
async function* unhurried(chunks: Iterable<string>): AsyncGenerator<string> {
  for (const chunk of chunks) {
    yield chunk;
    await turn();
  }
}
