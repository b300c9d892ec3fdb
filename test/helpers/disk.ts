/** A disk that fails at one step, or on which the process is killed there: `node:fs/promises` of this process for a while. */

import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

export type Fault =
  /** The step fails with this code, once or from then on. */
  | { readonly kind: 'error'; readonly code: string; readonly stays: boolean }
  /** The step never happens, and nothing after it. */
  | { readonly kind: 'kill' };

export interface Disturbed {
  /** How often the disk was used. */
  readonly steps: number;
  /** What the work threw; `killed` if it never ended. */
  readonly error: unknown;
}

const NAMES = [
  'chmod',
  'copyFile',
  'link',
  'lstat',
  'mkdir',
  'open',
  'readFile',
  'realpath',
  'rename',
  'rm',
  'rmdir',
  'stat',
] as const;

/** What a full disk still does. */
const NEEDS_SPACE: ReadonlySet<string> = new Set(['copyFile', 'link', 'mkdir', 'open', 'writeFile']);

type Call = (...args: unknown[]) => Promise<unknown>;

/** Runs the work while the disk fails at a step, counted from 1. No step: it does not fail. */
export async function onDisk(
  work: () => Promise<unknown>,
  step?: number,
  fault: Fault = { kind: 'kill' },
): Promise<Disturbed> {
  let steps = 0;
  let kill: () => void = () => undefined;
  const killed = new Promise<'killed'>((resolve) => {
    kill = () => resolve('killed');
  });
  const real = Object.fromEntries(NAMES.map((name) => [name, fs.promises[name]])) as Record<string, unknown>;
  let isDead = false;
  const opened: Opened[] = [];
  const disturb = (name: string, call: Call, half?: () => Promise<unknown>): Call => {
    return async (...args) => {
      steps += 1;
      if (isDead) return new Promise(() => undefined);
      if (step === undefined || steps < step) return call(...args);
      if (fault.kind === 'kill') {
        isDead = true;
        await half?.();
        kill();
        return new Promise(() => undefined);
      }
      const isMeant = steps === step || (fault.stays && (fault.code !== 'ENOSPC' || NEEDS_SPACE.has(name)));
      if (!isMeant) return call(...args);
      await half?.();
      throw Object.assign(new Error(fault.code), { code: fault.code });
    };
  };
  for (const name of NAMES) {
    const call = real[name] as Call;
    Object.assign(fs.promises, { [name]: disturb(name, name === 'open' ? opener(call, { disturb, opened }) : call) });
  }
  syncBuiltinESMExports();
  try {
    const ended = work().then(
      () => undefined,
      (error: unknown) => error,
    );
    return { error: await Promise.race([ended, killed]), steps };
  } finally {
    Object.assign(fs.promises, real);
    syncBuiltinESMExports();
    // As the system does for a process that is gone, also with what was being opened.
    for (const handle of await Promise.allSettled(opened)) {
      if (handle.status === 'fulfilled') await handle.value.close().catch(() => undefined);
    }
  }
}

type Opened = Promise<fs.promises.FileHandle>;

interface Opening {
  readonly disturb: (name: string, call: Call, half?: () => Promise<unknown>) => Call;
  readonly opened: Opened[];
}

/** A write that fails has written a half. */
function opener(open: Call, { disturb, opened }: Opening): Call {
  return async (...args) => {
    const opening = open(...args) as Opened;
    opened.push(opening);
    const handle = await opening;
    const [writeFile, sync] = [handle.writeFile.bind(handle), handle.sync.bind(handle)];
    handle.writeFile = (async (text: string) => {
      const half = (): Promise<void> => writeFile(text.slice(0, text.length / 2));
      return disturb('writeFile', async () => writeFile(text), half)();
    }) as typeof handle.writeFile;
    handle.sync = disturb('sync', async () => sync()) as typeof handle.sync;
    return handle;
  };
}
