/** The values by which `parity` compares a cohort of several projects. */

import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { COMPARABLE_COHORTS } from '../../../src/posthog/cohort/family.ts';
import type { Cohort } from '../../../src/posthog/cohort/cohort.ts';
import { cohort, desiredOf } from '../../helpers/cohorts.ts';

const PROJECT = { name: 'test', roles: {}, cohorts: { beta: 7, outer: 8 } };
const on = (value: string | number): JsonObject => ({ type: 'cohort', key: 'id', value, negation: false });
const plan = (value: string | number): JsonObject => ({
  key: 'plan',
  type: 'person',
  operator: 'exact',
  value,
  negation: false,
});
const tree = (...values: JsonObject[]): JsonObject => ({ properties: { type: 'AND', values } });

describe('a declared cohort', () => {
  const declared = (fields: JsonObject, more: JsonObject = {}) => {
    const [one] = desiredOf({ flags: {}, cohorts: { beta: fields, ...more } }, { beta: 7 }).cohorts ?? [];
    if (one === undefined) throw new Error('not declared');
    return COMPARABLE_COHORTS.declared(one, PROJECT);
  };

  test('manages what it declares, also an empty description, and nothing else', () => {
    expect(declared({ name: ' B ', filters: tree(plan('pro')) })).toEqual({
      fields: { name: 'B', filters: tree(plan('pro')) },
      isPartial: true,
    });
    expect(declared({ description: '', filters: tree(plan('pro')) })?.fields).toEqual({
      description: '',
      filters: tree(plan('pro')),
    });
  });

  test('that is to be deleted has no values', () => {
    expect(declared({ deleted: true })).toBeUndefined();
  });

  test('is known in other projects by its alias', () => {
    const [one] = desiredOf({ flags: {}, cohorts: { beta: { filters: tree() } } }).cohorts ?? [];
    expect(one && COMPARABLE_COHORTS.elsewhere(one)).toEqual(['beta']);
  });
});

describe('live cohorts', () => {
  const liveOf = (cohorts?: readonly Cohort[]) =>
    COMPARABLE_COHORTS.live({ flags: [], roleAccess: {}, ...(cohorts && { cohorts }) }, PROJECT, []);

  test('are those with an alias, each with aliases in conditions on others, and the id of one without', () => {
    const filters = tree(on('7'), on(9), plan(7));
    expect(liveOf([cohort(7, 'Beta', { count: 3 }), cohort(8, 'Outer', { filters }), cohort(9, 'Another')])).toEqual([
      ['beta', { fields: { name: 'Beta' }, isPartial: false }],
      ['outer', { fields: { name: 'Outer', filters: tree(on('beta'), on(9), plan(7)) }, isPartial: false }],
    ]);
  });

  test('are not those that are deleted or absent, and say where one is a list of people', () => {
    expect(liveOf([cohort(7, 'Beta', { deleted: true }), cohort(8, 'Outer', { is_static: true })])).toEqual([
      ['outer', { fields: { name: 'Outer', is_static: true }, isPartial: false }],
    ]);
    expect(liveOf()).toEqual([]);
  });
});
