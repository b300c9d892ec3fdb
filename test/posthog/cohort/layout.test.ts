/** A live cohort as export and accept write it into a manifest. */

import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { COHORT_BLOCK, COHORT_ORDER, writeCohort, type CohortWriting } from '../../../src/posthog/cohort/export.ts';
import { layOut } from '../../../src/core/manifest/write/layout.ts';
import { COHORT_FIELDS, COHORT_MEMBERS } from '../../../src/posthog/cohort/cohort.ts';
import { cohort } from '../../helpers/cohorts.ts';

const names = new Map([[7, 'beta']]);
const WRITING: CohortWriting = { nameOf: (id) => names.get(id), minimal: false, nameless: false };
const written = (fields: JsonObject, writing: Partial<CohortWriting> = {}): JsonObject =>
  writeCohort(cohort(1, 'Staff', fields), { ...WRITING, ...writing });
const tree = (...values: JsonObject[]): JsonObject => ({ properties: { type: 'AND', values } });

test('members are in the order in which people read them, also for each project', () => {
  const usual = ['name', 'description', 'filters', 'intended', 'deleted', 'previous_names', 'only_in', 'projects'];
  expect([COHORT_ORDER.names, COHORT_ORDER.members?.['projects']?.each?.names]).toEqual([usual, usual]);
});

test('each filter is on a line of its own, and a short group is on one', () => {
  const filters = tree({ type: 'person', key: 'a', value: 1 }, { type: 'cohort', value: 'beta' });
  const text = layOut(
    { cohorts: { a: { name: 'A', filters, projects: { staging: { name: 'B' } } } } },
    { blocks: { cohorts: COHORT_BLOCK } },
  );
  expect(text).toBe(`cohorts:
  a:
    name: A
    filters:
      properties:
        type: AND
        values:
          - { type: person, key: a, value: 1 }
          - { type: cohort, value: beta }
    projects:
      staging: { name: B }
`);
});

/** Another value than `none`, by the form of the field. */
const VALUES = { text: 'x', definition: tree({ type: 'person', key: 'a', operator: 'exact', value: 'b' }) } as const;

describe('a live cohort is written', () => {
  test.each(COHORT_MEMBERS)('with every field that manifests declare: %s', (name) => {
    const value = VALUES[COHORT_FIELDS[name].form as keyof typeof VALUES];
    expect(written({ [name]: value }, { minimal: true })).toHaveProperty(name, value);
  });

  test.each<[string, JsonObject, Partial<CohortWriting>, JsonObject]>([
    ['with what it has', { description: 'All.' }, {}, { name: 'Staff', description: 'All.' }],
    ['without a description that it lacks', {}, {}, { name: 'Staff' }],
    ['with an empty description', { description: '' }, {}, { name: 'Staff', description: '' }],
    ['without a description of null', { description: null }, {}, { name: 'Staff' }],
    ['without an empty description in a small export', { description: '' }, { minimal: true }, { name: 'Staff' }],
    ['without one of null in a small export', { description: null }, { minimal: true }, { name: 'Staff' }],
    [
      'with its description in a small export',
      { description: 'a' },
      { minimal: true },
      { name: 'Staff', description: 'a' },
    ],
    ['without a name that another one has', { description: 'a' }, { nameless: true }, { description: 'a' }],
    ['without an empty name', { name: '' }, {}, {}],
    ['without a name of null', { name: null }, {}, {}],
    ['without what the service computes', { count: 5, is_calculating: true }, {}, { name: 'Staff' }],
    [
      'with filters that are no definition as they are',
      { filters: { other: 1 } },
      {},
      { name: 'Staff', filters: { other: 1 } },
    ],
    [
      'with the places that no manifest can declare otherwise',
      { filters: tree({ type: 'person', key: 'a', operator: 'is_not', value: [] }) },
      {},
      {
        name: 'Staff',
        filters: tree({ type: 'person', key: 'a', operator: 'is_not', value: [] }),
        intended: ['/filters/properties/values/0/value'],
      },
    ],
    ['with filters that are no object as they are', { filters: 'x' }, {}, { name: 'Staff', filters: 'x' }],
  ])('%s', (_what, fields, writing, expected) => {
    expect(written(fields, writing)).toEqual(expected);
  });

  test('with aliases in place of the ids that have one, and only in conditions on cohorts', () => {
    const leaf = (type: string, value: string | number): JsonObject => ({ type, key: 'a', operator: 'exact', value });
    const { filters } = written({
      filters: tree(
        { type: 'cohort', key: 'id', value: 7, bytecode: [1] },
        { type: 'cohort', key: 'id', value: '7' },
        { type: 'cohort', key: 'id', value: 8 },
        { type: 'cohort', key: 'id', value: 'named' },
        leaf('person', 7),
      ),
    });
    expect(filters).toEqual(
      tree(
        { type: 'cohort', value: 'beta' },
        { type: 'cohort', value: 'beta' },
        { type: 'cohort', value: 8 },
        { type: 'cohort', value: 'named' },
        leaf('person', 7),
      ),
    );
  });
});
