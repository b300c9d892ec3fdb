/**
 * Random histories of guarded rollouts over ten weeks, with all that happens to others (rollout-weeks.test.ts): guards that flap, vanish, cannot be
 * read or lie about their time, and changes that remove or loosen them. Whatever happens: no step is written while a guard of the last apply or of
 * today holds or does not know, none is lost, none is early, every wait is explained, nothing is narrowed, a run that could not look is no
 * success, and the record has what let a step through. FLAGWRIGHT_HISTORIES=200 makes as many.
 */

import { expect, test } from 'vitest';
import { drift } from './rollout-weeks/events.ts';
import { DAY, HOUR, type Known, MINUTE } from './rollout-weeks/known.ts';
import { beginWeeks, LENGTH } from './rollout-weeks/weeks.ts';
import { GUARDED_EVENTS, guardedDue } from './guarded-weeks/events.ts';
import { type Guarded, settingOf } from './guarded-weeks/guards.ts';
import { checkAlerts, findAlerts, repairAlerts, touchAlert, writeVerdicts } from './guarded-weeks/sources.ts';

const FIRST_SEED = Number(process.env['FLAGWRIGHT_HISTORY_SEED'] ?? 1);
const AMOUNT = Number(process.env['FLAGWRIGHT_HISTORIES'] ?? 2);

test.each(Array.from({ length: AMOUNT }, (_, index) => FIRST_SEED + index))(
  'guarded history %i keeps the laws',
  async (seed) => {
    let found: Guarded | undefined;
    const weeks = await beginWeeks(
      seed,
      settingOf((guarded) => void (found = guarded)),
    );
    const guarded = found as Guarded;
    const { rollouts, random, below, pick, now, moveTo, told } = weeks;
    const { sources } = guarded;
    sources.alerts = await findAlerts(weeks);
    for (let left = 12 + below(14); left > 0; left -= 1) {
      const coming = rollouts.flatMap(({ steps }) => steps.map(({ at }) => at)).filter((at) => at > now());
      const soon = Math.min(...coming, now() + 4 * DAY) + below(180) * MINUTE;
      const next = Math.max(now() + MINUTE, random() < 0.6 ? soon : now() + below(6 * 24 * 60) * MINUTE);
      if (below(5) > 1) {
        moveTo(Math.max(now(), next - below(8) * HOUR));
        checkAlerts(weeks, sources, ['Not firing', 'Not firing', 'Not firing', 'Firing', 'Errored']);
      }
      moveTo(Math.max(next, now()));
      if (below(4) === 0) await touchAlert(weeks, sources);
      if (sources.alerts.length < 2 || below(6) === 0) await repairAlerts(weeks, sources);
      writeVerdicts(weeks, sources);
      await pick(GUARDED_EVENTS)(weeks, guarded);
    }
    moveTo(now() + LENGTH);
    await drift(weeks);
    const isOpen = ({ isHeld, isGone, settled, step, steps, isUnrecorded }: Known): boolean =>
      !isHeld && isGone !== true && settled === undefined && (isUnrecorded || step < steps.length - 1);
    for (let left = 12; left > 0 && rollouts.some(isOpen); left -= 1) {
      moveTo(now() + 15 * DAY);
      await repairAlerts(weeks, sources);
      writeVerdicts(weeks, sources, 'well');
      await guardedDue(weeks, guarded);
    }
    await drift(weeks);
    expect(rollouts.filter(isOpen), told('every step is made')).toEqual([]);
  },
  600_000,
);
