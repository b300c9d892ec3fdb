/**
 * Random histories of rollouts over ten weeks: due runs, dead runners, freezes, approvals of the service, wrong clocks, people who click, commits
 * that rename, delete, edit and revert, two runs at once, and runs that are killed before they record. Whatever happens: no step twice, none
 * skipped, none early, none that was not reviewed or approved, nobody asked twice, no flag on that a person switched off, and everything late is
 * said. FLAGWRIGHT_HISTORIES=200 makes as many.
 */

import { test } from 'vitest';
import { drift, due, EVENTS } from './rollout-weeks/events.ts';
import { DAY, MINUTE } from './rollout-weeks/known.ts';
import { beginWeeks, LENGTH } from './rollout-weeks/weeks.ts';

const FIRST_SEED = Number(process.env['FLAGWRIGHT_HISTORY_SEED'] ?? 1);
const AMOUNT = Number(process.env['FLAGWRIGHT_HISTORIES'] ?? 3);

test.each(Array.from({ length: AMOUNT }, (_, index) => FIRST_SEED + index))(
  'history %i keeps the laws',
  async (seed) => {
    const weeks = await beginWeeks(seed);
    const { rollouts, random, below, pick, now, moveTo } = weeks;
    for (let left = 12 + below(14); left > 0; left -= 1) {
      const coming = rollouts.flatMap(({ steps }) => steps.map(({ at }) => at)).filter((at) => at > now());
      const soon = Math.min(...coming, now() + 4 * DAY) + below(180) * MINUTE;
      moveTo(Math.max(now() + MINUTE, random() < 0.6 ? soon : now() + below(6 * 24 * 60) * MINUTE));
      await pick(EVENTS)(weeks);
    }
    moveTo(now() + LENGTH);
    await drift(weeks);
    for (let again = 0; again < 2; again += 1) {
      await due(weeks);
      moveTo(now() + 10 * DAY);
    }
    await drift(weeks);
  },
  600_000,
);
