/** What the published schema, as editors use it, says of manifests; and what it cannot say. */

import { Ajv2020 } from 'ajv/dist/2020.js';
import { stringifyJson } from '../../../src/base/json-text.ts';
import { readYaml } from '../../../src/base/yaml/read.ts';
import type { ManifestDiagnostic } from '../../../src/posthog/manifests/problems.ts';
import { readSchema } from '../../helpers/published-schema.ts';

const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false, allowUnionTypes: true });
const validate = ajv.compile(readSchema('manifest') as object);

/** The errors of the schema in the documents of a text. */
export function schemaErrorsIn(text: string): string[] {
  return readYaml('flags.yaml', text).documents.flatMap(({ value }) => {
    // An editor reads long numbers as doubles.
    validate(JSON.parse(stringifyJson(value)));
    return (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message ?? error.keyword}`);
  });
}

interface Limit {
  readonly reason: string;
  /** The diagnostics that it is about; by default all with the code. */
  readonly covers?: (diagnostic: ManifestDiagnostic) => boolean;
}

const OTHER_ENTRIES = 'It compares entries of the manifests with each other.';
const CONFIGURATION = 'It depends on the configuration.';
const OTHER_FILE = 'It depends on the schema of payloads.';
const OTHER_MEMBERS = 'It compares values with each other.';
const TEXT = 'It depends on the text of a value beyond its form.';

/** The errors that a schema cannot find, with the reason. */
export const NOT_IN_SCHEMA: Readonly<Record<string, Limit>> = {
  'value-missing': { reason: TEXT },
  'value-excludes-none': { reason: TEXT },
  'text-in-quotes': { reason: TEXT },
  'flag-duplicate': { reason: OTHER_ENTRIES },
  'flag-unknown': { reason: OTHER_ENTRIES },
  'flag-depends-on-itself': { reason: OTHER_ENTRIES },
  'flag-depends-on-deleted': { reason: OTHER_ENTRIES },
  'previous-key-taken': { reason: OTHER_ENTRIES },
  'project-unknown': { reason: CONFIGURATION },
  'role-unknown': { reason: CONFIGURATION },
  'cohort-unknown': { reason: CONFIGURATION },
  'variants-sum': { reason: OTHER_MEMBERS },
  'variant-duplicate': { reason: OTHER_MEMBERS },
  'variant-unknown': { reason: OTHER_MEMBERS },
  'payload-key-unknown': { reason: OTHER_MEMBERS },
  'condition-unknown': { reason: OTHER_MEMBERS },
  'condition-ambiguous': { reason: OTHER_MEMBERS },
  'condition-duplicate': { reason: OTHER_MEMBERS },
  'aggregation-mixed': { reason: OTHER_MEMBERS },
  'property-group-mismatch': { reason: OTHER_MEMBERS },
  'filters-too-large': { reason: OTHER_MEMBERS },
  'payload-schema-unreadable': { reason: OTHER_FILE },
  'payload-schema-not-json': { reason: OTHER_FILE },
  'payload-schema-invalid': { reason: OTHER_FILE },
  'payload-schema-mismatch': { reason: OTHER_FILE },
  'payloads-unchecked': { reason: OTHER_FILE },
  'steps-out-of-order': { reason: OTHER_MEMBERS },
  'steps-too-close': { reason: OTHER_MEMBERS },
  'step-changes-nothing': { reason: OTHER_MEMBERS },
  'jumps-too-many': { reason: OTHER_MEMBERS },
  'guard-skips-steps': { reason: OTHER_MEMBERS },
  'guard-unknown': { reason: CONFIGURATION },
  'step-time-invalid': { reason: TEXT },
  'regex-invalid': { reason: TEXT },
  'regex-refused': { reason: TEXT },
  'regex-unknown': { reason: TEXT },
  'character-forbidden': { reason: TEXT },
  'number-imprecise': { reason: TEXT },
  'payload-not-json': { reason: TEXT },
  'operator-value-unfit': {
    reason: TEXT,
    covers: ({ args }) => 'expected' in args && /^a date|^a cohort/.test(String(args.expected)),
  },
};

/** Whether a schema can be expected to find an error. */
export function isSaid(diagnostic: ManifestDiagnostic): boolean {
  const limit = NOT_IN_SCHEMA[diagnostic.code];
  return limit === undefined || limit.covers?.(diagnostic) === false;
}
