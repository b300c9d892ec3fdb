/** Reads objects of a repository: one `git cat-file --batch` answers all questions in their order. */

import { createBatchReader, type StoredObject } from './batch-reader.ts';
import type { GitCaller } from './run-git.ts';
import { detailOf, startGit } from './run-git.ts';

export interface Objects {
  /** Accepts any name that git knows: an id, a ref, `COMMIT^{tree}`. `undefined` if the repository lacks it. */
  read(name: string): Promise<StoredObject | undefined>;
  /** Ends git. What was asked and not answered is rejected. */
  close(): void;
}

/** A code in addition to the system's. */
export const GIT_ERROR = 'EGIT';

/** `message`: git's own words. */
export class GitError extends Error {
  readonly code: typeof GIT_ERROR = GIT_ERROR;
}

export function openObjects(caller: GitCaller): Objects {
  const child = startGit(caller, { args: ['cat-file', '--batch'], limits: { ms: 300_000, bytes: Infinity } });
  const waiting: PendingRead[] = [];
  let failure: GitError | undefined;
  let stderr = '';
  const fail = (error: GitError): void => {
    failure ??= error;
    for (const { reject } of waiting.splice(0)) reject(failure);
  };
  child.stdout.on(
    'data',
    createBatchReader((object) => waiting.shift()?.resolve(object)),
  );
  child.stderr.on('data', (part: Buffer) => {
    stderr = `${stderr}${part.toString()}`.slice(0, 10_000);
  });
  child.on('error', (error) => fail(new GitError(error.message)));
  child.on('close', () => fail(new GitError(detailOf(stderr))));
  return {
    read: (name) =>
      new Promise((resolve, reject) => {
        if (caller.signal?.aborted === true) fail(new GitError(ENDED));
        if (failure !== undefined) return reject(failure);
        // A line break would ask a second question, whose answer is not expected.
        if (/[\n\0]/.test(name)) return resolve(undefined);
        waiting.push({ resolve, reject });
        child.stdin.write(`${name}\n`);
      }),
    close: () => {
      const isBusy = waiting.length > 0;
      // An answer may be on its way.
      fail(new GitError(ENDED));
      child.stdin.end();
      if (isBusy) child.kill('SIGKILL');
    },
  };
}

const ENDED = 'git was ended';

interface PendingRead {
  readonly resolve: (object: StoredObject | undefined) => void;
  readonly reject: (error: Error) => void;
}
