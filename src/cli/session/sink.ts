/** Writes a document too long for memory piece by piece: to stdout, or to a file that appears when it is complete. */

import { open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { flushFolder } from '../../journal/flush-folder.ts';
import { DOCUMENT_MODE, draftBeside, fileError, findTarget } from './files.ts';
import type { SessionParts } from './session-parts.ts';

export interface Sink {
  /** Resolves once the system has accepted the text, so that the writer waits for the reader. */
  write(text: string): Promise<void>;
  /** Whether the pipe was closed. */
  readonly isGone: () => boolean;
  /** Whether text written before a failure stays. */
  readonly keepsWhatCame: boolean;
  commit(): Promise<void>;
  /** Removes an unfinished file; text on stdout stays. */
  discard(): Promise<void>;
}

export async function openSink(parts: SessionParts): Promise<Sink> {
  const { context, options } = parts;
  if (options.output !== undefined && options.output !== '-') return openFile(parts, options.output);
  const { stdout } = context;
  return {
    write: (text) => stdout.write(text),
    keepsWhatCame: true,
    isGone: () => stdout.isGone?.() === true,
    commit: async () => undefined,
    discard: async () => undefined,
  };
}

async function openFile(parts: SessionParts, file: string): Promise<Sink> {
  const failed = (cause: unknown): never => {
    throw fileError('write', file, cause);
  };
  const target = await findTarget(parts, file);
  const written = target.special ? target.path : draftBeside(parts, target.path);
  const handle = await open(written, target.special ? 'w' : 'wx', DOCUMENT_MODE).catch(failed);
  return {
    write: async (text) => {
      await handle.writeFile(text).catch(failed);
    },
    keepsWhatCame: false,
    isGone: () => false,
    commit: async () => {
      if (!target.special) await handle.sync().catch(failed);
      await handle.close().catch(failed);
      if (target.special) return;
      await rename(written, target.path).catch(failed);
      await flushFolder(path.dirname(target.path));
    },
    discard: async () => {
      await handle.close().catch(() => undefined);
      if (!target.special) await rm(written, { force: true });
    },
  };
}
