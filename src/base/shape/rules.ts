/** The rules of JSON Schema about a value itself, without its parts, and what every rule needs. */

import { memberOf } from '../json.ts';
import { toPointer } from '../json-pointer.ts';
import type { ShapeError } from './check.ts';

export type JsonSchema = Readonly<Record<string, unknown>>;

/** Whether a value fits; reports why not. */
export type SchemaCheck = (value: unknown, run: CheckRun) => boolean;

export interface CheckRun {
  /** To the value, from the top; changed while its members are checked. */
  readonly path: (string | number)[];
  /** Absent where nobody asks for the reasons. */
  readonly errors?: ShapeError[];
  readonly first: boolean;
  /** Set while the name of a member is checked. */
  readonly propertyName?: string;
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

/** A rule that compares one number of the value with the schema's. */
export function bound(
  keyword: string,
  measure: (value: never) => number,
  most: boolean,
): (schema: JsonSchema) => SchemaCheck {
  return (schema) => {
    const limit = memberOf(schema, keyword) as number;
    return (value, run) => {
      const found = measure(value as never);
      return (
        (most ? found <= limit : found >= limit) ||
        report(run, { keyword, params: { limit }, data: value, parentSchema: schema })
      );
    };
  };
}

export function itself(value: number): number {
  return value;
}

export function lengthOf({ length }: { readonly length: number }): number {
  return length;
}

export function pattern(schema: JsonSchema): SchemaCheck {
  const source = schema['pattern'] as string;
  const expression = new RegExp(source, 'u');
  return (value, run) =>
    expression.test(value as string) ||
    report(run, { keyword: 'pattern', params: { pattern: source }, data: value, parentSchema: schema });
}

export function constant(schema: JsonSchema): SchemaCheck {
  const allowedValue = scalar(schema['const']);
  return (value, run) =>
    value === allowedValue ||
    report(run, { keyword: 'const', params: { allowedValue }, data: value, parentSchema: schema });
}

export function oneOfValues(schema: JsonSchema): SchemaCheck {
  const allowedValues = schema['enum'] as readonly unknown[];
  const allowed = new Set(allowedValues.map(scalar));
  return (value, run) =>
    allowed.has(value) ||
    report(run, { keyword: 'enum', params: { allowedValues }, data: value, parentSchema: schema });
}

function scalar(value: unknown): unknown {
  if (typeof value === 'object' && value !== null) throw new Error('Only scalars are compared.');
  return value;
}

export function required(schema: JsonSchema): SchemaCheck {
  const names = schema['required'] as readonly string[];
  return (value, run) =>
    everyPart(
      names,
      run,
      (name) =>
        memberOf(value as JsonSchema, name) !== undefined ||
        report(run, { keyword: 'required', params: { missingProperty: name }, data: value, parentSchema: schema }),
    );
}
