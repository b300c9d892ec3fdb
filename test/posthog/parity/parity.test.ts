import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import type { DesiredState } from '../../../src/posthog/desired.ts';
import type { LiveState } from '../../../src/posthog/live.ts';
import { parseManifest, resolveManifests } from '../../../src/posthog/manifests/manifests.ts';
import { compareProjects, type ParityRow } from '../../../src/posthog/parity/parity.ts';
import type { Project } from '../../../src/posthog/project.ts';
import { rolledOut } from '../../helpers/states.ts';

const STAGING: Project = { name: 'staging', roles: { growth: 'r-1' }, cohorts: { beta: 42 } };
const PRODUCTION: Project = { name: 'production', roles: { growth: 'r-9' }, cohorts: { beta: 7 } };
const PROJECTS = [STAGING, PRODUCTION];
const EVERY_FLAG = { scope: { include: ['*'], exclude: ['survey-*'] } };

function desiredOf(text: string, project: Project): DesiredState {
  const { file } = parseManifest('flags.yaml', text);
  return resolveManifests(
    [file],
    project,
    PROJECTS.map(({ name }) => name),
  ).desired;
}

function compare(text: string, lives: readonly LiveState[] = [], targets?: readonly string[]): readonly ParityRow[] {
  const sides = PROJECTS.map((project, index) => {
    const live = lives[index];
    return { project, desired: desiredOf(text, project), ...(live === undefined ? {} : { live }) };
  });
  return compareProjects(sides, { ...EVERY_FLAG, ...(targets === undefined ? {} : { targets }) }).rows;
}

function live(...flags: readonly JsonObject[]): LiveState {
  const all = flags.map((flag, index) => ({ id: index + 1, key: `flag-${index}`, active: true, ...flag }));
  return { flags: all, roleAccess: {} };
}

describe('of manifests', () => {
  test('a value that an overlay sets is declared, in the names of the API', () => {
    expect(
      compare('flags: { a: { rollout_percentage: 100, projects: { production: { rollout_percentage: 5 } } } }'),
    ).toEqual([
      {
        key: 'a',
        path: '/filters/groups/0/rollout_percentage',
        cells: [
          { kind: 'value', value: 100 },
          { kind: 'value', value: 5 },
        ],
        declared: true,
      },
    ]);
  });

  test('a field that only one project manages is not', () => {
    expect(compare('flags: { a: { active: true, projects: { production: { tags: [x] } } } }')).toEqual([
      { key: 'a', path: '/tags', cells: [{ kind: 'unmanaged' }, { kind: 'value', value: ['x'] }], declared: false },
    ]);
  });

  test('a flag that one project does not have is declared, and has no further rows', () => {
    const cells = [{ kind: 'present' }, { kind: 'absent' }];
    const text = `flags:
  a: { only_in: [staging], active: true }
  b: { active: true, projects: { production: { deleted: true } } }
`;
    expect(compare(text)).toEqual([
      { key: 'a', path: '', cells, declared: true },
      { key: 'b', path: '', cells, declared: true },
    ]);
  });

  test('ids of the same cohort and the same role are no difference', () => {
    const text = `flags:
  a:
    filters: { groups: [{ properties: [{ key: id, type: cohort, value: beta }] }] }
    role_access: [growth]
`;
    expect(compare(text)).toEqual([]);
  });

  test('roles differ one by one', () => {
    const rows = compare('flags: { a: { role_access: [growth], projects: { production: { role_access: [] } } } }');
    expect(rows).toMatchObject([
      { path: '/role_access/roles/growth', cells: [{ value: 'editor' }, { kind: 'none' }], declared: true },
    ]);
  });

  test('targets limit the flags', () => {
    const text =
      'flags: { a: { active: true, projects: { production: { tags: [x] } } }, b: { active: true, projects: { production: { tags: [x] } } } }';
    expect(compare(text, [], ['b']).map(({ key }) => key)).toEqual(['b']);
  });
});

describe('of services', () => {
  test('a difference is declared where the manifests differ at the same place, and nowhere else', () => {
    const text =
      'flags: { a: { active: true, rollout_percentage: 100, projects: { production: { rollout_percentage: 5 } } } }';
    const rows = compare(text, [
      live({ key: 'a', filters: rolledOut(100), name: 'One' }),
      live({ key: 'a', filters: rolledOut(9), name: 'Another', active: false }),
    ]);
    expect(rows.map(({ path, declared }) => [path, declared])).toEqual([
      ['/name', false],
      ['/active', false],
      ['/filters/groups/0/rollout_percentage', true],
    ]);
  });

  test.each([
    ['{ rollout_percentage: observed }', true],
    ['{ rollout_percentage: initial }', true],
    ['{ rollout_percentage: { between: [0, 50] } }', true],
    ['{ rollout_percentage: managed }', undefined],
    ['{ description: observed }', undefined],
  ])('a value with the ownership %s is left to others: %s', (ownership, others) => {
    const text = `flags: { a: { rollout_percentage: 10, projects: { production: { ownership: ${ownership} } } } }`;
    const lives = [live({ key: 'a', filters: rolledOut(10) }), live({ key: 'a', filters: rolledOut(20) })];
    const [row, ...rest] = compare(text, lives);
    expect(rest).toEqual([]);
    expect([row?.declared, row?.others]).toEqual([others === true, others]);
    expect(compare(text).filter((one) => one.others === true)).toEqual([]);
  });

  test('a variant is left to others by its name, wherever it is in the list of a service', () => {
    const filters = (...variants: readonly (readonly [key: string, share: number])[]): JsonObject => ({
      groups: [{ properties: [] }],
      multivariate: { variants: variants.map(([key, share]) => ({ key, rollout_percentage: share })) },
    });
    const declared = filters(['other', 20], ['test', 30], ['control', 50]);
    const flag = { filters: declared, ownership: { 'variants.control.rollout_percentage': 'observed' } };
    const lives = [50, 40].map((share) =>
      live({ key: 'a', filters: filters(['control', share], ['test', 30], ['other', 20]) }),
    );
    const rows = compare(JSON.stringify({ flags: { a: flag } }), lives);
    expect(rows.map(({ path, others }) => [path, others])).toEqual([
      ['/filters/multivariate/variants/0/rollout_percentage', true],
    ]);
  });

  test('a flag that manifests delete in one project is declared to be missing there, and in another it is not', () => {
    const text = 'flags: { b: { active: true, projects: { production: { deleted: true } } } }';
    expect(compare(text, [live({ key: 'b' }), live()])[0]).toMatchObject({ path: '', declared: true });
    expect(compare(text, [live(), live({ key: 'b' })])[0]).toMatchObject({ path: '', declared: false });
  });

  test('flags out of scope are compared where manifests name them in any way', () => {
    const text = `flags:
  survey-gone: { deleted: true }
  survey-new: { previous_keys: [survey-old], active: true }
  survey-elsewhere: { only_in: [test], active: true }
`;
    const { file } = parseManifest('flags.yaml', text);
    const keys = ['survey-gone', 'survey-old', 'survey-elsewhere', 'survey-other'];
    const sides = PROJECTS.map((project, index) => ({
      project,
      desired: resolveManifests([file], project, ['staging', 'production', 'test']).desired,
      live: index === 0 ? live(...keys.map((key) => ({ key }))) : live(),
    }));
    const { rows, flags } = compareProjects(sides, EVERY_FLAG);
    expect(rows.map(({ key }) => key)).toEqual(['survey-elsewhere', 'survey-gone', 'survey-old']);
    expect(flags).toBe(3);
  });

  test('a flag that is missing is declared only where the manifests say so', () => {
    const text = 'flags: { a: { only_in: [staging], active: true }, b: { active: true } }';
    const rows = compare(text, [live({ key: 'a' }, { key: 'b' }, { key: 'c' }), live()]);
    expect(rows.map(({ key, declared }) => [key, declared])).toEqual([
      ['a', true],
      ['b', false],
      ['c', false],
    ]);
  });

  test('flags out of scope that no manifest names, deleted and archived ones are left out', () => {
    const rows = compare('flags: { survey-known: { active: true } }', [
      live(
        { key: 'survey-a' },
        { key: 'survey-known' },
        { key: 'gone', deleted: true },
        { key: 'old', archived: true },
      ),
      live(),
    ]);
    expect(rows.map(({ key }) => key)).toEqual(['survey-known']);
  });

  test('ids, counters and parts of other products are no difference', () => {
    const own = (id: number, cohort: number): JsonObject => ({
      id,
      key: 'a',
      version: id,
      filters: {
        groups: [{ properties: [{ key: 'id', type: 'cohort', value: cohort }] }],
        holdout: { id, exclusion_percentage: id },
      },
    });
    expect(compare('flags: {}', [live(own(3, 42)), live(own(8, 7))])).toEqual([]);
  });

  test('a dependency is compared by the key of the flag', () => {
    const on = (id: string): JsonObject => ({
      key: 'b',
      filters: { groups: [{ properties: [{ key: id, type: 'flag', operator: 'flag_evaluates_to', value: true }] }] },
    });
    expect(compare('flags: {}', [live({ id: 50, key: 'a' }, on('50')), live({ id: 60, key: 'a' }, on('60'))])).toEqual(
      [],
    );
  });
});
