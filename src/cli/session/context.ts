/** All input from the environment of a run, as one value, and as the process gives it: nothing else in `cli/` reads the process, the clock or randomness. */

import { randomUUID } from 'node:crypto';
import { hostname, userInfo } from 'node:os';
import type { Writable } from 'node:stream';
import { systemCode } from '../../base/errors.ts';
import { defined } from '../../base/optional.ts';

export interface Context {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Numeric id of the user; absent on systems without one. */
  readonly userId?: number;
  /** The user and the host; absent if the system does not name them. */
  readonly user?: { readonly name: string; readonly host: string };
  readonly system: System;
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** `now` is another time than the present: the run looks ahead or back, or rehearses. */
  readonly isMoved?: true;
  readonly randomUuid: () => string;
  /** Calls the listener at each SIGINT, SIGTERM and SIGHUP; returns a function that stops listening. */
  readonly onStopSignal: (listener: () => void) => () => void;
}

/** The context as the process provides it: `cwd` is absent if the working directory was deleted. */
export type ContextOptions = Omit<Context, 'cwd'> & Partial<Pick<Context, 'cwd'>>;

interface System {
  readonly node: string;
  /** `linux x64`. */
  readonly platform: string;
}

interface Input {
  readonly isTerminal: boolean;
  /** Returns the next line without its line break; `undefined` at the end of the input or when `signal` aborts. */
  readLine(signal: AbortSignal): Promise<string | undefined>;
}

export interface Output {
  readonly isTerminal: boolean;
  readonly columns: number;
  /** Resolves once the system has accepted the text. A closed pipe is no error. */
  write(text: string): Promise<void>;
  /** Whether the pipe was closed, so that further writes have no effect. */
  readonly isGone?: () => boolean;
}

const DEFAULT_COLUMNS = 80;

export function processContext(): ContextOptions {
  const userId = process.getuid?.();
  // The working directory may be deleted, and some containers have no user name.
  const cwd = ifKnown(() => process.cwd());
  const user = ifKnown(() => ({ name: userInfo().username, host: hostname() }));
  return {
    env: process.env,
    ...defined({ cwd, userId, user }),
    system: { node: process.versions.node, platform: `${process.platform} ${process.arch}` },
    stdin: standardInput(),
    stdout: standardOutput(process.stdout),
    stderr: standardOutput(process.stderr),
    now: () => Date.now(),
    randomUuid: () => randomUUID(),
    onStopSignal: listenForStop,
  };
}

function ifKnown<Fact>(ask: () => Fact): Fact | undefined {
  try {
    return ask();
  } catch {
    return undefined;
  }
}

type OutputStream = Writable & Partial<Pick<NodeJS.WriteStream, 'isTTY' | 'columns'>>;

function standardInput(): Input {
  return {
    isTerminal: process.stdin.isTTY === true,
    readLine: async (signal) => {
      // Loaded only for a question: it costs more than the rest of this file.
      const { createInterface } = await import('node:readline');
      const lines = createInterface({ input: process.stdin, signal });
      // The interface closes at the end of the input and leaves an open question unanswered.
      const line = new Promise<string | undefined>((resolve) => {
        lines.once('line', resolve);
        lines.once('close', () => resolve(undefined));
      });
      return line.finally(() => lines.close());
    },
  };
}

/** Output to a stream of the process: a terminal, a pipe or a file. */
export function standardOutput(stream: OutputStream): Output {
  // Every failure also reaches the callback of its write. Without a listener it would end the process.
  stream.on('error', () => undefined);
  let gone = false;
  return {
    isTerminal: stream.isTTY === true,
    isGone: () => gone,
    // A terminal without a size reports 0.
    columns: stream.columns || DEFAULT_COLUMNS,
    write: (text) =>
      new Promise((resolve, reject) => {
        stream.write(text, (error) => {
          // `flagwright plan | head` closes the pipe early, which is not a failure.
          if (error && systemCode(error) !== 'EPIPE') return reject(error);
          gone ||= error instanceof Error;
          resolve();
        });
      }),
  };
}

/** A closed terminal or a lost connection sends SIGHUP. */
const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

function listenForStop(listener: () => void): () => void {
  for (const signal of STOP_SIGNALS) process.on(signal, listener);
  return () => {
    for (const signal of STOP_SIGNALS) process.off(signal, listener);
  };
}
