/** Starts git: by argument list, without a shell, in a hardened environment, limited in time and output. */

import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { defined } from '../base/optional.ts';
import { FIXED_OPTIONS } from './environment.ts';

/** The place and environment in which git is started. */
export interface GitCaller {
  /** Absolute; it exists. */
  readonly folder: string;
  /** Made by `gitEnvironment`. */
  readonly env: Readonly<Record<string, string>>;
  /** Ends git. */
  readonly signal?: AbortSignal;
}

export interface GitCall {
  readonly args: readonly string[];
  readonly input?: string;
  /** Variables for this call. */
  readonly env?: Readonly<Record<string, string>>;
  readonly limits?: GitLimits;
}

/** The result of a call. `detail`: one line; git's own words if it gave any, without credentials. */
export type GitRun =
  | { readonly kind: 'done'; readonly stdout: Buffer; readonly warnings?: string }
  | { readonly kind: 'failed'; readonly exit: number; readonly detail: string }
  /** No program named git exists. */
  | { readonly kind: 'missing'; readonly detail: string }
  | { readonly kind: 'stopped'; readonly detail: string };

export interface GitLimits {
  readonly ms: number;
  readonly bytes: number;
}

/** Far more than any local call takes. */
const LOCAL: GitLimits = { ms: 30_000, bytes: 50_000_000 };
/** The limits of calls that reach a remote. */
export const REMOTE: GitLimits = { ms: 60_000, bytes: 1_000_000 };

export function runGit(caller: GitCaller, { args, input, env, limits = LOCAL }: GitCall): Promise<GitRun> {
  return new Promise((resolve) => {
    const child = startGit(caller, { args, ...defined({ env }), limits });
    const stop = (): void => {
      child.kill('SIGKILL');
      // A helper that git leaves behind may hold the pipes.
      child.stdout.destroy();
      child.stderr.destroy();
      resolve({ kind: 'stopped', detail: 'git was stopped: it took too long or answered too much' });
    };
    const stdout = collect(child.stdout, limits.bytes, stop);
    const stderr = collect(child.stderr, limits.bytes, stop);
    child.on('error', (error) => resolve(failureToStart(error)));
    child.on('exit', (exit) => {
      if (exit === null) stop();
    });
    child.on('close', (exit) => {
      if (exit === 0) resolve({ kind: 'done', stdout: stdout(), ...warningsIn(stderr()) });
      else if (exit !== null) resolve({ kind: 'failed', exit, detail: detailOf(stderr().toString()) });
    });
    child.stdin.end(input ?? '');
  });
}

/** Starts git for a conversation. */
export function startGit(
  { folder, env, signal }: GitCaller,
  call: Pick<GitCall, 'args' | 'env'> & Required<Pick<GitCall, 'limits'>>,
): ChildProcessWithoutNullStreams {
  const child = spawn('git', [...FIXED_OPTIONS, ...call.args], {
    cwd: folder,
    env: { ...env, ...call.env },
    shell: false,
    windowsHide: true,
    // Its own session has no terminal that a helper could prompt on.
    detached: true,
    timeout: call.limits.ms,
    killSignal: 'SIGKILL',
    ...(signal === undefined ? {} : { signal }),
  });
  // git may end before it reads its input.
  child.stdin.on('error', () => undefined);
  return child;
}

function collect(stream: NodeJS.ReadableStream, most: number, onTooMuch: () => void): () => Buffer {
  const parts: Buffer[] = [];
  let size = 0;
  stream.on('data', (part: Buffer) => {
    size += part.length;
    if (size > most) onTooMuch();
    else parts.push(part);
  });
  return () => Buffer.concat(parts);
}

function warningsIn(stderr: Buffer): { readonly warnings?: string } {
  return stderr.length === 0 ? {} : { warnings: stderr.toString() };
}

function failureToStart(error: NodeJS.ErrnoException): GitRun {
  if (error.code === 'ENOENT' || error.code === 'EACCES') return { kind: 'missing', detail: MISSING };
  return { kind: 'stopped', detail: error.message };
}

const MISSING = 'git is not installed, or not on the PATH';

/** git's words about an error, on one line, without user and password in addresses. */
export function detailOf(stderr: string): string {
  const lines = stderr
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const named = lines.filter((line) => /^(?:fatal|error|remote|!)[: ]\s*\S/.test(line)).slice(0, MOST_LINES);
  const text = named.length > 0 ? named.join('; ') : (lines.at(-1) ?? 'git gives no reason');
  return text.replaceAll(/\/\/[^/@\s]+@/g, '//');
}

const MOST_LINES = 3;
