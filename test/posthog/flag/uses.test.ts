import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import type { DesiredFlag } from '../../../src/posthog/desired.ts';
import type { Flag } from '../../../src/posthog/flag/model/flag.ts';
import { runningExperiments, usesOf } from '../../../src/posthog/flag/assess.ts';
import { buildPlan } from '../../../src/posthog/planning/build-plan.ts';
import { planOff } from '../../../src/posthog/planning/off-plan.ts';
import { declared, desiredState, liveFlag, liveState, planOptions, retired } from '../../helpers/states.ts';

const split = (a: number, b: number, keys = ['a', 'b']): JsonObject => ({
  groups: [{ properties: [], rollout_percentage: 100 }],
  multivariate: {
    variants: [a, b].map((share, index) => ({ key: keys[index] ?? '', rollout_percentage: share })),
  },
});
const USED = {
  filters: split(50, 50),
  experiment_set: [7, 8],
  experiment_set_metadata: [{ id: 7, name: 'Colours', is_running: true }],
  surveys: [{ id: 'u1', name: 'NPS' }, { id: 'u2' }],
  is_used_in_replay_settings: true,
};
const USES = { experiments: [7], linked: [8], surveys: ['NPS', 'u2'], replay: true };

function planFor(live: JsonObject, desired: DesiredFlag): ReturnType<typeof buildPlan> {
  return buildPlan(desiredState(desired), liveState([liveFlag(1, 'a', live)]), planOptions());
}

const affected = (action: string, uses: object): object => ({ code: 'use_affected', id: 1, action, ...uses });

describe('a plan warns of what uses the flag', () => {
  it.each<[string, JsonObject, DesiredFlag, readonly object[]]>([
    ['that it disables', USED, declared('a', { active: false }), [affected('disable', { key: 'a', ...USES })]],
    [
      'that it renames',
      { ...USED, surveys: [], filters: { ...split(50, 50), feature_enrollment: true } },
      { ...declared('b', {}), previousKeys: ['a'] } as DesiredFlag,
      [affected('rename', { key: 'b', experiments: [7], linked: [8], replay: true, enrollment: true })],
    ],
    [
      'whose variants get other shares',
      USED,
      declared('a', { filters: split(20, 80) }),
      [affected('shares', { key: 'a', experiments: [7], linked: [8] })],
    ],
    [
      'that it deletes',
      { surveys: [{ id: 'u1', name: 'NPS' }] },
      retired('a'),
      [affected('delete', { key: 'a', surveys: ['NPS'] })],
    ],
    ['that it only describes', USED, declared('a', { name: 'new' }), []],
    ['whose conditions alone change', USED, declared('a', { filters: { ...split(50, 50), groups: [] } }), []],
    ['that nothing uses', {}, declared('a', { active: false }), []],
  ])('%s', (_, live, desired, expected) => {
    const { warnings } = planFor(live, desired);
    expect(warnings.filter(({ code }) => code === 'use_affected')).toEqual(expected);
  });

  it.each<[string, boolean]>([
    ['as off disables it', false],
    ['as off sets it to 0%', true],
  ])('%s', (_, isAtZero) => {
    const flag = liveFlag(1, 'a', USED);
    const { plan } = planOff({ flags: [flag], atZero: isAtZero ? [flag] : [], named: [] });
    expect(plan.warnings).toEqual([affected('disable', { key: 'a', ...USES })]);
  });

  it('once where a change takes two writes', () => {
    const base = { filters: { groups: [{ rollout_percentage: 10 }] }, is_used_in_replay_settings: true };
    const plan = planFor(base, declared('a', { active: false, name: 'new', filters: { groups: [{}] } }));
    expect(plan.warnings.filter(({ code }) => code === 'use_affected')).toHaveLength(1);
  });
});

describe('a plan is refused', () => {
  const experiments = [{ id: 7, name: 'Colours' }];

  it.each<[string, DesiredFlag, readonly string[]]>([
    ['removes', declared('a', { filters: { ...split(50, 50), multivariate: null } }), ['a', 'b']],
    ['renames', declared('a', { filters: split(50, 50, ['a', 'c']) }), ['b']],
  ])('that %s a variant of a running experiment', (_, desired, variants) => {
    const hazards = [{ code: 'experiment_variants', ref: 'flag:a', key: 'a', variants, experiments }];
    expect(planFor(USED, desired).hazards).toEqual(hazards);
    expect(planFor({ ...USED, experiment_set_metadata: [{ id: 7, is_running: false }] }, desired).hazards).toEqual([]);
  });

  it('that deletes a flag of session replay', () => {
    const hazards = [{ code: 'replay_linked', ref: 'flag:a', key: 'a' }];
    expect(planFor({ is_used_in_replay_settings: true }, retired('a')).hazards).toEqual(hazards);
  });
});

it.each<[name: string, experiments: readonly (boolean | null)[] | undefined, isRefused: boolean]>([
  ['no experiments', [], false],
  ['what an older service tells', undefined, false],
  ['one that runs', [true], true],
  ['one that runs beside one that does not', [false, true], true],
  ['one that has ended', [false], false],
  ['one of which the service does not tell', [null], false],
])('a flag with %s is refused its delete: %o', (_name, experiments, isRefused) => {
  const metadata = experiments?.map((running, index) => ({ id: index, name: 'x', is_running: running }));
  const flag = { ...liveFlag(1, 'a'), ...(metadata === undefined ? {} : { experiment_set_metadata: metadata }) };
  expect(runningExperiments(flag as Flag).length > 0).toBe(isRefused);
});

it.each<[string, JsonObject, object]>([
  ['an enrollment of 2023', { filters: { super_groups: [{ properties: [] }] } }, { enrollment: true }],
  ['an enrollment that ended', { filters: { super_groups: [], feature_enrollment: false } }, {}],
  ['surveys in another form', { surveys: ['u1', 7, null] }, { surveys: ['u1', '7', '?'] }],
  ['a list that is null', { surveys: null, experiment_set: null, experiment_set_metadata: null }, {}],
])('reads %s', (_, live, uses) => {
  expect(usesOf(liveFlag(1, 'a', live))).toEqual(uses);
});
