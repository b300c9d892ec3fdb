/** What names this process to others, and whether a process that was named so lives. */

import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { performance } from 'node:perf_hooks';
import { defined } from '../../base/optional.ts';
import type { Holder } from '../../journal/claims.ts';
import type { LockOptions } from '../../journal/lock.ts';

export function thisProcess(): LockOptions {
  const holder = nameOfThisProcess();
  return { holder, isAlive: (other) => isSameLife(other, holder, PROCESSES) };
}

const ENDED = 'ended';

/** What the system tells about the processes of this host that this one can see. */
export interface Processes {
  readonly exists: (pid: number) => boolean;
  /** In the form of `Holder.started`, or `ended` where nobody waited for it; `undefined` where the system does not tell. */
  readonly startOf: (pid: number) => string | undefined;
}

/**
 * Numbers of processes are given again: to other processes, after a restart, and in a container that is started anew
 * mostly to the same program. What one of the two sides does not know decides nothing.
 */
export function isSameLife(other: Holder, own: Holder, { exists, startOf }: Processes): boolean | 'unseen' {
  if (differ(other.boot, own.boot)) return false;
  if (differ(other.namespace, own.namespace)) return 'unseen';
  const started = other.pid === own.pid ? own.started : startOf(other.pid);
  if (started === ENDED || differ(other.started, started)) return false;
  return other.pid === own.pid || exists(other.pid);
}

function differ(a: string | undefined, b: string | undefined): boolean {
  return a !== undefined && b !== undefined && a !== b;
}

function nameOfThisProcess(): Holder {
  const boot = told(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim());
  const namespace = told(() => readlinkSync('/proc/self/ns/pid'));
  return {
    pid: process.pid,
    host: hostname(),
    ...defined({ boot, namespace }),
    started: startOf(process.pid) ?? String(performance.timeOrigin),
  };
}

const PROCESSES: Processes = { exists, startOf };

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Without the right to signal it, it is somebody else's, and there.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Linux tells it in clock ticks since it was booted, behind a name in parentheses that may hold anything (proc(5)). */
function startOf(pid: number): string | undefined {
  const stat = told(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  const [state, ...fields] = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? [];
  return state === 'Z' || state === 'X' ? ENDED : fields[18];
}

/** `undefined` where the system has no such file, or keeps it to itself. */
function told(read: () => string): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
