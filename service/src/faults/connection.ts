/** Sends answers whole, cut, slowly or endlessly, and cuts connections. */

import type { ServerResponse } from 'node:http';
import { setTimeout as realPause } from 'node:timers/promises';
import type { WireReply } from './answers.ts';
import type { Ending } from './script.ts';

/** Resolves after so many milliseconds. */
export type Pause = (ms: number) => Promise<void>;

export function sendWhole(response: ServerResponse, { status, headers, text }: WireReply): void {
  const length = status === 204 ? {} : { 'Content-Length': Buffer.byteLength(text) };
  response.writeHead(status, { ...headers, ...length }).end(text);
}

/** Resets the connection, as when a process dies: the client reads ECONNRESET. */
export function reset(response: ServerResponse): void {
  response.socket?.resetAndDestroy();
}

/** Announces the length of the whole body. */
export function sendTruncated(
  response: ServerResponse,
  { status, headers, text }: WireReply,
  { bytes }: NonNullable<Ending['truncate']>,
): void {
  const body = Buffer.from(text);
  // A byte must be missing, also from an empty body.
  const promised = Math.max(1, body.length);
  response.writeHead(status === 204 ? 200 : status, { ...headers, 'Content-Length': promised });
  response.write(body.subarray(0, Math.min(bytes ?? Math.floor(body.length / 2), promised - 1)), () =>
    response.socket?.destroy(),
  );
  response.flushHeaders();
}

const SPACES = Buffer.alloc(16 * 1024, ' ');

/** Runs until the client disconnects. */
export async function sendEndless(response: ServerResponse, { status, headers, text }: WireReply): Promise<void> {
  response.writeHead(status === 204 ? 200 : status, headers);
  response.write(text);
  while (!response.destroyed) {
    if (response.write(SPACES)) await realPause(1);
    else await waitForDrain(response);
  }
}

export async function sendDripping(
  response: ServerResponse,
  { status, headers, text }: WireReply,
  { bytes = 1, every_ms: everyMs = 100, sleep }: NonNullable<Ending['drip']> & { readonly sleep: Pause },
): Promise<void> {
  const body = Buffer.from(text);
  response.writeHead(status, status === 204 ? headers : { ...headers, 'Content-Length': body.length });
  response.flushHeaders();
  for (let sent = 0; sent < body.length && !response.destroyed; sent += bytes) {
    await sleep(everyMs);
    response.write(body.subarray(sent, sent + bytes));
  }
  response.end();
}

async function waitForDrain(response: ServerResponse): Promise<void> {
  await new Promise<void>((resolve) => {
    const done = (): void => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
}
