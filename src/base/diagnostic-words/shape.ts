/** The words for values of the wrong shape, in manifests and in the configuration. */

import type { DiagnosticEntries } from './entry.ts';
import { didYouMean, EITHER, ERROR, listed, quoted, shown } from './entry.ts';

const TYPES: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a mapping',
  null: 'nothing (null)',
};

/** The patterns of the schemas in words; a test holds the list against the schemas. */
export const PATTERNS: Readonly<Record<string, string>> = {
  '^\\d{4}-\\d{2}-\\d{2}([Tt ]\\d{2}:\\d{2}(:\\d{2}(\\.\\d+)?)?([Zz]|[+-]\\d{2}:?\\d{2})?)?$':
    'a date and time such as "2025-03-01T09:00:00Z"',
  '^[A-Za-z0-9_\\-./]+$': 'letters, digits and `_`, `-`, `.`, `/`',
  '^[A-Za-z0-9][A-Za-z0-9._-]*$': 'letters, digits, `.`, `_` and `-`, beginning with a letter or digit',
  '^([0-9]+|@current)$': 'the number of a project, or "@current"',
  '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$': 'a UUID such as "0188a2d0-7b3c-7e61-9f61-2f6f2f6a1c11"',
  '^(?![0-9]+$).+$': 'a name that is not a number',
  '^(?!__proto__$)[A-Za-z0-9_-]+$': 'letters, digits, `_` and `-`',
};

export const SHAPE_WORDS: DiagnosticEntries<
  | 'type-wrong'
  | 'property-unknown'
  | 'property-missing'
  | 'value-not-allowed'
  | 'value-out-of-range'
  | 'value-pattern'
  | 'length-out-of-range'
  | 'combination-forbidden'
> = {
  'type-wrong': {
    title: 'A value has the wrong type',
    severities: ERROR,
    hint: 'Write a value of the type that is asked for.',
    message: ({ expected, found }) => `Expected ${types(expected)}, found ${TYPES[found] ?? shown(found)}.`,
    remedy: ({ expected, found }) => typeRemedy(expected, found),
  },
  'property-unknown': {
    title: 'A name is not known here',
    severities: EITHER,
    hint: 'Correct the name or remove it; a warning is given where a newer service may know it.',
    message: ({ property }) => `${quoted(property)} is not known here.`,
    remedy: ({ suggestion }) => didYouMean(suggestion, 'Remove it, or check its name.'),
  },
  'property-missing': {
    title: 'Something that must be given is missing',
    severities: ERROR,
    hint: 'Add it.',
    message: ({ property }) => `${quoted(property)} is missing.`,
    remedy: ({ property }) => `Add ${quoted(property)}.`,
  },
  'value-not-allowed': {
    title: 'A value is not one of those that are allowed',
    severities: ERROR,
    hint: 'Use one of the values that are allowed.',
    message: ({ found }) => `${quoted(found)} is not allowed here.`,
    remedy: ({ allowed, suggestion }) => didYouMean(suggestion, `Use ${listed(allowed)}.`),
  },
  'value-out-of-range': {
    title: 'A number is too small or too large',
    severities: ERROR,
    hint: 'Use a number within the bounds.',
    message: ({ found, minimum, maximum }) => `${found} is not ${bounds(minimum, maximum)}.`,
  },
  'value-pattern': {
    title: 'A text does not have the form that is asked for',
    severities: EITHER,
    hint: 'Write it in that form; a warning is given where only newer services ask for it.',
    message: ({ found, pattern }) => `${quoted(found)} is not ${PATTERNS[pattern] ?? `of the form ${shown(pattern)}`}.`,
    remedy: ({ pattern }) => `Write ${PATTERNS[pattern] ?? 'it in that form'}.`,
  },
  'length-out-of-range': {
    title: 'A text or a list is too short or too long',
    severities: ERROR,
    hint: 'Keep to the length that is asked for.',
    message: ({ found, minimum, maximum }) => `This has length ${found}, which is not ${bounds(minimum, maximum)}.`,
    remedy: ({ minimum, found }) =>
      minimum === 1 && found === 0 ? 'Leave it out, or put something in it.' : 'Keep to the length that is asked for.',
  },
  'combination-forbidden': {
    title: 'Members stand beside each other that exclude each other',
    severities: ERROR,
    hint: 'Keep one of them.',
    message: ({ properties }) => `${listed(properties, 'and')} cannot stand beside each other.`,
    remedy: ({ properties }) => `Keep ${listed(properties)}.`,
  },
};

function types(expected: readonly string[]): string {
  const known = expected.filter((type) => type !== 'null' || expected.length === 1);
  return known.map((type) => TYPES[type] ?? shown(type)).join(' or ');
}

function typeRemedy(expected: readonly string[], found: string): string {
  if (expected.includes('string') && (found === 'number' || found === 'boolean')) return 'Put it in quotes.';
  const unquoted = found === 'string' && expected.some((type) => UNQUOTED.has(type));
  return `Write ${types(expected)}${unquoted ? ', without quotes' : ''}.`;
}

const UNQUOTED: ReadonlySet<string> = new Set(['boolean', 'integer', 'number']);

function bounds(minimum: number | undefined, maximum: number | undefined): string {
  if (minimum === undefined) return `at most ${maximum ?? 'any number'}`;
  return maximum === undefined ? `at least ${minimum}` : `between ${minimum} and ${maximum}`;
}
