/** The names that an export gives to cohorts and roles which the configuration does not name. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { chooseAliases, findNameless } from '../../../src/loop/export/aliases.ts';
import type { ExportInput } from '../../../src/loop/export/export.ts';
import type { Cohort } from '../../../src/posthog/cohort/cohort.ts';
import type { Flag } from '../../../src/posthog/flag/model/flag.ts';
import type { ProjectNames } from '../../../src/posthog/project.ts';

const SUPPORT = '0188a2d0-7b3c-7e61-9f61-2f6f2f6a1c22';
const GROWTH = '0188a2d1-7b3c-7e61-9f61-2f6f2f6a1c33';
const NOTHING: ProjectNames = { roles: {}, cohorts: {} };

function cohortAliases(
  cohorts: readonly (readonly [number, string | undefined])[],
  taken: ProjectNames['cohorts'] = {},
): ProjectNames['cohorts'] {
  return chooseAliases({ cohorts: new Map(cohorts), roles: new Map() }, { ...NOTHING, cohorts: taken }, []).cohorts;
}

describe('the alias of a cohort', () => {
  test.each<[string, string | undefined, JsonObject]>([
    ['has the letters and digits of its name', 'Beta testers (EU)', { 'beta-testers-eu': 7 }],
    ['keeps letters of every script', 'Größe – 2', { 'größe-2': 7 }],
    ['begins and ends with none of the rest', '  «Beta»! ', { beta: 7 }],
    ['is no number, which would be read as an id', '2024', { 'cohort-2024': 7 }],
    ['is none of a name without letters', ' – ', {}],
    ['is none without a name', undefined, {}],
    ['ends after 60 characters, and not with a dash', `${'x'.repeat(59)} y`, { ['x'.repeat(59)]: 7 }],
  ])('%s', (_what, name, aliases) => {
    expect(cohortAliases([[7, name]])).toEqual(aliases);
  });

  test('is that of the lowest id where several have a name, and has its id at the others, sorted by name', () => {
    const aliases = cohortAliases([
      [10, 'Beta'],
      [9, 'beta'],
      [8, 'Zeta'],
      [7, 'Alpha'],
    ]);
    expect(Object.entries(aliases)).toEqual([
      ['alpha', 7],
      ['beta', 9],
      ['beta-10', 10],
      ['zeta', 8],
    ]);
  });

  test.each<[string, [number, string][], ProjectNames['cohorts'], JsonObject]>([
    ['a configured one', [[2, 'Beta']], { beta: 5 }, { 'beta-2': 2 }],
    ['a configured one with its id', [[2, 'Beta']], { beta: 5, 'beta-2': 6 }, { 'beta-2-2': 2 }],
    [
      'that of another name with its id',
      [
        [1, 'Beta'],
        [2, 'Beta 3'],
        [3, 'Beta'],
      ],
      {},
      { beta: 1, 'beta-3': 2, 'beta-3-3': 3 },
    ],
  ])('is never %s', (_what, cohorts, taken, aliases) => {
    expect(cohortAliases(cohorts, taken)).toEqual(aliases);
  });

  test('is new, and every cohort with letters in its name has one', () => {
    const names = fc.constantFrom('Beta', 'beta', 'Beta 1', 'Beta 2', 'beta-2-2', 'constructor', '1');
    const taken = fc.dictionary(fc.constantFrom('beta', 'beta-1', 'beta-2', 'cohort-1'), fc.constant(99));
    fc.assert(
      fc.property(fc.array(names, { maxLength: 6 }), taken, (chosen, known) => {
        const aliases = cohortAliases(
          chosen.map((name, index) => [index + 1, name] as const),
          known,
        );
        expect(new Set(Object.values(aliases))).toEqual(new Set(chosen.map((_, index) => index + 1)));
        expect(Object.keys(aliases).filter((alias) => Object.hasOwn(known, alias))).toEqual([]);
      }),
    );
  });
});

describe('the name of a role', () => {
  const roles = (
    names: readonly (readonly [string, string])[],
    taken: ProjectNames['roles'] = {},
    elsewhere: readonly ProjectNames['roles'][] = [],
  ) => chooseAliases({ cohorts: new Map(), roles: new Map(names) }, { ...NOTHING, roles: taken }, elsewhere).roles;

  test.each<[string, [string, string], ProjectNames['roles'], ProjectNames['roles'][], JsonObject]>([
    ['is the service’s own', [SUPPORT, ' Support '], {}, [], { Support: SUPPORT }],
    ['is that of another project', [SUPPORT, 'Support'], {}, [{ help: SUPPORT }], { help: SUPPORT }],
    ['is none where only its id is known', [SUPPORT, SUPPORT], {}, [{ growth: GROWTH }], {}],
    ['is none where the service has none', [SUPPORT, ' '], {}, [], {}],
    [
      'has the beginning of its id where another role has it',
      [SUPPORT, 'Support'],
      { Support: GROWTH },
      [],
      { 'Support-0188a2d0': SUPPORT },
    ],
  ])('%s', (_what, role, taken, elsewhere, chosen) => {
    expect(roles([role], taken, elsewhere)).toEqual(chosen);
  });
});

describe('the resources without a name', () => {
  const on = (value: number | string, more: JsonObject = {}): JsonObject => ({
    key: 'id',
    type: 'cohort',
    value,
    ...more,
  });
  const flag = (id: number, ...properties: JsonObject[]): Flag =>
    ({ id, key: `f${id}`, active: true, filters: { groups: [{ properties }] } }) as unknown as Flag;
  const cohort = (id: number, name: string | null, ...values: JsonObject[]): Cohort => ({
    id,
    name,
    filters: { properties: { type: 'AND', values } },
  });
  const find = (flags: readonly Flag[], more: Partial<ExportInput> = {}) =>
    findNameless(flags, { flags, roleAccess: undefined, names: { roles: {}, cohorts: { known: 1 } }, ...more });

  test('are the cohorts of conditions, each with the first name that a condition has', () => {
    const { cohorts } = find([
      flag(1, on(1), on(2), on(3, { cohort_name: 'Three' }), on('4')),
      flag(2, on(2, { cohort_name: 'Two' }), on(3, { cohort_name: 'Other' })),
    ]);
    expect([...cohorts]).toEqual([
      [2, 'Two'],
      [3, 'Three'],
    ]);
  });

  test('are those that definitions of listed cohorts name, too, with the names of the list', () => {
    const cohorts = [
      cohort(1, 'Known', on(5)),
      cohort(2, 'Two', on(4)),
      cohort(3, null),
      cohort(4, 'Four'),
      cohort(5, 'Five'),
      cohort(6, 'Unused'),
    ];
    const found = find([flag(1, on(1), on(2, { cohort_name: 'Before' }), on(3, { cohort_name: 'Three' }), on(9))], {
      cohorts,
    });
    expect([...found.cohorts].toSorted(([a], [b]) => a - b)).toEqual([
      [2, 'Two'],
      [3, 'Three'],
      [4, 'Four'],
      [5, 'Five'],
      [9, undefined],
    ]);
  });

  test('are the roles with access that the configuration does not name', () => {
    const entry = (id: string, name: string) => ({ id: 1, role: { id, name } });
    const { roles, cohorts } = find([flag(1)], {
      roleAccess: { 1: [entry(SUPPORT, 'Support'), entry(GROWTH, 'Growth')] },
      names: { roles: { growth: GROWTH }, cohorts: {} },
    });
    expect([[...roles], [...cohorts]]).toEqual([[[SUPPORT, 'Support']], []]);
  });
});
