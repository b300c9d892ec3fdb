/** Guarded rollouts by a file of verdicts: a step waits while its guard holds or does not know, and nothing else changes. */

import { describe, expect, test } from 'vitest';
import { stringifyJson } from '../../src/base/json-text.ts';
import type { Plan } from '../../src/posthog/plan.ts';
import { CONFIG } from '../helpers/git-stage.ts';
import { hour, START, timedStage, type TimedStage } from '../helpers/timed-stage.ts';

const STEPS = `
      guard: budget
      steps:
        - { at: ${hour(1)}, to: 10 }
        - { at: ${hour(5)}, to: 50 }
        - { at: ${hour(9)}, to: 100 }`;
const flag = (key: string, percentage: string): string =>
  `  ${key}:\n    active: true\n    rollout_percentage:${percentage}\n`;
const GUARDED = `flags:\n${flag('checkout', STEPS)}${flag('search', ' 30')}`;
const GUARDS = `guards:\n  budget: { verdict: error-budget, max_age: 2h, patience: 3h }\n`;
const config = `${CONFIG}${GUARDS}`;

type Verdict = { readonly name?: string; readonly verdict?: string; readonly at?: number; readonly reason?: string };
const verdicts = (...all: readonly Verdict[]): string =>
  JSON.stringify({
    verdicts: all.map(({ name = 'error-budget', verdict = 'pass', at = 5, reason }) => ({
      ...{ name, verdict, at: hour(at) },
      ...(reason === undefined ? {} : { reason }),
    })),
  });

/** At 10% since the first hour; the guard let that step through. */
async function begun(manifest = GUARDED): Promise<TimedStage> {
  const staged = await timedStage(manifest, { config });
  staged.write('verdicts.json', verdicts({ at: 1 }));
  for (const hours of [0, 1])
    expect(await staged.runAt(hours, 'apply', '--yes', '--verdicts', 'verdicts.json')).toMatchObject({ code: 0 });
  expect(await staged.percentages()).toMatchObject({ checkout: 10 });
  return staged;
}

describe('a due step', () => {
  test('waits if a verdict says hold, and the run exits with 0', async () => {
    const { write, runAt, percentages } = await begun();
    write('verdicts.json', verdicts({ verdict: 'hold', reason: '4% of requests fail' }));
    const ran = await runAt(5, 'apply', '--due', '--verdicts', 'verdicts.json');
    const words =
      'waits: budget holds: the verdict error-budget says hold: 4% of requests fail (given at 2026-12-01 13:00:00 UTC)';
    expect([ran.code, ran.stdout]).toEqual([0, expect.stringContaining(words)]);
    expect(ran.stdout).toContain('Waiting for a guard (1 step)');
    expect(await percentages()).toEqual({ checkout: 10, search: 30 });
  });

  test('is made once the verdict passes, and the later ones keep their distance', async () => {
    const { write, runAt, percentages } = await begun();
    const due = async (hours: number, verdict: string): Promise<string> => {
      write('verdicts.json', verdicts({ verdict, at: hours }));
      const ran = await runAt(hours, 'apply', '--due', '--verdicts', 'verdicts.json');
      expect(ran).toMatchObject({ code: 0 });
      return ran.stdout;
    };
    for (const hours of [5, 6, 7]) await due(hours, 'hold');
    expect(await percentages()).toMatchObject({ checkout: 10 });
    await due(7.5, 'pass');
    expect(await percentages()).toMatchObject({ checkout: 50 });
    // Two and a half hours late: so is the last step.
    await due(9, 'pass');
    await due(11, 'pass');
    expect(await percentages()).toMatchObject({ checkout: 50 });
    await due(11.5, 'pass');
    expect(await percentages()).toMatchObject({ checkout: 100 });
  });

  test('is overdue once it waits for longer than the patience of its guard', async () => {
    const { write, runAt } = await begun();
    write('verdicts.json', verdicts({ verdict: 'hold' }));
    const drift = async (hours: number): Promise<number> =>
      (await runAt(hours, 'drift', '--verdicts', 'verdicts.json')).code;
    expect(await drift(7.9)).toBe(0);
    expect(await drift(8.1)).toBe(2);
    expect((await runAt(8.1, 'drift')).stdout).toContain('overdue since');
  });

  test('is overdue as well if no run made it although its guard let it through', async () => {
    const { write, runAt } = await begun();
    write('verdicts.json', verdicts({ at: 6 }));
    const drift = async (hours: number): Promise<number> =>
      (await runAt(hours, 'drift', '--verdicts', 'verdicts.json')).code;
    expect(await drift(6.4)).toBe(0);
    expect(await drift(6.6)).toBe(2);
  });

  test('is overdue after the patience too if its newest verdict is always recent, and no run makes it', async () => {
    const { write, runAt } = await begun();
    const drift = async (hours: number): Promise<number> => {
      write('verdicts.json', verdicts({ at: hours }));
      return (await runAt(hours, 'drift', '--verdicts', 'verdicts.json')).code;
    };
    expect(await drift(7.9)).toBe(0);
    expect(await drift(8.1)).toBe(2);
  });

  test('is recorded with what let it through', async () => {
    const { git, write, runAt, run } = await begun();
    write('verdicts.json', verdicts({ at: 5, reason: '0.2% of requests fail' }));
    const made = await runAt(5, 'apply', '--due', '--verdicts', 'verdicts.json');
    expect(made.stderr).toContain('budget passes: the verdict error-budget says pass: 0.2% of requests fail');
    const letThrough = [
      {
        guard: 'budget',
        source: { verdict: 'error-budget' },
        says: 'pass',
        at: '2026-12-01T13:00:00.000Z',
        reason: '0.2% of requests fail',
      },
    ];
    const recorded = git('cat-file', '-p', 'refs/flagwright/applied/main');
    expect(recorded).toContain(stringifyJson({ let_through: letThrough }).slice(1, -1));
    // A later run keeps it.
    await runAt(5.2, 'apply', '--due');
    expect(git('cat-file', '-p', 'refs/flagwright/applied/main')).toContain('0.2% of requests fail');
    const { rollouts } = (await run('plan', '-f', 'json')).document() as unknown as Plan;
    expect(rollouts?.[0]?.applied?.let_through).toEqual(letThrough);
  });

  test('that narrows, an edit that narrows, off and undo ask no guard', async () => {
    const narrowing = GUARDED.replace('to: 50', 'to: 5');
    const { runAt, percentages, world } = await begun(narrowing);
    expect(await runAt(5, 'apply', '--due')).toMatchObject({ code: 0 });
    expect(await percentages()).toMatchObject({ checkout: 5 });
    expect(await runAt(5.5, 'undo', '--yes')).toMatchObject({ code: 0 });
    expect(await percentages()).toMatchObject({ checkout: 10 });
    expect(await runAt(6, 'off', 'checkout', '--yes', '--reason', 'incident')).toMatchObject({ code: 0 });
    expect((await world.client.listFlags()).find(({ key }) => key === 'checkout')?.active).toBe(false);
  });

  test('does not keep other changes and other steps from being made', async () => {
    const other = flag('cart', STEPS.replace('      guard: budget\n', '')).replace('50', '60');
    const { commit, runAt, percentages } = await begun(GUARDED + other);
    commit({ 'flags/main.yaml': (GUARDED + other).replace('percentage: 30', 'percentage: 40') });
    expect(await runAt(5, 'apply', '--yes')).toMatchObject({ code: 0 });
    expect(await percentages()).toEqual({ checkout: 10, search: 40, cart: 60 });
  });
});

describe('a plan that was saved while the guard let the step through', () => {
  test('is refused if the guard holds when it is applied', async () => {
    const { write, runAt, percentages } = await begun();
    write('verdicts.json', verdicts({ at: 5 }));
    expect(await runAt(5, 'plan', '--out', 'plan.json', '--verdicts', 'verdicts.json')).toMatchObject({ code: 0 });
    for (const argv of [[], ['--verdicts', 'hold.json']]) {
      write('hold.json', verdicts({ verdict: 'hold' }));
      const ran = await runAt(5.1, 'apply', 'plan.json', ...argv);
      expect(ran).toMatchObject({ code: 4 });
      expect(ran.stderr).toContain('its guard no longer lets through');
    }
    expect(await percentages()).toMatchObject({ checkout: 10 });
    expect(await runAt(5.2, 'apply', 'plan.json', '--verdicts', 'verdicts.json')).toMatchObject({ code: 0 });
    expect(await percentages()).toMatchObject({ checkout: 50 });
  });

  test('is refused if the guard looks at something else by then, which holds', async () => {
    const { read, write, runAt, percentages } = await begun();
    write('verdicts.json', verdicts({ at: 5 }, { name: 'other', verdict: 'hold' }));
    expect(await runAt(5, 'plan', '--out', 'plan.json', '--verdicts', 'verdicts.json')).toMatchObject({ code: 0 });
    write('flagwright.yaml', read('flagwright.yaml').replace('verdict: error-budget', 'verdict: other'));
    const ran = await runAt(5.1, 'apply', 'plan.json', '--verdicts', 'verdicts.json');
    expect([ran.code, ran.stderr]).toEqual([4, expect.stringContaining('the verdict other says hold')]);
    expect(await percentages()).toMatchObject({ checkout: 10 });
  });

  test('is refused if a guard that the manifests name only by now does not let its step through', async () => {
    const { commit, git, write, runAt, percentages } = await begun(GUARDED.replace('      guard: budget\n', ''));
    expect(await runAt(5, 'plan', '--out', 'plan.json')).toMatchObject({ code: 0 });
    commit({ 'flags/main.yaml': GUARDED });
    write('verdicts.json', verdicts({ verdict: 'hold' }));
    for (const argv of [[], ['--verdicts', 'verdicts.json']]) {
      const ran = await runAt(5.1, 'apply', 'plan.json', ...argv);
      expect([ran.code, ran.stderr]).toEqual([4, expect.stringContaining('its guard no longer lets through: budget')]);
    }
    expect(await percentages()).toMatchObject({ checkout: 10 });
    write('verdicts.json', verdicts({ reason: 'all is well' }));
    expect(await runAt(5.2, 'apply', 'plan.json', '--verdicts', 'verdicts.json')).toMatchObject({ code: 0 });
    expect(await percentages()).toMatchObject({ checkout: 50 });
    expect(git('cat-file', '-p', 'refs/flagwright/applied/main')).toContain('all is well');
  });

  test('is applied if it makes no step, whatever the guard says', async () => {
    const { commit, write, runAt, world } = await begun();
    write('verdicts.json', verdicts({ verdict: 'hold' }));
    commit({ 'flags/main.yaml': GUARDED.replace('    active: true', '    description: New\n    active: true') });
    expect(await runAt(5, 'plan', '--out', 'plan.json', '--verdicts', 'verdicts.json')).toMatchObject({ code: 0 });
    expect(await runAt(5.1, 'apply', 'plan.json')).toMatchObject({ code: 0 });
    const [flag] = (await world.client.listFlags()).filter(({ key }) => key === 'checkout');
    expect(flag).toMatchObject({ name: 'New', filters: { groups: [{ rollout_percentage: 10 }] } });
  });

  test('and one that a person confirms is refused if the guard holds by then', async () => {
    const { write, setClock, runWith, percentages } = await begun();
    setClock(5);
    write('verdicts.json', verdicts({ at: 5 }));
    const onStderr = (written: string): void => {
      if (written.includes('Apply these changes')) write('verdicts.json', verdicts({ verdict: 'hold' }));
    };
    const now = START + 5 * 3_600_000;
    const ran = await runWith({ now, answer: { line: 'yes' }, onStderr }, ...['apply', '--verdicts', 'verdicts.json']);
    expect([ran.code, ran.stderr]).toEqual([4, expect.stringContaining('its guard no longer lets through')]);
    expect(await percentages()).toMatchObject({ checkout: 10 });
  });
});
