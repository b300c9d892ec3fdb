/** The types of fields in a request: each reads a value, or refuses it as Django REST Framework does. */

import { plainText, stringifyJson } from '../../../src/base/json-text.ts';
import { arrayOrEmpty, isJsonArray, isJsonNumber, isJsonObject, type JsonValue } from '../../../src/base/json.ts';
import { invalid } from '../handler/envelope.ts';
import { parseTimestamp } from '../format/timestamp.ts';

/** Returns the value to store, or throws a 400 about `name`. Null is handled before. */
export type FieldType = (value: JsonValue, name: string) => JsonValue;

export const TRUE_VALUES: readonly JsonValue[] = ['true', 'True', 'TRUE', 't', 'T', 'yes', 'y', 'on', '1', 1, true];
export const FALSE_VALUES: readonly JsonValue[] = [
  'false',
  'False',
  'FALSE',
  'f',
  'F',
  'no',
  'n',
  'off',
  '0',
  0,
  false,
];

/** A trimmed string; a number becomes a string. */
export function text({ maxLength = Infinity, blank = false }: { maxLength?: number; blank?: boolean } = {}): FieldType {
  return (value, name) => {
    if (typeof value !== 'string' && typeof value !== 'number')
      throw invalid('invalid_input', 'Not a valid string.', name);
    const trimmed = String(value).trim();
    if (trimmed === '' && !blank) throw invalid('blank', 'This field may not be blank.', name);
    if (trimmed.length > maxLength) {
      throw invalid('max_length', `Ensure this field has no more than ${maxLength} characters.`, name);
    }
    if (trimmed.includes('\0')) throw invalid('null_characters_not_allowed', 'Null characters are not allowed.', name);
    if (/\p{Surrogate}/u.test(trimmed)) {
      throw invalid('surrogate_characters_not_allowed', 'Unpaired surrogates are not allowed.', name);
    }
    return trimmed;
  };
}

/** An absolute address, or with `blank` an empty string. */
export function address(options: { maxLength?: number; blank?: boolean } = {}): FieldType {
  const read = text(options);
  return (value, name) => {
    const trimmed = plainText(read(value, name));
    if (trimmed !== '' && !isAddress(trimmed)) throw invalid('invalid_input', 'Enter a valid URL.', name);
    return trimmed;
  };
}

function isAddress(value: string): boolean {
  return /^(https?|ftps?):\/\/\S+$/i.test(value) && URL.canParse(value);
}

export const boolean: FieldType = (value, name) => {
  if (TRUE_VALUES.includes(value)) return true;
  if (FALSE_VALUES.includes(value)) return false;
  throw invalid('invalid_input', 'Must be a valid boolean.', name);
};

export const integer: FieldType = (value, name) => {
  const number = readInteger(value);
  if (number === undefined) throw invalid('invalid_input', 'A valid integer is required.', name);
  return number;
};

/** The id of another object. */
export const reference: FieldType = (value, name) => {
  const number = readInteger(value);
  if (number === undefined) throw invalid('incorrect_type', 'Incorrect type. Expected an id.', name);
  return number;
};

function readInteger(value: JsonValue): number | undefined {
  const number = typeof value === 'string' && /^\s*[+-]?\d+\s*$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) ? number : undefined;
}

/** An integer that is not negative. */
export const wholeNumber: FieldType = (value, name) => {
  const number = integer(value, name);
  if (typeof number === 'number' && number < 0) {
    throw invalid('min_value', 'Ensure this value is greater than or equal to 0.', name);
  }
  return number;
};

/** A number from 0 to 100. */
export const percentage: FieldType = (value, name) => {
  if (!isJsonNumber(value)) throw invalid('invalid_input', 'A valid number is required.', name);
  const number = Number(String(value));
  if (number < 0) throw invalid('min_value', 'Ensure this value is greater than or equal to 0.', name);
  if (number > 100) throw invalid('max_value', 'Ensure this value is less than or equal to 100.', name);
  return number;
};

export const dateTime: FieldType = (value, name) => {
  const timestamp = typeof value === 'string' ? parseTimestamp(value) : undefined;
  if (timestamp === undefined) {
    throw invalid('invalid_input', 'Not a date and time such as 2026-01-31T09:30:00Z.', name);
  }
  return timestamp;
};

export const object: FieldType = (value, name) => {
  if (!isJsonObject(value)) throw invalid('not_a_dict', 'Expected an object of items.', name);
  return value;
};

export const anything: FieldType = (value) => value;

export function choice(values: readonly string[]): FieldType {
  return (value, name) => {
    if (typeof value !== 'string' || !values.includes(value)) {
      throw invalid('invalid_choice', `${stringifyJson(value)} is not a valid choice.`, name);
    }
    return value;
  };
}

export function list(
  element: FieldType,
  { minLength = 0, maxLength = Infinity }: { minLength?: number; maxLength?: number } = {},
): FieldType {
  return (value, name) => {
    if (!isJsonArray(value)) throw invalid('not_a_list', 'Expected a list of items.', name);
    if (value.length < minLength) throw invalid('empty', 'This list may not be empty.', name);
    if (value.length > maxLength) {
      throw invalid('max_length', `Ensure this field has no more than ${maxLength} elements.`, name);
    }
    return value.map((item) => element(item, name));
  };
}

/** Tags are lower-cased and unique. */
export const tags: FieldType = (value, name) => {
  const names = arrayOrEmpty(list(lowerCaseText)(value, name));
  return [...new Set(names.filter((tag) => tag !== ''))];
};

const lowerCaseText: FieldType = (value, name) => plainText(text({ blank: true })(value, name)).toLowerCase();
