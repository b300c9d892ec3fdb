/** A person lets a rollout go on that `off` or an undo held: the decision is recorded also where a guard holds the step, or none is due yet. */

import { expect, test } from 'vitest';
import { schemaErrors } from '../helpers/schemas.ts';
import { CONFIG } from '../helpers/git-stage.ts';
import { guardedBy, verdict } from '../helpers/guarded.ts';
import { timedStage, type TimedStage } from '../helpers/timed-stage.ts';

const MANIFEST = guardedBy('budget');
const config = `${CONFIG}guards:\n  budget: { verdict: error-budget, max_age: 9h, patience: 3h }\n`;

const HELD_BACK = 'waits: somebody undid this step or turned the flag off';
const CONTINUE = ['apply', '--yes', '--target', 'checkout', '--override', 'checkout'];

/** Held at 0% before its first step by `off --zero`, which found nothing to write. */
async function turnedOff(manifest = MANIFEST): Promise<TimedStage> {
  const staged = await timedStage(manifest, { config });
  expect(await staged.runAt(0, 'apply', '--yes')).toMatchObject({ code: 0 });
  expect(await staged.runAt(0.5, 'off', 'checkout', '--zero', '--yes')).toMatchObject({ code: 0 });
  return staged;
}

test('a decision to go on outlasts the guard that holds the step meanwhile', async () => {
  const { runAt, write, percentages } = await turnedOff();
  write('verdicts.json', verdict('hold', 1));
  const given = ['--verdicts', 'verdicts.json'];
  expect((await runAt(1, 'apply', '--due', ...given)).stderr).toContain(HELD_BACK);
  const plan = await runAt(1.1, 'plan', ...CONTINUE.slice(2), ...given, '--detailed-exitcode', '-f', 'json');
  expect(plan).toMatchObject({ code: 2 });
  expect(schemaErrors('plan', plan.document())).toEqual([]);
  const decided = await runAt(1.1, ...CONTINUE, ...given);
  expect(decided).toMatchObject({ code: 0 });
  expect(decided.stderr).toContain('a person continues it (--override)');
  expect(decided.stderr).toContain('waits: budget holds');
  expect(decided.stderr).toMatch(/Recorded as run \S+: on this machine, the rollout of checkout continues/);
  expect(await percentages()).toEqual({ checkout: 0 });
  // The guard still decides when the step is made.
  const held = await runAt(1.2, 'apply', '--due', ...given);
  expect(held.stdout + held.stderr).not.toContain(HELD_BACK);
  expect(held.stdout).toContain('waits: budget holds');
  write('verdicts.json', verdict('pass', 1.3));
  expect(await runAt(1.3, 'apply', '--due', ...given)).toMatchObject({ code: 0 });
  expect(await percentages()).toEqual({ checkout: 10 });
});

test('a decision to go on before the step is due is kept', async () => {
  const { runAt, percentages } = await turnedOff(MANIFEST.replace('      guard: budget\n', ''));
  expect(await runAt(0.7, ...CONTINUE)).toMatchObject({ code: 0 });
  expect(await runAt(1, 'apply', '--due')).toMatchObject({ code: 0 });
  expect(await percentages()).toEqual({ checkout: 10 });
});

test('a later `off` takes the decision back, and a saved plan decides when it is applied', async () => {
  const { runAt, write, percentages } = await turnedOff();
  expect(await runAt(0.7, ...CONTINUE)).toMatchObject({ code: 0 });
  expect(await runAt(0.8, 'off', 'checkout', '--zero', '--yes')).toMatchObject({ code: 0 });
  write('verdicts.json', verdict('hold', 1));
  const due = async (hours: number): Promise<string> => {
    const ran = await runAt(hours, 'apply', '--due', '--verdicts', 'verdicts.json');
    expect(ran).toMatchObject({ code: 0 });
    return ran.stdout + ran.stderr;
  };
  expect(await due(1)).toContain(HELD_BACK);
  const pattern = ['--target', 'checkout', '--override', 'check*'];
  expect(await runAt(1.1, 'plan', ...pattern, '--out', 'p.json')).toMatchObject({ code: 0 });
  expect(await due(1.2)).toContain(HELD_BACK);
  expect(await runAt(1.3, 'apply', 'p.json')).toMatchObject({ code: 0 });
  expect(await due(1.4)).not.toContain(HELD_BACK);
  write('verdicts.json', verdict('pass', 1.5));
  await due(1.5);
  expect(await percentages()).toEqual({ checkout: 10 });
});

test('a step whose run died, and that an undo took back, goes on once its guard allows it', async () => {
  const { runAt, git, write, percentages } = await timedStage(MANIFEST, { config });
  const given = ['--verdicts', 'verdicts.json'];
  expect(await runAt(0, 'apply', '--yes')).toMatchObject({ code: 0 });
  const record = git('rev-parse', 'refs/flagwright/applied/main').trim();
  write('verdicts.json', verdict('pass', 1));
  await runAt(1, 'apply', '--due', ...given);
  git('update-ref', 'refs/flagwright/applied/main', record);
  expect(await runAt(1.1, 'undo', '--yes')).toMatchObject({ code: 0 });
  write('verdicts.json', verdict('hold', 1.2));
  expect((await runAt(1.2, 'apply', '--due', ...given)).stderr).toContain(HELD_BACK);
  expect(await runAt(1.3, ...CONTINUE, ...given)).toMatchObject({ code: 0 });
  expect(await percentages()).toEqual({ checkout: 0 });
  write('verdicts.json', verdict('pass', 1.4));
  expect(await runAt(1.4, 'apply', '--due', ...given)).toMatchObject({ code: 0 });
  expect(await percentages()).toEqual({ checkout: 10 });
});

test('nobody is said to continue a rollout that waits for nobody', async () => {
  const { runAt, write } = await timedStage(MANIFEST, { config });
  expect(await runAt(0, 'apply', '--yes')).toMatchObject({ code: 0 });
  write('verdicts.json', verdict('hold', 1));
  const ran = await runAt(1, ...CONTINUE, '--verdicts', 'verdicts.json');
  expect(ran).toMatchObject({ code: 0 });
  expect(ran.stdout + ran.stderr).not.toMatch(/continues|Recorded as run/);
});
