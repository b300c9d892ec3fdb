/** Checks a value against a compiled JSON Schema, and reports errors as diagnostics with places and suggestions. */

import type { ProblemOf } from '../diagnostic.ts';
import { stringifyJson } from '../json-text.ts';
import { isJsonArray, isJsonNumber, isJsonObject, memberOf, type JsonValue } from '../json.ts';
import { toPointer } from '../json-pointer.ts';
import { defined } from '../optional.ts';
import { placeAt, type PlaceTree } from '../place.ts';
import { nearest } from '../text.ts';
import type { ShapeDiagnostic, ShapeProblems } from './problems.ts';

/** What ajv makes of a schema; when a call returns false, `errors` has the reasons. */
export interface Validator {
  (value: JsonValue): boolean;
  errors?: readonly ShapeError[] | null;
}

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

export function checkShape(validator: Validator, value: JsonValue, places: PlaceTree): ShapeDiagnostic[] {
  if (validator(value)) return [];
  return (validator.errors ?? []).flatMap((error) => {
    const finding = readError(error);
    if (finding === undefined) return [];
    const path = error.instancePath + (finding.member === undefined ? '' : toPointer([finding.member]));
    return [{ ...finding.problem, severity: 'error', place: placeAt(places, path), path } as ShapeDiagnostic];
  });
}

interface ShapeFinding {
  readonly problem: ProblemOf<ShapeProblems>;
  /** The member that is wrong, when it is not the value itself. */
  readonly member?: string;
}

function readError(error: ShapeError): ShapeFinding | undefined {
  const { keyword, params, data } = error;
  const schema = error.parentSchema ?? {};
  switch (keyword) {
    case 'type':
      return { problem: wrongType(textList(params['type']), data, schema) };
    case 'additionalProperties':
      return unknownProperty(String(params['additionalProperty']), schema);
    case 'required':
      return { problem: { code: 'property-missing', args: { property: String(params['missingProperty']) } } };
    case 'enum': {
      const allowed = textList(params['allowedValues']);
      const found = typeof data === 'string' ? data : (stringifyJson(data) ?? '');
      const args = { found, allowed, ...defined({ suggestion: nearest(found, allowed) }) };
      return { problem: { code: 'value-not-allowed', args } };
    }
    case 'minimum':
    case 'maximum':
      return { problem: { code: 'value-out-of-range', args: { found: Number(data), ...range(schema, 'imum') } } };
    case 'minItems':
    case 'maxItems':
    case 'minLength':
    case 'maxLength':
      return {
        problem: {
          code: 'length-out-of-range',
          args: {
            found: typeof data === 'string' ? charactersOf(data) : (data as readonly unknown[]).length,
            ...range(schema, keyword.endsWith('Items') ? 'Items' : 'Length'),
          },
        },
        ...defined({ member: error.propertyName }),
      };
    case 'pattern':
      return {
        problem: { code: 'value-pattern', args: { found: String(data), pattern: String(params['pattern']) } },
        ...defined({ member: error.propertyName }),
      };
    case 'propertyNames':
    case 'if':
    case 'anyOf':
      return undefined; // repeats the errors about the name, or of the schemas that then apply
    default:
      throw new Error(`The schema keyword ${keyword} has no diagnostic.`);
  }
}

/** Reports a number that a double cannot hold as imprecise where a number is expected. */
function wrongType(
  expected: readonly string[],
  data: unknown,
  schema: Readonly<Record<string, unknown>>,
): ShapeFinding['problem'] {
  const isNumber = expected.includes('number') || expected.includes('integer');
  return isNumber && isJsonNumber(data) && typeof data !== 'number'
    ? { code: 'number-imprecise', args: { found: String(data) } }
    : { code: 'type-wrong', args: { expected, found: typeOf(data), ...exampleOf(expected, data, schema) } };
}

function exampleOf(
  expected: readonly string[],
  data: unknown,
  { examples }: Readonly<Record<string, unknown>>,
): { example?: string; quoted?: true } {
  if (typeof data === 'string') {
    const isQuoted = expected.includes('boolean') ? /^(true|false)$/ : /^-?\d+(\.\d+)?$/;
    return UNQUOTED.some((type) => expected.includes(type)) && isQuoted.test(data)
      ? { quoted: true }
      : defined({ example: meantByText(expected, data) });
  }
  if (isJsonArray(data) && expected.includes('object')) {
    const [first] = data;
    const key = isJsonObject(first) ? memberOf(first, 'key') : undefined;
    return typeof key === 'string' ? { example: `${key}:` } : {};
  }
  const example: unknown = Array.isArray(examples) ? examples[0] : undefined;
  return isJsonObject(data) && isJsonArray(example) ? { example: stringifyJson(example) } : {};
}

/** The types that a value has only without quotes. */
const UNQUOTED = ['boolean', 'integer', 'number'];

/** `no`, `10%`, `active:true`, and a single entry instead of a list. */
function meantByText(expected: readonly string[], text: string): string | undefined {
  const word = expected.includes('boolean') && /^(?:(y|yes|on)|n|no|off)$/i.exec(text);
  if (word) return String(word[1] !== undefined);
  const [, percentage] = /^\s*(\d+(?:\.\d+)?)\s*%$/.exec(text) ?? [];
  if (percentage !== undefined && expected.includes('number')) return percentage;
  const [, member, value] = /^([A-Za-z_]\w*):([^\s:,]+)/.exec(text) ?? [];
  if (member !== undefined && value !== undefined && expected.includes('object')) return `${member}: ${value}`;
  return expected.includes('array') && /^[\w.-]+(?:, *[\w.-]+)*$/.test(text) ? `[${text}]` : undefined;
}

function unknownProperty(property: string, schema: Readonly<Record<string, unknown>>): ShapeFinding {
  const known = isJsonObject(schema['properties']) ? Object.keys(schema['properties']) : [];
  const args = { property, ...defined({ suggestion: nearest(property, known) }) };
  return { problem: { code: 'property-unknown', args }, member: property };
}

/** The characters of a string: a surrogate pair is one. */
export function charactersOf(text: string): number {
  return text.length - (text.match(/[\u{10000}-\u{10ffff}]/gu)?.length ?? 0);
}

// Has only the limits that the schema has, so that a message mentions no other.
function range(schema: Readonly<Record<string, unknown>>, suffix: string): { minimum?: number; maximum?: number } {
  const minimum = memberOf(schema, `min${suffix}`);
  const maximum = memberOf(schema, `max${suffix}`);
  return defined({
    minimum: typeof minimum === 'number' ? minimum : undefined,
    maximum: typeof maximum === 'number' ? maximum : undefined,
  });
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
