/** Refuses requests that Node cannot parse: unfinished, malformed, or with too many headers. */

import { stringifyJson } from '../../../src/base/json-text.ts';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { answerFor, malformed, Refusal } from '../handler/envelope.ts';

/** Writes the refusal for the parser's error code, and closes the connection. */
export function refuseBroken(error: NodeJS.ErrnoException, socket: Duplex): void {
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

/** HTTP/1.1 requires a `Host` header. */
export function hostMissing(): Refusal {
  return malformed('Malformed request: the header Host is missing.');
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
