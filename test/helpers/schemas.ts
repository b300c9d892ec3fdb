/** Checks documents against the published JSON Schemas. */

import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ReportKind } from '../../src/report/report.ts';
import { readSchema } from './published-schema.ts';

export type SchemaName =
  | 'plan'
  | 'snapshot'
  | 'doctor'
  | 'refs'
  | 'references'
  | 'stale'
  | 'catalog'
  | 'result'
  | 'error'
  | 'rehearsal'
  | 'validation'
  | 'files'
  | 'projects'
  | 'project-list'
  | 'undo'
  | 'history'
  | 'parity'
  | 'promote'
  | 'accept'
  | 'explain'
  | 'test';

/** The schema of the JSON document of each report that is a document of ours; records of the service are printed as they came. */
export const SCHEMA_OF = {
  plan: 'plan',
  drift: 'plan',
  result: 'result',
  nothing: 'result',
  undo: 'undo',
  projects: 'projects',
  run: 'history',
  history: 'history',
  validation: 'validation',
  test: 'test',
  files: 'files',
  export: 'files',
  promote: 'promote',
  parity: 'parity',
  doctor: 'doctor',
  refs: 'refs',
  stale: 'stale',
  catalog: 'catalog',
  rehearsal: 'rehearsal',
  explain: 'explain',
  accept: 'accept',
  failure: 'error',
} as const satisfies Partial<Record<ReportKind, SchemaName>>;

/** Each process compiles the schemas that it needs, and validates few documents: the time of compiling counts. */
const FAST_TO_COMPILE = { inlineRefs: false, code: { optimize: false } } as const;
const ajv = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true, ...FAST_TO_COMPILE });

function addressOf(name: string): string {
  return `https://flagwright.dev/schemas/${name}.schema.json`;
}

/** Makes the other documents known that a schema names. */
function withNamed(schema: object): object {
  const named = JSON.stringify(schema).matchAll(/"\$ref":"https:[^"]*\/([a-z]+)\.schema\.json"/g);
  for (const [, name = ''] of named) if (ajv.getSchema(addressOf(name)) === undefined) ajv.addSchema(readSchema(name));
  return schema;
}

/** The document's errors; empty if it is valid. */
export function schemaErrors(name: SchemaName, document: unknown): readonly string[] {
  const validate = ajv.getSchema(addressOf(name)) ?? ajv.compile(withNamed(readSchema(name)));
  if (validate(document) === true) return [];
  return (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message ?? ''}`);
}
