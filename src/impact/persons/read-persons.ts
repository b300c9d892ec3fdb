/** Reads the people of a file, CSV or JSON lines, as a stream. */

import { isOpenRecord, splitRecord } from '../../base/csv-record.ts';
import { FlagwrightError } from '../../base/errors.ts';
import { tryParseJson } from '../../base/json-text.ts';
import { isJsonArray, isJsonObject, type JsonValue } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { parseHeader, personOf, type PersonColumns } from './csv-columns.ts';
import {
  idText,
  isGroupType,
  type PersonEntry,
  type Membership,
  type ListedPerson,
  type ParsedPerson,
} from './person.ts';

type ByteLine = { readonly number: number } & ({ readonly text: string } | { readonly fault: 'not_utf8' | 'too_long' });

const LINE_FEED = 10;

/** Longer lines are not kept in memory. */
const LONGEST_LINE = 16 * 1024 * 1024;

interface PartialLine {
  parts: Uint8Array[];
  length: number;
}

/** @throws {FlagwrightError} `file` for a file without content, or without a column of ids. `name`: safe to print. */
export async function* readPersons(chunks: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<PersonEntry> {
  let parse: ((text: string) => ParsedPerson) | undefined;
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

function entryOf(line: number, read: ParsedPerson): PersonEntry {
  if ('person' in read) return { line, person: read.person };
  return read.fault === 'no_id' ? { line, fault: 'no_id' } : { line, fault: 'malformed', lines: 1 };
}

type Record = { readonly number: number } & ({ readonly text: string } | { readonly lines: number });

function readFirst(record: Record, name: string): { readonly columns?: PersonColumns; readonly person?: ParsedPerson } {
  if (!('text' in record)) {
    // The rest could be of either format.
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

/** The limits of a record, since a quoted cell may lack its end. */
const MOST_LINES = 1000;
const LONGEST_RECORD = 16 * 1024 * 1024;

/** Joins the lines of quoted cells. Empty lines between records are left out. */
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

/** A person from a line of JSON: `{distinct_id, properties, groups, group_properties, cohorts}`. */
function parseJsonPerson(text: string): ParsedPerson {
  const value = tryParseJson(text);
  if (!isJsonObject(value)) return { fault: 'malformed' };
  const { distinct_id: distinctId, id, properties = {}, groups = {}, group_properties: ofGroups = {}, cohorts } = value;
  const known = idText(distinctId ?? id ?? '');
  const memberships = readGroups(groups, ofGroups);
  const members = cohorts === undefined ? undefined : idList(cohorts);
  const isReadable = known !== undefined && isJsonObject(properties) && memberships !== undefined;
  if (!isReadable || (cohorts !== undefined && members === undefined)) return { fault: 'malformed' };
  if (known === '') return { fault: 'no_id' };
  return { person: { distinctId: known, properties, groups: memberships, ...defined({ cohorts: members }) } };
}

/** `undefined` for what cannot be read. A key of `null`: the person is in no group of the type. */
function readGroups(keys: JsonValue, properties: JsonValue): ListedPerson['groups'] | undefined {
  if (!isJsonObject(keys) || !isJsonObject(properties)) return undefined;
  const types = [...new Set([...Object.keys(keys), ...Object.keys(properties)])];
  const read = types.map((type) => [type, readGroup(keys[type], properties[type])] as const);
  if (!read.every(([type, group]) => isGroupType(type) && group !== 'malformed')) return undefined;
  return Object.fromEntries(read.flatMap(([type, group]) => (isMembership(group) ? [[type, group]] : [])));
}

/** `undefined` if the line says nothing about the type of group. */
function readGroup(
  key: JsonValue | undefined,
  properties: JsonValue | undefined,
): Membership | 'malformed' | undefined {
  if (key === null) return properties === undefined ? 'none' : 'malformed';
  const text = idText(key ?? '');
  if (text === undefined || (properties !== undefined && !isJsonObject(properties))) return 'malformed';
  if (text === '' && properties === undefined) return undefined;
  return { properties: properties ?? {}, ...(text === '' ? {} : { key: text }) };
}

function isMembership(group: Membership | 'malformed' | undefined): group is Membership {
  return group !== undefined && group !== 'malformed';
}

function idList(value: JsonValue): readonly string[] | undefined {
  if (!isJsonArray(value)) return undefined;
  const ids = value.map(idText);
  return ids.every((id) => id !== undefined) ? ids : undefined;
}

/** Splits at LF or CRLF. Lines have no line end and no byte order mark, and count from 1. */
async function* splitLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ByteLine> {
  let [number, held] = [1, emptyLine()];
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      yield readLine(number, hold(held, chunk.subarray(start, end)));
      [start, number, held] = [end + 1, number + 1, emptyLine()];
    }
    hold(held, chunk.subarray(start));
  }
  if (held.length > 0) yield readLine(number, held);
}

function emptyLine(): PartialLine {
  return { parts: [], length: 0 };
}

function hold(held: PartialLine, part: Uint8Array): PartialLine {
  held.length += part.length;
  if (held.length > LONGEST_LINE) held.parts = [];
  // A copy, since the reader may reuse its memory.
  else if (part.length > 0) held.parts.push(part.slice());
  return held;
}

function readLine(number: number, { parts, length }: PartialLine): ByteLine {
  if (length > LONGEST_LINE) return { number, fault: 'too_long' };
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: number > 1 }).decode(join(parts, length));
    return { number, text: text.endsWith('\r') ? text.slice(0, -1) : text };
  } catch {
    return { number, fault: 'not_utf8' };
  }
}

function join(parts: readonly Uint8Array[], length: number): Uint8Array {
  const [first] = parts;
  if (parts.length === 1 && first !== undefined) return first;
  const whole = new Uint8Array(length);
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}
