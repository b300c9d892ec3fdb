/** Steps are made by the clock of the service, and none is made where the clocks differ or the service does not say its time. */

import { describe, expect, test } from 'vitest';
import { momentOf, watchServiceClock, type ServiceClock } from '../../../src/cli/plan/service-clock.ts';
import type { ServiceEvent } from '../../../src/posthog/client/events.ts';

const HERE = Date.parse('2026-12-01T08:00:00Z');

/** The clock after an answer that was sent so many ms later than this machine says. */
function clockAt(offset?: number): ServiceClock {
  const clock = watchServiceClock(
    () => HERE,
    () => undefined,
  );
  clock.onEvent(answer(offset));
  return clock;
}

function answer(offset?: number): ServiceEvent {
  return { kind: 'response', ...(offset === undefined ? {} : { serviceTime: HERE + offset }) } as ServiceEvent;
}

test('the time is that of the last answer, goes on with this machine, and every event is passed on', () => {
  const seen: ServiceEvent[] = [];
  let here = HERE;
  const clock = watchServiceClock(
    () => here,
    (event) => seen.push(event),
  );
  expect([clock.now(), clock.offsetMs()]).toEqual([HERE, undefined]);
  const events = [answer(-2000), answer(5000), answer(), { kind: 'request' } as unknown as ServiceEvent];
  for (const event of events) clock.onEvent(event);
  here += 100;
  expect([clock.now(), clock.offsetMs()]).toEqual([HERE + 5100, 5000]);
  expect(seen).toEqual(events);
});

describe('the moment of a run', () => {
  test.each([0, 60_000, -60_000])('makes due steps if the clocks differ by %d ms', (offset) => {
    for (const due of [true, false]) {
      expect(momentOf(clockAt(offset), { due })).toEqual({ now: HERE + offset, reach: 'due' });
    }
  });

  test.each<[string, number | undefined, RegExp]>([
    ['is ahead by more than a minute', 60_001, /differ by 60 s/],
    ['is behind by more than a minute', -90_000, /differ by 90 s/],
    ['does not say its time', undefined, /does not say its time/],
  ])('makes no step if the service %s, and a run of steps alone is refused', (_what, offset, words) => {
    const clock = clockAt(offset);
    expect(momentOf(clock, {})).toEqual({ now: HERE + (offset ?? 0), reach: 'applied' });
    expect(() => momentOf(clock, { due: true })).toThrow(
      expect.objectContaining({ code: 'refused', message: expect.stringMatching(words) as string }),
    );
  });

  test('is the asked one, whatever the clocks say', () => {
    expect(momentOf(clockAt(), { at: 5, due: true })).toEqual({ now: 5, reach: 'planned' });
  });
});
