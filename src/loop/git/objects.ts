/** Reads objects of a repository: one `git cat-file --batch` answers all questions in their order. */

import { type GitCaller, detailOf, startGit } from './run-git.ts';

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
  const endAll = (error: GitError): void => {
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
  child.on('error', (error) => endAll(new GitError(error.message)));
  child.on('close', () => endAll(new GitError(detailOf(stderr))));
  return {
    read: (name) =>
      new Promise((resolve, reject) => {
        if (caller.signal?.aborted === true) endAll(new GitError(ENDED));
        if (failure !== undefined) return reject(failure);
        // A line break would ask a second question, whose answer is not expected.
        if (/[\n\0]/.test(name)) return resolve(undefined);
        waiting.push({ resolve, reject });
        child.stdin.write(`${name}\n`);
      }),
    close: () => {
      const isBusy = waiting.length > 0;
      // An answer may be on its way.
      endAll(new GitError(ENDED));
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

export interface StoredObject {
  readonly id: string;
  readonly type: string;
  readonly size: number;
  /** Absent if the object is too large. */
  readonly bytes?: Buffer;
  /** The first part of an object that is too large. */
  readonly start?: Buffer;
}

/** Larger than any manifest or folder may be. */
const LARGEST = 20_000_000;

type PartialObject = {
  readonly head: Omit<StoredObject, 'bytes' | 'start'>;
  readonly parts: Buffer[];
  missing: number;
};

/** Takes the output of git in parts of any length; calls `onObject` for each answer. */
export function createBatchReader(onObject: (object: StoredObject | undefined) => void): (part: Buffer) => void {
  let line: Buffer = Buffer.alloc(0);
  let reading: PartialObject | undefined;

  const readLine = (part: Buffer): Buffer => {
    const end = part.indexOf('\n');
    line = Buffer.concat([line, end === -1 ? part : part.subarray(0, end)]);
    if (end === -1) return Buffer.alloc(0);
    reading = parseHead(line.toString());
    line = Buffer.alloc(0);
    if (reading === undefined) onObject(undefined);
    return part.subarray(end + 1);
  };

  const readBody = (part: Buffer, { head, parts, missing }: PartialObject): Buffer => {
    const own = part.subarray(0, missing);
    if (head.size <= LARGEST || parts.length === 0) parts.push(own);
    if (own.length < missing) reading = { head, parts, missing: missing - own.length };
    else {
      reading = undefined;
      onObject(
        head.size <= LARGEST
          ? { ...head, bytes: Buffer.concat(parts, head.size) }
          : { ...head, start: Buffer.concat(parts) },
      );
    }
    return part.subarray(own.length);
  };

  return (part) => {
    let rest = part;
    while (rest.length > 0) rest = reading === undefined ? readLine(rest) : readBody(rest, reading);
  };
}

/** `ID TYPE SIZE`; `undefined` for `NAME missing` and the like. A line break follows the body. */
function parseHead(line: string): PartialObject | undefined {
  const [, id, type, size] = /^([0-9a-f]{40,64}) (\w+) (\d+)$/.exec(line) ?? [];
  if (id === undefined || type === undefined) return undefined;
  return { head: { id, type, size: Number(size) }, parts: [], missing: Number(size) + 1 };
}
