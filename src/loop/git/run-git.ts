/** Starts git: by argument list, without a shell, in a hardened environment, limited in time and output. */

import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { defined } from '../../base/optional.ts';
import { memberOf, setMember } from '../../base/json.ts';
import { delimiter, isAbsolute } from 'node:path';
import { looksLikeKey } from '../../base/api-key.ts';

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
    child.on('error', (error) =>
      resolve(isMissing(error) ? { kind: 'missing', detail: MISSING } : { kind: 'stopped', detail: error.message }),
    );
    child.on('exit', (exit) => {
      if (exit === null) stop();
    });
    child.on('close', (exit) => {
      if (exit === 0)
        resolve({
          kind: 'done',
          stdout: stdout(),
          ...(stderr().length === 0 ? {} : { warnings: stderr().toString() }),
        });
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

/** `EACCES`: a file of the name that is no program. */
function isMissing({ code }: NodeJS.ErrnoException): boolean {
  return code === 'ENOENT' || code === 'EACCES';
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

type GitEnvironment = Readonly<Record<string, string | undefined>>;

/**
 * The variables of a run, as git may have them. Credential helpers may need any variable, so only two sorts are left out: those
 * with a key of the service, and those that point git at another repository or at other programs.
 * @param keys The names of variables that hold keys.
 */
export function gitEnvironment(env: GitEnvironment, keys: readonly string[]): Record<string, string> {
  const secrets = new Set(
    keys.map((name) => memberOf(env, name)).filter((value) => value !== undefined && value !== ''),
  );
  const passed: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || secrets.has(value) || looksLikeKey(value)) continue;
    if (/^GIT_/i.test(name) ? MAY_STAY.test(name) : !CHOOSES_LANGUAGE.test(name)) setMember(passed, name, value);
  }
  return { ...passed, ...searchPath(passed), ...FIXED };
}

/** The variables of git that stay: the user's configuration, and how remotes are reached. */
const MAY_STAY =
  /^GIT_(?:CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM|COUNT|KEY_\d+|VALUE_\d+)|ASKPASS|SSH(?:_COMMAND|_VARIANT)?|SSL_\w+|HTTP_\w+|PROXY_\w+)$/;

const CHOOSES_LANGUAGE = /^(?:LC_\w+|LANG|LANGUAGE|PAGER)$/;

const FIXED = {
  LC_ALL: 'C',
  GIT_TERMINAL_PROMPT: '0',
  GCM_INTERACTIVE: 'never',
  GIT_NO_REPLACE_OBJECTS: '1',
} as const;

/** Omits relative folders, in which a repository could put a program named git. */
function searchPath({ PATH }: Record<string, string>): { PATH?: string } {
  return PATH === undefined ? {} : { PATH: PATH.split(delimiter).filter(isAbsolute).join(delimiter) };
}

/** Options for every call; a repository's own configuration cannot override them. */
const FIXED_OPTIONS: readonly string[] = [
  '--no-pager',
  '--no-optional-locks',
  '--literal-pathspecs',
  ...Object.entries({
    'safe.bareRepository': 'explicit',
    'core.hooksPath': '/dev/null',
    'core.fsmonitor': 'false',
    'core.askPass': '',
    // An empty command would still be started.
    'core.alternateRefsCommand': 'true',
    'core.pager': 'cat',
    'diff.external': '',
    'gc.auto': '0',
    'maintenance.auto': 'false',
    'log.showSignature': 'false',
    'protocol.ext.allow': 'never',
    'fetch.recurseSubmodules': 'false',
    'push.recurseSubmodules': 'no',
    'push.followTags': 'false',
    'push.gpgSign': 'false',
    'color.ui': 'false',
  }).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
];
