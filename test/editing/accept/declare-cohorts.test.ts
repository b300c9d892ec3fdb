/** `accept --unmanaged` of cohorts: where they are declared, under which alias, and which are left. */

import { expect, test } from 'vitest';
import { declareUnmanaged, type DeclaredUnmanaged } from '../../../src/editing/actions/declare-unmanaged.ts';
import type { Cohort } from '../../../src/posthog/cohort/cohort.ts';
import type { Project } from '../../../src/posthog/project.ts';
import { cohort } from '../../helpers/cohorts.ts';

const PRODUCTION: Project = { name: 'production', roles: {}, cohorts: { staff: 2 } };
const STAGING: Project = { name: 'staging', roles: {}, cohorts: {} };

function plan(value: string): Pick<Cohort, 'filters'> {
  const leaf = { key: 'plan', type: 'person', operator: 'exact', value, negation: false };
  return { filters: { properties: { type: 'AND', values: [leaf, { key: 'id', type: 'cohort', value: 2 }] } } };
}

const LEAF = { key: 'email', type: 'person', operator: 'icontains', value: '@example.org' };
const STAFF = cohort(2, 'Our staff', { filters: { properties: { type: 'AND', values: [LEAF] } } });
const FLAGS = { file: 'flags/a.yaml', text: 'flags:\n  checkout: { active: true }\n' };

interface Given {
  readonly cohorts: readonly Cohort[];
  readonly ids: readonly number[];
  readonly text?: string;
  readonly onlyIn?: string;
}

function declare({ cohorts, ids, text, onlyIn }: Given): DeclaredUnmanaged {
  return declareUnmanaged({
    resource: 'cohort',
    live: { flags: [], roleAccess: {}, cohorts },
    project: PRODUCTION,
    projects: [PRODUCTION, STAGING],
    manifests: text === undefined ? [FLAGS] : [FLAGS, { file: 'flags/people.yaml', text }],
    keys: new Set(ids.map(String)),
    withRoleAccess: false,
    folder: 'flags',
    writing: onlyIn === undefined ? {} : { onlyIn },
  });
}

test('in a new file where there is none with cohorts, under the alias of the configuration or one made from the name', () => {
  const { edited, files, added, left } = declare({
    cohorts: [STAFF, cohort(3, 'Pro users (EU)', plan('pro'))],
    ids: [2, 3],
    onlyIn: 'production',
  });
  expect({ edited, left, added: added.map(({ key, place }) => [key, place.file]) }).toEqual({
    edited: [],
    left: [],
    added: [
      ['cohort:pro-users-eu', 'flags/cohorts.yaml'],
      ['cohort:staff', 'flags/cohorts.yaml'],
    ],
  });
  expect(files.map(({ text }) => text).join('')).toMatch(
    /pro-users-eu:\n {4}name: Pro users \(EU\)\n[^]*type: cohort, value: staff/,
  );
  expect(files[0]?.text.match(/only_in: \[production\]/g)).toHaveLength(2);
});

test('in the file with most of the cohorts', () => {
  const text = `cohorts:\n  others: { filters: { properties: { type: AND, values: [{ key: plan, value: x }] } }, only_in: [staging] }\n`;
  const { edited, files } = declare({ cohorts: [STAFF], ids: [2], text });
  expect(files).toEqual([]);
  expect(edited[0]?.text.startsWith(`${text}  staff:\n    name: Our staff\n`)).toBe(true);
});

test('a cohort that nothing tells from others, or that is declared elsewhere, is left with the reason', () => {
  const text = `cohorts:\n  staff: { filters: { properties: { type: AND, values: [{ key: plan, value: x }] } }, only_in: [staging] }\n`;
  const cohorts = [STAFF, cohort(3, 'Twin', plan('a')), cohort(4, ' Twin ', plan('b')), cohort(5, '', plan('c'))];
  const { edited, left } = declare({ cohorts, ids: [2, 3, 5], text });
  expect(edited).toEqual([]);
  expect(left).toMatchObject([
    { key: 'cohort:2', reason: { code: 'not-exportable', reasons: ['declared-elsewhere'] } },
    { key: 'cohort:3', reason: { code: 'cohort-unidentified', alias: 'twin', id: 3 } },
    { key: 'cohort:5', reason: { code: 'cohort-unidentified', alias: 'cohort-5', id: 5 } },
  ]);
});

test('lists of persons and definitions on events are left; the others are declared', () => {
  const event = { key: 'paid', type: 'behavioral', value: 'performed_event', event_type: 'events' };
  const cohorts = [
    STAFF,
    cohort(3, 'People', { is_static: true, filters: {} }),
    cohort(4, 'Payers', { filters: { properties: { type: 'AND', values: [event] } } }),
  ];
  const { added, left } = declare({ cohorts, ids: [2, 3, 4] });
  expect(added.map(({ key }) => key)).toEqual(['cohort:staff']);
  expect(left).toMatchObject([
    { key: 'cohort:3', reason: { code: 'cohort-undeclarable', name: 'People', reason: 'static' } },
    { key: 'cohort:4', reason: { code: 'cohort-undeclarable', name: 'Payers', reason: 'behavioral' } },
  ]);
});
