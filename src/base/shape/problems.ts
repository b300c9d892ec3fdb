/** The problems of values that JSON Schema or JSON itself rules out, and their words. */

import type { DiagnosticOf } from '../diagnostic.ts';
import { memberOf } from '../json.ts';
import { didYouMean, EITHER, ERROR, listed, quoted, shown, type WordsFor } from '../wording.ts';

/** Problems of single values. */
export interface ValueProblems {
  /**
   * `example`: what may be meant: a list as JSON for a mapping, the member `a:` for a list with `key: a`, `10` for `10%`, `false` for `no`.
   * `quoted`: without its quotes the value would have the type.
   */
  'type-wrong': {
    readonly expected: readonly string[];
    readonly found: string;
    readonly example?: string;
    readonly quoted?: true;
  };
  'number-imprecise': { readonly found: string };
  /** `character` as `U+0000`. */
  'character-forbidden': { readonly character: string };
}

export interface ShapeProblems extends ValueProblems {
  /**
   * `owner`: the part that has the suggested member, if not this one. `consent`: the member that allows unknown ones. `section`: where it
   * belongs if it is a declaration.
   */
  'property-unknown': {
    readonly property: string;
    readonly suggestion?: string;
    readonly owner?: string;
    readonly consent?: string;
    readonly section?: string;
  };
  'property-missing': { readonly property: string };
  'value-not-allowed': { readonly found: string; readonly allowed: readonly string[]; readonly suggestion?: string };
  'value-out-of-range': { readonly found: number; readonly minimum?: number; readonly maximum?: number };
  'value-pattern': { readonly found: string; readonly pattern: string };
  'length-out-of-range': { readonly found: number; readonly minimum?: number; readonly maximum?: number };
  'combination-forbidden': { readonly properties: readonly string[] };
}

export type ShapeDiagnostic = DiagnosticOf<ShapeProblems>;

const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  integer: 'an integer',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a mapping',
  null: 'nothing (null)',
};

const KEY = String.raw`\{(key|camelCase|PascalCase|snake_case|UPPER_CASE|kebab-case)\}`;
/** The pattern of `refs.patterns`. */
export const ONE_KEY: string = `^(?!.*${KEY}.*${KEY}).*${KEY}`;

/** The patterns of the schemas in words; a test checks that the schemas use no other. */
export const PATTERNS: Readonly<Record<string, string>> = {
  '^\\d{4}-\\d{2}-\\d{2}([Tt ]\\d{2}:\\d{2}(:\\d{2}(\\.\\d+)?)?([Zz]|[+-]\\d{2}:?\\d{2})?)?$':
    'a date and time such as "2025-03-01T09:00:00Z"',
  '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}(:\\d{2})?(Z|[+-]\\d{2}:\\d{2})$':
    'a time with the offset of its time zone such as "2026-12-01T09:00+01:00"',
  '^([0-9]+(ms|s|m|h|d))+$': 'a duration such as "15m"',
  '^[A-Za-z0-9_\\-./]+$': 'a string of letters, digits, `_`, `-`, `.` and `/`',
  '^[A-Za-z0-9][A-Za-z0-9._-]*$': 'a string of letters, digits, `.`, `_` and `-` that begins with a letter or digit',
  [ONE_KEY]: 'a string with one of {key}, {camelCase}, {PascalCase}, {snake_case}, {UPPER_CASE} and {kebab-case}',
  '^([0-9]+|@current)$': 'a project id (a number) or "@current"',
  '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$': 'a UUID such as "0188a2d0-7b3c-7e61-9f61-2f6f2f6a1c11"',
  '^(?![0-9]+$).+$': 'a name that is not a number',
  '^(?!__proto__$)[A-Za-z0-9_-]+$': 'a string of letters, digits, `_` and `-`',
  '^\\d{4}-\\d{2}-\\d{2}$': 'a day such as "2026-12-31"',
  '^([01]\\d|2[0-3]):[0-5]\\d$|^24:00$': 'a time of day such as "16:00"',
  '^\\d{4}-\\d{2}-\\d{2}(T([01]\\d|2[0-3]):[0-5]\\d)?$': 'a day or a minute such as "2026-12-20" or "2026-12-20T18:00"',
  '^$|^(https?|ftps?)://': 'a web address such as "https://example.com"',
  '\\S': 'a string that is not blank',
};

export const SHAPE_WORDS: WordsFor<ShapeProblems> = {
  'type-wrong': {
    title: 'A value has the wrong type',
    severities: ERROR,
    hint: 'Write a value of the expected type.',
    message: ({ expected, found }) => `Expected ${types(expected)}, found ${memberOf(TYPES, found) ?? shown(found)}.`,
    remedy: typeRemedy,
  },
  'number-imprecise': {
    title: 'A number has more digits than a double can hold',
    severities: ERROR,
    hint: 'Write it with fewer digits, or in quotes where a string is accepted.',
    message: ({ found }) => `${shown(found)} would be rounded.`,
  },
  'character-forbidden': {
    title: 'A string holds a character that the service cannot store',
    severities: ERROR,
    hint: 'Remove it; neither NUL nor half of a surrogate pair can be stored.',
    message: ({ character }) => `This string holds ${character}, which the service cannot store.`,
    remedy: ({ character }) =>
      character === 'U+0000' ? 'Remove it.' : 'Remove it, or write both halves of the surrogate pair.',
  },
  'property-unknown': {
    title: 'A member is unknown',
    severities: ERROR,
    hint: 'Correct the name or remove it; `unknown_members: allow` next to `filters` allows names of a newer service.',
    message: ({ property }) => `${quoted(property)} is not known here.`,
    remedy: unknownRemedy,
  },
  'property-missing': {
    title: 'A required member is missing',
    severities: ERROR,
    hint: 'Add it.',
    message: ({ property }) => `${quoted(property)} is missing.`,
    remedy: ({ property }) => `Add ${quoted(property)}.`,
  },
  'value-not-allowed': {
    title: 'A value is not one of the allowed values',
    severities: ERROR,
    hint: 'Use one of the allowed values.',
    message: ({ found }) => `${quoted(found)} is not allowed here.`,
    remedy: ({ allowed, suggestion }) => didYouMean(suggestion, `Use ${listed(allowed)}.`),
  },
  'value-out-of-range': {
    title: 'A number is too small or too large',
    severities: ERROR,
    hint: 'Use a number within the limits.',
    message: ({ found, minimum, maximum }) => `${found} is not ${bounds(minimum, maximum)}.`,
  },
  'value-pattern': {
    title: 'A string does not have the required form',
    severities: EITHER,
    hint: 'Write it in that form; it is a warning where only newer versions of the service require the form.',
    message: ({ found, pattern }) =>
      `${quoted(found)} is not ${memberOf(PATTERNS, pattern) ?? `of the form ${shown(pattern)}`}.`,
    remedy: ({ pattern }) => `Write ${memberOf(PATTERNS, pattern) ?? 'it in that form'}.`,
  },
  'length-out-of-range': {
    title: 'A string or a list is too short or too long',
    severities: ERROR,
    hint: 'Keep within the required length.',
    message: ({ found, minimum, maximum }) => `The length is ${found}, which is not ${bounds(minimum, maximum)}.`,
    remedy: ({ minimum, found }) =>
      minimum === 1 && found === 0 ? 'Fill it in, or remove it.' : 'Keep within the required length.',
  },
  'combination-forbidden': {
    title: 'Members that exclude each other are used together',
    severities: ERROR,
    hint: 'Keep one of them.',
    message: ({ properties }) => `${listed(properties, 'and')} cannot be used together.`,
    remedy: ({ properties }) => `Keep ${listed(properties)}.`,
  },
};

/** White space that YAML takes for a part of a name: a no-break space in the indentation, for one. */
export const FOREIGN_INDENT: RegExp = /^ *[^\S ]|^\u200b/;

function unknownRemedy({ property, suggestion, owner, consent, section }: ShapeProblems['property-unknown']): string {
  if (FOREIGN_INDENT.test(property)) return 'Indent with spaces: this name begins with another white-space character.';
  if (section !== undefined) return `Put it under \`${section}:\`, or remove it.`;
  if (suggestion !== undefined && owner !== undefined) return `Did you mean ${quoted(suggestion)} of the ${owner}?`;
  const remedy = 'Remove it, or check its name';
  return didYouMean(
    suggestion,
    consent === undefined ? `${remedy}.` : `${remedy}; \`${consent}\` allows unknown names.`,
  );
}

function types(expected: readonly string[]): string {
  const known = expected.filter((type) => type !== 'null' || expected.length === 1);
  return known.map((type) => memberOf(TYPES, type) ?? shown(type)).join(' or ');
}

function typeRemedy({ expected, found, example, quoted: isQuoted }: ShapeProblems['type-wrong']): string {
  if (expected.includes('string') && (found === 'number' || found === 'boolean')) return 'Put it in quotes.';
  if (isQuoted === true) return 'Remove the quotes.';
  if (found === 'string' && example !== undefined) return textRemedy(shown(example));
  if (found === 'array' && example !== undefined)
    return `Write \`${shown(example)}\` in place of \`- key: ${shown(example.slice(0, -1))}\`, with its members indented below it.`;
  const such = example === undefined ? '' : `, such as \`${example}\``;
  return `Write ${types(expected)}${such}.`;
}

function textRemedy(example: string): string {
  if (example.startsWith('[')) return `Write \`${example}\`.`;
  if (example === 'true' || example === 'false')
    return `Write ${example}: in YAML 1.2, yes, no, on and off are strings.`;
  return example.includes(':')
    ? `Put a space after the colon: \`${example}\`.`
    : `Write ${example}, without the percent sign.`;
}

function bounds(minimum: number | undefined, maximum: number | undefined): string {
  if (minimum === undefined) return `at most ${maximum ?? 'any number'}`;
  return maximum === undefined ? `at least ${minimum}` : `between ${minimum} and ${maximum}`;
}
