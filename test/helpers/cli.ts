/** Runs the built command, `dist/cli/bin.js`, in a process with a clean environment. */

import { spawn, type ChildProcessWithoutNullStreams as Child } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { PLANTED, watchForKeys } from './planted-key.ts';
import { withoutProgress } from './progress.ts';

const BIN = fileURLToPath(new URL('../../dist/cli/bin.js', import.meta.url));

export interface CliOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  /** Descriptor of a file that receives stdout; the result's stdout is then empty. */
  readonly stdout?: number;
  /** The command to run instead of that in `dist/`. */
  readonly bin?: string;
}

export interface CliResult {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  /** Without lines of progress. */
  readonly stderr: string;
}

/** The running process, for tests that send signals or close pipes. `ended` rejects only if a key leaked. */
export function startCli(
  argv: readonly string[],
  options: CliOptions,
): { readonly child: Child; readonly ended: Promise<CliResult> } {
  if (!existsSync(BIN)) throw new Error('dist/ is missing; Run `npm run build`.');
  const env = { PATH: process.env['PATH'] ?? '', HOME: options.cwd, NO_COLOR: '1', ...PLANTED, ...options.env };
  const keys = watchForKeys(env, options.cwd);
  const stdio = ['pipe', options.stdout ?? 'pipe', 'pipe'] as const;
  const child = spawn(process.execPath, [options.bin ?? BIN, ...argv], {
    cwd: options.cwd,
    env,
    stdio: [...stdio],
  }) as Child;
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  if (options.stdout === undefined) child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
  child.stdin.on('error', () => undefined);
  child.stdin.end(options.input ?? '');
  const ended = new Promise<CliResult>((resolve, reject) => {
    child.on('close', (code, signal) => {
      const written = Buffer.concat(err).toString();
      const stderr = withoutProgress(written);
      const result = { code, signal, stdout: Buffer.concat(out).toString(), stderr };
      try {
        keys.check(result.stdout + written);
        resolve(result);
      } catch (leak) {
        reject(leak as Error);
      }
    });
  });
  return { child, ended };
}

/** Resolves as soon as the process has written the words to stderr. */
export async function untilSaid({ stderr }: Child, words: string): Promise<void> {
  let text = '';
  await new Promise<void>((resolve) => {
    const watch = (chunk: Buffer): void => {
      text += chunk.toString();
      if (!text.includes(words)) return;
      stderr.off('data', watch);
      resolve();
    };
    stderr.on('data', watch);
  });
}

export async function cli(argv: readonly string[], options: CliOptions): Promise<CliResult> {
  return startCli(argv, options).ended;
}
