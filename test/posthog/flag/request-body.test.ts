import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { canonicalFlag } from '../../../src/posthog/flag/model/canonical.ts';
import { comparableFields } from '../../../src/posthog/flag/comparison.ts';
import { createBody, updateBody } from '../../../src/posthog/flag/find-changes.ts';

const names = { keyOf: (id: number): string | undefined => ({ 7: 'base', 8: 'other' })[id] };
const update = (wanted: JsonObject, former: JsonObject, fields = Object.keys(wanted)): JsonObject =>
  updateBody(fields, wanted, {
    former,
    canonical: { wanted: comparableFields(wanted, former, names), live: canonicalFlag(former) },
  });
const filtersOf = (wanted: JsonObject, former: JsonObject): unknown =>
  update({ filters: wanted }, { filters: former })['filters'];

describe('the body of a create', () => {
  it('is the key and the fields', () => {
    const filters = { groups: [{ rollout_percentage: 5 }] };
    expect(createBody('a', { name: 'x', filters })).toEqual({ key: 'a', name: 'x', filters });
    expect(createBody('a', {})).toEqual({ key: 'a' });
  });

  it.each([{ groups: [] }, { groups: [], multivariate: null }, { groups: [], payloads: {} }])(
    'leaves out filters without any condition: %j',
    (filters) => expect(createBody('a', { name: 'x', filters })).toEqual({ key: 'a', name: 'x' }),
  );

  it.each([{ groups: [], early_exit: true }, { payloads: {} }])('keeps others: %j', (filters) =>
    expect(createBody('a', { filters })).toEqual({ key: 'a', filters }),
  );

  it('omits members that the service injects', () => {
    const property = { key: 'id', type: 'cohort', operator: 'in', value: 4 };
    const filters = (member: JsonObject): JsonObject => ({ groups: [{ properties: [{ ...property, ...member }] }] });
    expect(createBody('a', { filters: filters({ cohort_name: 'x' }) })).toEqual({ key: 'a', filters: filters({}) });
  });
});

describe('the body of an update', () => {
  it('has only the fields that change', () => {
    expect(update({ name: 'x', tags: ['a'], active: true }, {}, ['name', 'active'])).toEqual({
      name: 'x',
      active: true,
    });
    expect(update({ name: 'x' }, { filters: { groups: [{}] } })).toEqual({ name: 'x' });
  });

  it('always has a list of conditions', () => {
    expect(filtersOf({ payloads: { true: 1 } }, {})).toEqual({ groups: [], payloads: { true: 1 } });
    expect(filtersOf({ payloads: { true: 1 } }, { groups: [{ variant: 'x' }] })).toEqual({
      groups: [],
      payloads: { true: 1 },
    });
    expect(update({ filters: 'x' }, { filters: 'y' })).toEqual({ filters: { groups: [] } });
  });

  it('removes undeclared parts, and omits parts that are already null', () => {
    expect(filtersOf({ groups: [] }, { groups: [], multivariate: {}, payloads: null, early_exit: false })).toEqual({
      groups: [],
      multivariate: null,
      early_exit: null,
    });
  });

  it('removes a part of another product where a manifest says so', () => {
    expect(filtersOf({ groups: [], holdout: null }, { groups: [], holdout: { x: 1 } })).toEqual({
      groups: [],
      holdout: null,
    });
  });

  it('carries members that are never compared, even if a manifest names a dependency by its id', () => {
    const on = (key: string | number, text?: string): JsonObject => ({
      properties: [{ key, type: 'flag', value: true }],
      ...(text === undefined ? {} : { sort_key: text }),
    });
    const former = { groups: [on('other', '1'), on('base', '2')] };
    expect(filtersOf({ groups: [on(7), on('other')] }, former)).toEqual({ groups: [on(7, '2'), on('other', '1')] });
  });

  it('omits members that the service injects', () => {
    const property = { key: 'id', type: 'cohort', operator: 'in', value: 4, cohort_name: 'x' };
    const { cohort_name: _, ...bare } = property;
    const former = { super_groups: [{ properties: [bare] }], groups: [{ sort_key: '1', properties: [bare] }] };
    const wanted = { super_groups: [{ properties: [property] }], groups: [{ properties: [property] }] };
    expect(filtersOf(wanted, former)).toEqual(former);
  });
});
