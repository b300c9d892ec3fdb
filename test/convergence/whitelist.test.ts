/**
 * Random histories of every command that writes: apply with all its options, saved plans that are applied later, due steps, resumed runs, off and
 * undo, in both modes of `drift`, while answers are lost, the service fails, runs are killed, and people edit flags in between. A proxy sees
 * each request that writes, and the service is read before and after it: each value that it changed is in the document of its run, with exactly
 * this value before and after. What people changed stays where it is to be kept, and what was turned off stays off. FLAGWRIGHT_HISTORIES=200
 * makes as many.
 */

import { stdout } from 'node:process';
import { afterAll, expect, test } from 'vitest';
import { beginHistory, HOUR } from './whitelist/history.ts';
import { COUNTS, EVENTS, first } from './whitelist/runs.ts';

const FIRST_SEED = Number(process.env['FLAGWRIGHT_HISTORY_SEED'] ?? 1);
const AMOUNT = Number(process.env['FLAGWRIGHT_HISTORIES'] ?? 3);

afterAll(() => {
  if (AMOUNT > 3) stdout.write(`runs that wrote: ${JSON.stringify(COUNTS)}\n`);
});

test.each(Array.from({ length: AMOUNT }, (_, index) => FIRST_SEED + index))(
  'history %i writes nothing that was not shown',
  async (seed) => {
    const history = await beginHistory(seed);
    await first(history);
    for (let left = 15 + history.below(15); left > 0; left -= 1) {
      history.now += history.below(12 * 60) * (HOUR / 60);
      await history.pick(EVENTS)(history);
    }
    expect(history.watch.live.size).toBeGreaterThan(0);
  },
  600_000,
);
