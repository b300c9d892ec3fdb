/** The rules of JSON Schema about a value itself, without its parts, and what every rule needs. */

import { decimalParts } from '../exact-number.ts';
import { canonicalText, jsonEquals, memberOf, type JsonValue } from '../json.ts';
import { toPointer } from '../json-pointer.ts';

export type JsonSchema = Readonly<Record<string, unknown>>;

/** Whether a value fits; reports why not. */
export type SchemaCheck = (value: unknown, run: CheckRun) => boolean;

export interface CheckRun {
  /** The path from the top to the value; changed while its members are checked. */
  readonly path: (string | number)[];
  /** Absent where nobody asks for the reasons. */
  readonly errors?: ShapeError[];
  readonly first: boolean;
  /** Set while the name of a member is checked. */
  readonly propertyName?: string;
}

/** Makes checks of the schemas within a schema. */
export interface PartCompiler {
  readonly compile: (schema: unknown) => SchemaCheck;
  readonly refer: (reference: string) => SchemaCheck;
  readonly matches: MatchesPattern;
}

export type MatchesPattern = (expression: RegExp, text: string) => boolean;

/** The form is that of ajv with `verbose`: `data` is the value at `instancePath`, `parentSchema` its schema. */
export interface ShapeError {
  readonly keyword: string;
  readonly instancePath: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** The name of a member, when the name itself is wrong. */
  readonly propertyName?: string;
  readonly data?: unknown;
  readonly parentSchema?: Readonly<Record<string, unknown>>;
}

/** Every check reports what it finds, unless one error is enough. */
export function all(checks: readonly SchemaCheck[]): SchemaCheck {
  const [only] = checks;
  if (only !== undefined && checks.length === 1) return only;
  return (value, run) => {
    let valid = true;
    for (const check of checks) {
      if (check(value, run)) continue;
      valid = false;
      if (run.first) break;
    }
    return valid;
  };
}

/** Loops over indices, since nearly all the time of a validation goes here. */
export function everyPart<Part>(
  parts: readonly Part[],
  run: CheckRun,
  check: (part: Part, index: number) => boolean,
): boolean {
  let valid = true;
  for (let index = 0; index < parts.length; index += 1) {
    if (check(parts[index] as Part, index)) continue;
    valid = false;
    if (run.first) break;
  }
  return valid;
}

export function report(
  { path, errors, propertyName }: CheckRun,
  error: Pick<ShapeError, 'keyword' | 'params' | 'data' | 'parentSchema'>,
): false {
  const named = propertyName === undefined ? {} : { propertyName };
  errors?.push({ ...error, instancePath: toPointer(path), ...named });
  return false;
}

export const TYPES = {
  null: (value: unknown): boolean => value === null,
  boolean: (value: unknown): boolean => typeof value === 'boolean',
  integer: (value: unknown): boolean => Number.isInteger(value),
  number: (value: unknown): boolean => Number.isFinite(value),
  string: (value: unknown): boolean => typeof value === 'string',
  array: (value: unknown): boolean => Array.isArray(value),
  object: (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value),
};

export function wrongType(schema: JsonSchema, data: unknown, run: CheckRun): false {
  return report(run, { keyword: 'type', params: { type: schema['type'] }, data, parentSchema: schema });
}

/** Whether a number of a value keeps the limit of a schema. */
type IsWithin = (found: number, limit: number) => boolean;

export const atMost: IsWithin = (found, limit) => found <= limit;
export const atLeast: IsWithin = (found, limit) => found >= limit;
export const below: IsWithin = (found, limit) => found < limit;
export const above: IsWithin = (found, limit) => found > limit;

/** A rule that compares one number of the value with the schema's. */
export function bound(
  keyword: string,
  measure: (value: never) => number,
  keeps: IsWithin,
): (schema: JsonSchema) => SchemaCheck {
  return (schema) => {
    const limit = memberOf(schema, keyword) as number;
    return (value, run) =>
      keeps(measure(value as never), limit) ||
      report(run, { keyword, params: { limit }, data: value, parentSchema: schema });
  };
}

export function itself(value: number): number {
  return value;
}

export function lengthOf({ length }: { readonly length: number }): number {
  return length;
}

/** The characters of a string: a surrogate pair is one. */
export function charactersOf(text: string): number {
  let count = text.length;
  for (let index = 1; index < text.length; index += 1) {
    if (isSurrogate(text, index, 0xdc00) && isSurrogate(text, index - 1, 0xd800)) count -= 1;
  }
  return count;
}

function isSurrogate(text: string, index: number, first: number): boolean {
  return (text.charCodeAt(index) & 0xfc00) === first;
}

export function membersOf(value: object): number {
  return Object.keys(value).length;
}

/** Decimals are compared as they are written, since 19.99 / 0.01 is no integer. */
export function multipleOf(schema: JsonSchema): SchemaCheck {
  const step = schema['multipleOf'] as number;
  return (value, run) =>
    isMultiple(value as number, step) ||
    report(run, { keyword: 'multipleOf', params: { multipleOf: step }, data: value, parentSchema: schema });
}

function isMultiple(value: number, step: number): boolean {
  const [a, b] = [decimalParts(value), decimalParts(step)];
  const scale = Math.min(a.scale, b.scale);
  const [whole, divisor] = [a, b].map((part) => part.digits * 10n ** BigInt(part.scale - scale)) as [bigint, bigint];
  return whole % divisor === 0n;
}

export function uniqueItems(schema: JsonSchema): SchemaCheck {
  if (schema['uniqueItems'] !== true) return () => true;
  return (value, run) => {
    const texts = (value as readonly JsonValue[]).map(canonicalText);
    return (
      new Set(texts).size === texts.length ||
      report(run, { keyword: 'uniqueItems', params: {}, data: value, parentSchema: schema })
    );
  };
}

export function pattern(schema: JsonSchema, { matches }: PartCompiler): SchemaCheck {
  const source = schema['pattern'] as string;
  const expression = new RegExp(source, 'u');
  return (value, run) =>
    matches(expression, value as string) ||
    report(run, { keyword: 'pattern', params: { pattern: source }, data: value, parentSchema: schema });
}

export function constant(schema: JsonSchema): SchemaCheck {
  const allowedValue = schema['const'] as JsonValue;
  return (value, run) =>
    jsonEquals(value as JsonValue, allowedValue) ||
    report(run, { keyword: 'const', params: { allowedValue }, data: value, parentSchema: schema });
}

export function oneOfValues(schema: JsonSchema): SchemaCheck {
  const allowedValues = schema['enum'] as readonly JsonValue[];
  const allowed = new Set(allowedValues);
  const parts = allowedValues.filter((value) => typeof value === 'object' && value !== null);
  return (value, run) =>
    allowed.has(value as JsonValue) ||
    parts.some((one) => jsonEquals(value as JsonValue, one)) ||
    report(run, { keyword: 'enum', params: { allowedValues }, data: value, parentSchema: schema });
}

export function required(schema: JsonSchema): SchemaCheck {
  return namesRule('required', schema, schema['required'] as readonly string[]);
}

function namesRule(keyword: string, schema: JsonSchema, names: readonly string[]): SchemaCheck {
  return (value, run) =>
    everyPart(
      names,
      run,
      (name) =>
        memberOf(value as JsonSchema, name) !== undefined ||
        report(run, { keyword, params: { missingProperty: name }, data: value, parentSchema: schema }),
    );
}

export function dependentRequired(schema: JsonSchema): SchemaCheck {
  const demanded = Object.entries(schema['dependentRequired'] as Readonly<Record<string, readonly string[]>>);
  const checks = demanded.map(([name, names]) => [name, namesRule('dependentRequired', schema, names)] as const);
  return (value, run) =>
    everyPart(checks, run, ([name, check]) => memberOf(value as JsonSchema, name) === undefined || check(value, run));
}
