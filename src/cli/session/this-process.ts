/** Identifies this process to others, and checks whether an identified process is alive. */

import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { performance } from 'node:perf_hooks';
import { systemCode } from '../../base/errors.ts';
import { defined } from '../../base/optional.ts';
import type { ClaimHolder, LockOptions } from '../../loop/journal/lock.ts';

export function thisProcess(): LockOptions {
  const boot = readIfPossible(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim());
  const namespace = readIfPossible(() => readlinkSync('/proc/self/ns/pid'));
  const started = startOf(process.pid) ?? String(performance.timeOrigin);
  const holder: ClaimHolder = { pid: process.pid, host: hostname(), ...defined({ boot, namespace }), started };
  return { holder, isAlive: (other) => isSameLife(other, holder, { exists, startOf }) };
}

const ENDED = 'ended';

/** Facts of the operating system about the visible processes of this host. */
export interface Processes {
  readonly exists: (pid: number) => boolean;
  /** Matches `ClaimHolder.started`; `ended` for a zombie; `undefined` if the system does not report it. */
  readonly startOf: (pid: number) => string | undefined;
}

/**
 * A process id is reused: by other processes, after a restart, and in a restarted container usually by the same program.
 * A property that one side does not know is not compared.
 */
export function isSameLife(other: ClaimHolder, own: ClaimHolder, { exists, startOf }: Processes): boolean | 'unseen' {
  if (differ(other.boot, own.boot)) return false;
  if (differ(other.namespace, own.namespace)) return 'unseen';
  const started = other.pid === own.pid ? own.started : startOf(other.pid);
  if (started === ENDED || differ(other.started, started)) return false;
  return other.pid === own.pid || exists(other.pid);
}

function differ(a: string | undefined, b: string | undefined): boolean {
  return a !== undefined && b !== undefined && a !== b;
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process exists and belongs to another user.
    return systemCode(error) === 'EPERM';
  }
}

/** Linux reports it in clock ticks since boot, after a name in parentheses that may contain anything (proc(5)). */
function startOf(pid: number): string | undefined {
  const stat = readIfPossible(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  const [state, ...fields] = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? [];
  return state === 'Z' || state === 'X' ? ENDED : fields[18];
}

/** `undefined` if the system has no such file or denies access. */
function readIfPossible(read: () => string): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
