/** Publishes a document: renders, redacts and escapes it, and writes it to stdout or a file. */

import path from 'node:path';
import { FlagwrightError } from '../../base/errors.ts';
import { defined } from '../../base/optional.ts';
import { render, RENDERERS } from '../../report/formats/render.ts';
import { GITHUB_COMMENT, GITLAB_COMMENT } from '../../report/comment-limits.ts';
import type { RecordStream } from '../../report/renderer.ts';
import type { Report } from '../../report/report.ts';
import type { View } from '../../report/view.ts';
import { count } from '../../report/words/count.ts';
import { fileError, writeDocument } from './files.ts';
import { choosePalette } from './palette.ts';
import type { SessionParts } from './session-parts.ts';
import { openSink, type Sink } from './sink.ts';
import { sourceLines } from './source-lines.ts';

export interface PublishHooks {
  /** Called before the first character of the document. */
  readonly beforeOutput?: () => void;
}

export interface Publisher {
  /**
   * Writes the requested document to stdout or `--output`. If the file cannot be written, the document goes to stdout
   * so that it is not lost, and `outputFailure` returns the failure.
   */
  publish(report: Report, hooks?: PublishHooks): Promise<void>;
  outputFailure(): FlagwrightError | undefined;
}

type Say = (text: string) => Promise<void>;

export function createPublisher(parts: SessionParts, say: Say): Publisher {
  const { options, secrets } = parts;
  const finish = (text: string): string => RENDERERS[options.format].seal(secrets.redact(text));
  let failure: FlagwrightError | undefined;
  return {
    publish: async (report, { beforeOutput = () => undefined } = {}) => {
      const rendered = await render(report, options.format, viewOfStdout(parts));
      if (typeof rendered !== 'string') return writeStream(parts, rendered, { finish, beforeOutput, say });
      beforeOutput();
      failure = (await writeWhole(parts, finish(rendered))) ?? failure;
    },
    outputFailure: () => failure,
  };
}

function viewOfStdout({ context, options, places }: SessionParts): View {
  const { stdout } = context;
  const terminal = stdout.isTerminal && (options.output === undefined || options.output === '-');
  return {
    // A file may be read by a program, so it gets no colours.
    palette: choosePalette(stdout, context.env, options.color && options.output === undefined),
    verbose: options.verbose,
    terminal,
    sourceLine: sourceLines(places.root),
    repositoryFile: (file) => findInRepository(context.env, places.root, file),
    documentLimit: commentLimit(context.env),
    ...defined({ width: terminal && !options.verbose ? stdout.columns : undefined }),
  };
}

/** GitLab sets `GITLAB_CI`; elsewhere the smaller limit of GitHub is safe. */
function commentLimit(env: SessionParts['context']['env']): number {
  return env['GITLAB_CI'] === undefined ? GITHUB_COMMENT : GITLAB_COMMENT;
}

/** GitHub and GitLab name the folder of their checkout in the environment. Files outside it keep their names. */
function findInRepository(env: SessionParts['context']['env'], root: string, file: string): string {
  const checkout = env['GITHUB_WORKSPACE'] ?? env['CI_PROJECT_DIR'] ?? root;
  const relative = path.relative(checkout, path.resolve(root, file));
  return relative.startsWith('..') || path.isAbsolute(relative) ? file : relative.split(path.sep).join('/');
}

/** Returns the failure of a file that cannot be written; the document then goes to stdout. */
async function writeWhole(parts: SessionParts, text: string): Promise<FlagwrightError | undefined> {
  const { context, options } = parts;
  if (options.output === undefined || options.output === '-') {
    await writeOut(parts, text);
    return undefined;
  }
  try {
    await writeDocument(parts, options.output, { text });
    return undefined;
  } catch (error) {
    if (!(error instanceof FlagwrightError)) throw error;
    await writeOut({ context }, text);
    return error;
  }
}

async function writeOut({ context }: Pick<SessionParts, 'context'>, text: string): Promise<void> {
  return context.stdout.write(text).catch((cause: unknown) => {
    throw fileError('write', 'to stdout', cause);
  });
}

interface StreamWriting {
  readonly finish: (text: string) => string;
  readonly beforeOutput: () => void;
  readonly say: Say;
}

/** Text is written in pieces of about this many characters. */
const PIECE = 64 * 1024;

async function writeStream(
  parts: SessionParts,
  stream: RecordStream,
  { finish, beforeOutput, say }: StreamWriting,
): Promise<void> {
  const sink = await openSink(parts);
  const pieces = inPieces(stream);
  try {
    await writeAll(sink, pieces.texts, (piece) => {
      beforeOutput();
      return finish(piece);
    });
    await sink.commit();
  } catch (error) {
    await sink.discard();
    if (sink.keepsWhatCame && pieces.count() > 0) {
      await say(`Incomplete: ${count(pieces.count(), 'entry', 'entries')} printed before the failure.\n`);
    }
    throw error;
  }
}

interface Pieces {
  readonly texts: AsyncIterable<string>;
  /** Records so far. */
  readonly count: () => number;
}

/** Yields what was read before a failure, then throws the failure. */
function inPieces({ head, records, line }: RecordStream): Pieces {
  let printed = 0;
  async function* texts(): AsyncGenerator<string> {
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
  return { texts: texts(), count: () => printed };
}

/** Once the pipe is closed (`| head`), no more pages are requested. */
async function writeAll(sink: Sink, pieces: AsyncIterable<string>, finish: (piece: string) => string): Promise<void> {
  for await (const piece of pieces) {
    await sink.write(finish(piece));
    if (sink.isGone()) return;
  }
}
