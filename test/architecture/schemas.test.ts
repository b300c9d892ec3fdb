/** The schemas of documents leave nothing unchecked but values of the service, which may be anything. */

import { expect, it } from 'vitest';
import { readSchema } from '../helpers/published-schema.ts';

type Schema = boolean | { readonly [member: string]: unknown };

/** Members that say something about a schema, and constrain nothing. */
const REMARKS: ReadonlySet<string> = new Set(['title', 'description', 'examples', 'default']);

/** What flags and cohorts hold. */
const VALUES: ReadonlySet<string> = new Set([
  ...['before', 'after', 'base', 'declared', 'live', 'wanted', 'found', 'value', 'payload'],
  ...['body', 'flag', 'cohort', 'former', 'condition', 'filter'],
]);

/** Checked elsewhere in the same schema, or with members of its own for each code. */
const ELSEWHERE: ReadonlySet<string> = new Set([
  ...['outcome', 'error', 'change_request', 'parts', 'skipped', 'already'],
  ...['added', 'removed', 'reason', 'attribution', 'facts'],
]);

const DOCUMENTS = [
  ...[
    'accept',
    'doctor',
    'error',
    'explain',
    'files',
    'history',
    'parity',
    'plan',
    'rehearsal',
    'promote',
    'result',
    'test',
    'undo',
  ],
  'validation',
];

it.each(DOCUMENTS)('the schema of the document %s constrains every member', (name) => {
  const schema = readSchema(name) as Schema;
  const open = findOpen(schema, []).filter((path) => !path.some((step) => VALUES.has(step) || ELSEWHERE.has(step)));
  // An outcome stands beside the members of its change.
  const isOutcome = (path: readonly string[]): boolean => path[0] === '$defs' && path[1] === 'open';
  expect(open.filter((path) => !isOutcome(path)).map((path) => path.join('/'))).toEqual([]);
});

/** The paths of schemas that accept anything, or any further member. */
function findOpen(schema: Schema, path: readonly string[]): (readonly string[])[] {
  if (schema === false) return [];
  if (schema === true || Object.keys(schema).every((member) => REMARKS.has(member))) return [path];
  const isLoose =
    schema['type'] === 'object' &&
    schema['additionalProperties'] === undefined &&
    schema['oneOf'] === undefined &&
    schema['$ref'] === undefined;
  return [
    ...(isLoose ? [path] : []),
    ...Object.entries(schema).flatMap(([member, part]) => inside(member, part, path)),
  ];
}

function inside(member: string, part: unknown, path: readonly string[]): (readonly string[])[] {
  if (member === 'properties' || member === '$defs') {
    const named = Object.entries(part as Readonly<Record<string, Schema>>);
    return named.flatMap(([name, one]) => findOpen(one, [...path, ...(member === '$defs' ? [member] : []), name]));
  }
  if (member === 'items' || member === 'additionalProperties') return findOpen(part as Schema, path);
  if (['oneOf', 'anyOf', 'allOf'].includes(member))
    return (part as readonly Schema[]).flatMap((one, index) => findOpen(one, [...path, String(index)]));
  return [];
}
