/** What the plan of a pull request says of rollouts that were merged earlier: their due steps are apart from what the change brings. */

// @module-tag untimely
import { describe, expect, test } from 'vitest';
import { schemaErrors } from '../helpers/schemas.ts';
import type { Ran } from '../helpers/run.ts';
import { CONFIG } from '../helpers/git-stage.ts';
import { hour as at, timedStage, type TimedStage } from '../helpers/timed-stage.ts';
import { begunRollout } from './begun-rollout.ts';

const STEPS = `
      steps:
        - { at: ${at(1)}, to: 10 }
        - { at: ${at(2)}, to: 50 }
        - { at: ${at(200)}, to: 100 }`;
const flag = (key: string, percentage: string): string =>
  `  ${key}:\n    description: One\n    active: true\n    rollout_percentage:${percentage}\n`;
const MERGED = `flags:\n${flag('checkout', STEPS)}${flag('search', ' 30')}`;

/** Applied when the first step was due, with 10%; a pull request of one of the manifests. */
async function reviewed(pull: string, merged: string = MERGED): Promise<TimedStage> {
  const staged = await begunRollout(merged);
  staged.commit({ 'flags/main.yaml': pull });
  return staged;
}

interface Document {
  readonly rollouts?: readonly { readonly key: string; readonly due_by?: string }[];
  readonly steps_soon?: readonly object[];
  readonly changes: readonly { readonly key: string }[];
}

function documentOf(ran: Ran): Document {
  const document = ran.document();
  expect(schemaErrors('plan', document)).toEqual([]);
  return document as unknown as Document;
}

describe('a step that is due', () => {
  test('is apart from what the change brings, in each format', async () => {
    const { runAt } = await reviewed(MERGED.replace(' 30', ' 40'));
    const document = documentOf(await runAt(2.2, 'plan', '-f', 'json'));
    expect(document.changes.map(({ key }) => key)).toEqual(['checkout', 'search']);
    expect(document.rollouts).toMatchObject([{ key: 'checkout', due_by: 'plan' }]);
    const { stdout } = await runAt(2.2, 'plan');
    expect(stdout).toContain('Plan: 2 to update, of which 1 is due by its rollout');
    const [brought = '', due = ''] = stdout.split('Due by their rollouts, with or without this change:');
    expect(brought).toContain('~ update  search');
    expect(brought).not.toContain('~ update  checkout');
    expect(due).toContain('~ update  checkout');
    const markdown = (await runAt(2.2, 'plan', '-f', 'markdown')).stdout;
    expect(markdown).toContain('**1 to update**');
    expect(markdown).toContain('**1 to update, due by its rollout**');
    const page = (await runAt(2.2, 'plan', '-f', 'html')).stdout;
    expect(page).toContain('Due by their rollouts, with or without this change');
    expect(page).toContain('<figcaption>checkout condition 1 · rollout_percentage: 0% → 10% → 50% → 100%</figcaption>');
    expect(page).toContain('first step 2026-12-01 09:00:00 UTC, last 2026-12-09 16:00:00 UTC');
    expect((await runAt(2.2, 'plan', '-f', 'sarif')).stdout).toContain('10% → 50%, due by its rollout.');
  });

  test('is apart in a flag that the change edits too', async () => {
    const { runAt } = await reviewed(MERGED.replace('description: One', 'description: Two'));
    const { stdout } = await runAt(2.2, 'plan');
    expect(stdout).toMatch(/rollout_percentage +10% → 50% +due by its rollout/);
    expect(stdout).not.toMatch(/name.*due by its rollout/);
    expect(stdout).toContain('Plan: 1 to update ·');
  });

  test.each([
    ['its value', MERGED.replace('to: 50', 'to: 60')],
    ['its time, from later', MERGED, MERGED.replace(at(2), at(9))],
    ['all of its rollout', MERGED, MERGED.replace(STEPS, ' 10')],
  ])('is of the change where that brings %s', async (_, pull, merged = MERGED) => {
    const { runAt } = await reviewed(pull, merged);
    const ran = await runAt(2.2, 'plan', '-f', 'json');
    const { rollouts = [] } = documentOf(ran);
    expect(rollouts.some((one) => one.due_by === 'plan')).toBe(false);
    expect((await runAt(2.2, 'plan')).stdout).not.toContain('due by its rollout');
  });

  test('is of the change that accepts an edit, without which the rollout waits', async () => {
    const { runAt, read, write } = await reviewed(MERGED);
    expect(await runAt(1.1, 'off', 'checkout', '--yes')).toMatchObject({ code: 0 });
    expect(await runAt(1.2, 'accept', 'checkout', '--only', 'active', '--yes')).toMatchObject({ code: 0 });
    const { stdout } = await runAt(2.2, 'plan');
    expect(stdout).toContain('10% → 50%');
    expect(stdout).not.toContain('with or without this change');
    write('flags/main.yaml', read('flags/main.yaml').replace('description: One', 'description: Two'));
    expect(documentOf(await runAt(1.5, 'plan', '-f', 'json')).steps_soon).toMatchObject([{ to: 50, by: 'change' }]);
  });

  test.each([
    ['with a later one', STEPS],
    ['as the last one', STEPS.replace(/\n.*to: 100 \}/, '')],
  ])('%s is not said to come no more where the change edits the flag', async (_, steps) => {
    const merged = MERGED.replace(STEPS, steps);
    const { runAt } = await reviewed(merged.replace('active: true', 'tags: [a]\n    active: true'), merged);
    const { stdout } = await runAt(2.2, 'plan');
    expect(stdout).toMatch(/rollout_percentage +10% → 50% +due by its rollout/);
    expect(stdout).not.toContain('no longer');
  });

  test('is still one of the plan where the flag is renamed', async () => {
    const { runAt } = await reviewed(MERGED.replace('  checkout:', '  payment:\n    previous_keys: [checkout]'));
    expect(documentOf(await runAt(2.2, 'plan', '-f', 'json')).rollouts).toMatchObject([
      { key: 'payment', due_by: 'plan' },
    ]);
  });

  test('is not told in a run that makes nothing else, and an apply that makes it plans nothing more', async () => {
    const { runAt } = await reviewed(MERGED);
    expect((await runAt(2.2, 'plan', '--due')).stdout).not.toContain('by its plan');
    expect(await runAt(2.2, 'apply', '--yes')).toMatchObject({ code: 0 });
    expect(documentOf(await runAt(2.3, 'plan', '-f', 'json')).changes).toEqual([]);
  });

  test('stays apart in a saved plan, which is applied', async () => {
    const { runAt, percentages } = await reviewed(MERGED.replace(' 30', ' 40'));
    expect(await runAt(2.2, 'plan', '--out', 'plan.json')).toMatchObject({ code: 0 });
    expect((await runAt(2.2, 'show', 'plan.json')).stdout).toContain(
      'Due by their rollouts, with or without this change:',
    );
    expect(await runAt(2.3, 'apply', 'plan.json')).toMatchObject({ code: 0 });
    expect(await percentages()).toEqual({ checkout: 50, search: 40 });
    expect(documentOf(await runAt(2.4, 'plan', '-f', 'json')).changes).toEqual([]);
  });
});

describe('a step that comes while the change is reviewed', () => {
  test.each([
    ['keeps', MERGED.replace('description: One', 'description: Two'), 'plan', 'whether this change is applied or not'],
    ['postpones', MERGED.replace(at(2), at(150)), 'former_plan', 'unless this change is applied first'],
    ['removes', MERGED.replace(STEPS, ' 10'), 'former_plan', 'unless this change is applied first'],
    ['removes with its flag', `flags:\n${flag('search', ' 30')}`, 'former_plan', 'unless this change is applied first'],
  ])('is said where the change %s it', async (_, pull, by, words) => {
    const { runAt } = await reviewed(pull);
    const soon = { key: 'checkout', path: '/filters/groups/0/rollout_percentage', to: 50 };
    expect(documentOf(await runAt(1.5, 'plan', '-f', 'json')).steps_soon).toEqual([
      { ...soon, at: new Date(at(2)).toISOString(), by },
    ]);
    for (const format of ['text', 'markdown', 'html']) {
      expect((await runAt(1.5, 'plan', '-f', format)).stdout).toContain(words);
    }
  });

  test('is said of a rollout that the change declares: applied later, it is made at once', async () => {
    const { runAt } = await reviewed(MERGED, MERGED.replace(STEPS, ' 0'));
    expect(documentOf(await runAt(1.5, 'plan', '-f', 'json')).steps_soon).toMatchObject([{ to: 50, by: 'change' }]);
    expect((await runAt(1.5, 'plan')).stdout).toMatch(
      /declared for 2026-12-01 10:00:00 UTC, but its rollout is late; if this change is applied after that/,
    );
  });

  test('is said of a flag that the change declares', async () => {
    const { runAt } = await reviewed(MERGED, `flags:\n${flag('search', ' 30')}`);
    expect(documentOf(await runAt(0.5, 'plan', '-f', 'json')).steps_soon).toMatchObject([{ to: 10, by: 'change' }]);
  });

  test('is not reviewed again where the change only describes its flag otherwise', async () => {
    const { runAt } = await reviewed(MERGED.replace('description: One', 'description: Two'));
    expect((await runAt(1.5, 'plan')).stdout).not.toContain('Steps to come');
  });

  test.each([
    ['comes later than in three days', MERGED.replace('description: One', 'description: Two'), 2.5],
    ['is of a flag that the change is not about', MERGED.replace(' 30', ' 40'), 1.5],
  ])('is not said where it %s', async (_, pull, hours) => {
    const { runAt } = await reviewed(pull);
    if (hours > 2) await runAt(2, 'apply', '--due');
    const ran = await runAt(hours, 'plan', '-f', 'json');
    expect(documentOf(ran).steps_soon).toBeUndefined();
  });

  test('is not said of a rollout that waits for a person', async () => {
    const { runAt, world } = await reviewed(MERGED.replace('description: One', 'description: Two'));
    await world.edit('checkout', { active: false });
    expect(documentOf(await runAt(1.5, 'plan', '-f', 'json')).steps_soon).toBeUndefined();
  });
});

describe('validate', () => {
  const PAST = 'All steps are in the past';
  const OVER = MERGED.replace(at(200), at(3));

  test('warns of a new rollout whose steps have all passed, at the line of the last one', async () => {
    const { runAt } = await reviewed(OVER, MERGED.replace(STEPS, ' 0'));
    expect((await runAt(2.5, 'validate')).stdout).not.toContain(PAST);
    const ran = await runAt(3.5, 'validate', '-f', 'json');
    expect(ran).toMatchObject({ code: 0 });
    expect(ran.document()).toMatchObject({
      diagnostics: [{ code: 'steps-passed', severity: 'warning', file: 'flags/main.yaml', line: 9 }],
    });
    expect((await runAt(3.5, 'validate')).stdout).toContain('the next apply makes the last step at once');
  });

  test.each([
    ['was applied', OVER, OVER],
    ['was applied under another key', OVER.replace('  checkout:', '  payment:\n    previous_keys: [checkout]'), OVER],
    ['has a step to come', MERGED, MERGED.replace(STEPS, ' 0')],
  ])('says nothing of a rollout that %s', async (_, pull, merged) => {
    const { runAt } = await reviewed(pull, merged);
    expect((await runAt(9, 'validate')).stdout).not.toContain(PAST);
  });

  test('says nothing without a base, with policies and without', async () => {
    for (const more of ['', 'policies: { rules: [{ rule: max-widen, points: 90 }] }\n']) {
      const { runAt } = await timedStage(OVER, { config: CONFIG + more });
      const ran = await runAt(9, 'validate');
      expect(ran).toMatchObject({ code: 0, stderr: '' });
      expect(ran.stdout).not.toContain(PAST);
    }
  });

  test('refuses a step of the future that somebody made, and so do plan and apply; what accept writes and a look back do not', async () => {
    const made = (time: string): string => MERGED.replace(`${at(2)}, to: 50`, `${time}, to: 50, done: true`);
    const { runAt, commit, percentages } = await reviewed(made(at(2)));
    const ran = await runAt(1.9, 'validate', '-f', 'json');
    expect(ran.code).toBe(1);
    expect(ran.document()).toMatchObject({
      diagnostics: [{ code: 'step-done-ahead', severity: 'error', file: 'flags/main.yaml', line: 8 }],
    });
    expect((await runAt(1.9, 'validate')).stdout).toContain('Remove `done`');
    for (const command of ['plan', 'apply']) expect((await runAt(1.9, command)).code).toBe(1);
    // The clock of another machine may be behind by less than a minute.
    expect((await runAt(2 - 1 / 61, 'validate')).code).toBe(0);
    expect((await runAt(2.1, 'validate', '--at', at(1.5))).code).toBe(0);
    commit({ 'flags/main.yaml': MERGED });
    expect((await runAt(2.1, 'apply', '--due')).code).toBe(0);
    expect(await percentages()).toMatchObject({ checkout: 50 });
  });

  test('warns beside the findings of policies', async () => {
    const config = `${CONFIG}policies: { rules: [{ rule: max-widen, points: 20, level: warning }] }\n`;
    const { runAt, commit } = await timedStage(MERGED.replace(STEPS, ' 0'), { config });
    await runAt(0, 'apply', '--yes');
    commit({ 'flags/main.yaml': OVER });
    const { stdout } = await runAt(9, 'validate');
    expect(stdout).toContain(PAST);
    expect(stdout).toContain('(max-widen)');
  });
});

describe('a change of later steps alone', () => {
  const HELD = 'flags:\n  checkout: { active: true, rollout_percentage: 0 }\n';
  const BEGUN = HELD.replace('0 }', `{ steps: [{ at: ${at(4)}, to: 100 }] } }`);
  const staged = async (): Promise<TimedStage> => {
    const here = await timedStage(HELD);
    expect(await here.runAt(0, 'apply', '--yes')).toMatchObject({ code: 0 });
    here.commit({ 'flags/main.yaml': BEGUN });
    return here;
  };

  test('is a difference of the plan, and its saved plan shows and records it', async () => {
    const { runAt, percentages } = await staged();
    const ran = await runAt(1, 'plan', '--detailed-exitcode', '--out', 'plan.json');
    expect(ran).toMatchObject({ code: 2 });
    expect(ran.stdout).toContain('Plan: no changes now; later steps change for 1 flag · 1 unchanged');
    expect((await runAt(1, 'show', 'plan.json')).stdout).toContain('100% at 2026-12-01 12:00:00 UTC');
    expect(await runAt(1, 'apply', 'plan.json')).toMatchObject({ code: 0 });
    expect(await runAt(1, 'plan', '--detailed-exitcode')).toMatchObject({ code: 0 });
    expect(await runAt(4, 'apply', '--due')).toMatchObject({ code: 0 });
    expect(await percentages()).toEqual({ checkout: 100 });
  });

  test('is not applied without a confirmation, and shown before it is', async () => {
    const { runAt, percentages } = await staged();
    const asked = await runAt(1, 'apply');
    expect(asked).toMatchObject({ code: 4 });
    expect(asked.stderr).toContain('Confirmation needs a terminal');
    expect(asked.stderr).toContain('checkout: widen: condition 1 (everyone): 0% → 100%');
    expect((await runAt(4, 'apply', '--due')).stdout).toContain('Nothing to apply');
    expect(await percentages()).toEqual({ checkout: 0 });
  });

  test('that takes steps back is one too, also where the flag is declared no more', async () => {
    const { runAt, commit } = await staged();
    expect(await runAt(1, 'apply', '--yes')).toMatchObject({ code: 0 });
    for (const [manifest, code] of [
      [HELD, 2],
      ['flags: {}\n', 2],
      [BEGUN, 0],
    ] as const) {
      commit({ 'flags/main.yaml': manifest });
      const ran = await runAt(2, 'plan', '--detailed-exitcode');
      expect([manifest, ran.code]).toEqual([manifest, code]);
      if (!manifest.includes('steps')) expect(ran.stdout).toContain('no longer 100% at 2026-12-01 12:00:00 UTC');
    }
  });

  test('with targets decides nothing: such an apply records no steps', async () => {
    const { runAt } = await staged();
    const document = (await runAt(1, 'plan', '--target', 'checkout', '-f', 'json')).document();
    expect([document['changes'], document['rollout_changes']]).toEqual([[], undefined]);
  });

  test('that no policy judged is not applied where there are policies by then', async () => {
    const { runAt, commit, read } = await staged();
    await runAt(1, 'plan', '--out', 'plan.json');
    const policies = 'policies: { rules: [{ rule: max-widen, points: 5 }] }\n';
    commit({ 'flags/main.yaml': HELD, 'flagwright.yaml': read('flagwright.yaml') + policies });
    expect(await runAt(1, 'apply', '--yes')).toMatchObject({ code: 0 });
    const ran = await runAt(1, 'apply', 'plan.json');
    expect(ran).toMatchObject({ code: 1 });
    expect(ran.stderr).toContain('The saved plan was not judged by the policies of the project.');
  });
});
