/** What happens in the ten weeks: runs that end, die, meet or have a wrong clock, people who click and decide, and commits that are applied. */

import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import type { PlannedRollout } from '../../../src/core/rollout/rollout.ts';
import { REF } from '../../helpers/git-stage.ts';
import type { Ran } from '../../helpers/run.ts';
import { APPROVED_ABOVE, DAY, HOUR, type Known, MINUTE, newestAt, nextStep, valueAt } from './known.ts';
import { checkStep, judge, judgeLateness, look } from './laws.ts';
import type { Weeks } from './weeks.ts';

export type Event = (weeks: Weeks) => Promise<void>;

export const due: Event = async (weeks) => {
  const { run, log, told, isFrozen, live, requests } = weeks;
  const before = await look(weeks);
  const ran = await run('apply', '--due');
  log(`apply --due: ${ran.code}`);
  if (isFrozen() && ran.code === 4)
    return expect(await live(), told('nothing is written in a freeze')).toEqual(before.live);
  const isAsking = (await requests()).length > before.requests.length;
  expectCode(weeks, ran, isAsking ? 3 : 0);
  await judge(weeks, before, { isSure: true });
};

function expectCode({ guards, told }: Weeks, ran: Ran, code: number): void {
  expect(guards?.codes() ?? [code], told(`a run: ${ran.stdout}${ran.stderr}`)).toContain(ran.code);
}

const twice: Event = async (weeks) => {
  const before = await look(weeks);
  const ran = await Promise.all([weeks.run('apply', '--due'), weeks.run('apply', '--due')]);
  weeks.log(`two runs at once: ${ran.map(({ code }) => code).join(', ')}`);
  await judge(weeks, before, { isSure: false });
  markUnrecorded(weeks);
};

const killed: Event = async (weeks) => {
  const { here, run, log } = weeks;
  const before = await look(weeks);
  const ref = here.git('rev-parse', REF).trim();
  const ran = await run('apply', '--due');
  here.git('update-ref', REF, ref);
  log(`killed before it recorded: ${ran.code}`);
  await judge(weeks, before, { isSure: false });
  markUnrecorded(weeks);
};

function markUnrecorded({ rollouts, now }: Weeks): void {
  for (const one of rollouts) if (one.made[0] === now()) one.isUnrecorded = true;
}

/** An hour later it is up again, or another run comes sooner. */
const down: Event = async (weeks) => {
  const { front, run, live, log, told } = weeks;
  const before = await live();
  front.refuses = () => 503;
  const ran = await run('apply', '--due', '--deadline', '1s').finally(() => (front.refuses = () => undefined));
  log(`the service is down: ${ran.code}`);
  expect(ran.code, told('a service that is down fails the run')).toBe(1);
  expect(await live(), told('nothing is written')).toEqual(before);
};

/** The steps of these flags are made by a later run; what the run made of others is recorded. */
const refusing: Event = async (weeks) => {
  const { front, run, log, told, isFrozen, here, random } = weeks;
  const before = await look(weeks);
  const refused = new Set((await here.world.client.listFlags()).filter(() => random() < 0.5).map(({ id }) => id));
  const idOf = (path: string): number => Number(/feature_flags\/(\d+)\//.exec(path)?.[1]);
  const ids = new Map((await here.world.client.listFlags()).map(({ key, id }) => [key, id]));
  front.refuses = (method, path) => (method === 'PATCH' && refused.has(idOf(path)) ? 400 : undefined);
  const ran = await run('apply', '--due').finally(() => (front.refuses = () => undefined));
  log(`the service refuses half of the flags: ${ran.code}`);
  expect([0, 1, 3, ...(isFrozen() ? [4] : [])], told('a run that is refused')).toContain(ran.code);
  await judge(weeks, before, { isSure: ({ key }) => ran.code !== 4 && !refused.has(ids.get(key) ?? 0) });
};

const wrongClock: Event = async ({ here, now, pick, live, log, told }) => {
  const before = await live();
  const ran = await here.runWith({ now: now() + pick([-1, 1]) * pick([2 * MINUTE, DAY]) }, 'apply', '--due');
  log(`a clock that is wrong: ${ran.code}`);
  expect(ran.code, told('a wrong clock is refused')).toBe(4);
  expect(await live(), told('a wrong clock writes nothing')).toEqual(before);
};

const click: Event = async ({ here, rollouts, pick, log, isGated }) => {
  const one = pick(rollouts);
  if (one.isGone === true || one.settled !== undefined) return;
  const kind = pick(['off', 'value', 'later'] as const);
  const set = async (rollout_percentage: number): Promise<unknown> =>
    here.world.edit(one.key, { filters: { groups: [{ properties: [], rollout_percentage }] } });
  const later = one.steps[one.step + 1];
  if (kind === 'off') {
    await here.world.edit(one.key, { active: false });
    Object.assign(one, { isHeld: true, isOffByHand: true });
  } else if (kind === 'value' || one.isHeld) {
    await set(33.5);
    one.isHeld = true;
  } else if (later !== undefined && !(isGated && later.to > APPROVED_ABOVE)) {
    // Nobody knows why it was made: it waits as every edit does.
    await set(later.to);
    Object.assign(one, { isHeld: true, isUnknown: true });
  }
  log(`a person clicks ${one.key}: ${kind}`);
};

const revert: Event = async (weeks) => {
  const { rollouts, pick, run, log, told, live, isFrozen } = weeks;
  const held = rollouts.filter(({ isHeld }) => isHeld);
  if (held.length === 0) return;
  const one = pick(held);
  const before = await live();
  const ran = await run('apply', '--yes', '--target', one.key, '--override', one.key);
  log(`a person reverts ${one.key}: ${ran.code}`);
  if (isFrozen() && ran.code === 4) return expect(await live()).toEqual(before);
  // The value to which it goes back needs an approval.
  if (weeks.isGated && ran.code === 3) return expect(await live(), told('a revert waits')).toEqual(before);
  expectCode(weeks, ran, 0);
  Object.assign(one, { isHeld: false, isOffByHand: false, isUnknown: false });
  const value = Number((await live()).get(one.key));
  if (value === valueAt(one, one.step)) return;
  // It goes back to what is recorded: no run has seen the later step.
  if (one.isUnrecorded && value === valueAt(one, one.recorded.step)) {
    return void Object.assign(one, one.recorded, { isUnrecorded: false });
  }
  checkStep(weeks, one, value);
  one.isUnrecorded = true;
};

/** The service makes what is approved, if nobody changed the flag since. */
const decide: Event = async (weeks) => {
  const { here, rollouts, pick, requests, live, now, log, told } = weeks;
  const open = (await requests()).filter(({ state }) => state === 'pending');
  if (open.length === 0) return;
  const { id, flag, asked = 0 } = pick(open);
  const key = (await here.world.client.listFlags()).find((found) => found.id === flag)?.key;
  const one = rollouts.find((found) => found.key === key);
  const decision = pick(['approve', 'approve', 'reject'] as const);
  const before = await live();
  await weeks.decide(id, decision);
  const after = await live();
  log(`ann decides on ${asked}% of ${key ?? 'nothing'}: ${decision}`);
  if (one === undefined || decision === 'reject') return expect(after, told('a rejection')).toEqual(before);
  const value = after.get(one.key);
  if (value === before.get(one.key)) return;
  expect(value, told('an approval makes what was asked')).toBe(asked);
  const step = one.steps.findIndex(({ to }) => to === asked);
  log(`  ${one.key}: step ${one.step} to ${step}, by an approval`);
  if (one.settled !== undefined || step < one.step) Object.assign(one, { settled: undefined, isHeld: true });
  else Object.assign(one, { step, made: [now(), now()], isUnrecorded: true, isHeld: false, isOffByHand: false });
};

/** Git changes a rollout, and an ordinary apply follows: where no person is to decide, since it would decide for them. */
const merge: Event = async (weeks) => {
  const { rollouts, pick, run, log, isFrozen, requests, now, isGated } = weeks;
  const waiting = (await requests()).some(({ state }) => state === 'pending');
  const isAsking = (one: Known): boolean => isGated && valueAt(one, nextStep(one, now())) > APPROVED_ABOVE;
  if (isFrozen() || waiting || rollouts.some((one) => one.isHeld || isAsking(one))) return;
  // A step that no apply recorded and a commit that changes its flag are a conflict, which a person decides.
  const one = pick(
    rollouts.filter((found) => found.isGone !== true && found.settled === undefined && !found.isUnrecorded),
  );
  const kind = pick(Object.keys(EDITS) as (keyof typeof EDITS)[]);
  if (one === undefined) return;
  const before = await look(weeks);
  const is = EDITS[kind](one, weeks);
  if (is === 'nothing') return;
  weeks.commit();
  const ran = await run('apply', '--yes', '--allow-deletes', '1');
  log(`git: ${kind} ${one.key}: ${ran.code}${ran.code === 0 ? '' : ran.stderr}`);
  expectCode(weeks, ran, 0);
  const { former = '' } = one;
  if (!before.live.has(one.key))
    (before.live as Map<string, number | 'off'>).set(one.key, before.live.get(former) ?? 0);
  if (is === 'anew') {
    const step = newestAt(one.steps, now());
    (before.live as Map<string, number | 'off'>).set(one.key, valueAt(one, step));
    Object.assign(one, { step, made: [now(), now()], isUnrecorded: false });
  }
  await judge(weeks, before, { isSure: true });
};

/** Each changes what is known of a rollout. `anew`: it begins again. */
const EDITS = {
  rename: (one: Known) => void Object.assign(one, { former: one.key, key: `${one.key}-r` }),
  delete: (one: Known) => void (one.isGone = true),
  settle: (one: Known) => void (one.settled = 7),
  shift: (one: Known, { below, isFrozen }: Weeks) => {
    const by = (1 + below(100)) * HOUR;
    const steps = one.steps.map((step, index) => (index > one.step ? { ...step, at: step.at + by } : step));
    // The review refuses a step whose time is in the freeze.
    if (steps.some(({ at }, index) => index > one.step && isFrozen(at))) return 'nothing';
    one.steps = steps;
    return undefined;
  },
  rewrite: (one: Known, { now, isGated }: Weeks) => {
    const [first] = one.steps;
    const value = valueAt(one, newestAt(one.steps, now()));
    if (first === undefined || one.step < 0 || (isGated && value > APPROVED_ABOVE)) return 'nothing';
    one.steps = one.steps.with(0, { ...first, at: first.at - HOUR });
    return 'anew';
  },
} satisfies Record<string, (one: Known, weeks: Weeks) => 'anew' | 'nothing' | undefined | void>;

export const drift: Event = async (weeks) => {
  const { run, log, told } = weeks;
  const ran = await run('drift', '-f', 'json');
  const listed = (ran.document()['rollouts'] ?? []) as unknown as readonly PlannedRollout[];
  const overdue = listed.filter((one) => one.overdue === true).map(({ key }) => key);
  const unknown = listed.filter((one) => one.unknown_origin === true).map(({ key }) => key);
  log(`drift: ${ran.code}, overdue ${overdue.join(' ')}, unknown ${unknown.join(' ')}`);
  judgeLateness(weeks, { overdue, unknown });
  if (overdue.length + unknown.length > 0) expect(ran.code, told('drift exits with 2')).toBe(2);
};

/** With the command, whose journal knows it. */
const off: Event = async ({ run, rollouts, pick, log, told, live, isGated }) => {
  const one = pick(rollouts.filter(({ isGone, settled }) => isGone !== true && settled === undefined));
  if (one === undefined || isGated) return;
  const isZero = pick([true, false]);
  const ran = await run('off', one.key, '--yes', ...(isZero ? ['--zero'] : []));
  log(`off ${one.key}${isZero ? ' --zero' : ''}: ${ran.code}`);
  expect(ran, told('an off')).toMatchObject({ code: 0 });
  const value = (await live()).get(one.key);
  Object.assign(one, { isHeld: true, isOffByHand: value === 'off' });
};

/** Reverts what the newest run did: whatever it writes is nobody's step. */
const undo: Event = async (weeks) => {
  const { run, rollouts, log, told, live, isGated } = weeks;
  if (isGated || rollouts.some(({ isGone, settled }) => isGone === true || settled !== undefined)) return;
  // The first run created the flags: nobody undoes that.
  if (rollouts.every(({ step }) => step === -1)) return;
  const before = await live();
  const ran = await run('undo', '--yes');
  log(`undo: ${ran.code}`);
  expect([0, 1, 3, 4, 5], told('an undo')).toContain(ran.code);
  const after = await live();
  for (const one of rollouts) {
    const is = after.get(one.key);
    if (is === before.get(one.key)) continue;
    const isBack = is === valueAt(one, one.step);
    log(`  ${one.key}: ${String(before.get(one.key))} to ${String(is)}`);
    Object.assign(one, { isHeld: !isBack, isOffByHand: is === 'off', ...(isBack ? {} : { isUnknown: true }) });
  }
};

/** A plan that was saved earlier, whatever happened since. */
const saved: Event = async (weeks) => {
  const { run, log, told, rollouts, here } = weeks;
  const before = await look(weeks);
  if (existsSync(path.join(here.root, 'saved.json'))) {
    const ran = await run('apply', 'saved.json');
    rmSync(path.join(here.root, 'saved.json'));
    log(`a saved plan is applied: ${ran.code}`);
    expect([0, 1, 3, 4, 5], told('a saved plan')).toContain(ran.code);
    await judge(weeks, before, { isSure: false });
    markUnrecorded(weeks);
  } else if (!rollouts.some(({ isHeld }) => isHeld)) {
    log(`a plan is saved: ${(await run('plan', '--out', 'saved.json')).code}`);
  }
};

const resume: Event = async (weeks) => {
  const before = await look(weeks);
  const ran = await weeks.run('apply', '--resume');
  weeks.log(`a run is resumed: ${ran.code} ${ran.code === 0 ? '' : ran.stderr}`);
  expect([0, 1, 3, 4, 5], weeks.told('a resumed run')).toContain(ran.code);
  await judge(weeks, before, { isSure: false });
  markUnrecorded(weeks);
};

/** Due runs are the most frequent. */
export const EVENTS: readonly Event[] = [
  ...[due, due, due, due, due, due],
  ...[twice, killed, down, refusing, wrongClock, click, click, revert, decide, decide, merge, merge, drift],
  ...[off, undo, saved, saved, resume],
];
