/** `parity` and `promote` take a field for declared if the declaration has it, whatever its value is. */

import { describe, expect, test } from 'vitest';
import { stringifyJson } from '../../../src/base/json-text.ts';
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { promoteFlags } from '../../../src/editing/actions/promote.ts';
import type { Promoted } from '../../../src/editing/edit.ts';
import { COHORT_FACET } from '../../../src/editing/further/cohort.ts';
import { flagSources } from '../../../src/editing/flag/facet.ts';
import { readTexts, type ReadTexts } from '../../../src/editing/texts.ts';
import { FLAG_FIELDS, MEMBER_NAMES } from '../../../src/posthog/flag/model/fields.ts';
import { compareProjects, type ParityRow } from '../../../src/posthog/parity/parity.ts';
import type { Project } from '../../../src/posthog/project.ts';

const ROLES = { growth: '11111111-1111-4111-8111-111111111111' };
const STAGING: Project = { name: 'staging', roles: ROLES, cohorts: {} };
const PRODUCTION: Project = { name: 'production', roles: ROLES, cohorts: {} };
const PROJECTS = [STAGING, PRODUCTION];

/** Values that mean the same are in one list; the first lists have those that mean the same as no value. */
interface Field {
  /** The member of a declaration. */
  readonly at: readonly string[];
  readonly section?: 'cohorts';
  /** What else the declaration has. */
  readonly beside?: JsonObject;
  /** The field in rows of parity. */
  readonly path: string;
  readonly values: readonly (readonly JsonValue[])[];
}

const CONDITIONS = { groups: [{ rollout_percentage: 10 }] };
const DEFINITION = { properties: { type: 'AND', values: [{ key: 'plan', value: 'pro' }] } };

const FIELDS: readonly Field[] = [
  flagField('name', [['', null], ['x']]),
  flagField('active', [[true], [false]]),
  flagField('filters', [[{ groups: [] }, { groups: [], payloads: {}, multivariate: null }], [CONDITIONS]]),
  flagField('ensure_experience_continuity', [[null], [false], [true]]),
  flagField('tags', [
    [[], null],
    [['x'], ['X ']],
  ]),
  flagField('rollback_conditions', [[[], null], [[{ threshold: 1 }]]]),
  flagField('performed_rollback', [[null], [false], [true]]),
  flagField('created_at', [['2026-01-01T00:00:00Z', '2026-01-01T01:00:00+01:00'], ['2025-01-01T00:00:00Z']]),
  flagField('archived', [[false, null], [true]]),
  flagField('bucketing_identifier', [['distinct_id', null], ['device_id']]),
  flagField('evaluation_contexts', [[[], null], [['web']]]),
  flagField('evaluation_runtime', [['all', null], ['server']]),
  flagField('evaluation_tags', [[[], null], [['web']]]),
  flagField('has_encrypted_payloads', [[false, null]]),
  flagField('is_remote_configuration', [[false, null], [true]]),
  flagField('of_a_newer_service', [[null], [''], ['x']]),
  { at: ['role_access'], path: '/role_access', values: [[[]], [['growth']]] },
  { at: ['access', 'default'], path: '/role_access', values: [['none'], ['editor']] },
  { at: ['access', 'roles'], path: '/role_access', values: [[{}], [{ growth: 'viewer' }]] },
  cohortField('description', [['', ' '], ['x']]),
];

function flagField(api: string, values: Field['values']): Field {
  const member = MEMBER_NAMES.get(api);
  return { at: member === undefined ? ['fields', api] : [member], path: `/${api}`, values };
}

function cohortField(name: string, values: Field['values']): Field {
  return { at: [name], section: 'cohorts', beside: { filters: DEFINITION }, path: `/${name}`, values };
}

test('the table has every field that manifests may declare', () => {
  const managed = FLAG_FIELDS.filter((field) => field.ownership === 'managed' && field.declaredBy === undefined);
  const listed = FIELDS.map(({ path }) => path.slice(1));
  expect(managed.map(({ api }) => api).filter((api) => !listed.includes(api))).toEqual([]);
});

type Value = { readonly value: JsonValue; readonly meaning: number } | undefined;

const CASES = FIELDS.flatMap((field) => {
  const values: readonly Value[] = [
    undefined,
    ...field.values.flatMap((same, meaning) => same.map((value) => ({ value, meaning }))),
  ];
  return values.flatMap((staging) => values.map((production) => ({ field, staging, production })));
}).flatMap(({ field, staging, production }) => {
  const text = manifestOf(field, { staging, production });
  const name = `${field.at.join('.')}: ${shown(staging)} and ${shown(production)}`;
  return text === undefined || !isValid(text) ? [] : [{ name, field, staging, production, text }];
});

/** No overlay can hold null, where it removes; `undefined` where the base has to say two things. */
function manifestOf(
  { at, section, beside = {} }: Field,
  values: { readonly staging: Value; readonly production: Value },
): string | undefined {
  const ofBase = Object.values(values).find((one) => one?.value === null);
  if (ofBase !== undefined && at.length > 1 && at[0] !== 'fields') return undefined;
  const projects = Object.entries(values).flatMap(([project, one]): [string, JsonObject][] => {
    if (one?.value === null || (one === undefined && ofBase === undefined)) return [];
    return [[project, nested(at, one?.value ?? null)]];
  });
  const base = ofBase === undefined ? beside : { ...beside, ...nested(at, null) };
  const declared = { ...base, ...(projects.length === 0 ? {} : { projects: Object.fromEntries(projects) }) };
  return stringifyJson({ [section ?? 'flags']: { a: declared } });
}

function nested([name = '', ...rest]: readonly string[], value: JsonValue): JsonObject {
  return { [name]: rest.length === 0 ? value : nested(rest, value) };
}

function shown(value: Value): string {
  return value === undefined ? 'absent' : stringifyJson(value.value);
}

function read(text: string): ReadTexts {
  return readTexts([{ file: 'a.yaml', text }], ['staging', 'production']);
}

function isValid(text: string): boolean {
  return PROJECTS.every((one) =>
    read(text)
      .resolve(one)
      .diagnostics.every(({ severity }) => severity !== 'error'),
  );
}

function parity(text: string): readonly ParityRow[] {
  const sides = PROJECTS.map((project) => ({ project, desired: read(text).resolve(project).desired }));
  return compareProjects(sides, { scope: { include: ['*'], exclude: [] } }).rows;
}

function promote(text: string): Promoted & { readonly text: string } {
  const { desired } = read(text).resolve(STAGING);
  const source = new Map([...flagSources(desired, undefined), ...COHORT_FACET.sources(desired, undefined, STAGING)]);
  const promoted = promoteFlags({
    ...{ from: STAGING, to: PRODUCTION, projects: PROJECTS, manifests: [{ file: 'a.yaml', text }] },
    ...{ source, keys: [...source.keys()] },
  });
  return { ...promoted, text: promoted.edited[0]?.text ?? text };
}

/** What the rows of parity say about a field. */
function verdictOf(rows: readonly ParityRow[], path: string): string {
  expect(rows.filter((row) => row.path === path || row.path.startsWith(`${path}/`))).toEqual(rows);
  if (rows.length === 0) return 'same';
  return rows.every(({ declared }) => declared) ? 'declared' : 'undeclared';
}

describe('parity and promote agree about', () => {
  test.each(FIELDS)('$at', (tried) => {
    const own = CASES.filter(({ field }) => field === tried);
    expect(own).not.toEqual([]);
    for (const one of own) expectAgreement(one);
  });
});

function expectAgreement({ name, field, staging, production, text }: (typeof CASES)[number]): void {
  const isOne = (staging === undefined) !== (production === undefined);
  const expected = isOne ? 'undeclared' : staging?.meaning === production?.meaning ? 'same' : 'declared';
  const before = parity(text);
  expect(verdictOf(before, field.path), name).toBe(expected);
  if (isOne) expect(before.flatMap(({ cells }) => cells).map(({ kind }) => kind)).toContain('unmanaged');
  const { promoted, same, kept, left, text: after } = promote(text);
  expect(left, name).toEqual([]);
  const isCopied = expected !== 'same' && staging !== undefined;
  expect([promoted.length, after !== text], name).toEqual(isCopied ? [1, true] : [0, false]);
  expect(kept.map(({ reason }) => reason)).toEqual(kept.map(() => 'source-omits'));
  expect(kept.length > 0).toBe(staging === undefined && production !== undefined);
  expect(same.length > 0).toBe(expected === 'same');
  expect(parity(after).map(({ path }) => path)).toEqual(kept.map(({ path }) => path));
  expect(promote(after)).toMatchObject({ edited: [], promoted: [], left: [] });
  if (isCopied)
    expect(promoted.flatMap(({ changes }) => changes).every(({ path }) => path.startsWith(field.path))).toBe(true);
}

test('a flag without any field is promoted as a declaration', () => {
  const { promoted, text } = promote('flags: { a: { only_in: [staging] } }\n');
  expect(text).toBe('flags: { a: { only_in: [staging, production] } }\n');
  expect(promoted).toMatchObject([{ key: 'a', changes: [{ path: '' }] }]);
  expect(parity(text)).toEqual([]);
});

test('a name that is the alias is not written out', () => {
  const text = `cohorts: { a: { filters: ${stringifyJson(DEFINITION)}, projects: { staging: { name: a } } } }\n`;
  expect(promote(text)).toMatchObject({ edited: [], promoted: [], same: ['cohort:a'] });
});
