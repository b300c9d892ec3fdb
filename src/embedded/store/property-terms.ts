/** Filters on person properties as SQL, where it can tell what cannot match. It may let too much pass, never too little. */

import { stringifyJson } from '../../base/json-text.ts';
import { isJsonArray, isJsonNumber, isJsonObject, type JsonNumber, type JsonValue } from '../../base/json.ts';

export interface PropertyTerm {
  /** The property as JSON text in lower case, NULL where it is missing; what an index is made on. */
  readonly expression: string;
  readonly sql: string;
  readonly values: readonly (string | number)[];
  /** Whether an index finds the rows directly, instead of being read through. */
  readonly isEquality: boolean;
}

export interface PropertyFilter {
  readonly key: string;
  readonly operator: string;
  readonly value: JsonValue;
}

/** A key outside these could not be named in a path of SQLite without doubt. */
const PLAIN_KEY = /^[\w $.:/@-]{1,200}$/;
/** SQLite knows the case of these letters only. */
const ASCII = /^[ -~]*$/;

/** `undefined` where SQL cannot tell. */
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

/** What is compared as text. True and false are compared as truth, and objects without regard to their order. */
function isPlain(value: JsonValue): value is string | JsonNumber {
  if (isJsonNumber(value)) return true;
  return typeof value === 'string' && ASCII.test(value) && !/^\s*(true|false)\s*$|^[[{]/i.test(value);
}

/** The property may be the text, or a number or null that reads like it. */
function spellings(value: string | JsonNumber): string[] {
  const text = String(value).toLowerCase();
  const quoted = stringifyJson(text);
  return /^(-?\d|null$)/.test(text) ? [quoted, text] : [quoted];
}

function partTerm(expression: string, value: JsonValue): PropertyTerm | undefined {
  // What JSON writes with a backslash would not be found in its text.
  if (typeof value !== 'string' || !ASCII.test(value) || /["\\[\]{}]/.test(value)) return undefined;
  // Lists, objects and null have another text for some of the operators.
  const sql = `(instr(${expression}, ?) > 0 OR ${expression} GLOB '[[{]*' OR ${expression} = 'null')`;
  return { expression, sql, values: [value.toLowerCase()], isEquality: false };
}

/** Numbers are compared as numbers; what is no number, such as one that is written as text, is let through. */
function orderTerm(expression: string, operator: string, value: JsonValue): PropertyTerm | undefined {
  const number = typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || isJsonObject(value)) return undefined;
  const sign = { gt: '>', gte: '>=', lt: '<', lte: '<=' }[operator] ?? '=';
  const sql = `(${expression} NOT GLOB '[-0-9]*' AND ${expression} IS NOT NULL OR CAST(${expression} AS REAL) ${sign} ?)`;
  return { expression, sql, values: [number], isEquality: false };
}
