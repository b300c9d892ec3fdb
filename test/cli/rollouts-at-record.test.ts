/** Commands that make no plan see a rollout that is late at the step that a plan sees. */

import { expect, test } from 'vitest';
import { REF } from '../helpers/git-stage.ts';
import { hour, type TimedStage } from '../helpers/timed-stage.ts';
import { begunRollout } from './begun-rollout.ts';

const MANIFEST = `flags:
  checkout:
    description: One
    active: true
    rollout_percentage:
      steps:
        - { at: ${hour(1)}, to: 10 }
        - { at: ${hour(2)}, to: 50 }
        - { at: ${hour(5)}, to: 100 }
`;

/** The first step was made, and nobody made the two after it. */
const late = (): Promise<TimedStage> => begunRollout(MANIFEST);

test.each([[[]], [['--offline']]])('explain %j declares the step that the plan makes', async (options) => {
  const { runAt } = await late();
  expect((await runAt(9, 'plan')).stdout).toContain('10% → 50%');
  expect((await runAt(9, 'explain', 'checkout', ...options)).stdout).toContain(
    'condition 1 · rollout_percentage: 50\n  from     flags/main.yaml:8:39',
  );
});

test('a merge of the export keeps the steps, though one is due, and takes over what somebody set', async () => {
  const { runAt, read, world } = await late();
  expect(await runAt(9, 'export', '--merge')).toMatchObject({ code: 0 });
  expect(read('flags/main.yaml')).toBe(MANIFEST);
  await world.edit('checkout', { name: 'Two' });
  expect(await runAt(9, 'export', '--merge')).toMatchObject({ code: 0 });
  expect(read('flags/main.yaml')).toBe(`${MANIFEST}    projects:\n      main: { description: Two }\n`);
});

test('the journal tells the steps that were made where the record is gone', async () => {
  const { runAt, git } = await late();
  const base = async (): Promise<unknown> => (await runAt(9, 'plan', '-f', 'json')).document()['base'];
  const recorded = await base();
  expect(recorded).toMatchObject({ kind: 'commit', from: 'ref', rollouts: [{ key: 'checkout', step: 0 }] });
  git('update-ref', '-d', REF);
  expect(await base()).toEqual({ ...(recorded as object), from: 'journal' });
});
