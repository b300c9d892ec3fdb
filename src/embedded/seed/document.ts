/** A seed as written, checked against its schema and brought to one form. */

import { readFileSync } from 'node:fs';
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import { FlaghoistError } from '../../base/errors.ts';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../base/json.ts';

/** The one form of a seed. Places in errors are pointers into the document as it was given. */
export interface SeedDocument {
  readonly projectId: string | undefined;
  readonly flags: readonly SeedFlag[];
  /** Where the flags stand in the document as given: `/flags`, `/results`, or the empty pointer. */
  readonly flagsPointer: string;
  readonly roles: readonly SeedRole[];
  readonly roleAccess: readonly SeedRoleAccess[];
  readonly cohorts: readonly SeedCohort[];
  readonly experiments: readonly SeedExperiment[];
  readonly groups: readonly SeedGroup[];
}

/** A flag as the service answers it; the members named here are those that the schema types. */
export interface SeedFlag extends JsonObject {
  readonly id?: number;
  readonly key: string;
  readonly name?: string;
  readonly active?: boolean;
  readonly deleted?: boolean;
  readonly archived?: boolean;
  readonly filters?: JsonObject;
  readonly created_at?: string;
  readonly version?: number | null;
}

interface SeedRole {
  readonly id: string;
  readonly name: string;
  readonly feature_flags_access_level?: number;
}

interface SeedRoleAccess {
  /** Key or id. */
  readonly flag: string | number;
  /** Name or id. */
  readonly role: string;
}

interface SeedCohort {
  readonly id: number;
  readonly name?: string | null;
}

export interface SeedExperiment {
  readonly id: number;
  readonly name?: string;
  readonly flag: string | number;
  readonly is_running?: boolean;
}

interface SeedGroup {
  readonly group_type_index: number;
  readonly key: string;
  readonly name: string;
}

/** What a seed document holds once its schema has passed it. */
interface WrittenSeed {
  readonly project_id?: string | number;
  readonly flags?: readonly SeedFlag[];
  readonly roles?: readonly SeedRole[];
  readonly role_access?: readonly SeedRoleAccess[];
  readonly cohorts?: readonly SeedCohort[];
  readonly experiments?: readonly SeedExperiment[];
  readonly groups?: readonly SeedGroup[];
}

const SCHEMA_URL = new URL('../../../schemas/seed.schema.json', import.meta.url);

type SeedForm = 'document' | 'listing' | 'flags';

/** Throws `FlaghoistError('usage')` naming the first place that does not fit. */
export function readSeed(seed: JsonValue): SeedDocument {
  const form = formOf(seed);
  checkSchema(seed, form);
  const document = writtenSeed(seed, form);
  return {
    projectId: document.project_id === undefined ? undefined : String(document.project_id),
    flags: document.flags ?? [],
    flagsPointer: { document: '/flags', listing: '/results', flags: '' }[form],
    roles: document.roles ?? [],
    roleAccess: document.role_access ?? [],
    cohorts: document.cohorts ?? [],
    experiments: document.experiments ?? [],
    groups: document.groups ?? [],
  };
}

export function seedProblem(pointer: string, text: string): FlaghoistError {
  return new FlaghoistError('usage', `The seed does not fit at ${pointer === '' ? 'its top' : pointer}: ${text}`, {
    remedy: 'See docs/embedded.md for what a seed holds.',
  });
}

/** Decided before the schema is asked, so that its complaints are about the form that was meant. */
function formOf(seed: JsonValue): SeedForm {
  if (isJsonArray(seed)) return 'flags';
  return isJsonObject(seed) && Object.hasOwn(seed, 'results') ? 'listing' : 'document';
}

function checkSchema(seed: JsonValue, form: SeedForm): void {
  const ajv = new Ajv2020({ strict: false });
  const schema = JSON.parse(readFileSync(SCHEMA_URL, 'utf8')) as JsonObject;
  const validate = ajv.addSchema(schema, 'seed').getSchema(`seed#/$defs/${form}`);
  if (validate === undefined) throw new FlaghoistError('internal', `The seed schema has no ${form}`);
  if (validate(seed) === true) return;
  const [error] = validate.errors ?? [];
  throw seedProblem(error?.instancePath ?? '', wordsOf(error));
}

function wordsOf(error: ErrorObject | undefined): string {
  const extra: unknown = error?.params['additionalProperty'];
  return `${error?.message ?? 'not a seed'}${typeof extra === 'string' ? ` (${extra})` : ''}`;
}

/** The schema has been checked: what it types may be taken as typed. */
function writtenSeed(seed: JsonValue, form: SeedForm): WrittenSeed {
  switch (form) {
    case 'flags':
      return { flags: seed as readonly SeedFlag[] };
    case 'listing':
      return { flags: (seed as { readonly results: readonly SeedFlag[] }).results };
    case 'document':
      return seed as WrittenSeed;
    default:
      return form satisfies never;
  }
}
