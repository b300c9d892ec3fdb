/** Reads the people of a file, CSV or JSON lines, as a stream. */

import { FlagwrightError } from '../../../base/errors.ts';
import { tryParseJson } from '../../../base/json-text.ts';
import {
  isJsonArray,
  isJsonNumber,
  isJsonObject,
  memberOf,
  objectFrom,
  type JsonObject,
  type JsonValue,
} from '../../../base/json.ts';

/** A person of a file, with what is known of them. */
export interface ListedPerson {
  readonly distinctId: string;
  /** A property that is not here is unknown. */
  readonly properties: JsonObject;
  /** Memberships by the index of the group type; an absent type is unknown. */
  readonly groups: Readonly<Record<string, Membership>>;
  /** Ids of all cohorts of the person; absent if they are unknown. */
  readonly cohorts?: readonly string[];
}

/** `none`: the person is in no group of the type. `key`: absent if it is unknown, like a property that is not here. */
type Membership = 'none' | { readonly key?: string; readonly properties: JsonObject };

/** Lines of a file, from `line` on, and what they hold. */
export type PersonEntry = { readonly line: number } & (
  | { readonly person: ListedPerson }
  | { readonly fault: 'no_id' }
  /** `lines`: of a quoted cell that does not end. */
  | { readonly fault: 'malformed'; readonly lines: number }
);

type ParsedPerson = ListedPerson | 'no_id' | 'malformed';

/** @throws {FlagwrightError} `file` for a file without content, or without a column of ids. `name`: safe to print. */
export async function* readPersons(chunks: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<PersonEntry> {
  let parse: ((text: string) => ParsedPerson) | undefined;
  for await (const record of joinRecords(splitLines(chunks), name)) {
    const { number: line } = record;
    if (parse === undefined && 'text' in record && !isJsonFile(name, record.text)) {
      const columns = parseHeader(
        (splitRecord(record.text) ?? []).map((cell) => cell.trim()),
        name,
      );
      parse = (text) => personOf(splitRecord(text), columns);
      continue;
    }
    // The rest could be of either format.
    if (parse === undefined && !('text' in record) && !isJsonName(name))
      throw new FlagwrightError('file', `${name}:${line}: The first line cannot be read.`, {
        remedy: 'Save the file as CSV or as JSON lines, encoded in UTF-8.',
      });
    parse ??= parseJsonPerson;
    const person = 'text' in record ? parse(record.text) : 'malformed';
    if (typeof person === 'object') yield { line, person };
    else if (person === 'no_id') yield { line, fault: person };
    else yield { line, fault: person, lines: 'text' in record ? 1 : record.lines };
  }
  if (parse === undefined)
    throw new FlagwrightError('file', `${name} is empty.`, {
      remedy: 'Give a file of people as CSV or as JSON lines.',
    });
}

function isJsonName(name: string): boolean {
  return /\.(?:jsonl|ndjson)$/i.test(name);
}

function isJsonFile(name: string, first: string): boolean {
  return isJsonName(name) || (!/\.csv$/i.test(name) && first.trimStart().startsWith('{'));
}

interface ByteLine {
  readonly number: number;
  /** `undefined` for a line that is too long or not UTF-8. */
  readonly text: string | undefined;
}

type PersonRecord = { readonly number: number } & ({ readonly text: string } | { readonly lines: number });

/** The limits of a record, since a quoted cell may lack its end. */
const MOST_LINES = 1000;
const LONGEST_RECORD = 16 * 1024 * 1024;

/** Joins the lines of quoted cells. Empty lines between records are left out. */
async function* joinRecords(lines: AsyncIterable<ByteLine>, name: string): AsyncGenerator<PersonRecord> {
  let open: { readonly number: number; text: string; lines: number } | undefined;
  let isJson: boolean | undefined;
  for await (const line of lines) {
    if (line.text === undefined) {
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

/** Longer lines are not kept in memory. */
const LONGEST_LINE = 16 * 1024 * 1024;
const LINE_FEED = 10;

/** Splits at LF or CRLF. Lines have no line end and no byte order mark, and count from 1. */
async function* splitLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ByteLine> {
  let [number, length, parts]: [number, number, Uint8Array[]] = [1, 0, []];
  const hold = (part: Uint8Array): void => {
    length += part.length;
    if (length > LONGEST_LINE) parts = [];
    // A copy, since the reader may reuse its memory.
    else if (part.length > 0) parts.push(part.slice());
  };
  const takeLine = (): ByteLine => {
    const line = { number, text: length > LONGEST_LINE ? undefined : decode(Buffer.concat(parts), number === 1) };
    [number, length, parts] = [number + 1, 0, []];
    return line;
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      hold(chunk.subarray(start, end));
      yield takeLine();
      start = end + 1;
    }
    hold(chunk.subarray(start));
  }
  if (length > 0) yield takeLine();
}

function decode(bytes: Uint8Array, isFirst: boolean): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: !isFirst }).decode(bytes);
    return text.endsWith('\r') ? text.slice(0, -1) : text;
  } catch {
    return undefined;
  }
}

/** A person from a line of JSON: `{distinct_id, properties, groups, group_properties, cohorts}`. */
function parseJsonPerson(text: string): ParsedPerson {
  const value = tryParseJson(text);
  if (!isJsonObject(value)) return 'malformed';
  const { distinct_id: distinctId, id, properties = {}, groups = {}, group_properties: ofGroups = {}, cohorts } = value;
  const known = idText(distinctId ?? id ?? '');
  const memberships = readGroups(groups, ofGroups);
  const members = isJsonArray(cohorts) ? cohorts.flatMap((one) => idText(one) ?? []) : [];
  const areIds = cohorts === undefined || (isJsonArray(cohorts) && members.length === cohorts.length);
  if (known === undefined || !isJsonObject(properties) || memberships === undefined || !areIds) return 'malformed';
  if (known === '') return 'no_id';
  return { distinctId: known, properties, groups: memberships, ...(cohorts !== undefined && { cohorts: members }) };
}

function idText(value: JsonValue): string | undefined {
  return typeof value === 'string' || isJsonNumber(value) ? String(value) : undefined;
}

/** The format of `aggregation_group_type_index` in flags. */
const GROUP_TYPE = /^\d$/;

/** `undefined` for what cannot be read. A key of `null`: the person is in no group of the type. */
function readGroups(keys: JsonValue, properties: JsonValue): ListedPerson['groups'] | undefined {
  if (!isJsonObject(keys) || !isJsonObject(properties)) return undefined;
  const groups: [string, Membership][] = [];
  for (const type of new Set([...Object.keys(keys), ...Object.keys(properties)])) {
    const [key, own] = [memberOf(keys, type), memberOf(properties, type)];
    const text = idText(key ?? '');
    const isReadable = own === undefined || (key !== null && isJsonObject(own));
    if (!GROUP_TYPE.test(type) || text === undefined || !isReadable) return undefined;
    if (key === null) groups.push([type, 'none']);
    // Otherwise the line says nothing about the type.
    else if (text !== '' || own !== undefined)
      groups.push([type, { properties: own ?? {}, ...(text && { key: text }) }]);
  }
  return Object.fromEntries(groups);
}

interface PersonColumns {
  /** Index of the column of ids. */
  readonly id: number;
  readonly amount: number;
  readonly properties: readonly { readonly name: string; readonly index: number }[];
  /** `name`: of a property of the group; absent if the column has the keys of the groups. */
  readonly groups: readonly { readonly type: string; readonly index: number; readonly name?: string }[];
}

/** @throws {FlagwrightError} `file` where the columns do not say who or what a record is about. */
function parseHeader(names: readonly string[], file: string): PersonColumns {
  if (names.some((name) => name.includes('\r')))
    throw new FlagwrightError('file', `${file}:1: The lines end with a carriage return only.`, {
      remedy: 'Save the file with LF or CRLF line endings.',
    });
  const id = ['distinct_id', 'id'].map((name) => names.indexOf(name)).find((index) => index !== -1);
  if (id === undefined)
    throw new FlagwrightError('file', `${file}:1: No column is named distinct_id or id.`, {
      remedy: 'The first line must name the columns, separated by commas; name the column with the ids distinct_id.',
    });
  // The message does not quote the name: without a header line, it would be personal data.
  const columnError = (index: number, what: string, remedy: string): FlagwrightError =>
    new FlagwrightError('file', `${file}:1: Column ${index + 1} ${what}.`, { remedy });
  const twice = names.findIndex((name, index) => name !== '' && names.indexOf(name) !== index);
  if (twice !== -1) throw columnError(twice, 'has the name of an earlier column', 'Give each column its own name.');
  // A column without a name is ignored.
  const others = names.map((name, index) => ({ name, index })).filter(({ name, index }) => name !== '' && index !== id);
  const isOfGroup = ({ name }: { readonly name: string }): boolean => name.startsWith('groups.');
  const groups = others.filter(isOfGroup).map(({ name, index }) => {
    // `groups.TYPE` or `groups.TYPE.PROPERTY`.
    const [, type = '', property] = /^groups\.([^.]*)(?:\.([^]+))?$/.exec(name) ?? [];
    if (GROUP_TYPE.test(type)) return { type, index, ...(property !== undefined && { name: property }) };
    const remedy =
      'Name it by the index of the type, as in aggregation_group_type_index: groups.0, or groups.0.plan for a property.';
    throw columnError(index, 'has an unknown group type', remedy);
  });
  return { id, amount: names.length, groups, properties: others.filter((column) => !isOfGroup(column)) };
}

/** Ignores empty cells. */
function personOf(cells: readonly string[] | undefined, columns: PersonColumns): ParsedPerson {
  if (cells?.length !== columns.amount) return 'malformed';
  const distinctId = cells[columns.id] ?? '';
  if (distinctId === '') return 'no_id';
  const memberOfRow = (name: string, index: number): (readonly [name: string, cell: string])[] => {
    const cell = cells[index];
    return cell ? [[name, cell]] : [];
  };
  const ofGroups = columns.groups.filter(({ index }) => cells[index]);
  const groups = [...new Set(ofGroups.map(({ type }) => type))].map((type) => {
    const own = ofGroups.filter((column) => column.type === type);
    const key = own.flatMap(({ name, index }) => (name === undefined ? (cells[index] ?? []) : []))[0];
    const properties = objectFrom(own.flatMap(({ name, index }) => (name ? memberOfRow(name, index) : [])));
    return [type, { properties, ...(key !== undefined && { key }) }] as const;
  });
  const properties = objectFrom(columns.properties.flatMap(({ name, index }) => memberOfRow(name, index)));
  return { distinctId, properties, groups: Object.fromEntries(groups) };
}

/** The cells; `undefined` for a text in which quotes stand where they may not. */
export function splitRecord(text: string): readonly string[] | undefined {
  const cells: string[] = [];
  for (let at = 0; ; at += 1) {
    CELL.lastIndex = at;
    const found = CELL.exec(text);
    if (found === null) return undefined;
    const [whole, quoted] = found;
    cells.push(quoted === undefined ? whole : quoted.replaceAll('""', '"'));
    at += whole.length;
    if (at >= text.length) return cells;
    if (text[at] !== ',') return undefined;
  }
}

const CELL = /"([^"]*(?:""[^"]*)*)"(?!")|[^",]*/y;

/** Whether a line leaves a quoted cell open. `isInside`: the line begins in one. */
export function isOpenRecord(line: string, isInside: boolean): boolean {
  const text = isInside ? `"${line}` : line;
  for (let at = 0; at <= text.length; at += 1) {
    CELL.lastIndex = at;
    const whole = CELL.exec(text)?.[0] ?? '';
    if (whole === '' && text[at] === '"') return true;
    at += whole.length;
    if (text[at] !== ',') return false;
  }
  return false;
}
