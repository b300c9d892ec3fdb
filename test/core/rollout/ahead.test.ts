import { expect, test } from 'vitest';
import type { JsonValue } from '../../../src/base/json.ts';
import { findAhead } from '../../../src/core/rollout/position.ts';
import type { PlannedRollout, Step } from '../../../src/core/rollout/rollout.ts';

const DAY = 86_400_000;
const START = Date.parse('2026-12-01T08:00:00Z');
const NOW = START + DAY;
const iso = (time: number): string => new Date(time).toISOString();
const dayOf = (day: number, to: JsonValue): Step => ({ at: iso(START + day * DAY), to });

/** 10% since yesterday; 50% tomorrow, 100% the day after, and then back to 20%. */
const ROLLOUT: PlannedRollout = {
  key: 'a',
  pointer: '/rollout_percentage',
  path: '/filters/groups/0/rollout_percentage',
  from: 0,
  steps: [dayOf(0, 10), dayOf(2, 50), dayOf(3, 100), dayOf(4, 20)],
  step: 0,
  applied: { step: 0, at: iso(START) },
  due: iso(START + 2 * DAY),
  overdue: true,
  switched_off: true,
};

test.each<[string, JsonValue | undefined, number | undefined]>([
  ['the value of the step that is declared: nobody made another', 10, undefined],
  ['the value of the next step', 50, 1],
  ['the value of a step further on', 100, 2],
  ['a value between two steps: an edit', 30, undefined],
  ['less than before: an edit', 5, undefined],
  ['the value before the first step: an edit', 0, undefined],
  ['nothing: the flag is not live', undefined, undefined],
])('live has %s', (_, live, step) => {
  expect(findAhead([ROLLOUT], () => live, NOW).map((one) => one.step)).toEqual(step === undefined ? [] : [step]);
});

test('a step that was made by hand counts as made now, without what only a plan knows', () => {
  const { pointer, from, steps } = ROLLOUT;
  expect(findAhead([ROLLOUT], () => 50, NOW)).toEqual([
    { key: 'a', pointer, from, steps, step: 1, at: iso(NOW), found_live: true },
  ]);
});

test('a step that is due and live already counts as made now', () => {
  const now = START + 2 * DAY;
  const due = { ...ROLLOUT, step: 1 };
  expect(findAhead([due], () => 50, now)).toMatchObject([{ step: 1, at: iso(now), found_live: true }]);
  expect(findAhead([due], () => 10, now)).toEqual([]);
});

test('a step that the manifest has as done is none that nobody recorded', () => {
  const steps = ROLLOUT.steps.map((one, index) => (index === 1 ? { ...one, at: iso(NOW), done: true as const } : one));
  const found = (live: number): readonly number[] =>
    findAhead([{ ...ROLLOUT, steps, step: 1 }], () => live, NOW).map(({ step }) => step);
  expect(found(50)).toEqual([]);
  expect(found(100)).toEqual([2]);
});

test.each<[string, PlannedRollout, JsonValue, number, number | undefined]>([
  ['narrows before its time: an edit', at(ROLLOUT, 2), 20, NOW, undefined],
  ['narrows at its time', at(ROLLOUT, 2), 20, START + 4 * DAY, 3],
  ['switches off before its time: an edit', onThenOff(0), false, NOW, undefined],
  ['switches off after its time', onThenOff(0), false, START + 3 * DAY, 1],
  ['switches on before its time', onThenOff(-1), true, START - DAY, 0],
])('a later step that %s', (_, rollout, live, now, step) => {
  expect(findAhead([rollout], () => live, now).map((one) => one.step)).toEqual(step === undefined ? [] : [step]);
});

test('a step that was made before is none that somebody made by hand', () => {
  expect(findAhead([{ ...ROLLOUT, step: 1, applied: { step: 1, at: iso(START) } }], () => 10, NOW)).toEqual([]);
});

test('a rollout that was never applied has no step that anybody made by hand', () => {
  const { applied: _applied, ...fresh } = ROLLOUT;
  expect(findAhead([{ ...fresh, step: -1 }], () => 50, NOW)).toEqual([]);
});

test('the live value is asked for of each rollout', () => {
  const other = { ...ROLLOUT, key: 'b' };
  expect(findAhead([ROLLOUT, other], ({ key }) => (key === 'b' ? 50 : 10), NOW)).toMatchObject([{ key: 'b', step: 1 }]);
});

function at(rollout: PlannedRollout, step: number): PlannedRollout {
  return { ...rollout, step, applied: { step, at: iso(START) } };
}

function onThenOff(step: number): PlannedRollout {
  return at(
    { ...ROLLOUT, pointer: '/active', path: '/active', from: false, steps: [dayOf(0, true), dayOf(3, false)] },
    step,
  );
}
