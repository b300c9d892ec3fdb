/** Runs the command line in this process; terminal, environment and signals are values. */

import { randomUUID } from 'node:crypto';
import type { Context } from '../../src/cli/session/context.ts';
import { run } from '../../src/cli/run.ts';
import { PLANTED, watchForKeys } from './planted-key.ts';
import { withoutProgress } from './progress.ts';
import { watchDocuments } from './written-documents.ts';

export interface RunOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Present: stdin and stderr are terminals, and the user types this line. `undefined`: the user ends the input. */
  readonly answer?: { readonly line: string | undefined };
  /** Milliseconds since 1970; absent: the clock of the machine. */
  readonly now?: number;
  /** stdout is a terminal of so many columns. */
  readonly columns?: number;
  /** Called at each write to stderr with all that was written so far. */
  readonly onStderr?: (written: string) => void;
  /** Called with the function that acts as Ctrl-C. */
  readonly onStart?: (interrupt: () => void) => void;
}

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  /** Without lines of progress, unless stderr is a terminal. */
  readonly stderr: string;
  /** stdout as JSON. */
  readonly document: () => Readonly<Record<string, unknown>>;
}

export async function runCli(argv: readonly string[], options: RunOptions): Promise<Ran> {
  const written = { stdout: '', stderr: '' };
  const listeners = new Set<() => void>();
  const isTerminal = options.answer !== undefined;
  const output = (name: 'stdout' | 'stderr'): Context['stdout'] => ({
    isTerminal: name === 'stderr' ? isTerminal : options.columns !== undefined,
    // No message is wrapped.
    columns: options.columns ?? 1000,
    write: async (text) => {
      written[name] += text;
      if (name === 'stderr') options.onStderr?.(written.stderr);
    },
  });
  options.onStart?.(() => listeners.forEach((listener) => listener()));
  const env = { TERM: 'dumb', ...PLANTED, ...options.env };
  const keys = watchForKeys(env, options.cwd);
  const documents = watchDocuments(options.cwd);
  const code = await run(argv, {
    cwd: options.cwd,
    env,
    ...(process.getuid === undefined ? {} : { userId: process.getuid() }),
    user: { name: 'ana', host: 'laptop' },
    system: { node: process.versions.node, platform: `${process.platform} ${process.arch}` },
    stdin: { isTerminal, readLine: async () => options.answer?.line },
    stdout: output('stdout'),
    stderr: output('stderr'),
    now: () => options.now ?? Date.now(),
    randomUuid: () => randomUUID(),
    onStopSignal: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  });
  const { stdout } = written;
  keys.check(stdout + written.stderr);
  await documents.check(argv, stdout);
  const stderr = isTerminal ? written.stderr : withoutProgress(written.stderr);
  return { code, stdout, stderr, document: () => JSON.parse(stdout) as Readonly<Record<string, unknown>> };
}
