/** The catalogue of rollouts whose next step is due, late or held: by whom it is made, and why it is not. */

import { expect, test } from 'vitest';
import { CONFIG } from '../../helpers/git-stage.ts';
import { hour as at, timedStage, type TimedStage } from '../../helpers/timed-stage.ts';
import type { CatalogFlagView, CatalogView } from '../../../src/report/model/catalog.ts';
import { flagIn, viewOf } from './stage.ts';

const manifest = (more = ''): string => `flags:
  wide:
    active: true
    rollout_percentage: { ${more}steps: [{ at: ${at(1)}, to: 10 }, { at: ${at(2)}, to: 60 }, { at: ${at(50)}, to: 100 }] }
`;

/** At hour 1, the first step is made. */
async function begun(): Promise<TimedStage> {
  const here = await timedStage(manifest());
  for (const hours of [0, 1]) expect(await here.runAt(hours, 'apply', '--yes')).toMatchObject({ code: 0 });
  return here;
}

async function seenAt(
  here: TimedStage,
  hours: number,
  ...argv: string[]
): Promise<{ readonly flag: CatalogFlagView; readonly calendar: readonly string[]; readonly view: CatalogView }> {
  const view = viewOf(await here.runAt(hours, 'catalog', '-f', 'json', ...argv));
  return { flag: flagIn(view, 'wide'), calendar: view.calendar.map(({ words }) => words), view };
}

test('a step that is due is made by a run, and by no apply of a merge', async () => {
  const { flag, calendar } = await seenAt(await begun(), 2.1);
  expect(flag.states[0]).toMatchObject({
    standing: 'pending',
    differences: [{ words: 'condition 1 (everyone): 10% → 60%, due by its rollout' }],
  });
  expect(flag.next).toMatchObject({
    step: 'rollout_due',
    reason: 'In main it is due: the next `flagwright apply --due` makes it.',
  });
  expect(calendar).toEqual(['60% (due)', '100%']);
});

test('a merge beside a due step is to be applied all the same', async () => {
  const here = await begun();
  here.commit({ 'flags/main.yaml': `${manifest()}    description: Wider\n` });
  expect((await seenAt(here, 2.1)).flag.next).toMatchObject({ step: 'apply' });
});

test('a step that no run made is overdue, in the calendar too', async () => {
  const here = await begun();
  const { flag, calendar, view } = await seenAt(here, 40);
  expect(flag.next).toMatchObject({ step: 'rollout_overdue' });
  expect(flag.states[0]?.rollouts?.[0]).toMatchObject({ next: { at: '2026-12-01T10:00:00.000Z', words: '60%' } });
  expect(calendar).toEqual(['60% (overdue)', '100%']);
  // As much later as the step before it, if a run makes that now.
  expect(view.calendar[1]).toMatchObject({ at: new Date(at(88)).toISOString() });
  // A week later it stands before the weeks.
  const page = (await here.runAt(24 * 9, 'catalog', '-f', 'html')).stdout;
  expect(page).toMatch(/Overdue when this page was made<\/h3><ul class=r><li[^>]*><i>Tue 1 Dec 2026 10:00 UTC<\/i>/);
});

test('of a rollout that begins late, the calendar has the times at which its steps will come', async () => {
  const { flag, view } = await seenAt(await timedStage(manifest()), 40);
  const last = { at: new Date(at(88)).toISOString(), words: '100%' };
  expect(flag.states[0]?.rollouts?.[0]).toMatchObject({ next: last, now: expect.stringContaining('12-05 00:00') });
  expect(view.calendar).toMatchObject([last]);
});

test.each([
  ['a verdict', 'verdict: errors', ['--verdicts', 'v.json'], 'errors holds: the verdict errors says hold'],
  ['an alert', 'alert: Errors', [], 'errors holds: the alert Errors fires'],
])('a step that a guard holds waits for %s', async (_, source, argv, words) => {
  const alerts = [{ name: 'Errors', checks: [{ at: at(0.5), state: 'Firing' }] }];
  const config = `${CONFIG}guards: { errors: { ${source}, max_age: 90d } }\n`;
  const here = await timedStage(manifest('guard: errors, '), { config, seed: { alerts } });
  here.write('v.json', JSON.stringify({ verdicts: [{ name: 'errors', verdict: 'hold', at: at(0.5) }] }));
  expect(await here.runAt(0, 'apply', '--yes')).toMatchObject({ code: 0 });
  for (const hours of [1.1, 40]) {
    const { flag, calendar } = await seenAt(here, hours, ...argv);
    expect(flag.next).toMatchObject({ step: 'rollout_waits', reason: expect.stringContaining(words) });
    expect(flag.states[0]?.rollouts?.[0]?.waits).toContain(words);
    expect(calendar[0]).toContain(`10% (waits: ${words}`);
  }
});
