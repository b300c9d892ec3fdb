/** The inputs of hog functions: their schema, and their values, of which secret ones are never shown. */

import {
  arrayOrEmpty,
  isJsonObject,
  memberOf,
  objectOrEmpty,
  type JsonObject,
  type JsonValue,
} from '../../../src/base/json.ts';
import { plainText } from '../../../src/base/json-text.ts';
import { anything, boolean, choice, list, object, text, type FieldType } from '../flags/field-types.ts';
import { readFields, type BodyField } from '../flags/read-fields.ts';
import { invalid } from '../handler/envelope.ts';

type TypeTest = (value: JsonValue) => boolean;

/** What a value that is not empty has to be. */
const TYPES: Readonly<Record<string, TypeTest>> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean' || typeof value === 'string',
  dictionary: isJsonObject,
  integration: (value) => typeof value === 'number',
  ...Object.fromEntries(
    ['choice', 'json', 'integration_field', 'email', 'native_email'].map((type): [string, TypeTest] => [
      type,
      () => true,
    ]),
  ),
};

const SCHEMA_FIELDS: readonly BodyField[] = [
  { name: 'type', type: choice(Object.keys(TYPES)), required: true },
  { name: 'key', type: text(), required: true },
  { name: 'label', type: text({ blank: true }) },
  { name: 'choices', type: list(object) },
  { name: 'default', type: anything, null: 'store' },
  ...['required', 'secret', 'hidden', 'searchable'].map((name): BodyField => ({ name, type: boolean })),
  ...['description', 'integration', 'integration_key', 'integration_field', 'requires_field', 'requiredScopes'].map(
    (name): BodyField => ({ name, type: text() }),
  ),
  { name: 'templating', type: anything },
];

export const inputSchema: FieldType = (sent) => ({
  required: false,
  secret: false,
  hidden: false,
  ...objectOrEmpty(readFields(sent, SCHEMA_FIELDS)),
});

const INPUT_FIELDS: readonly BodyField[] = [
  { name: 'value', type: anything, null: 'store' },
  { name: 'templating', type: choice(['hog', 'liquid']) },
];

/** Keeps the inputs that the schema names and drops others. A mark instead of a secret keeps the stored one. */
export function readInputs(
  schema: JsonValue | undefined,
  sent: JsonValue | undefined,
  stored: JsonValue | undefined,
): JsonObject {
  const before = objectOrEmpty(stored);
  const inputs = arrayOrEmpty(schema).flatMap((one, order): [string, JsonObject][] => {
    const member = objectOrEmpty(one);
    const key = plainText(member['key'] ?? '');
    const given = memberOf(objectOrEmpty(sent), key) ?? {};
    const kept = memberOf(before, key);
    const isKept = member['secret'] === true && isMarkOrEmpty(given);
    if (isKept && kept === undefined && isMark(given)) {
      throw inputProblem(key, 'No value is saved for this secret input. Enter the value again.');
    }
    const value = readInput(isKept ? (kept ?? given) : given, member, key);
    return value['value'] === undefined ? [] : [[key, { ...value, order }]];
  });
  return Object.fromEntries(inputs);
}

function readInput(sent: JsonValue, schema: JsonObject, key: string): JsonObject {
  const isMissing = isJsonObject(sent) && Object.keys(sent).length === 0;
  const { default: fallback = null } = schema;
  const given = isMissing && schema['required'] === true && fallback !== null ? { value: fallback } : sent;
  if (!isJsonObject(given)) throw inputProblem(key, 'Expected an object with a value.');
  const { value, ...more } = readFields(given, INPUT_FIELDS);
  if (schema['required'] === true && (value === undefined || value === null || value === '')) {
    throw inputProblem(key, 'This field is required.');
  }
  const type = plainText(schema['type'] ?? '');
  const isFilled = value !== undefined && value !== null && value !== '' && value !== false && value !== 0;
  if (isFilled && memberOf(TYPES, type)?.(value) === false)
    throw inputProblem(key, `Value must be of the type ${type}.`);
  const { templating } = schema;
  const propagated = templating === true ? 'hog' : templating === false ? undefined : templating;
  return {
    ...(value !== undefined && { value }),
    ...more,
    ...(propagated !== undefined && { templating: propagated }),
  };
}

/** A secret that is set is a mark. */
export function shownInputs(schema: JsonValue | undefined, inputs: JsonValue | undefined): JsonObject {
  const secrets = new Set(
    arrayOrEmpty(schema)
      .filter((one) => objectOrEmpty(one)['secret'] === true)
      .map((one) => objectOrEmpty(one)['key']),
  );
  return Object.fromEntries(
    Object.entries(objectOrEmpty(inputs)).map(([key, input]) => [key, secrets.has(key) ? { secret: true } : input]),
  );
}

function isMark(sent: JsonValue): boolean {
  return isJsonObject(sent) && sent['secret'] === true && !Object.hasOwn(sent, 'value');
}

function isMarkOrEmpty(sent: JsonValue): boolean {
  return isMark(sent) || (isJsonObject(sent) && Object.keys(sent).length === 0);
}

function inputProblem(key: string, detail: string): Error {
  return invalid('invalid_input', detail, `inputs__${key}`);
}
