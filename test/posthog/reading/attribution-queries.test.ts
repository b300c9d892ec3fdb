import { describe, expect, test } from 'vitest';
import { buildPlan } from '../../../src/posthog/planning/build-plan.ts';
import { pageUrl } from '../../../src/posthog/names/resource-name.ts';
import { chooseInquiries } from '../../../src/posthog/reading/read-attributions.ts';
import type { LiveState } from '../../../src/posthog/live.ts';
import { cohort, desiredOf } from '../../helpers/cohorts.ts';
import { declared, desiredState, liveFlag, liveState } from '../../helpers/states.ts';

const EVERYBODY = { filters: { properties: { type: 'AND', values: [{ key: 'plan', value: 'pro' }] } } };
const wanted = (fields: Parameters<typeof declared>[1]) => desiredState(declared('a', fields));
const pathsOf = (plan: ReturnType<typeof buildPlan>, live: LiveState): unknown =>
  chooseInquiries(plan, live).logged.map(({ logged, sought }) => [
    logged.id,
    Object.fromEntries([...sought].map(([ref, all]) => [ref, all.map(({ path }) => path)])),
  ]);

describe('the logs are asked about', () => {
  const live = liveState([liveFlag(7, 'a', { name: 'live', active: false })]);

  test('every difference without a base', () => {
    const plan = buildPlan(wanted({ name: 'git', active: true }), live);
    expect(pathsOf(plan, live)).toEqual([[7, { 'flag:a': ['/name', '/active'] }]]);
  });

  test('only what the service changed, with a base', () => {
    const facts = { kind: 'commit', commit: 'c', from: 'ref' } as const;
    const base = { facts, desired: wanted({ name: 'git', active: false }) };
    const plan = buildPlan(wanted({ name: 'git', active: true }), live, { base });
    expect(pathsOf(plan, live)).toEqual([[7, { 'flag:a': ['/name'] }]]);
  });

  test('a declared flag that was deleted or renamed in the service', () => {
    const gone = liveFlag(9, 'a', { deleted: true });
    const traces = { flags: [{ kind: 'former', key: 'a', id: 9, evidence: 'logged' }] } as const;
    const state = { ...liveState([gone]), traces };
    const plan = { ...buildPlan(wanted({ name: 'git' }), liveState([])), base: undefined };
    const { base: _base, ...without } = plan;
    expect(chooseInquiries(without, state).logged[0]?.sought.get('flag:a')).toEqual([{ path: '', place: ['deleted'] }]);
  });
});

test('the logs of cohorts are asked about what drifted, and not about one that is to be created', () => {
  const live = { ...liveState([]), cohorts: [cohort(7, 'crew', { description: 'live' })] };
  const desired = desiredOf({ cohorts: { crew: { description: 'git', ...EVERYBODY }, other: EVERYBODY } });
  const plan = buildPlan(desired, live);
  const { logged } = chooseInquiries(plan, live);
  expect(logged.map(({ logged: { resource, id }, sought }) => [resource, id, [...sought.keys()]])).toEqual([
    ['cohort', 7, ['cohort:crew']],
  ]);
  expect(pageUrl({ name: 'p', host: 'https://us.posthog.com', project_id: '5' }, { resource: 'cohort', id: 7 })).toBe(
    'https://us.posthog.com/project/5/cohorts/7',
  );
});

test.each([
  ['https://us.posthog.com', '5678', 'https://us.posthog.com/project/5678/feature_flags/7'],
  ['https://example.org/posthog/', '1', 'https://example.org/posthog/project/1/feature_flags/7'],
  ['https://example.org', '@current', 'https://example.org/feature_flags/7'],
  ['embedded', '1', undefined],
])('the page of a flag of %s', (host, project_id, url) => {
  expect(pageUrl({ name: 'p', host, project_id }, { resource: 'flag', id: 7 })).toBe(url);
});
