/** The findings of a compiled JSON Schema as diagnostics: placed, in our codes, with the name that was probably meant. */

import type { ProblemOf } from '../diagnostic.ts';
import { stringifyJson } from '../json-text.ts';
import { isJsonArray, isJsonNumber, isJsonObject, type JsonValue } from '../json.ts';
import { toPointer } from '../json-pointer.ts';
import { placeAt, type PlaceTree } from '../place.ts';
import { nearest } from '../text.ts';
import type { ShapeDiagnostic, ShapeProblems } from './problems.ts';

/** A compiled schema (`scripts/compile-schemas.mjs`); after a call that returned false, `errors` says why. */
export interface Validator {
  (value: JsonValue): boolean;
  errors?: readonly ShapeError[] | null;
}

/** What ajv reports with `verbose`; `data` is the value at `instancePath` and `parentSchema` what it should be. */
export interface ShapeError {
  readonly keyword: string;
  readonly instancePath: string;
  /** English, of the schema compiler. */
  readonly message?: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** The name of a member, when the name itself is at fault. */
  readonly propertyName?: string;
  readonly data?: unknown;
  readonly parentSchema?: Readonly<Record<string, unknown>>;
}

/** Checks a document; `prefix` is the pointer of `value` from the top of its file. */
export function checkShape(validator: Validator, value: JsonValue, places: PlaceTree): ShapeDiagnostic[] {
  if (validator(value)) return [];
  return (validator.errors ?? []).flatMap((error) => {
    const finding = findingOf(error);
    if (finding === undefined) return [];
    const path = error.instancePath + (finding.member === undefined ? '' : toPointer([finding.member]));
    return [{ ...finding.problem, severity: 'error', place: placeAt(places, path), path } as ShapeDiagnostic];
  });
}

interface Finding {
  readonly problem: ProblemOf<ShapeProblems>;
  /** The member of the value at fault, where it is not the value itself. */
  readonly member?: string;
}

function findingOf(error: ShapeError): Finding | undefined {
  const { keyword, params, data } = error;
  const schema = error.parentSchema ?? {};
  switch (keyword) {
    case 'type':
      return { problem: wrongType(textList(params['type']), data) };
    case 'additionalProperties':
      return unknownProperty(String(params['additionalProperty']), schema);
    case 'required':
      return { problem: { code: 'property-missing', args: { property: String(params['missingProperty']) } } };
    case 'enum':
      return { problem: { code: 'value-not-allowed', args: notAllowed(data, params['allowedValues']) } };
    case 'minimum':
    case 'maximum':
      return { problem: { code: 'value-out-of-range', args: { found: Number(data), ...range(schema, 'imum') } } };
    case 'minItems':
    case 'minLength':
    case 'maxLength':
      return lengthOutOfRange(error, schema);
    case 'pattern':
      return {
        problem: { code: 'value-pattern', args: { found: String(data), pattern: String(params['pattern']) } },
        ...memberOf(error),
      };
    case 'propertyNames':
      return undefined; // says again what the error about the name has said
    default:
      throw new Error(`The schema keyword ${keyword} has no diagnostic.`);
  }
}

/** Where a number is expected, one that a double cannot hold is a number that does not fit. */
function wrongType(expected: readonly string[], data: unknown): Finding['problem'] {
  const isNumber = expected.includes('number') || expected.includes('integer');
  return isNumber && isJsonNumber(data) && typeof data !== 'number'
    ? { code: 'number-imprecise', args: { found: String(data) } }
    : { code: 'type-wrong', args: { expected, found: typeOf(data) } };
}

function unknownProperty(property: string, schema: Readonly<Record<string, unknown>>): Finding {
  const known = isJsonObject(schema['properties']) ? Object.keys(schema['properties']) : [];
  const suggestion = nearest(property, known);
  return {
    problem: { code: 'property-unknown', args: suggestion === undefined ? { property } : { property, suggestion } },
    member: property,
  };
}

function notAllowed(data: unknown, allowedValues: unknown): ShapeProblems['value-not-allowed'] {
  const allowed = textList(allowedValues);
  const found = typeof data === 'string' ? data : (stringifyJson(data) ?? '');
  const suggestion = nearest(found, allowed);
  return suggestion === undefined ? { found, allowed } : { found, allowed, suggestion };
}

function lengthOutOfRange(error: ShapeError, schema: Readonly<Record<string, unknown>>): Finding {
  const measured = error.data as string | readonly unknown[];
  const bounds = range(schema, error.keyword === 'minItems' ? 'Items' : 'Length');
  return { problem: { code: 'length-out-of-range', args: { found: measured.length, ...bounds } }, ...memberOf(error) };
}

// Only the bounds that the schema has, so that a message does not speak of others.
function range(schema: Readonly<Record<string, unknown>>, suffix: string): { minimum?: number; maximum?: number } {
  const minimum = schema[`min${suffix}`];
  const maximum = schema[`max${suffix}`];
  return {
    ...(typeof minimum === 'number' ? { minimum } : {}),
    ...(typeof maximum === 'number' ? { maximum } : {}),
  };
}

function memberOf(error: ShapeError): { member?: string } {
  return error.propertyName === undefined ? {} : { member: error.propertyName };
}

function textList(values: unknown): string[] {
  const list: readonly unknown[] = Array.isArray(values) ? values : [values];
  return list.filter((value) => value !== null).map(String);
}

/** The JSON Schema name of a value's type. */
function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (isJsonNumber(value)) return 'number';
  return isJsonArray(value) ? 'array' : typeof value;
}
