/** Steps are made by the clock of the service, and none is made where the clocks differ or the answers of the service have no time. */

import { describe, expect, test } from 'vitest';
import {
  clockDifference,
  momentOf,
  type ServiceClock,
  watchServiceClock,
} from '../../../src/cli/project/service-clock.ts';
import type { ServiceEvent } from '../../../src/posthog/client/events.ts';

const HERE = Date.parse('2026-12-01T08:00:00Z');
const DAY = 86_400_000;

test.each<[string, number, number, number]>([
  ['the same second', 0, 20, 0],
  ['the service cuts its time to the second', -999, 20, 0],
  ['a second that began while the request was under way', -10, 20, 0],
  ['an answer that took long says less', -5000, 4500, 0],
  ['the service is ahead', 90_000, 20, 90_000],
  ['the service is behind', -90_000, 20, -88_980],
])('the clock: %s', (_, ahead, ms, expected) => {
  expect(clockDifference({ receivedAt: HERE, ms }, HERE + ahead)).toBe(expected);
});

/** `offset`: how much later its time is than this machine says; absent: it has none. */
function answer(offset?: number, ms = 20): ServiceEvent {
  return { kind: 'response', ms, ...(offset === undefined ? {} : { serviceTime: HERE + offset }) } as ServiceEvent;
}

/** The clock after these answers. */
function clockAt(...answers: readonly ServiceEvent[]): ServiceClock {
  const clock = watchServiceClock(
    () => HERE,
    () => undefined,
  );
  for (const one of answers) clock.onEvent(one);
  return clock;
}

test('the time is the earliest that an answer allows, goes on with this machine, and every event is passed on', () => {
  const seen: ServiceEvent[] = [];
  let here = HERE;
  const clock = watchServiceClock(
    () => here,
    (event) => seen.push(event),
  );
  expect([clock.now(), clock.differenceMs()]).toEqual([HERE, undefined]);
  const events = [answer(-2000), answer(5000), answer(), { kind: 'request' } as unknown as ServiceEvent];
  for (const event of events) clock.onEvent(event);
  here += 100;
  expect([clock.now(), clock.differenceMs()]).toEqual([HERE - 1900, 5000]);
  expect(seen).toEqual(events);
});

describe('the moment of a run', () => {
  test.each([[0], [60_000], [-60_000], [30_000, -40_000, 0]])(
    'makes due steps, by the earliest time, if the answers differ by %d ms',
    (...offsets) => {
      for (const due of [true, false]) {
        const now = HERE + Math.min(...offsets);
        expect(momentOf(clockAt(...offsets.map((offset) => answer(offset))), { due })).toEqual({ now, reach: 'due' });
      }
    },
  );

  test('makes due steps although an answer took two minutes', () => {
    expect(momentOf(clockAt(answer(-120_000, 120_000)), { due: true })).toMatchObject({ reach: 'due' });
  });

  test.each<[string, readonly ServiceEvent[], RegExp]>([
    ['the service is ahead by more than a minute', [answer(60_001)], /differ by 60 seconds/],
    ['the service is behind by more than a minute', [answer(-90_000)], /differ by 89 seconds/],
    ['the answers of the service have no time', [answer(), answer()], /have no time/],
    ['one of two hosts is a day ahead', [answer(DAY), answer(0)], /differ by 24 hours/],
    ['a cache answers with the time of yesterday', [answer(0), answer(-DAY), answer(0)], /differ by 23 hours/],
  ])('makes no step if %s, and a run of steps alone is refused', (_what, answers, words) => {
    const clock = clockAt(...answers);
    expect(momentOf(clock, {})).toMatchObject({ reach: 'applied' });
    expect(() => momentOf(clock, { due: true })).toThrow(
      expect.objectContaining({ code: 'refused', message: expect.stringMatching(words) as string }),
    );
  });

  test('is the asked one, whatever the clocks say', () => {
    expect(momentOf(clockAt(answer()), { at: 5, due: true })).toEqual({ now: 5, reach: 'planned' });
  });
});
