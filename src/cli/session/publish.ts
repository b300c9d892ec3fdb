/** Publishes a document: renders, redacts and escapes it, and writes it to stdout or a file. */

import { open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { FlagwrightError } from '../../base/errors.ts';
import { flushFolder } from '../../journal/disk.ts';
import { render, RENDERERS } from '../../report/formats/render.ts';
import type { RecordStream } from '../../report/view.ts';
import type { Report } from '../../report/report.ts';
import { count } from '../../report/words/amounts.ts';
import { fileError, writeDocument, DOCUMENT_MODE, draftBeside, findTarget } from './files.ts';
import type { Context } from './context.ts';
import { createReportFiles } from './report-files.ts';
import type { FindFault } from './report-targets.ts';
import type { SessionParts } from './session-parts.ts';
import { viewOfStdout } from './views.ts';

export interface PublishHooks {
  /** Called before the first character of the document. */
  readonly beforeOutput?: () => void;
}

export interface Publisher {
  /**
   * Writes the requested document to stdout or `--output`, and the files of `--report`. If the file of `--output` cannot
   * be written, the document goes to stdout so that it is not lost. What cannot be written is in `outputFailures`.
   */
  publish(report: Report, hooks?: PublishHooks): Promise<void>;
  /** Writes only the files of `--report`: the document has no place on stdout. */
  publishFiles(report: Report): Promise<void>;
  /**
   * Checks the files of `--report`, by default where they are, before the run does anything.
   * @throws {FlagwrightError} `usage` for a file that cannot or must not be written.
   */
  checkFiles(findFault?: FindFault): Promise<void>;
  outputFailures(): readonly OutputFailure[];
}

interface OutputFailure {
  readonly error: FlagwrightError;
  /** Whether the document went to stdout instead. */
  readonly onStdout: boolean;
  /** Whether the document reports changes that were made. */
  readonly afterChanges: boolean;
}

type Print = (text: string) => Promise<void>;

interface Sink {
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

export function createPublisher(parts: SessionParts, print: Print): Publisher {
  const { options, secrets } = parts;
  const finish = (text: string): string => RENDERERS[options.format].seal(secrets.redact(text));
  const files = createReportFiles(parts);
  const failures: OutputFailure[] = [];
  const publishFiles = async (report: Report): Promise<void> => {
    const afterChanges = reportsChanges(report);
    for (const error of await files.write(report)) failures.push({ error, onStdout: false, afterChanges });
  };
  return {
    publish: async (report, { beforeOutput = () => undefined } = {}) => {
      const rendered = await render(report, options.format, viewOfStdout(parts));
      if (typeof rendered !== 'string') return writeStream(parts, rendered, { finish, beforeOutput, print });
      // Files come before stdout: a closed pipe must not lose a file.
      await publishFiles(report);
      beforeOutput();
      const afterChanges = reportsChanges(report);
      for (const failed of await writeWhole(parts, finish(rendered))) failures.push({ ...failed, afterChanges });
    },
    publishFiles,
    checkFiles: async (findFault) => files.check(findFault),
    outputFailures: () => failures,
  };
}

function reportsChanges(report: Report): boolean {
  return report.kind === 'result' && report.result.outcomes.applied > 0;
}

/**
 * Returns what could not be written. If a file cannot, the document goes to stdout. No failure is thrown: the run is not over, and an apply
 * still has to record what it did.
 */
async function writeWhole(parts: SessionParts, text: string): Promise<readonly Omit<OutputFailure, 'afterChanges'>[]> {
  const { context, options } = parts;
  const { output = '-' } = options;
  try {
    await (output === '-' ? writeOut(context, text) : writeDocument(parts, output, { text }));
    return [];
  } catch (error) {
    if (!(error instanceof FlagwrightError)) throw error;
    if (output === '-') return [{ error, onStdout: false }];
    const also = await writeWhole({ ...parts, options: { ...options, output: '-' } }, text);
    return [{ error, onStdout: also.length === 0 }, ...also];
  }
}

/** @throws {FlagwrightError} `file` */
export async function writeOut({ stdout }: Pick<Context, 'stdout'>, text: string): Promise<void> {
  return stdout.write(text).catch((cause: unknown) => {
    throw fileError('write', 'to stdout', cause);
  });
}

/** Text is written in pieces of about this many characters. */
const PIECE = 64 * 1024;

/** Writes a document too long for memory piece by piece: to stdout, or to a file that appears when it is complete. */
async function writeStream(
  parts: SessionParts,
  { head, records, line }: RecordStream,
  {
    finish,
    beforeOutput,
    print,
  }: Readonly<{ finish: (text: string) => string; beforeOutput: () => void; print: Print }>,
): Promise<void> {
  const { output = '-' } = parts.options;
  const sink = output === '-' ? stdoutSink(parts.context) : await openFile(parts, output);
  let printed = 0;
  /** Yields what was read before a failure, then throws the failure. */
  async function* inPieces(): AsyncGenerator<string> {
    let piece = head;
    try {
      for await (const record of records) {
        piece += line(record);
        printed += 1;
        if (piece.length < PIECE) continue;
        yield piece;
        piece = '';
      }
    } catch (error) {
      if (printed > 0) yield piece;
      throw error;
    }
    yield piece;
  }
  try {
    for await (const piece of inPieces()) {
      beforeOutput();
      await sink.write(finish(piece));
      // A closed pipe (`| head`) stops the requests for pages.
      if (sink.isGone()) break;
    }
    await sink.commit();
  } catch (error) {
    await sink.discard();
    if (sink.keepsWhatCame && printed > 0) {
      await print(`Incomplete: ${count(printed, 'entry', 'entries')} printed before the failure.\n`);
    }
    throw error;
  }
}

function stdoutSink(context: Context): Sink {
  return {
    write: (text) => writeOut(context, text),
    keepsWhatCame: true,
    isGone: () => context.stdout.isGone?.() === true,
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
