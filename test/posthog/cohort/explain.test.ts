/** What `explain` shows of a declared cohort: each value with its layer, and what the project has instead. */

import { describe, expect, test } from 'vitest';
import { EXPLAINED_COHORTS } from '../../../src/posthog/cohort/family.ts';
import type { Cohort } from '../../../src/posthog/cohort/cohort.ts';
import { parseCohortPath } from '../../../src/posthog/cohort/manifest.ts';
import { check, PRODUCTION } from '../../core/manifest/check.ts';
import { cohort } from '../../helpers/cohorts.ts';

const TEXT = `cohorts:
  staff:
    name: Staff
    description: Everyone here.
    filters:
      properties:
        type: OR
        values:
          - { type: AND, values: [{ key: plan, type: person, operator: exact, value: pro }, { type: cohort, value: beta }] }
          - { key: team, type: person, operator: exact, value: core }
    projects:
      production: { description: Everyone in production. }
  beta:
    filters: { properties: { type: AND, values: [{ key: a, type: person, operator: exact, value: b }] } }
  plain: { deleted: true }
`;
const { files, desired } = check(TEXT, { ...PRODUCTION, cohorts: { beta: 42 } });
const DESIRED = new Map((desired.cohorts ?? []).map((one) => [one.key, one]));

function valuesOf(alias: string, path?: string) {
  const declaration = files[0]?.declarations.find(({ key }) => key === alias);
  const parsed = path === undefined ? undefined : parseCohortPath(path);
  const own = DESIRED.get(alias);
  if (declaration === undefined || own === undefined || (parsed !== undefined && 'problem' in parsed)) {
    throw new Error('no such place');
  }
  return EXPLAINED_COHORTS.values(own, {
    declaration,
    project: 'production',
    ...(parsed === undefined ? {} : { path: parsed }),
  });
}

const GROUP = '/filters/properties/values/0';
const FILTERS = [
  ['/filters/properties/type', 'OR'],
  [`${GROUP}/type`, 'AND'],
  [`${GROUP}/values/0`, { key: 'plan', type: 'person', operator: 'exact', value: 'pro' }],
  [`${GROUP}/values/1`, { type: 'cohort', value: 'beta' }],
  ['/filters/properties/values/1', { key: 'team', type: 'person', operator: 'exact', value: 'core' }],
];

describe('the explained values of a cohort', () => {
  test('are its name, its description, and each group and filter of its definition', () => {
    expect(valuesOf('staff').map(({ path, value }) => [path, value])).toEqual([
      ['/name', 'Staff'],
      ['/description', 'Everyone in production.'],
      ...FILTERS,
    ]);
    expect(valuesOf('staff').filter(({ layer }) => layer === 'overlay')).toMatchObject([
      { path: '/description', replaces: { value: 'Everyone here.' } },
    ]);
  });

  test('leave out what is not declared', () => {
    expect(valuesOf('beta').map(({ path }) => path)).toEqual([
      '/filters/properties/type',
      '/filters/properties/values/0',
    ]);
    expect(valuesOf('plain')).toEqual([]);
  });

  test('are those at the asked place', () => {
    expect(valuesOf('staff', 'definition.2').map(({ path }) => path)).toEqual(['/filters/properties/values/1']);
  });
});

describe('the live values of a cohort', () => {
  const leaf = (key: string, value: string) => ({ key, type: 'person', operator: 'exact', value });
  const live = cohort(7, ' Staff ', {
    description: 'Everyone in production.',
    filters: {
      properties: {
        type: 'OR',
        values: [
          { type: 'AND', values: [leaf('plan', 'free'), { key: 'id', type: 'cohort', value: 42, bytecode: [1] }] },
          leaf('team', 'core'),
        ],
      },
    },
  });
  const liveOf = (alias: string, ...cohorts: readonly Cohort[]) => {
    const own = DESIRED.get(alias);
    if (own === undefined) throw new Error(alias);
    return EXPLAINED_COHORTS.live(own, valuesOf(alias), {
      flags: [],
      roleAccess: {},
      cohorts: [cohort(42, 'Beta'), ...cohorts],
    });
  };

  test('differ only where they mean something else', () => {
    const found = liveOf('staff', live);
    expect(found).toMatchObject({ id: 7, logged: { resource: 'cohort', id: 7 } });
    expect(found?.sought.map((one) => [one.path, found.liveValueOf(one)])).toEqual([
      ['/name', { value: 'Staff', differs: false }],
      ['/description', { value: 'Everyone in production.', differs: false }],
      ['/filters/properties/type', { value: 'OR', differs: false }],
      [`${GROUP}/type`, { value: 'AND', differs: false }],
      [`${GROUP}/values/0`, { value: { ...leaf('plan', 'free'), negation: false }, differs: true }],
      [`${GROUP}/values/1`, { value: { key: 'id', type: 'cohort', value: 42, negation: false }, differs: false }],
      ['/filters/properties/values/1', { value: { ...leaf('team', 'core'), negation: false }, differs: false }],
    ]);
    expect(found?.sought.filter(({ isMissing }) => isMissing)).toEqual([]);
  });

  test('are absent where the project lacks one of them', () => {
    const { description: _, ...others } = live;
    const found = liveOf('staff', others as Cohort);
    const missing = found?.sought.filter(({ isMissing }) => isMissing) ?? [];
    expect(missing.map((one) => [one.path, found?.liveValueOf(one)])).toEqual([['/description', { differs: true }]]);
  });

  test('are none of a cohort that the project lacks, or that is declared as deleted', () => {
    expect(liveOf('staff', cohort(8, 'Another'))).toBeUndefined();
    expect(liveOf('plain', cohort(9, 'plain'))).toBeUndefined();
  });
});
