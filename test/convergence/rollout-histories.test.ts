/**
 * Random histories of rollouts over ten weeks: due runs, dead runners, freezes, wrong clocks, people who click, two runs at once, and runs
 * that are killed before they record. Whatever happens: no step twice, none skipped, none early, none that was not reviewed, no flag on that a
 * person switched off, and everything late is said. FLAGWRIGHT_HISTORIES=200 makes as many.
 */

import { expect, test } from 'vitest';
import { CONFIG, gitStage, REF, type GitStage } from '../helpers/git-stage.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const EVERY = 15 * MINUTE;
const START = Date.parse('2026-10-01T08:00:00Z');
const LENGTH = 70 * DAY;
const FIRST_SEED = Number(process.env['FLAGWRIGHT_HISTORY_SEED'] ?? 1);
const AMOUNT = Number(process.env['FLAGWRIGHT_HISTORIES'] ?? 3);

test.each(Array.from({ length: AMOUNT }, (_, index) => FIRST_SEED + index))(
  'history %i keeps the laws',
  async (seed) => {
    const history = await begin(seed);
    const events = 8 + history.below(10);
    for (let event = 0; event < events; event += 1) await history.next();
    await history.end();
  },
  120_000,
);

interface Step {
  readonly at: number;
  readonly to: number;
}

/** What is known of a rollout without asking the command. */
interface Known {
  readonly key: string;
  readonly steps: readonly Step[];
  readonly jumps: boolean;
  /** The step that is live; -1: none yet. */
  step: number;
  /** When it was made, at the earliest and at the latest that a run may count. */
  made: readonly [number, number];
  /** Somebody made it by hand or nobody recorded it: the next run counts it as made then. */
  isUnrecorded: boolean;
  /** Somebody edited the flag, and nobody decided yet. */
  isHeld: boolean;
  isOffByHand: boolean;
}

interface History {
  readonly below: (limit: number) => number;
  readonly next: () => Promise<void>;
  readonly end: () => Promise<void>;
}

async function begin(seed: number): Promise<History> {
  const random = seeded(seed);
  const below = (limit: number): number => Math.floor(random() * limit);
  const pick = <Item>(items: readonly Item[]): Item => items[below(items.length)] as Item;
  const rollouts = Array.from({ length: 3 + below(6) }, (_, index) => rolloutOf(`flag-${index}`, below));
  const freeze = freezeBeside(rollouts, below);
  let now = START;
  const log: string[] = [];
  const here = await gitStage(configOf(freeze), { manifest: manifestOf(rollouts), now: () => new Date(now) });
  const run = async (...argv: string[]): ReturnType<GitStage['run']> => here.runWith({ now }, ...argv);
  const say = (what: string): void => void log.push(`${new Date(now).toISOString()} ${what}`);
  const told = (law: string): string => `seed ${seed}: ${law}\n${log.join('\n')}`;
  const isFrozen = (): boolean => freeze !== undefined && now >= freeze[0] && now < freeze[1];
  const live = async (): Promise<ReadonlyMap<string, Step['to'] | 'off'>> =>
    new Map(
      (await here.world.client.listFlags()).map((flag) => [
        flag.key,
        flag.active === false ? 'off' : Number(flag.filters?.groups?.[0]?.rollout_percentage),
      ]),
    );
  expect(await run('apply', '--yes'), told('the first apply')).toMatchObject({ code: 0 });

  /** Compares what a run did with what it may do. */
  async function judge(before: Awaited<ReturnType<typeof live>>, isSure: boolean): Promise<void> {
    const after = await live();
    for (const one of rollouts) {
      const [was, is] = [before.get(one.key), after.get(one.key)];
      if (one.isOffByHand) expect(is, told(`${one.key} was switched off by a person`)).toBe('off');
      if (one.isHeld) expect(is, told(`${one.key} waits for a person`)).toBe(was);
      if (one.isHeld) continue;
      if (is !== was) checkStep(one, Number(is));
      else if (one.isUnrecorded && isSure) Object.assign(one, { made: [one.made[0], now], isUnrecorded: false });
      else if (isSure) expect(dueOf(one, 1), told(`${one.key} was due and was not made`)).toBeGreaterThan(now);
    }
  }

  function checkStep(one: Known, is: number): void {
    const next = one.steps.findIndex(({ to }) => to === is);
    const step = one.steps[next];
    say(`  ${one.key}: step ${one.step} to ${next}`);
    if (step === undefined) throw new Error(told(`${one.key} has ${is}, which nobody reviewed`));
    if (one.jumps) expect(next, told(`${one.key} goes forward`)).toBeGreaterThan(one.step);
    else expect(next, told(`${one.key} makes one step`)).toBe(one.step + 1);
    expect(step.at, told(`${one.key} is not early`)).toBeLessThanOrEqual(now);
    if (!one.jumps) expect(dueOf(one, 0), told(`${one.key} keeps the distance`)).toBeLessThanOrEqual(now);
    Object.assign(one, { step: next, made: [now, now], isUnrecorded: false });
  }

  async function due(): Promise<void> {
    const before = await live();
    const ran = await run('apply', '--due');
    say(`apply --due: ${ran.code}`);
    if (isFrozen() && ran.code === 4)
      return expect(await live(), told('nothing is written in a freeze')).toEqual(before) as unknown as void;
    expect(ran, told('a due run')).toMatchObject({ code: 0 });
    await judge(before, true);
  }

  async function twice(): Promise<void> {
    const before = await live();
    const ran = await Promise.all([run('apply', '--due'), run('apply', '--due')]);
    say(`two runs at once: ${ran.map(({ code }) => code).join(', ')}`);
    await judge(before, false);
    for (const one of rollouts) if (one.made[0] === now) one.isUnrecorded = true;
  }

  async function killed(): Promise<void> {
    const before = await live();
    const ref = here.git('rev-parse', REF).trim();
    const ran = await run('apply', '--due');
    here.git('update-ref', REF, ref);
    say(`killed before it recorded: ${ran.code}`);
    await judge(before, false);
    for (const one of rollouts) if (one.made[0] === now) one.isUnrecorded = true;
  }

  async function wrongClock(): Promise<void> {
    const before = await live();
    const ran = await here.runWith({ now: now + pick([-1, 1]) * pick([2 * MINUTE, DAY]) }, 'apply', '--due');
    say(`a clock that is wrong: ${ran.code}`);
    expect(ran.code, told('a wrong clock is refused')).toBe(4);
    expect(await live(), told('a wrong clock writes nothing')).toEqual(before);
  }

  async function click(): Promise<void> {
    const one = pick(rollouts);
    const later = one.steps.findIndex((_, index) => index > one.step);
    const kind = pick(['off', 'value', 'later'] as const);
    if (kind === 'off') {
      await here.world.edit(one.key, { active: false });
      Object.assign(one, { isHeld: true, isOffByHand: true });
    } else if (kind === 'value' || one.isHeld) {
      // A revert would go to the step that is recorded: no run has seen the later one.
      if (one.isUnrecorded) return;
      await here.world.edit(one.key, { filters: { groups: [{ properties: [], rollout_percentage: 99.5 }] } });
      one.isHeld = true;
    } else if (later !== -1) {
      const step = one.steps[later] as Step;
      await here.world.edit(one.key, { filters: { groups: [{ properties: [], rollout_percentage: step.to }] } });
      Object.assign(one, { step: later, made: [now, now], isUnrecorded: true });
    }
    say(`a person clicks ${one.key}: ${kind}`);
  }

  async function decide(): Promise<void> {
    const held = rollouts.filter(({ isHeld }) => isHeld);
    if (held.length === 0) return;
    const one = pick(held);
    const before = await live();
    const ran = await run('apply', '--yes', '--target', one.key, '--override', one.key);
    say(`a person reverts ${one.key}: ${ran.code}`);
    if (isFrozen() && ran.code === 4) return expect(await live()).toEqual(before) as unknown as void;
    expect(ran, told('a revert')).toMatchObject({ code: 0 });
    Object.assign(one, { isHeld: false, isOffByHand: false });
    const value = (await live()).get(one.key);
    if (value !== (one.steps[one.step]?.to ?? 0)) {
      checkStep(one, Number(value));
      one.isUnrecorded = true;
    }
  }

  async function drift(): Promise<void> {
    const ran = await run('drift', '-f', 'json');
    const listed = (ran.document()['rollouts'] ?? []) as readonly { readonly key: string; readonly overdue?: true }[];
    const said = new Set(listed.flatMap(({ key, overdue }) => (overdue === true ? [key] : [])));
    say(`drift: ${ran.code}, overdue ${[...said].join(' ')}`);
    for (const one of rollouts) {
      if (one.isUnrecorded) continue;
      if (now - dueOf(one, 1) > 2 * EVERY) expect([...said], told('what is late is said')).toContain(one.key);
      if (now - dueOf(one, 0) <= 2 * EVERY)
        expect([...said], told('what is not late is not said')).not.toContain(one.key);
    }
    if (said.size > 0) expect(ran.code, told('drift exits with 2')).toBe(2);
  }

  const EVENTS = [due, due, due, due, due, twice, killed, wrongClock, click, click, decide, drift];
  return {
    below,
    next: async () => {
      const coming = rollouts.flatMap(({ steps }) => steps.map(({ at }) => at)).filter((at) => at > now);
      const jump =
        random() < 0.6 ? Math.min(...coming, now + 4 * DAY) + below(180) * MINUTE : now + below(6 * 24 * 60) * MINUTE;
      now = Math.max(now + MINUTE, jump);
      await pick(EVENTS)();
    },
    end: async () => {
      now += LENGTH;
      await drift();
      for (let again = 0; again < 2; again += 1) {
        await due();
        now += 10 * DAY;
      }
      await drift();
    },
  };

  /** When the step after the one that is live is due, counted from when that was made: at the earliest (0) or at the latest (1). */
  function dueOf({ steps, step, made, jumps }: Known, which: 0 | 1): number {
    const [former, next] = [steps[step], steps[step + 1]];
    if (next === undefined) return Number.POSITIVE_INFINITY;
    if (former === undefined || jumps) return next.at;
    const late = made[which] - former.at;
    return late < EVERY ? next.at : next.at + late;
  }
}

function rolloutOf(key: string, below: (limit: number) => number): Known {
  const steps: Step[] = [];
  let at = START + HOUR + below(40 * 24) * HOUR;
  let to = 0;
  for (let left = 1 + below(4); left > 0; left -= 1) {
    to += 1 + below(24);
    steps.push({ at, to });
    at += (1 + below(14 * 24)) * HOUR;
  }
  const jumps = below(5) === 0;
  return { key, steps, jumps, step: -1, made: [START, START], isUnrecorded: false, isHeld: false, isOffByHand: false };
}

function freezeBeside(
  rollouts: readonly Known[],
  below: (limit: number) => number,
): readonly [number, number] | undefined {
  const from = START + (1 + below(60)) * DAY;
  const to = from + 2 * DAY;
  return rollouts.some(({ steps }) => steps.some(({ at }) => at >= from && at < to)) ? undefined : [from, to];
}

function configOf(freeze: readonly [number, number] | undefined): string {
  if (freeze === undefined) return CONFIG;
  const [from, to] = freeze.map((time) => new Date(time).toISOString().slice(0, 16));
  return `${CONFIG}policies: { rules: [{ rule: freeze, deny: [{ from: ${from}, to: ${to}, zone: UTC }], level: error }] }\n`;
}

function manifestOf(rollouts: readonly Known[]): string {
  const lines = rollouts.map(({ key, steps, jumps }) => {
    const listed = steps.map(({ at, to }) => `{ at: ${new Date(at).toISOString().replace('.000', '')}, to: ${to} }`);
    const late = jumps ? 'catch_up: latest, ' : '';
    return `  ${key}: { active: true, rollout_percentage: { ${late}steps: [${listed.join(', ')}] } }\n`;
  });
  return `flags:\n${lines.join('')}`;
}

/** Mulberry32. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
