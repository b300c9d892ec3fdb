/** The HTTP server: reads requests from sockets and writes answers to them, with limits on time and size. */

import { defined } from '../../../src/base/optional.ts';
import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate as turn } from 'node:timers/promises';
import { answer } from '../answering/answer.ts';
import type { AnsweringOptions, RequestRecord, ServiceRequest, Sleep } from '../answering/request.ts';
import { bodyText } from '../handler/lists.ts';
import type { Answer, TextBody } from '../handler/call.ts';
import { answerFor, Refusal, tooLarge, malformed } from '../handler/envelope.ts';
import type { Faults } from '../faults/faults.ts';
import { stringifyJson } from '../../../src/base/json-text.ts';

/** 20 MB, as in the real service. */
const BODY_LIMIT = 20 * 1024 * 1024;
const CONNECTION_CHECK_MS = 1000;
/** The time that a refused sender may continue before its connection is cut. */
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
      // Longer than clients keep connections open, so that none is closed just as a request is sent.
      keepAliveTimeout: 65_000,
      // Refused by our own code, in the error envelope.
      requireHostHeader: false,
    },
    (message, response) => {
      answering.set(message.socket, response);
      // A kept-alive connection would delay a closing server.
      response.on('finish', () => {
        if (!server.listening) message.socket.end();
      });
      void serve(message, response, options);
    },
  );
  server.on('clientError', (error, socket) => {
    const response = answering.get(socket);
    // A second answer within one would be read as part of its body.
    if (response?.headersSent && !response.writableFinished) socket.destroy();
    else refuseBroken(error, socket);
  });
  return server;
}

async function serve(message: IncomingMessage, response: ServerResponse, options: ServerOptions): Promise<void> {
  const start = performance.now();
  // A clock that fails is the error of the request that asks it.
  try {
    response.setHeader('Date', options.context.now().toUTCString());
  } catch {
    // The request is answered all the same.
  }
  let result: Answer | undefined;
  let error: unknown;
  const refusalFor = (thrown: unknown): Answer => {
    const cause = thrown instanceof Refusal ? (thrown.cause ?? thrown) : thrown;
    if (!(cause instanceof Refusal)) error = cause;
    return answerFor(thrown);
  };
  try {
    const request = await readRequest(message);
    const handle = (): Answer => {
      try {
        return answer(request, options);
      } catch (thrown) {
        return refusalFor(thrown);
      }
    };
    result = options.faults === undefined ? handle() : await options.faults({ request, response, handle });
  } catch (thrown) {
    if (message.destroyed && !message.complete) return;
    result = refusalFor(thrown);
  }
  const { method = '', url = '' } = message;
  const [path = ''] = url.split('?');
  const line = { method, path };
  if (options.latencyMs > 0) await options.sleep(options.latencyMs, line);
  if (result?.text !== undefined)
    error = (await sendText(message, response, { ...result, text: result.text })) ?? error;
  else if (result !== undefined) error = send(message, response, result) ?? error;
  options.onRequest?.({
    ...line,
    status: response.headersSent ? response.statusCode : 0,
    durationMs: performance.now() - start,
    ...defined({ error }),
  });
}

async function readRequest(message: IncomingMessage): Promise<ServiceRequest> {
  const { headers, method = '' } = message;
  // HTTP/1.1 requires a `Host` header.
  if (headers.host === undefined && message.httpVersion === '1.1')
    throw malformed('Malformed request: the header Host is missing.');
  return {
    method,
    ...readAddress(message),
    authorization: headers.authorization,
    contentType: headers['content-type'],
    contentEncoding: headers['content-encoding'],
    ifNoneMatch: headers['if-none-match'],
    client: headers['x-posthog-client']?.toString(),
    apiKey: headers['x-api-key']?.toString(),
    body: await readBody(message),
  };
}

/** The request line through a proxy has the whole URL, which replaces `Host`. */
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

/** Sends an answer. Returns the error of an answer that cannot be serialized, which is sent as a 500. */
function send(message: IncomingMessage, response: ServerResponse, result: Answer): unknown {
  let text = '';
  try {
    text = result.body === undefined ? '' : bodyText(result.body);
  } catch (thrown) {
    return send(message, response, answerFor(thrown)) ?? thrown;
  }
  const headers: Record<string, string | number> = { ...result.headers };
  if (text !== '') headers['Content-Type'] = 'application/json';
  if (result.status !== 204 && result.status !== 304) headers['Content-Length'] = Buffer.byteLength(text);
  if (!message.complete) {
    headers['Connection'] = 'close';
    const cut = setTimeout(() => message.destroy(), DRAIN_MS).unref();
    message.once('close', () => clearTimeout(cut));
  }
  response.writeHead(result.status, headers).end(text);
  return undefined;
}

/** Streams a body, no faster than the client reads. Returns the error that interrupted it. */
async function sendText(
  message: IncomingMessage,
  response: ServerResponse,
  { status, headers, text }: Answer & { readonly text: TextBody },
): Promise<unknown> {
  response.writeHead(status, { ...headers, 'Content-Type': `${text.type}; charset=utf-8` });
  try {
    await pipeline(message.method === 'HEAD' ? [] : yieldBetween(text.chunks), response);
    return undefined;
  } catch (thrown) {
    response.destroy();
    return message.destroyed ? undefined : thrown;
  }
}

/** Yields to other requests between chunks, each of which takes milliseconds, and produces none before it is needed. */
async function* yieldBetween(chunks: Iterable<string>): AsyncGenerator<string> {
  for (const chunk of chunks) {
    yield chunk;
    await turn();
  }
}

/** Writes the refusal for the parser's error code, and closes the connection. */
function refuseBroken(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const { status, body } = answerFor(chooseRefusal(error));
  const text = stringifyJson(body);
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(text)}`,
    'Connection: close',
  ];
  socket.end(`${lines.join('\r\n')}\r\n\r\n${text}`, () => socket.destroy());
}

function chooseRefusal({ code = '' }: NodeJS.ErrnoException): Refusal {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return refusal(408, 'request_timeout', 'The request did not arrive in time.');
    case 'HPE_HEADER_OVERFLOW':
      return refusal(431, 'headers_too_large', 'The headers of the request are too large.');
    default:
      return malformed(`Malformed request (${code}).`);
  }
}

function refusal(status: number, code: string, detail: string): Refusal {
  return new Refusal(detail, { status, type: 'invalid_request', code });
}
