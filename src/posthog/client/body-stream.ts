/** A streamed body: the connection is read no faster than the consumer reads. */

import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { startTimer, type Timer } from '../../base/timer.ts';

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
    super(`the body was broken off: ${why.reason}`);
    this.why = why;
  }
}

export interface BodyStreamOptions {
  /** The longest wait for the next bytes; time that the reader takes does not count. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

export class BodyStream extends Readable {
  readonly #controller: Dispatcher.DispatchController;
  readonly #options: BodyStreamOptions;
  readonly #onAbort = (): void => this.breakOff({ reason: 'aborted' });
  #timer: Timer | undefined;
  #ended = false;

  constructor(controller: Dispatcher.DispatchController, options: BodyStreamOptions) {
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
