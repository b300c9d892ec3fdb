/** Cohorts of several projects: definitions by alias, declared and live. */

import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { withFoundNames } from '../../../src/posthog/reading/found-names.ts';
import type { Cohort } from '../../../src/posthog/cohort/cohort.ts';
import type { DesiredState } from '../../../src/posthog/desired.ts';
import { parseManifest, resolveManifests } from '../../../src/posthog/manifests/manifests.ts';
import { compareProjects, type Parity } from '../../../src/posthog/parity/parity.ts';
import type { Project } from '../../../src/posthog/project.ts';
import { cohort } from '../../helpers/cohorts.ts';

const PROJECTS: readonly Project[] = [
  { name: 'staging', roles: {}, cohorts: { staff: 3 } },
  { name: 'production', roles: {}, cohorts: { staff: 9 } },
];

function desiredOf(cohorts: JsonObject, project: Project): DesiredState {
  const { file } = parseManifest('flags/main.yaml', JSON.stringify({ cohorts }));
  const names = PROJECTS.map(({ name }) => name);
  const resolved = resolveManifests([file], project, names);
  expect(resolved.diagnostics).toEqual([]);
  return resolved.desired;
}

function compare(cohorts: JsonObject, lives: readonly (readonly Cohort[])[] = []): Parity {
  const sides = PROJECTS.map((project, index) => {
    const [desired, live] = [desiredOf(cohorts, project), lives[index]];
    return {
      project: withFoundNames(project, desired, { live: live && { cohorts: live }, shared: 'refuse' }),
      desired,
      ...(live === undefined ? {} : { live: { flags: [], roleAccess: {}, cohorts: live } }),
    };
  });
  return compareProjects(sides, { scope: { include: ['*'], exclude: [] } });
}

const rowsOf = (parity: Parity): unknown[] =>
  parity.rows.map(({ key, path, declared, cells }) => [
    key,
    path,
    declared,
    ...cells.map((cell) => (cell.kind === 'value' ? cell.value : cell.kind)),
  ]);

const plan = (value: string, ...more: JsonObject[]): JsonObject => ({
  filters: { properties: { type: 'AND', values: [{ key: 'plan', type: 'person', value }, ...more] } },
});
const VALUE = '/filters/properties/values/0/value';

describe('of manifests', () => {
  test('an overlay and a cohort of one project are declared, an open field is not', () => {
    const parity = compare({
      beta: { ...plan('pro'), projects: { production: { ...plan('team'), description: 'Some.' } } },
      local: { ...plan('pro'), only_in: ['staging'] },
      gone: { ...plan('pro'), projects: { production: { deleted: true } } },
    });
    expect(rowsOf(parity)).toEqual([
      ['cohort:beta', '/description', false, 'unmanaged', 'Some.'],
      ['cohort:beta', VALUE, true, 'pro', 'team'],
      ['cohort:gone', '', true, 'present', 'absent'],
      ['cohort:local', '', true, 'present', 'absent'],
    ]);
    expect(parity).toMatchObject({ flags: 0, cohorts: 3 });
  });

  test('forms that mean the same, and ids of one alias, are no difference', () => {
    const leaf = { type: 'cohort', value: 'staff' };
    const same = {
      ...plan('pro', leaf),
      description: '',
      projects: { production: plan('pro', { ...leaf, key: 'id' }) },
    };
    expect(compare({ beta: same }).rows).toEqual([]);
  });
});

describe('of services', () => {
  const on = (id: number): JsonObject => ({ key: 'id', type: 'cohort', value: id });
  const DECLARED = { beta: { name: 'Beta', ...plan('pro', { type: 'cohort', value: 'staff' }) } };

  test('cohorts that are found by name or id are compared with aliases in place of ids', () => {
    const lives = [[cohort(5, 'Beta', plan('pro', on(3)))], [cohort(6, 'Beta', plan('pro', on(9)))]];
    expect(compare(DECLARED, lives).rows).toEqual([]);
    const moved = [[cohort(5, 'Beta', plan('free', on(3)))], [cohort(6, 'Beta', plan('pro', on(8)))]];
    expect(rowsOf(compare(DECLARED, moved))).toEqual([
      ['cohort:beta', VALUE, false, 'free', 'pro'],
      ['cohort:beta', '/filters/properties/values/1/value', false, 'staff', 8],
    ]);
  });

  test('a missing, deleted or static one differs, and one that no manifest declares is left out', () => {
    const live = cohort(5, 'Beta', plan('pro', on(3)));
    const other = cohort(7, 'Other', plan('pro'));
    expect(rowsOf(compare(DECLARED, [[live, other], []]))).toEqual([['cohort:beta', '', false, 'present', 'absent']]);
    expect(rowsOf(compare(DECLARED, [[live], [{ ...live, deleted: true }]]))).toHaveLength(1);
    const isStatic = cohort(6, 'Beta', { is_static: true, filters: {} });
    expect(rowsOf(compare(DECLARED, [[live], [isStatic]])).map((row) => (row as string[])[1])).toContain('/is_static');
  });
});
