/** The rollouts of a plan in a report: those with steps left, what each waits for, and how to go on. */

import { describe, expect, test } from 'vitest';
import type { KnownRequest } from '../../../src/core/engine/change-request.ts';
import type { Plan } from '../../../src/posthog/plan.ts';
import type { StepSoon } from '../../../src/posthog/rollouts/rollouts-in-review.ts';
import { plainText } from '../../../src/report/phrase.ts';
import { rolloutsGroup, stepsGroup } from '../../../src/report/model/rollouts.ts';
import type { PlannedRollout } from '../../../src/core/rollout/rollout.ts';
import { EMPTY_PLAN } from '../samples.ts';

const PATH = '/filters/groups/0/rollout_percentage';
const STEPS = [
  { at: '2026-12-01T08:00:00.000Z', to: 10 },
  { at: '2026-12-03T08:00:00.000Z', to: 50 },
];
const AT = STEPS[1]?.at ?? '';
const rollout = (key: string, more: object = {}): PlannedRollout =>
  ({
    key,
    path: PATH,
    pointer: '/x',
    from: 0,
    steps: STEPS,
    step: 0,
    applied: { step: 0, at: STEPS[0]?.at },
    due: AT,
    ...more,
  }) as PlannedRollout;

function told(
  rollouts: readonly PlannedRollout[],
  {
    requests = [],
    soon = [],
    isMade = false,
    ...plan
  }: Partial<Plan> & { requests?: readonly KnownRequest[]; soon?: readonly StepSoon[]; isMade?: boolean } = {},
): readonly string[] {
  const { entries } = rolloutsGroup({ ...EMPTY_PLAN, ...plan, rollouts }, requests, { soon, isMade });
  return entries.flatMap(({ head, lines = [] }) => [
    plainText(head),
    ...lines.map(({ phrase }) => `  ${plainText(phrase)}`),
  ]);
}

test('rollouts with steps left are listed, and one that was found in the service, but none that is at its end', () => {
  const end = { step: 1, applied: { step: 1, at: AT }, due: undefined };
  expect(told([rollout('a'), rollout('b', end), rollout('c', { ...end, found_live: true })])).toEqual([
    'a condition 1 · rollout_percentage: at step 1 of 2, 10%; then 50% at 2026-12-03 08:00:00 UTC',
    'c condition 1 · rollout_percentage: at step 2 of 2, 50%, which no apply recorded: it was found in the service',
  ]);
  expect(rolloutsGroup({ ...EMPTY_PLAN, rollouts: [rollout('a'), rollout('b')] }).counted).toBe('2 rollouts over time');
  expect(rolloutsGroup({ ...EMPTY_PLAN, rollouts: [rollout('a')] }).counted).toBe('1 rollout over time');
});

describe('a rollout that waits says for what, and how to go on', () => {
  const held = { held: true };

  test.each<[string, PlannedRollout, readonly string[]]>([
    [
      'for a decision about an edit',
      rollout('a', { ...held, waits: 'edited' }),
      [
        '  waits: somebody changed the flag in the service',
        '  → flagwright accept a keeps what is live, flagwright apply --target a --override a reverts it',
      ],
    ],
    ['not where nothing keeps it', rollout('a', held), []],
    [
      'for the flag to be switched on',
      rollout('a', { ...held, switched_off: true, waits: 'switched_off' }),
      [
        '  waits: the flag is switched off in the service, and no manifest declares whether it is on',
        '  → to continue, switch it on in the service, or declare active: true and apply that',
      ],
    ],
    [
      'for an apply, where the last one left it',
      rollout('a', { ...held, waits: 'unrecorded' }),
      [
        '  waits: the last apply skipped the flag, so these steps were not applied',
        '  → flagwright apply applies them',
      ],
    ],
    [
      'for the time of its last step',
      rollout('a', { recorded_later: true, waits: 'recorded_later' }),
      ['  waits: its last step is recorded in the future', '  → flagwright apply records it as made now'],
    ],
    [
      'for a rule',
      rollout('a', { ...held, waits: 'refused' }),
      ['  waits: a rule refuses its step', '  → flagwright apply --target a makes it once the rule allows it'],
    ],
    ['for nothing where it is on time', rollout('a', { waits: 'edited' }), []],
  ])('%s', (_what, one, lines) => {
    expect(told([one]).slice(1)).toEqual(lines);
  });
});

test('names no command where the plan itself reverts the edit for which a rollout waits', () => {
  const fields = [{ path: '/name', divergence: 'drifted' }];
  const change = { resource: 'flag', ref: 'flag:a', key: 'a', action: 'update', fields };
  const changes = [change] as unknown as Plan['changes'];
  const one = rollout('a', { held: true, waits: 'edited' });
  expect(told([one], { changes, isMade: true }).slice(1)).toEqual([
    '  waits: somebody changed the flag in the service',
    '  → this plan reverts that, and the next run makes the next step',
  ]);
  const left = [change] as unknown as NonNullable<Plan['left']>;
  for (const plan of [{ changes }, { changes, left, isMade: true }])
    expect(told([one], plan).at(-1)).toMatch('flagwright accept a');
});

test('a request for its step is told, and how to ask again where somebody decided against it', () => {
  const request = (ref: string, standing: object): KnownRequest =>
    ({ id: '7', ref, key: 'a', standing }) as KnownRequest;
  const open = request('flag:a', { kind: 'open', asks: 'this_change', by: 'ann' });
  const again = '  → flagwright apply --target a asks again';
  expect(told([rollout('a')], { requests: [open] }).slice(1)).toEqual([
    '  waits for approval: change request 7 of ann asks for this change',
  ]);
  for (const kind of ['rejected', 'withdrawn']) {
    expect(told([rollout('a')], { requests: [request('flag:a', { kind })] }).slice(2), kind).toEqual([again]);
  }
  expect(told([rollout('a')], { requests: [request('flag:a', { kind: 'expired' })] })).not.toContain(again);
  expect(told([rollout('b')], { requests: [open] }).slice(1)).toEqual([]);
  const changes = [
    { action: 'update', resource: 'flag', ref: 'flag:a', key: 'a', fields: [], body: {} },
  ] as unknown as Plan['changes'];
  expect(told([rollout('a')], { changes, requests: [open] }).slice(1)).toEqual([]);
});

test('steps that come while a change is reviewed are told, also of a rollout that the change ends', () => {
  const soon = (key: string, by: StepSoon['by'], path = PATH): StepSoon => ({ key, path, at: AT, to: 50, by });
  const next = '  the next step comes within 3 days, whether this change is applied or not';
  expect(
    told([rollout('a'), rollout('b')], { soon: [soon('a', 'plan')] }).filter((line) => line === next),
  ).toHaveLength(1);
  expect(
    told([rollout('a')], { soon: [soon('b', 'plan'), soon('a', 'plan', '/active'), soon('a', 'change')] }).slice(1),
  ).toEqual([]);
  expect(told([], { soon: [soon('z', 'former_plan')] })).toEqual([
    'z condition 1 · rollout_percentage: 50% at 2026-12-03 08:00:00 UTC, by the steps that were applied before, unless this change is applied first',
  ]);
});

test('the percentages of open rollouts are drawn from an hour before the first step on, and of switches none', () => {
  const plotsOf = (...rollouts: PlannedRollout[]) => rolloutsGroup({ ...EMPTY_PLAN, rollouts }).plots ?? [];
  const [plot, ...others] = plotsOf(
    rollout('a'),
    rollout('b', { step: 1, applied: { step: 1, at: AT } }),
    rollout('c', { from: false, steps: [{ at: AT, to: true }], step: -1, applied: undefined }),
  );
  expect(others).toEqual([]);
  const [first, last] = STEPS.map(({ at }) => Date.parse(at)) as [number, number];
  expect(plot).toEqual({
    title: 'a condition 1 · rollout_percentage',
    points: [
      { at: first - (last - first) / 10, least: 0, most: 0 },
      { at: first, least: 10, most: 10 },
      { at: last, least: 50, most: 50 },
    ],
  });
  const close = [
    { at: '2026-12-01T08:00:00.000Z', to: 10 },
    { at: '2026-12-01T09:00:00.000Z', to: 50 },
  ];
  expect(plotsOf(rollout('a', { steps: close }))[0]?.points[0]?.at).toBe(first - 3_600_000);
});

test('steps that a change decides are counted without the jumps that a late run would make', () => {
  const step = (more: object = {}) => ({ at: AT, plan: EMPTY_PLAN, live: { flags: [], roleAccess: {} }, ...more });
  const group = stepsGroup([step(), step({ jump_since: '2026-12-01T08:00:00.000Z' })], {
    soon: [{ key: 'a', path: PATH, at: AT, to: 50, by: 'change' }],
  });
  expect(group.counted).toBe('1 step to come');
  expect(group.entries.map(({ head }) => plainText(head))).toEqual([
    '2026-12-03 08:00:00 UTC  within 3 days: if this change is applied later, it makes the step at once',
    '2026-12-03 08:00:00 UTC  in one jump with all steps from 2026-12-01 08:00:00 UTC on, if no run makes one of them in time',
  ]);
  expect(stepsGroup([step({ due: '2026-12-03T09:00:00.000Z' })]).entries.map(({ head }) => plainText(head))).toEqual([
    '2026-12-03 09:00:00 UTC  declared for 2026-12-03 08:00:00 UTC, but its rollout is late',
  ]);
  expect(stepsGroup([step(), step()]).counted).toBe('2 steps to come');
  expect(stepsGroup([step()]).entries.map(({ head }) => plainText(head))).toEqual(['2026-12-03 08:00:00 UTC']);
  expect(stepsGroup().entries).toEqual([]);
});
