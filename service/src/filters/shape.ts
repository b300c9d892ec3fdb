/** Checks a value against a shape: drops unknown members, converts what the shape says, reports the first problem. */

import { stringifyJson } from '../../../src/base/json-text.ts';
import { isJsonArray, isJsonNumber, isJsonObject, type JsonObject, type JsonValue } from '../../../src/base/json.ts';
import { invalid } from '../handler/envelope.ts';

interface Nullable {
  readonly nullable?: true;
}

export type Shape =
  | { readonly kind: 'anything' }
  | ({ readonly kind: 'boolean' } & Nullable)
  | ({ readonly kind: 'number'; readonly minimum: number; readonly maximum: number } & Nullable)
  /** A number without a fraction of so many bits. */
  | ({ readonly kind: 'integer'; readonly bits: 32 | 64 } & Nullable)
  | ({
      readonly kind: 'text';
      readonly maxLength?: number;
      readonly pattern?: RegExp;
      readonly nonBlank?: true;
      /** Whether a number becomes a string. */
      readonly fromNumber?: true;
    } & Nullable)
  | ({
      readonly kind: 'choice';
      readonly values: readonly string[];
      readonly aliases?: Readonly<Record<string, string>>;
    } & Nullable)
  | ({ readonly kind: 'list'; readonly of: Shape; readonly nonEmpty?: true } & Nullable)
  | ({ readonly kind: 'map' } & Nullable)
  | ({ readonly kind: 'object'; readonly members: ShapeMembers; readonly required?: readonly string[] } & Nullable);

export type ShapeMembers = Readonly<Record<string, Shape>>;

/** Returns the value to store; throws a 400 with a code such as `structural.groups[].variant.invalid`. */
export function conform(value: JsonValue, shape: Shape, path: string): JsonValue {
  if (shape.kind === 'anything') return value;
  if (value === null) {
    if (shape.nullable) return null;
    throw problem(path, 'null', 'may not be null');
  }
  switch (shape.kind) {
    case 'boolean':
      if (typeof value !== 'boolean') throw problem(path, 'invalid', 'must be true or false');
      return value;
    case 'number':
      return conformNumber(value, shape, path);
    case 'integer':
      return conformInteger(value, shape, path);
    case 'text':
      return conformText(value, shape, path);
    case 'choice':
      return conformChoice(value, shape, path);
    case 'list':
      return conformList(value, shape, path);
    case 'map':
      if (!isJsonObject(value)) throw problem(path, 'not_a_dict', 'must be an object');
      return value;
    case 'object':
      return conformObject(value, shape, path);
  }
}

type ShapeOf<Kind extends Shape['kind']> = Extract<Shape, { readonly kind: Kind }>;

function conformNumber(value: JsonValue, { minimum, maximum }: ShapeOf<'number'>, path: string): number {
  if (!isJsonNumber(value)) throw problem(path, 'invalid', 'must be a number');
  const number = Number(value);
  if (!Number.isFinite(number)) throw problem(path, 'invalid', 'must be a number');
  if (number < minimum) throw problem(path, 'min_value', `must be at least ${minimum}`);
  if (number > maximum) throw problem(path, 'max_value', `must be at most ${maximum}`);
  return number;
}

function conformInteger(value: JsonValue, { bits }: ShapeOf<'integer'>, path: string): JsonValue {
  const isWhole = typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value));
  if (!isWhole) throw problem(path, 'invalid', 'must be a whole number');
  const limit = 2n ** BigInt(bits - 1);
  if (BigInt(value) < -limit) throw problem(path, 'min_value', `must be at least ${-limit}`);
  if (BigInt(value) >= limit) throw problem(path, 'max_value', `must be at most ${limit - 1n}`);
  return value;
}

function conformText(value: JsonValue, shape: ShapeOf<'text'>, path: string): string {
  const text = shape.fromNumber && isJsonNumber(value) ? String(value) : value;
  if (typeof text !== 'string') throw problem(path, 'invalid', 'must be a string');
  const { maxLength = Infinity, pattern } = shape;
  if (text === '' && shape.nonBlank) throw problem(path, 'blank', 'may not be blank');
  if (pattern !== undefined && !pattern.test(text))
    throw problem(path, 'invalid', 'contains characters that are not allowed');
  if (text.length > maxLength) throw problem(path, 'max_length', `may have at most ${maxLength} characters`);
  if (text.includes('\0')) throw problem(path, 'null_characters_not_allowed', 'may not contain null characters');
  if (/\p{Surrogate}/u.test(text)) throw problem(path, 'surrogate_characters_not_allowed', 'has an unpaired surrogate');
  return text;
}

function conformChoice(value: JsonValue, shape: ShapeOf<'choice'>, path: string): JsonValue {
  if (typeof value === 'string') {
    const meant = shape.aliases && Object.hasOwn(shape.aliases, value) ? (shape.aliases[value] as string) : value;
    if (shape.values.includes(meant)) return meant;
  }
  throw problem(path, 'invalid_choice', `${stringifyJson(value)} is not one of ${shape.values.join(', ')}`);
}

function conformList(value: JsonValue, shape: ShapeOf<'list'>, path: string): JsonValue {
  if (!isJsonArray(value)) throw problem(path, 'not_a_list', 'must be a list');
  if (shape.nonEmpty && value.length === 0) throw problem(path, 'empty', 'may not be empty');
  return value.map((element, index) => conform(element, shape.of, `${path}[${index}]`));
}

/** Members are checked in the order of the shape, as the service does. */
function conformObject(value: JsonValue, shape: ShapeOf<'object'>, path: string): JsonObject {
  if (!isJsonObject(value)) throw problem(path, 'invalid', 'must be an object');
  const inside = path === '' ? '' : `${path}.`;
  const kept = Object.entries(shape.members).flatMap(([name, member]): [string, JsonValue][] => {
    const given = Object.hasOwn(value, name) ? value[name] : undefined;
    if (given !== undefined) return [[name, conform(given, member, `${inside}${name}`)]];
    if (shape.required?.includes(name)) throw problem(`${inside}${name}`, 'required', 'is required');
    return [];
  });
  return Object.fromEntries(kept);
}

function problem(path: string, code: string, text: string): Error {
  const place = path.replace(/\[\d+\]/g, '[]');
  return invalid(`structural.${place}.${code}`, `${path}: ${text}.`, 'filters');
}
