/** Arguments and options that only the resource commands have, and how their strings are parsed. */

import { InvalidArgumentError } from 'commander';
import { parseJson } from '../../base/json-text.ts';
import { isJsonArray, isJsonObject, objectFrom, type JsonObject, type JsonValue } from '../../base/json.ts';
import type { PersonId } from '../../posthog/client/operations/person.ts';
import { onOff, wholeNumber, type Parameter, type ParameterValues } from '../line/parameters.ts';

/** `NAME=VALUE`, repeatable. A value is JSON (`5`, `true`, `["a"]`, `"5"`), or else a string. */
export function members(syntax: string, description: string): Parameter<JsonObject | undefined> {
  return {
    syntax,
    description,
    parse: (pair, previous = {}) => {
      const [name, value] = splitPair(pair);
      return objectFrom([...(Object.entries(previous) as [string, JsonValue][]), [name, jsonOrText(value)]]);
    },
  };
}

/** `NAME=VALUE`, repeatable, with string values only. */
export function textMembers(
  syntax: string,
  description: string,
): Parameter<Readonly<Record<string, string>> | undefined> {
  return {
    syntax,
    description,
    parse: (pair, previous = {}) => {
      const [name, value] = splitPair(pair);
      return { ...previous, [name]: value };
    },
  };
}

function splitPair(pair: string): readonly [name: string, value: string] {
  const equals = pair.indexOf('=');
  if (equals < 1) throw new InvalidArgumentError('It must be NAME=VALUE.');
  return [pair.slice(0, equals), pair.slice(equals + 1)];
}

export function jsonObject(syntax: string, description: string): Parameter<JsonObject | undefined> {
  return { syntax, description, parse: parseObject };
}

export function requiredJsonObject(syntax: string, description: string): Parameter<JsonObject> {
  return { syntax, description, parse: parseObject, required: true };
}

export function jsonObjects(syntax: string, description: string): Parameter<readonly JsonObject[] | undefined> {
  return {
    syntax,
    description,
    parse: (value) => {
      const parsed = parseJson(value);
      if (!isJsonArray(parsed) || !parsed.every(isJsonObject)) {
        throw new InvalidArgumentError('It must be a JSON array of objects.');
      }
      return parsed;
    },
  };
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export const PERSON_ID: Parameter<PersonId> = {
  syntax: '<id>',
  description: 'number or UUID of the person',
  required: true,
  parse: parsePersonId,
};

export const OPTIONAL_PERSON_ID: Parameter<PersonId | undefined> = {
  syntax: '[id]',
  description: 'number or UUID of a person (default: all persons of the project)',
  parse: parsePersonId,
};

/** A UUID, in small letters. */
export function uuid(syntax: string, description: string): Parameter<string> {
  return {
    syntax,
    description,
    required: true,
    parse: (value) => {
      if (UUID.test(value)) return value.toLowerCase();
      throw new InvalidArgumentError('It must be a UUID.');
    },
  };
}

/** Options of every command that lists. `--all` overrides a limit. */
export const PAGING: {
  readonly limit: Parameter<number>;
  readonly all: Parameter<boolean | undefined>;
} = {
  limit: { syntax: '-n, --limit <n>', description: 'maximum number of entries', parse: wholeNumber(1), fallback: 100 },
  all: onOff('--all', 'all entries; csv and jsonl are streamed'),
};

export function limitOf({ limit, all }: ParameterValues<typeof PAGING>): number {
  return all === true ? Infinity : limit;
}

export function jsonOrText(value: string): JsonValue {
  try {
    return parseJson(value);
  } catch {
    return value;
  }
}

function parsePersonId(value: string): PersonId {
  if (/^\d{1,15}$/.test(value)) return Number(value);
  if (UUID.test(value)) return value.toLowerCase();
  throw new InvalidArgumentError('It must be the number or the UUID of a person; `persons list` shows both.');
}

function parseObject(value: string): JsonObject {
  const parsed = parseAny(value);
  if (!isJsonObject(parsed)) throw new InvalidArgumentError('It must be a JSON object.');
  return parsed;
}

function parseAny(value: string): JsonValue {
  try {
    return parseJson(value);
  } catch {
    throw new InvalidArgumentError('It must be JSON.');
  }
}
