/** Records to stdout or a file in the format that was asked for; JSON Lines and CSV as they come, however many. */

import type { JsonObject } from '../../base/json.ts';
import { count } from '../../report/words/count.ts';
import { csvHeader, csvRecord } from '../../report/formats/csv.ts';
import { escapeLine } from '../../report/escape.ts';
import { jsonLine } from '../../report/formats/json/write.ts';
import { recordText, tableText } from '../../report/formats/text/table.ts';
import type { Session } from '../session/session.ts';
import { openSink, type Sink } from '../session/sink.ts';
import type { ResourceAnswer } from './command.ts';

type Answer<Kind extends ResourceAnswer['kind']> = Extract<ResourceAnswer, { readonly kind: Kind }>;

export interface RecordsPrinting {
  readonly columns: readonly string[];
  /** Called before the first text of the document. */
  readonly beforeOutput: () => void;
}

export async function publishRecords(
  session: Session,
  { records, limit = Infinity, document }: Answer<'records'>,
  { columns, beforeOutput }: RecordsPrinting,
): Promise<void> {
  const cut = first(records, limit);
  switch (session.options.format) {
    case 'jsonl':
      await stream(session, cut.records, { head: '', beforeOutput, line: (record) => `${jsonLine(record)}\n` });
      break;
    case 'csv':
      await stream(session, cut.records, csvPrinting(session, { columns, beforeOutput }));
      break;
    case 'json':
    case 'table':
    case 'text': {
      const all: JsonObject[] = [];
      for await (const record of cut.records) all.push(record);
      beforeOutput();
      await session.publish({
        text: (palette) => tableText(all, columns, { palette, ...screen(session) }),
        json: () => document ?? all,
      });
    }
  }
  if (cut.wasCut()) await session.note(`Stopped after ${limit}; there may be more: --limit N, or --all.\n`);
}

export async function publishRecord(session: Session, record: JsonObject): Promise<void> {
  const { format } = session.options;
  if (format === 'jsonl' || format === 'csv') {
    return publishRecords(
      session,
      { kind: 'records', records: [record] },
      { columns: Object.keys(record), beforeOutput: () => undefined },
    );
  }
  await session.publish({
    text: (palette) => recordText(record, { palette, ...screen(session) }),
    json: () => record,
  });
}

export async function publishDone(session: Session, { text, record }: Answer<'done'>): Promise<void> {
  if (session.options.format !== 'text' && session.options.format !== 'table') return publishRecord(session, record);
  await session.publish({ text: () => `${escapeLine(text)}\n`, json: () => record });
}

interface StreamPrinting {
  readonly head: string;
  readonly line: (record: JsonObject) => string;
  readonly beforeOutput: () => void;
}

/** Texts are handed over in pieces of about this many characters. */
const PIECE = 64 * 1024;

async function stream(
  session: Session,
  records: AsyncIterable<JsonObject>,
  { head, line, beforeOutput }: StreamPrinting,
): Promise<void> {
  const sink = await openSink(session);
  const pieces = inPieces(head, records, line);
  try {
    await writeAll(sink, beforeOutput, pieces.texts);
    await sink.commit();
  } catch (error) {
    await sink.discard();
    if (sink.keepsWhatCame && pieces.count() > 0) {
      await session.say(`Incomplete: ${count(pieces.count(), 'entry', 'entries')} printed before the failure.\n`);
    }
    throw error;
  }
}

interface Pieces {
  readonly texts: AsyncIterable<string>;
  /** Records so far. */
  readonly count: () => number;
}

/** What was read before a failure is handed over before the failure. */
function inPieces(head: string, records: AsyncIterable<JsonObject>, line: (record: JsonObject) => string): Pieces {
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

/** A reader that went away (`| head`) wants no more pages to be asked for. */
async function writeAll(sink: Sink, beforeOutput: () => void, pieces: AsyncIterable<string>): Promise<void> {
  for await (const piece of pieces) {
    beforeOutput();
    await sink.write(piece);
    if (sink.isGone()) return;
  }
}

function csvPrinting(session: Session, { columns, beforeOutput }: RecordsPrinting): StreamPrinting {
  // A file keeps every character; a screen would obey some of them.
  const shown = screen(session).width === undefined ? (line: string): string => line : onScreen;
  return { head: shown(csvHeader(columns)), beforeOutput, line: (record) => shown(csvRecord(record, columns)) };
}

function onScreen(line: string): string {
  return `${line.slice(0, -2).split(/\r?\n/).map(escapeLine).join('\n')}\r\n`;
}

/** Only on a terminal there is a width to keep to. */
function screen({ context, options }: Session): { readonly width?: number } {
  const toScreen = context.stdout.isTerminal && (options.output === undefined || options.output === '-');
  return toScreen && !options.verbose ? { width: context.stdout.columns } : {};
}

interface Cut {
  readonly records: AsyncIterable<JsonObject>;
  readonly wasCut: () => boolean;
}

/** No page is asked for merely to learn whether there is one. */
function first(records: AsyncIterable<JsonObject> | Iterable<JsonObject>, limit: number): Cut {
  let given = 0;
  return {
    records: (async function* () {
      for await (const record of records) {
        yield record;
        given += 1;
        if (given >= limit) return;
      }
    })(),
    wasCut: () => given >= limit,
  };
}
