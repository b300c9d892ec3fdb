/** Work as a user for whom permissions hold: root may read and write everything. */

import { execFileSync } from 'node:child_process';
import process from 'node:process';
import { isMainThread } from 'node:worker_threads';
import { TestRunner } from 'vitest';

const NOBODY = 65_534;

/** Gives the folder to that user for the time of `work`, where this process is root's. */
export async function asOrdinaryUser<Result>(folder: string, work: () => Promise<Result>): Promise<Result> {
  if (process.getuid?.() !== 0) return work();
  // Stryker runs tests in threads, and no thread can change the user of its process.
  if (!isMainThread) TestRunner.getCurrentTest()?.context.skip('the process of a thread stays root');
  execFileSync('chown', ['-R', String(NOBODY), folder]);
  process.seteuid?.(NOBODY);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
  }
}
