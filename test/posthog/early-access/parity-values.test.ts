/** The values of early access features in a comparison of projects. */

import { expect, test } from 'vitest';
import type { DesiredState } from '../../../src/posthog/desired.ts';
import type { LiveState } from '../../../src/posthog/live.ts';
import { compareProjects } from '../../../src/posthog/parity/parity.ts';
import { desiredOf } from '../../helpers/cohorts.ts';

/** The flag has another id in each project. */
function live(id: number, stage?: string): LiveState {
  const feature = { id, feature_id: `f${id}`, name: 'New', stage: stage ?? '', description: '', documentation_url: '' };
  const flags = [{ id, key: 'new', active: true, filters: {} }];
  return { flags, roleAccess: {}, early_access: stage === undefined ? [] : [feature] };
}

const NONE: DesiredState = { flags: [] };
const BETA = desiredOf({ early_access: { fresh: { flag: 'new', stage: 'beta' } } });
const ALPHA = desiredOf({ early_access: { fresh: { flag: 'new', stage: 'alpha' } } });
const RETIRED = desiredOf({ early_access: { fresh: { flag: 'new', deleted: true } } });

test.each<
  [what: string, desired: readonly [DesiredState, DesiredState], stages: (string | undefined)[], rows: string[]]
>([
  ['alike', [BETA, BETA], ['beta', 'beta'], []],
  ['with a stage of its own', [BETA, BETA], ['beta', 'alpha'], ['/stage undeclared']],
  ['with a stage that its manifests declare', [BETA, ALPHA], ['beta', 'alpha'], ['/stage declared']],
  ['undeclared in one project, by the flag', [BETA, NONE], ['beta', 'alpha'], ['/stage undeclared']],
  ['archived where manifests delete it', [BETA, RETIRED], ['beta', 'archived'], [' declared']],
  ['gone from one project', [BETA, BETA], ['beta', undefined], [' undeclared']],
  ['declared by nobody', [NONE, NONE], ['beta', 'alpha'], []],
])('parity of live features that are %s', (_what, desired, stages, rows) => {
  const projects = desired.map((own, index) => ({
    project: { name: `p${index}`, roles: {}, cohorts: {} },
    desired: own,
    live: live(index + 1, stages[index]),
  }));
  const { rows: found } = compareProjects(projects, { scope: { include: ['*'], exclude: [] } });
  const ofFeature = found.filter(({ key }) => key === 'early_access:fresh');
  expect(ofFeature.map(({ path, declared }) => `${path} ${declared ? 'declared' : 'undeclared'}`)).toEqual(rows);
});

test('parity of payloads names the members that differ', () => {
  const rowsOf = (...icons: string[]): string[] => {
    const projects = icons.map((icon, index) => {
      const state = live(index + 1, 'beta');
      const early_access = (state.early_access ?? []).map((feature) => ({ ...feature, payload: { icon } }));
      return {
        project: { name: `p${index}`, roles: {}, cohorts: {} },
        desired: BETA,
        live: { ...state, early_access },
      };
    });
    const { rows } = compareProjects(projects, { scope: { include: ['*'], exclude: [] } });
    return rows.map(({ key, path }) => `${key} ${path}`);
  };
  expect(rowsOf('a', 'a')).toEqual([]);
  expect(rowsOf('a', 'b')).toEqual(['early_access:fresh /payload/icon']);
});
