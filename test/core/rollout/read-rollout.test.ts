import { describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { DEFAULT_STEPS_EVERY, readRollout } from '../../../src/core/rollout/read-rollout.ts';

const FIRST = { at: '2026-12-01T09:00+01:00', to: 10 };
const SECOND = { at: '2026-12-03T09:00+01:00', to: 50 };

describe('a rollout', () => {
  test('has its steps in UTC, and begins with nobody', () => {
    expect(readRollout({ steps: [FIRST, SECOND] })).toEqual({
      rollout: {
        from: 0,
        steps: [
          { at: '2026-12-01T08:00:00.000Z', to: 10 },
          { at: '2026-12-03T08:00:00.000Z', to: 50 },
        ],
      },
      findings: [],
    });
  });

  test.each<[string, JsonObject, JsonValue]>([
    ['of a percentage is 0', { steps: [FIRST] }, 0],
    ['of a flag that is switched on is off', { steps: [{ ...FIRST, to: true }] }, false],
    ['of a flag that is switched off is on', { steps: [{ ...FIRST, to: false }] }, true],
    ['is the one that is written', { from: 5, steps: [FIRST] }, 5],
    ['is the one that is written, if it is off', { from: false, steps: [{ ...FIRST, to: true }] }, false],
  ])('until its first step: the value %s', (_, written, from) => {
    expect(readRollout(written).rollout?.from).toBe(from);
  });

  test('catches up where the manifest says so, and knows the steps that were made by hand', () => {
    expect(readRollout({ steps: [{ ...FIRST, done: true }, SECOND], catch_up: 'latest' }).rollout).toMatchObject({
      catch_up: 'latest',
      steps: [{ to: 10, done: true }, { to: 50 }],
    });
    const plain = readRollout({ steps: [{ ...FIRST, done: false }], catch_up: 'each' }).rollout;
    expect(plain).not.toHaveProperty('catch_up');
    expect(plain?.steps[0]).not.toHaveProperty('done');
  });
});

describe('the time of a step', () => {
  test.each([
    ['2026-12-01T09:00Z', '2026-12-01T09:00:00.000Z'],
    ['2026-12-01T09:00:30Z', '2026-12-01T09:00:30.000Z'],
    ['2026-12-01T09:00-05:30', '2026-12-01T14:30:00.000Z'],
    ['2028-02-29T00:00+14:00', '2028-02-28T10:00:00.000Z'],
    // Before and after the clocks of Berlin change: the offset says which hour is meant.
    ['2026-10-25T02:30+02:00', '2026-10-25T00:30:00.000Z'],
    ['2026-10-25T02:30+01:00', '2026-10-25T01:30:00.000Z'],
  ])('%s is %s', (at, utc) => {
    expect(readRollout({ steps: [{ at, to: 10 }] }).rollout?.steps).toEqual([{ at: utc, to: 10 }]);
  });

  test.each([
    '2026-02-29T09:00Z',
    '2026-02-30T09:00Z',
    '2026-13-01T09:00Z',
    '2026-12-01T25:00Z',
    '2026-12-01T09:60Z',
    '2026-12-01T09:00:61Z',
  ])('%s does not exist, and is named with its place', (time) => {
    expect(readRollout({ steps: [FIRST, { at: time, to: 50 }] })).toEqual({
      findings: [{ code: 'step-time-invalid', severity: 'error', at: '/steps/1/at', args: { time } }],
    });
  });

  test.each<[string, JsonValue]>([
    ['has no offset', { at: '2026-12-01T09:00', to: 10 }],
    ['has text before it', { at: 'x2026-12-01T09:00Z', to: 10 }],
    ['has text behind it', { at: '2026-12-01T09:00Zx', to: 10 }],
    ['has a letter in place of a digit', { at: '2026-12-01T0x:00Z', to: 10 }],
    ['is a number', { at: 1_764_576_000_000, to: 10 }],
    ['is missing', { to: 10 }],
    ['belongs to no value', { at: '2026-12-01T09:00Z' }],
    ['belongs to no step', 'tomorrow'],
  ])('that %s has the wrong shape, which the schema reports: there is no rollout', (_, step) => {
    expect(readRollout({ steps: [FIRST, step] })).toEqual({ findings: [] });
  });

  test.each<[string, JsonObject]>([
    ['without steps', { steps: [] }],
    ['with steps that are no list', { steps: 'soon' }],
  ])('%s: there is no rollout', (_, written) => {
    expect(readRollout(written)).toEqual({ findings: [] });
  });
});

describe('steps', () => {
  test('at the same time, by whatever offset, are an error', () => {
    const same = { at: '2026-12-01T08:00Z', to: 50 };
    expect(readRollout({ steps: [FIRST, same] })).toEqual({
      findings: [{ code: 'steps-out-of-order', severity: 'error', at: '/steps/1/at', args: { same: true } }],
    });
  });

  test('out of order are an error', () => {
    expect(readRollout({ steps: [SECOND, FIRST] })).toEqual({
      findings: [{ code: 'steps-out-of-order', severity: 'error', at: '/steps/1/at', args: { same: false } }],
    });
  });

  test('closer than rollouts are looked at are an error; just as close is allowed', () => {
    const after = (minutes: number): JsonObject => ({
      steps: [FIRST, { at: `2026-12-01T09:${minutes}+01:00`, to: 50 }],
    });
    expect(DEFAULT_STEPS_EVERY).toBe(900_000);
    expect(readRollout(after(15)).rollout).toBeDefined();
    expect(readRollout(after(14)).findings).toEqual([
      { code: 'steps-too-close', severity: 'error', at: '/steps/1/at', args: { seconds: 840, every: 900 } },
    ]);
    expect(readRollout(after(14), { every: 60_000 }).rollout).toBeDefined();
  });

  test('that were made by hand may be closer, since no run makes them', () => {
    const done = { at: '2026-12-01T09:01+01:00', to: 50, done: true };
    expect(readRollout({ steps: [FIRST, done] })).toMatchObject({ findings: [], rollout: {} });
  });

  test('that somebody made is not later than the present, but for the difference of clocks', () => {
    const steps = [FIRST, { ...SECOND, done: true }];
    const time = Date.parse(SECOND.at);
    expect(readRollout({ steps }, { present: time - 60_000 }).findings).toEqual([]);
    expect(readRollout({ steps }, { present: time - 60_001 })).toEqual({
      findings: [
        {
          code: 'step-done-ahead',
          severity: 'error',
          at: '/steps/1/done',
          args: { time: new Date(time).toISOString() },
        },
      ],
    });
    expect(readRollout({ steps: [FIRST, SECOND] }, { present: 0 }).findings).toEqual([]);
  });

  describe('that a late run may jump over', () => {
    const hour = (index: number): string => `${new Date(Date.UTC(2027, 0, 1, index)).toISOString().slice(0, 16)}Z`;
    const jumping = (count: number, to: (index: number) => JsonValue): JsonObject => ({
      catch_up: 'latest',
      steps: Array.from({ length: count }, (_, index) => ({ at: hour(index), to: to(index) })),
    });

    test('have at most 10,000 different jumps', () => {
      const rising = (index: number): JsonValue => (index + 1) / 4;
      expect(readRollout(jumping(141, rising)).findings).toEqual([]);
      const { catch_up: _, ...stepwise } = jumping(142, rising);
      expect(readRollout(stepwise).findings).toEqual([]);
      expect(readRollout(jumping(142, rising))).toEqual({
        findings: [{ code: 'jumps-too-many', severity: 'error', at: '/steps', args: { jumps: 10_011, limit: 10_000 } }],
      });
    });

    test('may be thousands where they have few values', () => {
      expect(readRollout(jumping(5_000, (index) => index % 2 === 0)).findings).toEqual([]);
    });
  });

  test.each<[string, JsonObject, number]>([
    ['the value of the one before', { steps: [FIRST, { ...SECOND, to: 10 }] }, 1],
    ['the value until the first one', { steps: [{ ...FIRST, to: 0 }, SECOND] }, 0],
    ['the value that is written for it', { from: 10, steps: [FIRST] }, 0],
  ])('with %s are a warning, and the rollout stands', (_, written, index) => {
    const { rollout, findings } = readRollout(written);
    const value = rollout?.steps[index]?.to;
    expect(findings).toEqual([
      { code: 'step-changes-nothing', severity: 'warning', at: `/steps/${index}/to`, args: { value } },
    ]);
  });

  test('that differ from the former one, though not from `from`, change something', () => {
    expect(readRollout({ steps: [FIRST, { ...SECOND, to: 0 }] }).findings).toEqual([]);
  });
});
