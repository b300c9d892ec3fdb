/** One HTTP exchange over the pool: sends bytes, receives bounded bytes, and reports what is known when it breaks. */

import { Pool, type Dispatcher } from 'undici';
import { defined } from '../../base/optional.ts';
import { startTimer, type Timer } from '../../base/timer.ts';
import { Readable } from 'node:stream';
import { throughProxies, type Proxies } from './proxies.ts';

export interface WireRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path and query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The limit of the whole exchange, or of each wait if the body is streamed. */
  readonly timeoutMs: number;
  /** The limit of a body that is not streamed. */
  readonly maxBodyBytes: number;
  readonly signal?: AbortSignal;
  /** Whether the body of a success is streamed, without a limit. */
  readonly streams?: boolean;
}

export interface WireAnswer {
  readonly kind: 'answer';
  readonly status: number;
  readonly headers: WireHeaders;
  readonly body: Buffer;
}

/** The head of a success; its body is still arriving. */
export interface WireStream {
  readonly kind: 'stream';
  readonly status: number;
  readonly headers: WireHeaders;
  /** Read no faster than it is used. Fails with `BrokenOff`; leaving it early aborts the exchange. */
  readonly body: AsyncIterable<Buffer>;
}

interface WireFailure extends BrokenOff {
  readonly kind: 'broken';
  /** False when it is certain that the service has not seen the request. */
  readonly sent: boolean;
}

export type WireResult = WireAnswer | WireStream | WireFailure;

/** Names in lower case. */
export type WireHeaders = Readonly<Record<string, string | string[] | undefined>>;

export interface Transport {
  /** Never rejects. */
  exchange(request: WireRequest): Promise<WireResult>;
  /** The address of the proxy that connections were asked of, if one was. */
  proxy(): string | undefined;
  /** Aborts every exchange in flight. */
  close(): Promise<void>;
}

/** @throws {FlagwrightError} `config_invalid` for an address that is none of a proxy. */
export function createTransport(
  origin: string,
  connections: number,
  { startTimer: start = startTimer, proxies }: TransportOptions = {},
): Transport {
  // One timer for the whole exchange replaces these two: a slow drip never triggers them.
  const limits = { connections, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 };
  let used: string | undefined;
  const dispatcher =
    proxies === undefined
      ? new Pool(origin, limits)
      : throughProxies(proxies, limits, (proxy) => {
          used = proxy;
        });
  return {
    exchange: (request) => new Promise((resolve) => new Exchange(request, resolve).start(dispatcher, origin, start)),
    proxy: () => used,
    close: () => dispatcher.destroy(),
  };
}

interface TransportOptions {
  readonly startTimer?: StartTimer | undefined;
  readonly proxies?: Proxies | undefined;
}

type StartTimer = (ms: number, onTime: () => void) => Timer;

type Head = Pick<WireAnswer, 'status' | 'headers'>;

class Exchange implements Dispatcher.DispatchHandler {
  readonly #request: WireRequest;
  readonly #resolve: (result: WireResult) => void;
  #body = new GatheredBytes();
  readonly #onAbort = (): void => this.#breakOff('aborted');
  #timer: Timer | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #head: Head | undefined;
  #stream: BodyStream | undefined;
  #settled = false;

  constructor(request: WireRequest, resolve: (result: WireResult) => void) {
    this.#request = request;
    this.#resolve = resolve;
  }

  start(dispatcher: Dispatcher, origin: string, timer: StartTimer): void {
    const { method, path, headers, body, timeoutMs, signal } = this.#request;
    if (signal?.aborted) return this.#breakOff('aborted');
    this.#timer = timer(timeoutMs, () => this.#breakOff('timeout'));
    signal?.addEventListener('abort', this.#onAbort);
    try {
      dispatcher.dispatch({ origin, method, path, headers, body: body ?? null }, this);
    } catch (error) {
      this.#breakOff('network', error);
    }
  }

  /** Called right before the first byte is written: an exchange that fails earlier was never sent. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#settled) controller.abort(new Error('given up before it was sent'));
    else this.#controller = controller;
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: WireHeaders): void {
    // A 103 may come first; the last head is the answer's.
    this.#head = { status, headers };
    if (this.#request.streams && status >= 200 && status < 300) this.#handOn(controller, this.#head);
    else this.#body = new GatheredBytes(Number(headers['content-length']));
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#stream !== undefined) return this.#stream.add(chunk);
    if (this.#body.length + chunk.length > this.#request.maxBodyBytes) this.#breakOff('too_large');
    else this.#body.add(chunk);
  }

  onResponseEnd(): void {
    if (this.#stream !== undefined) this.#stream.end();
    else if (this.#head === undefined) this.#breakOff('network');
    else this.#settle({ kind: 'answer', ...this.#head, body: this.#body.bytes() });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#stream !== undefined) this.#stream.breakOff({ reason: 'network', error });
    else this.#breakOff('network', error);
  }

  #handOn(controller: Dispatcher.DispatchController, head: Head): void {
    const { timeoutMs, signal } = this.#request;
    this.#stream = new BodyStream(controller, { timeoutMs, ...defined({ signal }) });
    this.#settle({ kind: 'stream', ...head, body: this.#stream });
  }

  /** The status of a refusal is enough: it is an answer even when its body is truncated. */
  #breakOff(reason: WireFailure['reason'], error?: unknown): void {
    if (this.#settled) return;
    const controller = this.#controller;
    if (this.#head !== undefined && this.#head.status >= 400) {
      this.#settle({ kind: 'answer', ...this.#head, body: this.#body.bytes() });
    } else {
      const sent = controller !== undefined;
      this.#settle({ kind: 'broken', reason, sent, ...defined({ error }) });
    }
    controller?.abort(new Error('broken off'));
  }

  #settle(result: WireResult): void {
    this.#settled = true;
    this.#timer?.cancel();
    this.#request.signal?.removeEventListener('abort', this.#onAbort);
    this.#resolve(result);
  }
}

/** What an answer says of its length may be wrong: no more is set aside before anything has come. */
const MOST_AHEAD = 4 * 1024 * 1024;

/** Bytes that come in chunks. Each is copied at once: chunks that wait for the last one would stay in memory long after it. */
class GatheredBytes {
  #buffer: Buffer;
  #length = 0;

  /** `expected`: how many bytes will come, or no number. */
  constructor(expected = 0) {
    this.#buffer = Buffer.allocUnsafeSlow(expected > 0 ? Math.min(expected, MOST_AHEAD) : 0);
  }

  get length(): number {
    return this.#length;
  }

  add(chunk: Buffer): void {
    const length = this.#length + chunk.length;
    if (length > this.#buffer.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(length, 2 * this.#buffer.length));
      this.#buffer.copy(larger, 0, 0, this.#length);
      this.#buffer = larger;
    }
    chunk.copy(this.#buffer, this.#length);
    this.#length = length;
  }

  bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }
}

/** The reason that an exchange ended early. */
export interface BrokenOff {
  readonly reason: 'network' | 'timeout' | 'too_large' | 'aborted';
  readonly error?: unknown;
}

/** The error that a reader gets instead of the rest of a body. */
export class BrokenStream extends Error {
  override readonly name = 'BrokenStream';
  readonly why: BrokenOff;

  constructor(why: BrokenOff) {
    super(`the body ended early: ${why.reason}`);
    this.why = why;
  }
}

/** A streamed body: the connection is read no faster than the consumer reads. The time that the reader takes does not count as waiting. */
class BodyStream extends Readable {
  readonly #controller: Dispatcher.DispatchController;
  readonly #options: Pick<WireRequest, 'timeoutMs' | 'signal'>;
  readonly #onAbort = (): void => this.breakOff({ reason: 'aborted' });
  #timer: Timer | undefined;
  #ended = false;

  constructor(controller: Dispatcher.DispatchController, options: Pick<WireRequest, 'timeoutMs' | 'signal'>) {
    super();
    this.#controller = controller;
    this.#options = options;
    // Without a listener, an error of a stream nobody reads would end the process; a reader gets it from the iteration.
    this.on('error', () => undefined);
    options.signal?.addEventListener('abort', this.#onAbort);
    this.#wait();
  }

  add(chunk: Buffer): void {
    if (this.destroyed) return;
    if (this.push(chunk)) return this.#wait();
    this.#timer?.cancel();
    this.#controller.pause();
  }

  end(): void {
    this.#release();
    this.#ended = true;
    this.push(null);
  }

  breakOff(why: BrokenOff): void {
    this.destroy(new BrokenStream(why));
  }

  override _read(): void {
    if (this.#ended || !this.#controller.paused) return;
    this.#wait();
    this.#controller.resume();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#release();
    if (!this.#ended && !this.#controller.aborted) this.#controller.abort(error ?? new Error('left early'));
    this.#ended = true;
    done(error);
  }

  #wait(): void {
    this.#timer?.cancel();
    this.#timer = startTimer(this.#options.timeoutMs, () => this.breakOff({ reason: 'timeout' }));
  }

  #release(): void {
    this.#timer?.cancel();
    this.#options.signal?.removeEventListener('abort', this.#onAbort);
  }
}
