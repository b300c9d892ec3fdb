/** Checks documents against the published JSON Schemas. */

import { Ajv2020 } from 'ajv/dist/2020.js';
import { readSchema } from './published-schema.ts';

export type SchemaName =
  | 'plan'
  | 'snapshot'
  | 'doctor'
  | 'refs'
  | 'references'
  | 'stale'
  | 'result'
  | 'error'
  | 'rehearsal'
  | 'validation'
  | 'files'
  | 'undo'
  | 'history'
  | 'parity'
  | 'promote'
  | 'accept'
  | 'explain'
  | 'test';

const ajv = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true });

/** The document's errors; empty if it is valid. */
export function schemaErrors(name: SchemaName, document: unknown): readonly string[] {
  const validate = ajv.getSchema(`https://flagwright.dev/schemas/${name}.schema.json`) ?? ajv.compile(readSchema(name));
  if (validate(document) === true) return [];
  return (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message ?? ''}`);
}
