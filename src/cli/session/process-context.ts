/** The context of a real process. */

import { randomUUID } from 'node:crypto';
import { hostname, userInfo } from 'node:os';
import type { Writable } from 'node:stream';
import { defined } from '../../base/optional.ts';
import { systemCode } from '../../base/errors.ts';
import type { Input, Output, ContextOptions } from './context.ts';

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
