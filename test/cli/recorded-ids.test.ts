/** A flag or cohort is the one whose id was recorded, whatever people name it and others in the service. */

import { expect, test } from 'vitest';
import { gitStage, REF, type GitStage } from '../helpers/git-stage.ts';

const COHORTS = `cohorts:
  vip:
    name: VIP
    filters: { properties: { type: AND, values: [{ key: plan, operator: exact, value: gold }] } }
flags:
  checkout:
    active: true
    filters: { groups: [{ properties: [{ type: cohort, key: id, value: vip }], rollout_percentage: 100 }] }
`;
const FLAGS = `flags:
  checkout: { active: true, rollout_percentage: 10 }
  search: { active: true, rollout_percentage: 20 }
`;

async function applied(manifest: string): Promise<GitStage> {
  const here = await gitStage(undefined, { manifest });
  // Other clones have no journal.
  expect(await here.run('apply', '--yes', '--no-journal')).toMatchObject({ code: 0 });
  return here;
}

/** Somebody renames the flag, and somebody makes another one with its key. */
async function replaceCheckout({ world }: GitStage): Promise<void> {
  const [flag] = (await world.client.listFlags()).filter(({ key }) => key === 'checkout');
  await world.client.updateFlag(flag?.id ?? 0, { key: 'checkout-2' });
  await world.client.createFlag({
    key: 'checkout',
    active: false,
    filters: { groups: [{ properties: [], rollout_percentage: 5 }] },
  });
}

const flagsOf = async ({ world }: GitStage): Promise<Readonly<Record<number, unknown>>> =>
  Object.fromEntries((await world.client.listFlags()).map(({ id, key, active }) => [id, `${key} ${String(active)}`]));

test('a cohort that somebody renamed gets its name back, and another one with its former name is left alone', async () => {
  const here = await applied(COHORTS);
  const { run, world } = here;
  const cohorts = async (): Promise<readonly object[]> =>
    (await world.client.listCohorts()).filter(({ name }) => name?.startsWith('VIP'));
  const [cohort] = (await world.client.listCohorts()).filter(({ name }) => name === 'VIP');
  await world.client.updateCohort(cohort?.id ?? 0, { name: 'VIP of 2025' });
  const other = await world.client.createCohort({ name: 'VIP', filters: { properties: { type: 'OR', values: [] } } });
  const planned = await run('plan');
  expect(planned).toMatchObject({ code: 0 });
  expect(planned.stdout).toContain('"VIP of 2025" → VIP  reverts an edit in PostHog');
  expect(planned.stdout).not.toContain('checkout');
  expect(await run('apply', '--yes')).toMatchObject({ code: 0 });
  expect(await cohorts()).toMatchObject([
    { id: other.id, name: 'VIP' },
    { id: cohort?.id, name: 'VIP' },
  ]);
  expect((await world.client.listFlags())[0]?.filters).toMatchObject({
    groups: [{ properties: [{ type: 'cohort', value: cohort?.id }] }],
  });
  expect(await run('plan')).toMatchObject({ code: 0 });
});

test('a flag that got the key of the recorded one is a conflict, and is taken over on purpose only', async () => {
  const here = await applied(FLAGS);
  const { run } = here;
  await replaceCheckout(here);
  const before = await flagsOf(here);
  const refused = await run('apply', '--yes');
  expect(refused).toMatchObject({ code: 4 });
  expect(refused.stderr).toContain('checkout-2');
  expect(await flagsOf(here)).toEqual(before);
  expect(await run('apply', '--yes', '--override', 'checkout')).toMatchObject({ code: 0 });
  expect(await flagsOf(here)).toMatchObject({ 1: 'checkout-2 true', 3: 'checkout true' });
  expect(here.git('log', '-1', '--format=%B', REF)).toContain('"ids":{"checkout":3,"search":2}');
  expect(await run('plan')).toMatchObject({ code: 0 });
});

test("a flag that got the key of a released one is nobody's, so that no run deletes it", async () => {
  const here = await applied(FLAGS);
  await replaceCheckout(here);
  here.commit({ 'flags/main.yaml': FLAGS.replace(/ {2}checkout.*\n/, '') });
  expect(await here.run('apply', '--prune', '--yes', '--allow-deletes', '5')).toMatchObject({ code: 0 });
  expect(await flagsOf(here)).toMatchObject({ 1: 'checkout-2 true', 3: 'checkout false' });
});

test('a manifest that deletes a flag deletes no other one with its key', async () => {
  const here = await applied(FLAGS);
  await replaceCheckout(here);
  here.commit({ 'flags/main.yaml': FLAGS.replace(/checkout.*\n/, 'checkout: { deleted: true }\n') });
  expect(await here.run('apply', '--yes', '--allow-deletes', '5')).toMatchObject({ code: 4 });
  expect(await flagsOf(here)).toMatchObject({ 3: 'checkout false' });
});

test('the ids are recorded with the commit by every apply, also by a saved plan and one without changes', async () => {
  const { run, git, commit } = await gitStage(undefined, { manifest: FLAGS });
  const ids = (): string => /^Ids: .*"ids":(.*)\}$/m.exec(git('log', '-1', '--format=%B', REF))?.[1] ?? '';
  await run('plan', '--out', 'plan.json');
  expect(await run('apply', 'plan.json')).toMatchObject({ code: 0 });
  expect(ids()).toBe('{"checkout":1,"search":2}');
  commit({ 'flags/main.yaml': FLAGS.replace('checkout:', 'payment:').replace('{', '{ previous_keys: [checkout],') });
  expect(await run('apply', '--yes')).toMatchObject({ code: 0 });
  expect(ids()).toBe('{"payment":1,"search":2}');
  git('update-ref', REF, 'HEAD');
  expect(await run('apply', '--yes')).toMatchObject({ code: 0 });
  expect(ids()).toBe('{"payment":1,"search":2}');
  const record = git('rev-parse', REF);
  expect(await run('apply', '--yes')).toMatchObject({ code: 0 });
  expect(git('rev-parse', REF)).toBe(record);
});
