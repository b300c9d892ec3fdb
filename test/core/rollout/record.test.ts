import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../../src/base/json.ts';
import { approvalsBefore, neverBack, parseProgress, progressAfter } from '../../../src/core/rollout/record.ts';
import type { PlannedRollout, Progress } from '../../../src/core/rollout/rollout.ts';

const AT = '2026-12-01T08:00:00.000Z';
const STEPS = [
  { at: AT, to: 10 },
  { at: '2026-12-03T08:00:00.000Z', to: 50 },
];
const PROGRESS: Progress = { key: 'a', pointer: '/rollout_percentage', from: 0, steps: STEPS, step: 0, at: AT };
const UNREVIEWED: PlannedRollout = {
  key: 'a',
  pointer: '/rollout_percentage',
  path: '/filters/groups/0/rollout_percentage',
  from: 0,
  steps: STEPS,
  step: 1,
  applied: { step: 0, at: AT },
  due: '2026-12-03T08:00:00.000Z',
  overdue: true,
  found_live: true,
  switched_off: true,
};
const PLANNED: PlannedRollout = { ...UNREVIEWED, reviewed: true };
const NOW = Date.parse('2026-12-03T08:05:00Z');

describe('what an apply records of a rollout', () => {
  test('has the time of the apply for a step that it made, and nothing that only a plan knows', () => {
    expect(progressAfter(PLANNED, NOW)).toEqual({ ...PROGRESS, step: 1, at: '2026-12-03T08:05:00.000Z' });
    const { applied: _applied, ...first } = PLANNED;
    expect(progressAfter(first, NOW).at).toBe('2026-12-03T08:05:00.000Z');
  });

  test('keeps the time of a step that was applied before', () => {
    expect(progressAfter({ ...PLANNED, step: 0 }, NOW)).toEqual(PROGRESS);
  });

  test('has the time of the apply where the recorded one is still to come', () => {
    const later = { ...PLANNED, step: 0, recorded_later: true } as const;
    expect(progressAfter(later, NOW)).toEqual({ ...PROGRESS, at: '2026-12-03T08:05:00.000Z' });
  });
});

describe('what two runs record of one rollout never goes back', () => {
  const later = '2026-12-03T09:00:00.000Z';
  const second = { ...PROGRESS, step: 1, at: later };
  test.each<[string, Progress, Progress, Progress]>([
    ['a later step stays', PROGRESS, second, second],
    ['an earlier step is passed', second, PROGRESS, second],
    ['of one step, the earlier time counts', second, { ...second, at: AT }, { ...second, at: AT }],
    ['a time that was wrong is corrected', { ...second, at: AT }, second, { ...second, at: AT }],
    ['other steps begin anew', PROGRESS, { ...second, steps: [...STEPS, { at: later, to: 60 }] }, PROGRESS],
    ['another flag does not count', PROGRESS, { ...second, key: 'b' }, PROGRESS],
    ['another place does not count', PROGRESS, { ...second, pointer: '/active' }, PROGRESS],
  ])('%s', (_, own, recorded, expected) => expect(neverBack([own], [recorded])).toEqual([expected]));

  test('and what the run knows beside it stays', () => {
    const approved = [{ rule: 'max-widen', by: 'ben', step: AT, facts: { points: 30 } }];
    expect(neverBack([{ ...PROGRESS, approved }], [second])).toEqual([{ ...second, approved }]);
  });

  test('also if only its guards are others', () => {
    expect(neverBack([{ ...PROGRESS, guard: ['errors'] }], [second])).toEqual([{ ...second, guard: ['errors'] }]);
  });

  test('and what let a step through stays with that step', () => {
    const passed = (at: string): Pick<Progress, 'let_through'> => ({
      let_through: [{ guard: 'errors', says: 'pass', at }],
    });
    const [early, late] = [passed(AT), passed('2026-12-03T08:00:00.000Z')];
    expect(neverBack([{ ...PROGRESS, ...early }], [{ ...second, ...late }])).toEqual([{ ...second, ...late }]);
    expect(neverBack([{ ...PROGRESS, ...early }], [second])).toEqual([second]);
    expect(neverBack([{ ...PROGRESS, ...early }], [{ ...PROGRESS, ...late }])).toEqual([{ ...PROGRESS, ...early }]);
  });
});

describe('the approvals of a review', () => {
  const approved = [{ rule: 'max-widen', by: 'ben', step: AT, facts: { points: 30 } }];
  const recorded = [{ ...PROGRESS, approved }];

  test.each<[string, PlannedRollout, typeof approved]>([
    ['hold for the same steps', PLANNED, approved],
    ['hold under another key', { ...PLANNED, key: 'b', applied: { step: 0, at: AT, key: 'a' } }, approved],
    ['are none of another flag', { ...PLANNED, key: 'b' }, []],
    ['are none of other steps', { ...PLANNED, steps: STEPS.map((step) => ({ ...step, to: 90 })) }, []],
    ['are none of a rollout that jumps', { ...PLANNED, catch_up: 'latest' }, []],
    ['are none where the flag means something else', UNREVIEWED, []],
  ])('%s', (_, rollout, expected) => expect(approvalsBefore(rollout, recorded)).toEqual(expected));
});

const times = fc.integer({ min: 0, max: 4_102_444_800_000 }).map((ms) => new Date(ms).toISOString());
const approvals = fc.array(
  fc.record(
    {
      ...{ rule: fc.string(), by: fc.string(), step: times, jumps: fc.constant(true) },
      facts: fc.dictionary(fc.string(), fc.oneof(fc.integer(), fc.string())),
    },
    { requiredKeys: ['rule', 'by', 'step', 'facts'] },
  ),
  { minLength: 1 },
);
const records: fc.Arbitrary<Progress> = fc
  .record(
    {
      key: fc.string(),
      pointer: fc.string(),
      from: fc.oneof(fc.integer({ min: 0, max: 100 }), fc.boolean()),
      steps: fc.array(
        fc.record(
          { at: times, to: fc.oneof(fc.integer({ min: 0, max: 100 }), fc.boolean()), done: fc.constant(true as const) },
          { requiredKeys: ['at', 'to'] },
        ),
        { minLength: 1 },
      ),
      at: times,
      reached: fc.nat(),
      catch_up: fc.constant('latest' as const),
      asked: fc.nat(9),
      approved: approvals,
    },
    { requiredKeys: ['key', 'pointer', 'from', 'steps', 'at', 'reached'] },
  )
  .map(({ reached, ...progress }) => ({ ...progress, step: (reached % (progress.steps.length + 1)) - 1 }));

describe('a record', () => {
  test('is read as it was written', () => {
    fc.assert(
      fc.property(records, (progress) => {
        expect(parseProgress(JSON.parse(JSON.stringify(progress)) as JsonValue)).toEqual(progress);
      }),
    );
  });

  test.each<[string, JsonValue | undefined]>([
    ['is no object', [PROGRESS as unknown as JsonValue]],
    ['has no key', without('key')],
    ['has no place', without('pointer')],
    ['has no time', without('at')],
    ['is nothing', undefined],
    ['is null', null],
    ['is text', 'a'],
    ['has no value until the first step', without('from')],
    ['has no step', without('step')],
    ['has no steps', without('steps')],
    ['has an empty list of steps', changed({ steps: [] })],
    ['has steps that are no list', changed({ steps: 'all' })],
    ['has a step that is no object', changed({ steps: [...STEPS, 'tomorrow'] })],
    ['has a step without a value', changed({ steps: [...STEPS, { at: AT }] })],
    ['has a step without a time', changed({ steps: [...STEPS, { to: 100 }] })],
    ['has a step at a time of another form', changed({ steps: [...STEPS, { at: '2026-12-04', to: 100 }] })],
    ['has a time of another form', changed({ at: '2026-12-01T08:00:00Z' })],
    ['has a time that does not exist', changed({ at: '2026-02-30T08:00:00.000Z' })],
    ['has a time that is no time', changed({ at: 'today' })],
    ['has a number as its time', changed({ at: NOW })],
    ['names a step behind the last one', changed({ step: 2 })],
    ['names a step before the beginning', changed({ step: -2 })],
    ['names half a step', changed({ step: 0.5 })],
    ['names a step by text', changed({ step: '0' })],
    ['catches up in a way of a later release', changed({ catch_up: 'half' })],
    ['has an approval without a rule', changed({ approved: [{ by: 'ada' }] })],
    ['has an approval by nobody', changed({ approved: [{ rule: 'max-widen' }] })],
    ['has a requested step that is no index', changed({ asked: '1' })],
    ['has approvals that are no list', changed({ approved: { rule: 'max-widen', by: 'ada' } })],
  ])('that %s is not read: nothing is recorded then', (_, value) => {
    expect(parseProgress(value)).toBeUndefined();
  });

  test('has no approval of an earlier release, which named neither a step nor what was found', () => {
    const [whole] = [{ rule: 'max-widen', by: 'ben', step: AT, facts: { points: 30 } }];
    expect(parseProgress(changed({ approved: [{ rule: 'max-widen', by: 'ada' }] }))).toEqual(PROGRESS);
    expect(parseProgress(changed({ approved: [{ rule: 'max-widen', by: 'ada' }, whole] }))).toEqual({
      ...PROGRESS,
      approved: [whole],
    });
  });

  test('that says of no rule that it was approved is as one that says nothing', () => {
    expect(parseProgress(changed({ approved: [] }))).toEqual(PROGRESS);
  });
});

function changed(other: { readonly [name: string]: JsonValue }): JsonValue {
  return { ...(PROGRESS as unknown as { [name: string]: JsonValue }), ...other };
}

function without(name: keyof Progress): JsonValue {
  const { [name]: _left, ...rest } = PROGRESS as unknown as { [name: string]: JsonValue };
  return rest;
}
