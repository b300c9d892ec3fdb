/** Where tests have their files: in memory, so that none waits for a disk, unless the system has little room there or runs no program from there. */

import { readFileSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

const MEMORY = '/dev/shm';
const ENOUGH_BYTES = 2e9;

/** The environment that makes it the folder of temporary files. */
export function temporaryFiles(): { readonly TMPDIR: string } {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    const mounts = readFileSync('/proc/self/mounts', 'utf8').split('\n');
    const options = mounts
      .map((line) => line.split(' '))
      .findLast(([, at]) => at === MEMORY)?.[3]
      ?.split(',');
    if (bavail * bsize >= ENOUGH_BYTES && options?.includes('noexec') === false) return { TMPDIR: MEMORY };
  } catch {
    // Not Linux.
  }
  return { TMPDIR: tmpdir() };
}
