/** The people of a file, CSV or JSON lines, as a stream. */

import { FlagwrightError } from '../../base/errors.ts';
import { splitLines, type ByteLine } from '../../base/byte-lines.ts';
import { isOpenRecord, splitRecord } from '../../base/csv-record.ts';
import { parseHeader, personOf, type Columns } from './csv-columns.ts';
import { parseJsonPerson } from './parse-json-person.ts';
import type { Entry, Read } from './person.ts';

/** @throws {FlagwrightError} `file` for a file without content, or without a column of ids. `name`: safe to print. */
export async function* readPersons(chunks: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<Entry> {
  let parse: ((text: string) => Read) | undefined;
  for await (const record of joinRecords(splitLines(chunks), name)) {
    const { number: line } = record;
    if (parse === undefined) {
      const { columns, person } = readFirst(record, name);
      parse = columns === undefined ? parseJsonPerson : (text) => personOf(splitRecord(text), columns);
      if (person !== undefined) yield entryOf(line, person);
      continue;
    }
    if ('text' in record) yield entryOf(line, parse(record.text));
    else yield { line, fault: 'malformed', lines: record.lines };
  }
  if (parse === undefined) {
    throw new FlagwrightError('file', `${name} is empty.`, {
      remedy: 'Give a file of people as CSV or as JSON lines.',
    });
  }
}

function entryOf(line: number, read: Read): Entry {
  if ('person' in read) return { line, person: read.person };
  return read.fault === 'no_id' ? { line, fault: 'no_id' } : { line, fault: 'malformed', lines: 1 };
}

type Record = { readonly number: number } & ({ readonly text: string } | { readonly lines: number });

function readFirst(record: Record, name: string): { readonly columns?: Columns; readonly person?: Read } {
  if (!('text' in record)) {
    // What follows could be of either format.
    if (isJsonName(name)) return { person: { fault: 'malformed' } };
    throw new FlagwrightError('file', `${name}:${record.number}: The first line cannot be read.`, {
      remedy: 'Save the file as CSV or as JSON lines, encoded in UTF-8.',
    });
  }
  if (isJsonFile(name, record.text)) return { person: parseJsonPerson(record.text) };
  return {
    columns: parseHeader(
      (splitRecord(record.text) ?? []).map((cell) => cell.trim()),
      name,
    ),
  };
}

function isJsonName(name: string): boolean {
  return /\.(?:jsonl|ndjson)$/i.test(name);
}

function isJsonFile(name: string, first: string): boolean {
  return isJsonName(name) || (!/\.csv$/i.test(name) && first.trimStart().startsWith('{'));
}

/** Bounds what a quoted cell without an end can swallow. */
const MOST_LINES = 1000;
const LONGEST_RECORD = 16 * 1024 * 1024;

/** A cell in quotes may have several lines. Empty lines are left out. */
async function* joinRecords(lines: AsyncIterable<ByteLine>, name: string): AsyncGenerator<Record> {
  let open: { readonly number: number; text: string; lines: number } | undefined;
  let isJson: boolean | undefined;
  for await (const line of lines) {
    if (!('text' in line)) {
      yield { number: open?.number ?? line.number, lines: (open?.lines ?? 0) + 1 };
      open = undefined;
      isJson ??= isJsonName(name);
      continue;
    }
    if (open === undefined && line.text.trim() === '') continue;
    isJson ??= isJsonFile(name, line.text);
    const text: string = open === undefined ? line.text : `${open.text}\n${line.text}`;
    const record = { number: open?.number ?? line.number, text, lines: (open?.lines ?? 0) + 1 };
    const staysOpen: boolean = !isJson && isOpenRecord(line.text, open !== undefined);
    open = staysOpen ? record : undefined;
    if (open === undefined) yield { number: record.number, text };
    else if (record.lines >= MOST_LINES || text.length > LONGEST_RECORD) {
      yield { number: record.number, lines: record.lines };
      open = undefined;
    }
  }
  if (open !== undefined) yield { number: open.number, lines: open.lines };
}
