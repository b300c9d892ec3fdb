/** Small JSON Schemas from which the schemas of answers are composed. */

import type { JsonObject } from '../../../src/base/json.ts';
import { FALSE_VALUES, TRUE_VALUES } from '../flags/field-types.ts';
import type { Profile } from '../handler/profile.ts';

export const ANYTHING: JsonObject = {};
export const TEXT: JsonObject = { type: 'string' };
export const BOOLEAN: JsonObject = { type: 'boolean' };
export const INTEGER: JsonObject = { type: 'integer' };
export const ID: JsonObject = { type: 'integer', minimum: 1 };
export const PERCENTAGE: JsonObject = { type: 'number', minimum: 0, maximum: 100 };
/** The values that Django REST Framework reads as a string, a boolean and an integer. */
export const SENT_TEXT: JsonObject = { type: ['string', 'number'] };
export const SENT_BOOLEAN: JsonObject = { enum: [...TRUE_VALUES, ...FALSE_VALUES] };
export const SENT_INTEGER: JsonObject = {
  anyOf: [{ type: 'integer' }, { type: 'string', pattern: '^\\s*[+-]?\\d+\\s*$' }],
};
/** The explicit permission keeps generated clients from allowing no members. */
export const OBJECT: JsonObject = { type: 'object', additionalProperties: true };
export const UUID: JsonObject = { type: 'string', format: 'uuid' };
export const DATE_TIME: JsonObject = { type: 'string', format: 'date-time' };

export function nullable(schema: JsonObject): JsonObject {
  return { anyOf: [schema, { type: 'null' }] };
}

export function listOf(items: JsonObject): JsonObject {
  return { type: 'array', items };
}

export function mapOf(values: JsonObject): JsonObject {
  return { type: 'object', additionalProperties: values };
}

export type Schemas = Readonly<Record<string, JsonObject>>;

/** An object without other members. Those whose name ends with `?` are optional. */
export function objectOf(members: Schemas): JsonObject {
  return { ...openObjectOf(members), additionalProperties: false };
}

/** An object that may have other members. */
export function openObjectOf(members: Schemas): JsonObject {
  return {
    type: 'object',
    required: Object.keys(members).filter((name) => !name.endsWith('?')),
    properties: Object.fromEntries(Object.entries(members).map(([name, schema]) => [name.replace('?', ''), schema])),
  };
}

/** The members, all optional. */
export function optional(members: Schemas): Schemas {
  return Object.fromEntries(Object.entries(members).map(([name, schema]) => [`${name.replace('?', '')}?`, schema]));
}

export function ref(name: string): JsonObject {
  return { $ref: `#/components/schemas/${name}` };
}

/** A page of a list that says how many entries it has. */
export function pageOf(name: string): JsonObject {
  const link = nullable({ type: 'string', format: 'uri' });
  return objectOf({ count: INTEGER, next: link, previous: link, results: listOf(ref(name)) });
}

/** The name of a schema for each status; null for no body. A name alone has the status 200. */
type AnswerDescriptions = string | Readonly<Record<number, string | null>>;

export type Operations = Readonly<Record<string, OperationDescription>>;

interface OperationDescription {
  readonly summary: string;
  /** Names of query parameters. */
  readonly query?: readonly string[];
  /** Names of query parameters without which the request is refused. */
  readonly required?: readonly string[];
  /** The name of a schema; with `?` where the request is also accepted without a body. */
  readonly body?: string;
  /** The name of the schema of refusals; default: the envelope. */
  readonly refusal?: string;
  readonly answers: AnswerDescriptions | Readonly<Record<Profile, AnswerDescriptions>>;
}

/** Answers of writes that an approval policy covers, or several do. */
export const GATED = { 400: 'WriteRefusal', 409: 'WriteConflict' };
