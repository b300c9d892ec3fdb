/** Builds the SQL of a filter of flags from a table with a row for each of its members. */

import type { SqlValue } from './database.ts';
import { stringifyJson } from '../../../src/base/json-text.ts';
import type { StoredFlag } from './flag.ts';

export interface FlagSqlFilter extends SqlFilter {
  /** Tests that SQL cannot express: a flag must pass each. */
  readonly tests?: readonly FlagTest[];
}

export type FlagTest = (flag: StoredFlag) => boolean;

interface SqlFilter {
  readonly archived?: boolean;
  readonly active?: boolean;
  /** The exact key, ignoring case. */
  readonly key?: string;
  /** Flags with at least one of these tags. */
  readonly tags?: readonly string[];
  readonly excludedTags?: readonly string[];
  readonly excludedKeys?: readonly string[];
  readonly type?: FlagType;
  readonly createdBy?: readonly number[];
  readonly runtime?: string;
  readonly hasContexts?: boolean;
  /** Flags with 2 to 20 variants, which can have an experiment. */
  readonly eligible?: true;
}

export type FlagType = 'boolean' | 'multivariant' | 'experiment' | 'remote_config';

const VARIANTS = `coalesce(json_array_length(filters, '$.multivariate.variants'), 0)`;
const HAS_TAG = `EXISTS (SELECT 1 FROM json_each(fields, '$.tags') AS tag
  WHERE tag.value IN (SELECT value FROM json_each(?)))`;
const CONTEXTS = `coalesce(json_array_length(fields, '$.evaluation_contexts'), 0)`;

const TYPES: Readonly<Record<FlagType, string>> = {
  boolean: `${VARIANTS} = 0`,
  multivariant: `${VARIANTS} > 0`,
  experiment: `coalesce(json_array_length(fields, '$.experiment_set'), 0) > 0`,
  remote_config: `json_extract(fields, '$.is_remote_configuration') = 1`,
};

type Term = readonly [sql: string, ...values: SqlValue[]];
type Conditions = { readonly [Name in keyof SqlFilter]-?: (wanted: NonNullable<SqlFilter[Name]>) => Term };

const CONDITIONS: Conditions = {
  archived: (wanted) => ['archived = ?', Number(wanted)],
  active: (wanted) => ['active = ?', Number(wanted)],
  key: (wanted) => ['key = ? COLLATE NOCASE', wanted],
  tags: (wanted) => [HAS_TAG, stringifyJson(wanted)],
  excludedTags: (wanted) => [`NOT ${HAS_TAG}`, stringifyJson(wanted)],
  excludedKeys: (wanted) => ['key NOT IN (SELECT value FROM json_each(?))', stringifyJson(wanted)],
  type: (wanted) => [TYPES[wanted]],
  createdBy: (wanted) => [
    `json_extract(fields, '$.created_by.id') IN (SELECT value FROM json_each(?))`,
    stringifyJson(wanted),
  ],
  runtime: (wanted) => [`coalesce(json_extract(fields, '$.evaluation_runtime'), 'all') = ?`, wanted],
  eligible: () => [`${VARIANTS} BETWEEN 2 AND 20`],
  hasContexts: (wanted) => [`${CONTEXTS} ${wanted ? '>' : '='} 0`],
};

/** Deleted flags are never listed. An absent member does not filter. */
export function flagCondition(projectId: string, filter: SqlFilter): { where: string; values: SqlValue[] } {
  const terms: Term[] = [['project_id = ?', projectId], ['deleted = 0']];
  for (const name of Object.keys(CONDITIONS) as (keyof SqlFilter)[]) {
    const term = buildTerm(filter, name);
    if (term !== undefined) terms.push(term);
  }
  return {
    where: terms.map(([sql]) => sql).join(' AND '),
    values: terms.flatMap(([, ...values]) => values),
  };
}

function buildTerm<Name extends keyof SqlFilter>(filter: SqlFilter, name: Name): Term | undefined {
  const wanted = filter[name];
  return wanted === undefined ? undefined : (CONDITIONS[name] as (wanted: unknown) => Term)(wanted);
}
