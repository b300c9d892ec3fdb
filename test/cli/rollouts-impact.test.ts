/** How many people the steps ahead of a pull request affect: as the plan says it that makes each of them. */

// @module-tag untimely
import { describe, expect, test } from 'vitest';
import { schemaErrors } from '../helpers/schemas.ts';
import type { Ran } from '../helpers/run.ts';
import { hour as at, timedStage, type TimedStage } from '../helpers/timed-stage.ts';

const STEPS = `{ steps: [{ at: ${at(10)}, to: 10 }, { at: ${at(20)}, to: 50 }, { at: ${at(30)}, to: 20 }] }`;
const CHECKOUT = (percentage: string): string => `  checkout:
    filters:
      groups:
        - properties: [{ key: country, type: person, operator: exact, value: [US] }]
          rollout_percentage: ${percentage}
        - rollout_percentage: 5
`;
const ACTIVE = '  search:\n    active: { steps: [{ at: AT, to: true }] }\n    rollout_percentage: 30\n'.replace(
  'AT',
  at(20),
);
const MERGED = `flags:\n${CHECKOUT('0')}`;
const PULL = `flags:\n${CHECKOUT(STEPS)}${ACTIVE}`;
const PEOPLE = [
  'distinct_id,country',
  ...Array.from({ length: 60 }, (_, id) => `u-${id},${id % 2 === 0 ? 'US' : 'DE'}`),
];
const IMPACT = ['--impact', '--persons', 'people.csv'];

interface Flag {
  readonly key: string;
  readonly by: string;
  readonly estimate: { readonly kind: string };
  readonly persons?: object;
}

/** A flag that no manifest has depends on the one that steps, in the service. */
async function reviewed(pull: string = PULL): Promise<TimedStage> {
  const staged = await timedStage(MERGED);
  expect(await staged.runAt(0, 'apply', '--yes')).toMatchObject({ code: 0 });
  const [checkout] = await staged.world.client.listFlags();
  const property = { key: String(checkout?.id), type: 'flag', operator: 'flag_evaluates_to', value: true };
  const groups = [{ properties: [property], rollout_percentage: 40 }];
  await staged.world.client.createFlag({ key: 'help', name: '', active: true, filters: { groups } });
  staged.commit({ 'flags/main.yaml': pull });
  staged.write('people.csv', `${PEOPLE.join('\n')}\n`);
  return staged;
}

function impactOf(ran: Ran): {
  readonly flags: readonly Flag[];
  readonly steps?: readonly { readonly flags: readonly Flag[] }[];
} {
  const document = ran.document();
  expect(schemaErrors('plan', document)).toEqual([]);
  return document['impact'] as never;
}

describe('plan --impact', () => {
  test('says of each step what the plan says that makes it, with the people of a file, through other flags too', async () => {
    const { runAt, percentages } = await reviewed();
    const { steps = [] } = impactOf(await runAt(1, 'plan', ...IMPACT, '-f', 'json'));
    expect(steps.map(({ flags }) => flags.map(({ key, by }) => `${key} ${by}`))).toEqual([
      ['checkout change', 'help dependency'],
      ['checkout change', 'search change', 'help dependency'],
      ['checkout change', 'help dependency'],
    ]);
    expect(await runAt(2, 'apply', '--yes')).toMatchObject({ code: 0 });
    for (const [index, hours] of [10, 20, 30].entries()) {
      const made = impactOf(await runAt(hours, 'plan', ...IMPACT, '-f', 'json'));
      expect(made.steps).toBeUndefined();
      expect(steps[index]?.flags).toEqual(made.flags);
      expect(await runAt(hours, 'apply', '--due')).toMatchObject({ code: 0 });
    }
    expect(await percentages()).toMatchObject({ checkout: 20 });
  });

  test('says it in each format, below the step', async () => {
    const { runAt } = await reviewed();
    for (const format of ['text', 'markdown', 'html']) {
      const { stdout } = await runAt(1, 'plan', ...IMPACT, '-f', format);
      expect(stdout).toContain(
        'checkout: impact: of condition 1 (country is US), 5% get the flag; nobody else is affected',
      );
      expect(stdout).toContain('checkout: people: of 60 people, ');
      expect(stdout).toContain('help: changes through checkout');
    }
    expect((await runAt(1, 'plan')).stdout).not.toContain('impact:');
  });

  test('knows that somebody switched the flag off where no manifest says whether it is on', async () => {
    const { runAt, world } = await reviewed();
    for (const key of ['help', 'checkout']) await world.edit(key, { active: false });
    const { steps = [] } = impactOf(await runAt(1, 'plan', '--impact', '-f', 'json'));
    expect(steps[0]?.flags[0]).toMatchObject({ key: 'checkout', estimate: { kind: 'dormant' } });
    expect((await runAt(1, 'plan', '--impact')).stdout).toContain(
      'checkout: The flag is disabled, so nobody is affected yet.',
    );
  });

  test('does not know it where the plan leaves another value', async () => {
    const { runAt, world, commit } = await reviewed(MERGED);
    const groups = [{ properties: [], rollout_percentage: 70 }];
    await world.edit('checkout', { filters: { groups } });
    commit({ 'flags/main.yaml': PULL });
    const { stdout } = await runAt(1, 'plan', '--impact', '--only-pending');
    expect(stdout).toContain('checkout: impact: not known, since the plan leaves another value');
  });
});
