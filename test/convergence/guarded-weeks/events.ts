/** What happens to guarded rollouts besides what happens to all: runs that cannot look, and changes that loosen guards. */

import { rmSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { due, EVENTS } from '../rollout-weeks/events.ts';
import { CONFIG, REF } from '../../helpers/git-stage.ts';
import type { Weeks } from '../rollout-weeks/weeks.ts';
import { dueOf, HOUR, type Known, MINUTE } from '../rollout-weeks/known.ts';
import { judge, look } from '../rollout-weeks/laws.ts';
import { configText, type Guarded } from './guards.ts';
import { ALWAYS, checkAlerts, DEFINITIONS, repairAlerts, writeVerdicts } from './sources.ts';

export type GuardedEvent = (weeks: Weeks, guarded: Guarded) => Promise<void>;

/** A run in CI, after which everything that waits is explained and everything that was made is recorded with its reason. */
export const guardedDue: GuardedEvent = async (weeks, guarded) => {
  const { rollouts, told, log } = weeks;
  const waiting = rollouts.filter(
    (one) =>
      !one.isHeld &&
      !one.isUnrecorded &&
      dueOf(one, 1) <= weeks.now() &&
      one.settled === undefined &&
      one.isGone !== true,
  );
  guarded.takeMade();
  await due(weeks);
  const { stdout } = guarded.last();
  const made = guarded.takeMade();
  for (const one of waiting.filter((each) => !made.has(each))) {
    const names = guarded.blocking(one, 1);
    if (names.length === 0) continue;
    const own = stdout
      .slice(stdout.indexOf('Waiting for a guard'))
      .split('\n')
      .filter((line) => line.includes(one.key));
    log(`  ${one.key} waits for ${names.join(', ')}`);
    expect(own.length, told(`the wait of ${one.key} is explained: ${stdout}`)).toBeGreaterThan(0);
    for (const name of names)
      expect(stdout, told(`${name} is named with a reason`)).toMatch(
        new RegExp(`${name} (?:holds|does not know): \\S`),
      );
  }
  if (made.size > 0) expectRecorded(weeks, made);
};

function expectRecorded({ here, told }: Weeks, made: ReturnType<Guarded['takeMade']>): void {
  const lines = here
    .git('cat-file', '-p', REF)
    .split('\n')
    .filter((line) => line.startsWith('Step: '));
  const records = lines.map((line) => JSON.parse(line.slice('Step: '.length)) as Recorded);
  for (const [{ key, step }, guards] of made) {
    const record = records.find((one) => one.key === key);
    if (record === undefined) continue;
    expect(record.step, told(`${key} is recorded`)).toBe(step);
    const names = new Set((record.let_through ?? []).map(({ guard }) => guard));
    expect([...names].toSorted(), told(`the record of ${key} has what let its step through`)).toEqual(
      guards.toSorted(),
    );
  }
}

interface Recorded {
  readonly key: string;
  readonly step: number;
  readonly let_through?: readonly { readonly guard: string }[];
}

/** The service answers everything but questions about alerts. */
const blind: GuardedEvent = async (weeks, guarded) => {
  const { front, pick, log } = weeks;
  const fails = pick([400, 403, 404]);
  const isLate = pick([true, false]);
  log(`the service answers ${fails} about ${isLate ? 'each alert' : 'alerts'}`);
  Object.assign(guarded.sources, { fails, failsLate: isLate });
  const asked = isLate ? /\/alerts\/[\da-f]/ : /\/alerts\//;
  front.refuses = (_, path) => (asked.test(path) ? fails : undefined);
  await guardedDue(weeks, guarded).finally(() => {
    front.refuses = () => undefined;
    delete guarded.sources.fails;
  });
};

/** Merged, but not applied yet. */
const loosen: GuardedEvent = async (weeks) => {
  const { rollouts, pick, below, log, here } = weeks;
  const one = pick(rollouts.filter(({ guard = [] }) => guard.length > 0));
  const kind = pick(['remove', 'swap', 'strict'] as const);
  if (kind === 'remove') {
    if (one === undefined) return;
    one.guard = (one.guard ?? []).filter(() => below(3) === 0);
    log(`git: ${one.key} is guarded by ${one.guard.join(', ')}`);
    return weeks.commit();
  }
  const { errors, budget } = DEFINITIONS;
  if (errors === undefined || budget === undefined) return;
  const changed =
    kind === 'swap'
      ? {
          ...DEFINITIONS,
          errors: { ...errors, source: { alert: 'Latency' } },
          budget: { ...budget, source: { verdict: 'go' } },
        }
      : { ...DEFINITIONS, errors: { ...errors, maxAge: HOUR }, budget: { ...budget, maxAge: HOUR } };
  log(`git: the guards change: ${kind}`);
  here.commit({
    'flagwright.yaml': CONFIG.replace('$HOST', weeks.front.url) + configText(pick([changed, DEFINITIONS])),
  });
};

/** A time at which the next step of a rollout is due, with or without guards, if one is left that waits for nobody. */
function moveToDue({ rollouts, pick, now, moveTo, below }: Weeks, isGuarded: boolean): Known | undefined {
  // An ordinary apply would decide for people about what they edited.
  if (rollouts.some(({ isHeld }) => isHeld)) return undefined;
  const isOpen = (one: Known): boolean => !one.isUnrecorded && !one.jumps && Number.isFinite(dueOf(one, 1));
  const open = rollouts.filter((one) => isOpen(one) && (one.guard ?? []).length > 0 === isGuarded);
  const one = pick(open);
  if (one !== undefined) moveTo(Math.max(now(), dueOf(one, 1)) + (1 + below(90)) * MINUTE);
  return one;
}

/** Something is wrong. */
function alarm(weeks: Weeks, { sources }: Guarded): void {
  checkAlerts(weeks, sources, ['Firing']);
  writeVerdicts(weeks, sources, 'alarm');
}

/** A change takes away what holds a step, and is applied at once. */
const hurried: GuardedEvent = async (weeks, guarded) => {
  const { pick, log, run, told, here, front } = weeks;
  const one = moveToDue(weeks, true);
  if (one === undefined) return guardedDue(weeks, guarded);
  alarm(weeks, guarded);
  const before = await look(weeks);
  const kind = pick(['remove', 'swap'] as const);
  const config = CONFIG.replace('$HOST', front.url);
  const always = Object.fromEntries(
    Object.entries(DEFINITIONS).map(([name, each]) => [name, { ...each, source: { verdict: ALWAYS } }]),
  );
  log(`git: the guards of ${one.key} change and are applied at once: ${kind}`);
  if (kind === 'remove') one.guard = [];
  if (kind === 'remove') weeks.commit();
  else here.commit({ 'flagwright.yaml': config + configText(always) });
  const ran = await run('apply', '--yes');
  log(`  apply: ${ran.code}${ran.code === 0 ? '' : ran.stderr}`);
  expect(guarded.codes(), told(`an apply: ${ran.stdout}${ran.stderr}`)).toContain(ran.code);
  await judge(weeks, before, { isSure: true });
  if (kind === 'swap') here.commit({ 'flagwright.yaml': config + configText(DEFINITIONS) });
};

/** A plan is saved that makes a step, and something is wrong before it is applied, or git guards the step by then. */
const overtaken: GuardedEvent = async (weeks, guarded) => {
  const { pick, log, run, told, here, now, moveTo, below } = weeks;
  const { sources } = guarded;
  const kind = pick(['alarm', 'guard', 'none'] as const);
  const one = moveToDue(weeks, kind !== 'guard');
  if (one === undefined) return guardedDue(weeks, guarded);
  await repairAlerts(weeks, sources);
  writeVerdicts(weeks, sources, 'well');
  const plan = await run('plan', '--out', 'overtaken.json');
  log(`a plan is saved: ${plan.code}`);
  moveTo(now() + (1 + below(120)) * MINUTE);
  if (kind === 'guard') {
    one.guard = ['errors', 'budget'];
    weeks.commit();
    log(`git: ${one.key} is guarded by ${one.guard.join(', ')}`);
  }
  if (kind !== 'none') alarm(weeks, guarded);
  const before = await look(weeks);
  const ran = await run('apply', 'overtaken.json');
  rmSync(path.join(here.root, 'overtaken.json'), { force: true });
  log(`it is applied: ${ran.code}`);
  expect([0, 1, 3, 4, 5], told('a saved plan')).toContain(ran.code);
  await judge(weeks, before, { isSure: false });
  for (const each of weeks.rollouts) if (each.made[0] === now()) each.isUnrecorded = true;
};

export const GUARDED_EVENTS: readonly GuardedEvent[] = [
  ...EVENTS.map((event): GuardedEvent => (event === due ? guardedDue : event)),
  ...[guardedDue, guardedDue, guardedDue, blind, blind, loosen, loosen, hurried, hurried, overtaken, overtaken],
];
