import { describe, expect, test } from 'vitest';
import type { Moment } from '../../../src/core/rollout/rollout.ts';
import { parseManifest, resolveManifests } from '../../../src/posthog/manifests/manifests.ts';

const STEPS = '{ steps: [{ at: 2026-12-01T09:00+01:00, to: 10 }, { at: 2026-12-03T09:00+01:00, to: 50 }] }';
const SWITCH = '{ steps: [{ at: 2026-12-01T09:00+01:00, to: true }] }';
const NOW: Moment = { now: Date.parse('2026-12-02T00:00:00Z'), progress: [], reach: 'planned', every: 900_000 };

/** The problems of one flag, and the flag; `undefined` for no time. */
function resolve(flag: string, moment: Moment | undefined = NOW, project = 'main'): ReturnType<typeof parts> {
  return parts(flag, moment, project);
}

function parts(flag: string, moment: Moment | undefined, name: string) {
  const { file, diagnostics } = parseManifest('flags.yaml', `flags:\n  a:\n${flag.replaceAll(/^/gm, '    ')}\n`);
  const project = { name, roles: {}, cohorts: {}, ...(moment === undefined ? {} : { moment }) };
  const resolved = resolveManifests([file], project, ['main', 'staging']);
  const [declared] = resolved.desired.flags;
  const problems = [...diagnostics, ...resolved.diagnostics].map(({ code, path = '' }) => `${code} ${path}`);
  return { problems: [...new Set(problems)], flag: declared?.kind === 'declared' ? declared : undefined };
}

const percentage = ({ flag }: ReturnType<typeof resolve>, index = 0): unknown =>
  (flag?.fields['filters'] as { groups: { rollout_percentage: unknown }[] } | undefined)?.groups[index]
    ?.rollout_percentage;

describe('a value that changes over time is the one of its step', () => {
  test.each<[string, string, number | undefined]>([
    ['of the flag', `rollout_percentage: ${STEPS}`, 0],
    ['of a condition', `filters: { groups: [{ rollout_percentage: 5 }, { rollout_percentage: ${STEPS} }] }`, 1],
    ['of an overlay', `rollout_percentage: 3\nprojects: { main: { rollout_percentage: ${STEPS} } }`, 0],
    [
      'of a condition of an overlay',
      `filters: { groups: [{ rollout_percentage: 5 }] }\nprojects: { main: { conditions: { '1': { rollout_percentage: ${STEPS} } } } }`,
      0,
    ],
  ])('%s', (_, flag, index) => {
    const found = resolve(flag);
    expect(found.problems).toEqual([]);
    expect(percentage(found, index)).toBe(10);
    expect(found.flag?.rollouts).toMatchObject([{ path: `/filters/groups/${index}/rollout_percentage`, step: 0 }]);
    expect(percentage(resolve(flag, { ...NOW, now: Date.parse('2026-12-03T08:00:00Z') }), index)).toBe(50);
  });

  test('of active, which is the opposite until then', () => {
    expect(resolve(`active: ${SWITCH}`).flag?.fields['active']).toBe(true);
    expect(resolve(`active: ${SWITCH}`, { ...NOW, now: 0 }).flag?.fields['active']).toBe(false);
  });

  test('but not where the overlay of the project replaces it', () => {
    const { flag } = resolve(`rollout_percentage: ${STEPS}\nprojects: { main: { rollout_percentage: 7 } }`);
    expect(flag).not.toHaveProperty('rollouts');
    expect(percentage({ flag, problems: [] })).toBe(7);
  });
});

describe('validate reports', () => {
  test.each<[string, string, string[]]>([
    [
      'a day that no calendar has',
      'active: { steps: [{ at: 2026-02-30T09:00Z, to: true }] }',
      ['step-time-invalid /flags/a/active/steps/0/at'],
    ],
    [
      'a leap day that the year lacks',
      'active: { steps: [{ at: 2027-02-29T09:00Z, to: true }] }',
      ['step-time-invalid /flags/a/active/steps/0/at'],
    ],
    [
      'a time without an offset',
      'active: { steps: [{ at: 2026-12-01T09:00, to: true }] }',
      ['value-pattern /flags/a/active/steps/0/at'],
    ],
    ['no steps', 'rollout_percentage: { steps: [] }', ['length-out-of-range /flags/a/rollout_percentage/steps']],
    [
      'a mapping without steps',
      'rollout_percentage: { to: 4 }',
      ['property-missing /flags/a/rollout_percentage', 'property-unknown /flags/a/rollout_percentage/to'],
    ],
    [
      'a percentage above 100',
      'rollout_percentage: { steps: [{ at: 2026-12-01T09:00Z, to: 101 }] }',
      ['value-out-of-range /flags/a/rollout_percentage/steps/0/to'],
    ],
    [
      'a percentage as text',
      'rollout_percentage: { steps: [{ at: 2026-12-01T09:00Z, to: 10% }] }',
      ['type-wrong /flags/a/rollout_percentage/steps/0/to'],
    ],
    [
      'steps of a description',
      'description: { steps: [{ at: 2026-12-01T09:00Z, to: x }] }',
      ['type-wrong /flags/a/description'],
    ],
    [
      'the same time by another offset',
      'rollout_percentage: { steps: [{ at: 2026-12-01T09:00+01:00, to: 1 }, { at: 2026-12-01T08:00Z, to: 2 }] }',
      ['steps-out-of-order /flags/a/rollout_percentage/steps/1/at'],
    ],
    [
      'steps out of order',
      'rollout_percentage: { steps: [{ at: 2026-12-02T09:00Z, to: 1 }, { at: 2026-12-01T08:00Z, to: 2 }] }',
      ['steps-out-of-order /flags/a/rollout_percentage/steps/1/at'],
    ],
    [
      'steps closer than the schedule',
      'rollout_percentage: { steps: [{ at: 2026-12-01T09:00Z, to: 1 }, { at: 2026-12-01T09:14Z, to: 2 }] }',
      ['steps-too-close /flags/a/rollout_percentage/steps/1/at'],
    ],
    [
      'a step that changes nothing',
      'rollout_percentage: { from: 1, steps: [{ at: 2026-12-01T09:00Z, to: 1 }] }',
      ['step-changes-nothing /flags/a/rollout_percentage/steps/0/to'],
    ],
    [
      'a mistake in the overlay of another project',
      'rollout_percentage: 1\nprojects: { staging: { rollout_percentage: { steps: [{ at: 2026-02-30T09:00Z, to: 1 }] } } }',
      ['step-time-invalid /flags/a/projects/staging/rollout_percentage/steps/0/at'],
    ],
    [
      'an overlay that discards conditions',
      `filters: { groups: [{ properties: [{ key: plan, value: pro }] }] }\nprojects: { main: { rollout_percentage: ${STEPS} } }`,
      ['overlay-discards /flags/a/projects/main/rollout_percentage'],
    ],
  ])('%s', (_, flag, expected) => {
    expect(resolve(flag).problems).toEqual(expected);
  });

  test('that no time is given', () => {
    expect(parts(`rollout_percentage: ${STEPS}`, undefined, 'main').problems).toEqual([
      'rollout-time-unknown /flags/a/rollout_percentage',
    ]);
  });
});
