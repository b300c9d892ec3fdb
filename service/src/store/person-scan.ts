/** Finds the persons that match a filter, newest first: by SQL and its indexes where possible, else row by row. */

import type { SqlDatabase } from './database.ts';
import {
  type JsonObject,
  isJsonArray,
  isJsonNumber,
  isJsonObject,
  memberOf,
  type JsonNumber,
  type JsonValue,
} from '../../../src/base/json.ts';
import { stringifyJson } from '../../../src/base/json-text.ts';

export interface PersonFilter {
  readonly distinctId?: string;
  /** The whole email address, case-sensitive. */
  readonly email?: string;
  /** A part of the email address in any case, or a whole distinct id. */
  readonly search?: string;
  /** Necessary conditions that SQL can check. */
  readonly terms?: readonly PropertyTerm[];
  /** The exact test of the persons that remain. */
  readonly test?: (person: PersonRecord) => boolean;
}

interface PersonWindow {
  readonly limit: number;
  readonly offset: number;
}

export interface PersonScan {
  /** Newest first. */
  list(projectId: string, filter: PersonFilter, window: PersonWindow): PersonRecord[];
  /** All matching persons, a few hundred at a time. */
  batches(projectId: string, filter: PersonFilter): Generator<readonly PersonRecord[]>;
  count(projectId: string, filter: PersonFilter): number;
}

type ScanValue = string | number;

interface PersonCondition {
  /** The FROM clause. */
  readonly from: string;
  readonly where: string;
  readonly values: readonly ScanValue[];
}

const FIRST_BATCH = 200;
/** Other requests run between batches of an export, so a batch takes about as long as any request. */
const LARGEST_BATCH = 800;
const ORDER = 'ORDER BY created_order DESC, id DESC';

/** The columns of a record. */
export const PERSON = 'id, project_id AS projectId, uuid, created_at AS createdAt, properties';

export function createPersonScan(database: SqlDatabase): PersonScan {
  const buildCondition = createConditions(database);

  function* batches(projectId: string, filter: PersonFilter): Generator<readonly PersonRecord[]> {
    const { test = () => true } = filter;
    const { from, where, values } = buildCondition(projectId, filter);
    let last: readonly ScanValue[] = [];
    for (let size = FIRST_BATCH; ; size = Math.min(size * 2, LARGEST_BATCH)) {
      const after = last.length === 0 ? '' : ' AND (created_order, id) < (?, ?)';
      const condition = { from, where: where + after, values: [...values, ...last] };
      const found = selectRows(database, condition, { limit: size, offset: 0 });
      yield found.filter(test);
      if (found.length < size) return;
      const { createdOrder, id } = found.at(-1) as ScannedPerson;
      last = [createdOrder, id];
    }
  }

  return {
    batches,
    list: (projectId, filter, window) => {
      if (filter.test !== undefined) return take(batches(projectId, filter), window);
      return selectRows(database, buildCondition(projectId, filter), window);
    },
    count: (projectId, filter) => {
      if (filter.test !== undefined) return countAll(batches(projectId, filter));
      return countRows(database, buildCondition(projectId, filter));
    },
  };
}

function createConditions(database: SqlDatabase): (projectId: string, filter: PersonFilter) => PersonCondition {
  const findIndex = createPropertyIndexes(database);
  const owner = database.get<{ id: number }>(
    'SELECT person_id AS id FROM person_distinct_id WHERE project_id = ? AND distinct_id = ?',
  );
  const findId: FindId = (projectId, distinctId) => owner(projectId, distinctId)?.id ?? 0;
  return (projectId, filter) => {
    const parts = [
      ...fixedParts(projectId, filter, findId),
      ...(filter.terms ?? []).map(({ sql, values }): SqlPart => [sql, ...values]),
    ];
    const index = findIndex(filter.terms ?? []);
    return {
      from: index === undefined ? 'person' : `person INDEXED BY ${index}`,
      where: parts.map(([sql]) => sql).join(' AND '),
      values: parts.flatMap(([, ...values]) => values),
    };
  };
}

function selectRows(
  database: SqlDatabase,
  { from, where, values }: PersonCondition,
  { limit, offset }: PersonWindow,
): ScannedPerson[] {
  // The inner query reads only an index; the outer one fetches only the rows of the page.
  const ids = `SELECT id FROM ${from} WHERE ${where} ${ORDER} LIMIT ? OFFSET ?`;
  const rows = database.all<ScannedPerson>(
    `SELECT ${PERSON}, created_order AS createdOrder FROM person WHERE id IN (${ids}) ${ORDER}`,
  );
  return rows(...values, limit, offset);
}

type ScannedPerson = PersonRecord & { readonly createdOrder: number };

function countRows(database: SqlDatabase, { from, where, values }: PersonCondition): number {
  return (
    database.get<{ number: number }>(`SELECT count(*) AS number FROM ${from} WHERE ${where}`)(...values)?.number ?? 0
  );
}

type SqlPart = readonly [sql: string, ...values: ScanValue[]];
/** The id of the person with a distinct id; 0 for none. */
type FindId = (projectId: string, distinctId: string) => number;

function fixedParts(projectId: string, { distinctId, email, search }: PersonFilter, findId: FindId): SqlPart[] {
  const parts: SqlPart[] = [['project_id = ?', projectId]];
  // An id looked up before lets SQLite use the primary key, which a subquery would prevent.
  if (distinctId !== undefined) parts.push(['id = ?', findId(projectId, distinctId)]);
  if (email !== undefined) parts.push([`email = ? AND properties ->> '$.email' = ?`, email.toLowerCase(), email]);
  if (search !== undefined) {
    parts.push(['(instr(email, ?) > 0 OR id = ?)', search.toLowerCase(), findId(projectId, search)]);
  }
  return parts;
}

function take(batches: Iterable<readonly PersonRecord[]>, { limit, offset }: PersonWindow): PersonRecord[] {
  const taken: PersonRecord[] = [];
  let toSkip = offset;
  for (const batch of batches) {
    taken.push(...batch.slice(toSkip, toSkip + limit - taken.length));
    toSkip = Math.max(0, toSkip - batch.length);
    if (taken.length >= limit) break;
  }
  return taken;
}

function countAll(batches: Iterable<readonly PersonRecord[]>): number {
  let number = 0;
  for (const batch of batches) number += batch.length;
  return number;
}

/** Each index slows writes down a little, so their number is limited. */
const MAX_INDEXES = 32;
const PREFIX = 'person_property_';

/** Finds, or makes, the index for the most selective term; `undefined` if there is none. */
function createPropertyIndexes(database: SqlDatabase): (terms: readonly PropertyTerm[]) => string | undefined {
  const stored = database.all<{ name: string; sql: string }>(
    `SELECT name, sql FROM sqlite_master WHERE type = 'index' AND name GLOB ?`,
  );
  const known = new Map(stored(`${PREFIX}*`).map(({ name, sql }) => [sql, name]));
  return (terms) => {
    const term = terms.find(({ isEquality }) => isEquality) ?? terms[0];
    if (term === undefined) return undefined;
    const columns = `(project_id, ${term.expression}, created_order DESC, id DESC)`;
    const number = known.size + 1;
    const existing = [...known].find(([sql]) => sql.endsWith(columns))?.[1];
    if (existing !== undefined || number > MAX_INDEXES) return existing;
    const name = `${PREFIX}${number}`;
    const sql = `CREATE INDEX ${name} ON person ${columns}`;
    database.exec(sql);
    known.set(sql, name);
    return name;
  };
}

/** A person without its distinct ids, which are in another table. */
export interface PersonRecord {
  readonly id: number;
  readonly projectId: string;
  readonly uuid: string;
  readonly createdAt: string;
  readonly properties: JsonObject;
}

export interface StoredPerson extends PersonRecord {
  /** Sorted as the person got them; never empty. */
  readonly distinctIds: readonly string[];
}

export interface NewPerson extends Omit<StoredPerson, 'id'> {
  /** Default: the next free one. */
  readonly id?: number;
}

interface PropertyTerm {
  /** The property as JSON in lower case, NULL if missing; the expression of the index. */
  readonly expression: string;
  readonly sql: string;
  readonly values: readonly (string | number)[];
  /** Whether an index finds the rows directly instead of being scanned. */
  readonly isEquality: boolean;
}

interface PropertyFilter {
  readonly key: string;
  readonly operator: string;
  readonly value: JsonValue;
}

/** Other keys are not unambiguous in a JSON path of SQLite. */
const PLAIN_KEY = /^[\w $.:/@-]{1,200}$/;
/** SQLite changes the case of these letters only. */
const ASCII = /^[ -~]*$/;

/** `undefined` for filters that SQL cannot express. */
export function propertyTerm({ key, operator, value }: PropertyFilter): PropertyTerm | undefined {
  if (!PLAIN_KEY.test(key)) return undefined;
  const expression = `lower(properties -> '$."${key}"')`;
  switch (operator) {
    case 'exact':
      return exactTerm(expression, isJsonArray(value) ? value : [value]);
    case 'icontains':
      return partTerm(expression, value);
    case 'is_set':
      return { expression, sql: `${expression} IS NOT NULL`, values: [], isEquality: false };
    case 'is_not_set':
      return { expression, sql: `${expression} IS NULL`, values: [], isEquality: true };
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return orderTerm(expression, operator, value);
    default:
      return undefined;
  }
}

function exactTerm(expression: string, wanted: readonly JsonValue[]): PropertyTerm | undefined {
  const plain = wanted.filter(isPlain);
  if (plain.length === 0 || plain.length < wanted.length) return undefined;
  const values = [...new Set(plain.flatMap(spellings))];
  const sql = values.length === 1 ? `${expression} = ?` : `${expression} IN (${values.map(() => '?').join(', ')})`;
  return { expression, sql, values, isEquality: true };
}

/** Values that are compared as strings. True and false are compared as truth, objects regardless of member order. */
function isPlain(value: JsonValue): value is string | JsonNumber {
  if (isJsonNumber(value)) return true;
  return typeof value === 'string' && ASCII.test(value) && !/^\s*(true|false)\s*$|^[[{]/i.test(value);
}

/** The property may be the string, or a number or null with the same spelling. */
function spellings(value: string | JsonNumber): string[] {
  const text = String(value).toLowerCase();
  const quoted = stringifyJson(text);
  return /^(-?\d|null$)/.test(text) ? [quoted, text] : [quoted];
}

function partTerm(expression: string, value: JsonValue): PropertyTerm | undefined {
  // JSON escapes these characters, so a search in its text would miss them.
  if (typeof value !== 'string' || !ASCII.test(value) || /["\\[\]{}]/.test(value)) return undefined;
  // Some operators see other text for lists, objects and null.
  const sql = `(instr(${expression}, ?) > 0 OR ${expression} GLOB '[[{]*' OR ${expression} = 'null')`;
  return { expression, sql, values: [value.toLowerCase()], isEquality: false };
}

/** Compares numbers as numbers; lets other values pass, such as numbers in strings. */
function orderTerm(expression: string, operator: string, value: JsonValue): PropertyTerm | undefined {
  const number = typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || isJsonObject(value)) return undefined;
  const sign = memberOf({ gt: '>', gte: '>=', lt: '<', lte: '<=' }, operator) ?? '=';
  const sql = `(${expression} NOT GLOB '[-0-9]*' AND ${expression} IS NOT NULL OR CAST(${expression} AS REAL) ${sign} ?)`;
  return { expression, sql, values: [number], isEquality: false };
}
