/** Translates filters on person properties to SQL conditions that may match too many persons, but never too few. */

import { stringifyJson } from '../../../src/base/json-text.ts';
import {
  isJsonArray,
  isJsonNumber,
  isJsonObject,
  memberOf,
  type JsonNumber,
  type JsonValue,
} from '../../../src/base/json.ts';

export interface PropertyTerm {
  /** The property as JSON in lower case, NULL if missing; the expression of the index. */
  readonly expression: string;
  readonly sql: string;
  readonly values: readonly (string | number)[];
  /** Whether an index finds the rows directly instead of being scanned. */
  readonly isEquality: boolean;
}

export interface PropertyFilter {
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
