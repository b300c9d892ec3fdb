/** The few checks of an answer before it is used; an error names what is missing. */

import { toPointer, type JsonPath } from '../../base/json-pointer.ts';
import {
  isJsonArray,
  isJsonObject,
  memberOf,
  type JsonArray,
  type JsonObject,
  type JsonValue,
} from '../../base/json.ts';
import type { Flag } from '../flag/model/flag.ts';

/** The body of an answer is not what the operation promises. */
export class UnexpectedShape extends Error {
  override readonly name = 'UnexpectedShape';
  /** JSON pointer into the body. */
  readonly at: string;
  readonly expected: string;

  constructor(path: JsonPath, expected: string) {
    super(expected);
    this.at = toPointer(path);
    this.expected = expected;
  }
}

export function readObject(value: JsonValue | undefined, path: JsonPath = []): JsonObject {
  if (!isJsonObject(value)) throw new UnexpectedShape(path, 'an object');
  return value;
}

export function readArray(value: JsonValue | undefined, path: JsonPath): JsonArray {
  if (!isJsonArray(value)) throw new UnexpectedShape(path, 'an array');
  return value;
}

export function readInteger(value: JsonValue | undefined, path: JsonPath): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) throw new UnexpectedShape(path, 'an integer');
  return value;
}

export function readText(value: JsonValue | undefined, path: JsonPath): string {
  if (typeof value !== 'string') throw new UnexpectedShape(path, 'a string');
  return value;
}

export function readBoolean(value: JsonValue | undefined, path: JsonPath): boolean {
  if (typeof value !== 'boolean') throw new UnexpectedShape(path, 'true or false');
  return value;
}

/** Text that says something, of a field that may be missing or of another type. */
export function filled(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The answer to a write without a response body: an empty page with another status comes from a proxy. */
export function readNothing(
  body: JsonValue | undefined,
  { status, expected }: { readonly status: number; readonly expected: readonly number[] },
): undefined {
  if (!expected.includes(status)) throw new UnexpectedShape([], `status ${expected.join(' or ')}`);
  if (body !== undefined) throw new UnexpectedShape([], 'no body');
}

/** Checks the fields that are iterated or sorted, if present. All others are compared as they are. */
const FLAG_FIELDS: Readonly<Record<string, (value: JsonValue, path: JsonPath) => unknown>> = {
  name: (value, path) => value === null || readText(value, path),
  filters: readObject,
  version: (value, path) => value === null || readInteger(value, path),
  tags: (value, path) => value === null || readArray(value, path).map((tag, index) => readText(tag, [...path, index])),
  experiment_set: (value, path) =>
    value === null || readArray(value, path).map((id, index) => readInteger(id, [...path, index])),
  experiment_set_metadata: (value, path) =>
    value === null || readArray(value, path).map((experiment, index) => readExperiment(experiment, [...path, index])),
};

function readExperiment(value: JsonValue, path: JsonPath): void {
  const { id, name = null, is_running: isRunning = null } = readObject(value, path);
  readInteger(id, [...path, 'id']);
  if (name !== null) readText(name, [...path, 'name']);
  if (isRunning !== null) readBoolean(isRunning, [...path, 'is_running']);
}

export function readFlag(value: JsonValue | undefined, path: JsonPath = []): Flag {
  const flag = readObject(value, path);
  for (const [name, check] of Object.entries(FLAG_FIELDS)) {
    const field = memberOf(flag, name);
    if (field !== undefined) check(field, [...path, name]);
  }
  return { ...flag, id: readInteger(flag['id'], [...path, 'id']), key: readText(flag['key'], [...path, 'key']) };
}
