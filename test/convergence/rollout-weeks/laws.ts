/** The laws of rollouts, on the flags before and after a run: no step twice, none skipped, none early, none that was not reviewed. */

import { expect } from 'vitest';
import { APPROVED_ABOVE, dueOf, EVERY, type Known, nextStep, valueAt } from './known.ts';
import type { Live, Request, Weeks } from './weeks.ts';

/** What a run found. */
export interface Before {
  readonly live: Live;
  readonly requests: readonly Request[];
}

export async function look(weeks: Weeks): Promise<Before> {
  return { live: await weeks.live(), requests: await weeks.requests() };
}

/** `isSure`: the run ended and recorded what it did with the flag, so everything of it that is due is made, or waits for people. */
export async function judge(weeks: Weeks, before: Before, { isSure: sure }: Judging): Promise<void> {
  const after = await look(weeks);
  const ids = new Map((await weeks.here.world.client.listFlags()).map(({ key, id }) => [key, id]));
  for (const one of weeks.rollouts) {
    const own = after.requests.filter(({ flag }) => flag === ids.get(one.key));
    const isSure = typeof sure === 'boolean' ? sure : sure(one);
    judgeOne(weeks, one, { was: before.live.get(one.key), is: after.live.get(one.key), own, isSure });
    if (isSure && !one.isHeld) one.recorded = { step: one.step, made: one.made };
  }
  judgeRequests(weeks, before.requests, after.requests);
}

interface Judging {
  readonly isSure: boolean | ((one: Known) => boolean);
}

interface Found {
  readonly was: number | 'off' | undefined;
  readonly is: number | 'off' | undefined;
  /** The change requests of its flag. */
  readonly own: readonly Request[];
  readonly isSure: boolean;
}

function judgeOne(weeks: Weeks, one: Known, { was, is, own, isSure }: Found): void {
  const { told } = weeks;
  if (one.isOffByHand) expect(is, told(`${one.key} was switched off by a person`)).toBe('off');
  if (one.isHeld) expect(is, told(`${one.key} waits for a person`)).toBe(was);
  if (one.isGone === true) expect(is, told(`${one.key} was deleted`)).toBeUndefined();
  if (one.settled !== undefined) expect(is, told(`${one.key} has no steps any more`)).toBe(one.settled);
  if (one.isHeld || one.isGone === true || one.settled !== undefined) return;
  if (is !== was) return checkStep(weeks, one, Number(is));
  if (!isSure) return;
  if (one.isUnrecorded) Object.assign(one, { made: [one.made[0], weeks.now()], isUnrecorded: false });
  else if (!waits(weeks, one, own) && !(weeks.guards?.blocking(one, 1).length ?? 0))
    expect(dueOf(one, 1), told(`${one.key} was due`)).toBeGreaterThan(weeks.now());
}

/** People have not decided about the step, or decided against it. */
function waits({ isGated, now }: Weeks, one: Known, own: readonly Request[]): boolean {
  const value = valueAt(one, nextStep(one, now()));
  if (!isGated || value <= APPROVED_ABOVE) return false;
  return own.some(({ state, asked }) => state === 'pending' || (state === 'rejected' && asked === value));
}

/** The value is the one of the next step, or of a later one where that is declared, and its time has come. */
export function checkStep(weeks: Weeks, one: Known, is: number): void {
  const { told, now, isGated } = weeks;
  const next = one.steps.findIndex(({ to }) => to === is);
  const step = one.steps[next];
  weeks.log(`  ${one.key}: step ${one.step} to ${next}`);
  if (step === undefined) throw new Error(told(`${one.key} has ${is}, which nobody reviewed`));
  if (isGated) expect(is, told(`${one.key} has what nobody approved`)).toBeLessThanOrEqual(APPROVED_ABOVE);
  if (one.jumps) expect(next, told(`${one.key} goes forward`)).toBeGreaterThan(one.step);
  else expect(next, told(`${one.key} makes one step`)).toBe(one.step + 1);
  expect(step.at, told(`${one.key} is not early`)).toBeLessThanOrEqual(now());
  weeks.guards?.judgeStep(one);
  if (!one.jumps) expect(dueOf(one, 0), told(`${one.key} keeps the distance`)).toBeLessThanOrEqual(now());
  Object.assign(one, { step: next, made: [now(), now()], isUnrecorded: false });
}

/** One request at a time, and none for what people decided against. */
function judgeRequests({ told }: Weeks, before: readonly Request[], after: readonly Request[]): void {
  const known = new Set(before.map(({ id }) => id));
  const open = after.filter(({ state }) => state === 'pending');
  for (const one of open) {
    const others = open.filter(({ flag }) => flag === one.flag);
    expect(others.length, told(`flag ${one.flag} has one request at a time`)).toBe(1);
    if (known.has(one.id)) continue;
    const refused = before.filter(
      ({ flag, state, asked }) => flag === one.flag && state === 'rejected' && asked === one.asked,
    );
    expect(refused, told(`nobody is asked again for ${one.asked}% of flag ${one.flag}`)).toEqual([]);
  }
}

/** What is late is said, and nothing else is. `overdue` and `unknown`: the keys that drift named. */
export function judgeLateness(
  { rollouts, now, told, guards }: Weeks,
  { overdue, unknown }: { readonly overdue: readonly string[]; readonly unknown: readonly string[] },
): void {
  for (const one of rollouts) {
    if (unknown.includes(one.key)) expect(one.isHeld, told('a step of unknown origin waits')).toBe(true);
    if (one.isUnknown === true || unknown.includes(one.key)) continue;
    if (one.isUnrecorded) continue;
    const from = (which: 0 | 1): number => guards?.overdueFrom(one, which) ?? dueOf(one, which) + 2 * EVERY;
    // Where a person is to decide, it does not matter what the guard says.
    if (one.isHeld && guards !== undefined) continue;
    if (now() > from(1)) expect(overdue, told(`what is late is said: ${one.key}`)).toContain(one.key);
    if (now() <= from(0)) expect(overdue, told('what is not late is not said')).not.toContain(one.key);
  }
}
