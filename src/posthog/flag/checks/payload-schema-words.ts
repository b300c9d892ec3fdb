/** The words for the problems of payloads and their schema. */

import type { SchemaFaultKind } from '../../../base/shape/user-schema.ts';
import { ERROR, listed, quoted, shown, WARNING, type WordsFor } from '../../../base/wording.ts';
import { unreadableText } from '../../../base/yaml/problems.ts';
import { TOO_COSTLY, TOO_DEEP, type PayloadSchemaProblems } from './problems.ts';

export const PAYLOAD_SCHEMA_WORDS: WordsFor<PayloadSchemaProblems> = {
  'payload-schema-unreadable': {
    title: 'The schema of payloads cannot be read',
    severities: ERROR,
    hint: 'Write the path of the JSON Schema relative to the manifest; it must be in or below the folder of flagwright.yaml.',
    message: ({ schema, reason }) => `${shown(schema)} cannot be read: ${unreadableText(reason)}.`,
  },
  'payload-schema-not-json': {
    title: 'The schema of payloads is not JSON',
    severities: ERROR,
    hint: 'Fix the syntax of the JSON Schema.',
    message: ({ schema, line }) => `${shown(schema)} is not JSON${line === undefined ? '' : `: see line ${line}`}.`,
  },
  'payload-schema-invalid': {
    title: 'The schema of payloads is invalid, or has a keyword that flagwright does not check',
    severities: ERROR,
    hint: 'Correct it, or write it without that keyword; docs/manifest.md, "The schema of payloads", has the keywords.',
    message: ({ schema, at, fault, keyword = '' }) =>
      `${shown(schema)}${at === '' ? '' : `, at ${shown(at)}`}: ${SCHEMA_FAULTS[fault](shown(keyword))}.`,
  },
  'payload-schema-mismatch': {
    title: 'A payload does not match its schema',
    severities: ERROR,
    hint: 'Correct the payload, or the schema.',
    message: ({ payload, schema, ...mismatch }) =>
      mismatch.keyword === TOO_COSTLY
        ? `The payload ${quoted(payload)} cannot be checked against ${shown(schema)}: one of its patterns, or its references, would take too long.`
        : `The payload ${quoted(payload)} does not match ${shown(schema)}: ${mismatchText(mismatch)}.`,
  },
  'payloads-unchecked': {
    title: 'Encrypted payloads cannot be checked against their schema',
    severities: WARNING,
    hint: 'No action needed if they match; encrypted payloads are not read.',
    message: ({ schema, payloads }) =>
      `Not checked against ${shown(schema)}, since they are encrypted: ${listed(payloads.slice(0, 8), 'and')}.`,
  },
};

const SCHEMA_FAULTS: Readonly<Record<SchemaFaultKind, (keyword: string) => string>> = {
  'not-a-schema': () => 'a schema is an object or a boolean',
  'too-deep': () => 'it is nested too deeply',
  'too-large': () => 'it has more than 1,000 parts',
  dialect: () => '`$schema` names neither draft 2020-12 nor draft 7',
  'keyword-unknown': (keyword) => `flagwright does not check the keyword \`${keyword}\``,
  'keyword-value': (keyword) => `\`${keyword}\` has an invalid value`,
  ignored: (keyword) => `draft 7 ignores \`${keyword}\` beside \`$ref\``,
  reference: () => '`$ref` leads to no schema in the same file',
  circle: () => 'the schema refers to itself for the same value',
};

function mismatchText({
  at,
  keyword,
  limit,
}: Omit<PayloadSchemaProblems['payload-schema-mismatch'], 'payload' | 'schema'>): string {
  const subject = at === '' ? 'it' : shown(at);
  if (keyword === TOO_DEEP) return `${subject} is nested too deeply`;
  if (keyword === 'required' || keyword === 'dependentRequired') return `${subject} is missing`;
  if (keyword === 'additionalProperties' || keyword === 'propertyNames' || keyword === 'false schema')
    return `${subject} is not allowed`;
  return `${subject} does not satisfy \`${keyword}${limit === undefined ? '' : `: ${shown(limit)}`}\``;
}
