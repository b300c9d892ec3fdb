/** What names this process to others on the machine. */

import { hostname } from 'node:os';
import type { LockOptions } from '../journal/lock.ts';

export function thisProcess(): LockOptions {
  return { pid: process.pid, host: hostname(), isAlive };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Without the right to signal it, it is somebody else's, and there.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
