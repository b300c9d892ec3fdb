/** Which declarations are named as the likely causes of an error that came with an edit. */

import { expect, test } from 'vitest';
import { findNewProblems } from '../../src/editing/solve.ts';
import { readTexts, type ReadTexts } from '../../src/editing/texts.ts';
import type { Project } from '../../src/posthog/project.ts';

const PRODUCTION: Project = { name: 'production', roles: {}, cohorts: {} };

const plan = (value: string): string => `{ key: plan, type: person, operator: exact, value: ${value} }`;
const use = (alias: string): string => `{ key: id, type: cohort, value: ${alias} }`;
const definition = (leaf: string): string => `filters: { properties: { type: AND, values: [${leaf}] } }`;

const FLAG = `flags:\n  checkout: { filters: { groups: [{ properties: [${use('beta')}] }] } }\n`;
const BETA = `  beta: { name: Beta, ${definition(plan('pro'))} }\n`;
const CREW = `  crew: { name: Crew, ${definition(plan('team'))} }\n`;
const BEFORE = `${FLAG}cohorts:\n${BETA}${CREW}`;

function read(text: string): ReadTexts {
  return readTexts([{ file: 'a.yaml', text }], ['production']);
}

test.each<[what: string, after: string, code: string, names: readonly string[]]>([
  ['a cohort that is gone', BEFORE.replace(BETA, ''), 'cohort-unknown', ['cohort:beta', 'checkout']],
  [
    'a cohort that is deleted',
    BEFORE.replace('beta: { name', 'beta: { deleted: true, name'),
    'cohort-deleted',
    ['cohort:beta', ''],
  ],
  [
    'cohorts of one name',
    BEFORE.replace('name: Crew', 'name: Beta'),
    'cohort-name-taken',
    ['cohort:crew', 'cohort:beta', 'cohort:crew'],
  ],
  [
    'cohorts that name each other',
    BEFORE.replace(plan('pro'), use('crew')).replace(plan('team'), use('beta')),
    'cohort-depends-on-itself',
    ['cohort:beta', 'cohort:crew', 'cohort:beta', 'cohort:beta'],
  ],
])('the causes of an error of %s come first, the place of the error last', (_what, after, code, names) => {
  const errors = findNewProblems('error', { former: read(BEFORE), after: read(after) }, PRODUCTION);
  expect(errors[0]?.problem.code).toBe(code);
  expect(errors[0]?.names).toEqual(names);
});

test('an error that was there before is not new', () => {
  const broken = read(BEFORE.replace(BETA, ''));
  expect(findNewProblems('error', { former: broken, after: broken }, PRODUCTION)).toEqual([]);
});

test('beside errors that were there before, one of the same kind at another place is new, and one of another kind', () => {
  const broken = BEFORE.replace(BETA, '');
  const search = `  search: { filters: { groups: [{ properties: [${use('gone')}] }] } }\n`;
  const more = broken.replace('cohorts:', `${search}cohorts:`).replace(plan('team'), use('crew'));
  const errors = findNewProblems('error', { former: read(broken), after: read(more) }, PRODUCTION);
  expect(errors.map(({ problem: { code }, names }) => [code, names.at(-1)])).toEqual([
    ['cohort-unknown', 'search'],
    ['cohort-depends-on-itself', 'cohort:crew'],
  ]);
});
