/** Cohorts are planned with the flags that use them, applied for real, and planned again to nothing. */

import { afterEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import type { Profile } from '../../service/src/index.ts';
import type { DesiredState } from '../../src/posthog/desired.ts';
import { invertPlan, type AppliedChange } from '../../src/posthog/planning/invert-plan.ts';
import { planDocument, parseSavedPlan } from '../../src/posthog/planning/plan-document.ts';
import { selectionToUndo } from '../../src/posthog/live-selection.ts';
import { readLiveState } from '../../src/posthog/reading/live-state.ts';
import type { ApplyResult } from '../../src/loop/apply/result.ts';
import { parseManifest, resolveManifests } from '../../src/posthog/manifests/manifests.ts';
import { allowing, planOptions } from '../helpers/states.ts';
import { applyAll, openWorld, type World, type WorldOptions } from '../helpers/world.ts';

const PROFILES = ['documented', 'posthog'] as const;

/** The desired state of a manifest. */
function manifest(text: string, cohorts: Readonly<Record<string, number>> = {}): DesiredState {
  const { file, diagnostics } = parseManifest('flags/a.yaml', text);
  const resolved = resolveManifests([file], { name: 'local', roles: {}, cohorts }, ['local']);
  expect([...diagnostics, ...resolved.diagnostics]).toEqual([]);
  return resolved.desired;
}

async function open(profile: Profile, seed?: JsonObject, options?: WorldOptions): Promise<World> {
  const world = await openWorld(profile, seed, options);
  return world;
}

async function undo(world: World, result: ApplyResult): Promise<void> {
  const applied = result.changes.map(({ change, result: outcome }): AppliedChange => {
    const id = outcome.outcome === 'applied' ? outcome.id : undefined;
    return { change, ...(id === undefined ? {} : { id }) };
  });
  const live = await readLiveState(world.client, selectionToUndo(applied.map(({ change, id }) => ({ change, id }))));
  const { plan, refused } = invertPlan(applied, live, planOptions());
  expect(refused).toEqual([]);
  const undone = await world.apply(plan);
  expect(undone.changes.map(({ result: { outcome } }) => outcome)).toEqual(plan.changes.map(() => 'applied'));
  expect(undone.remainder).toEqual([]);
}

const PRO = 'values: [{ key: plan, value: pro }]';
const FLAG = `flags:
  checkout:
    filters: { groups: [{ properties: [{ type: cohort, key: id, value: beta }], rollout_percentage: 100 }] }
`;
const BETA = `cohorts:
  beta:
    name: Beta testers
    description: They asked for it.
    filters:
      properties: { type: OR, values: [{ type: AND, ${PRO} }, { key: id, type: cohort, value: staff }] }
  staff:
    filters: { properties: { type: AND, values: [{ key: email, operator: icontains, value: "@example.org" }] } }
`;

describe.each(PROFILES)('cohorts in the profile %s', (profile) => {
  it('are created before the flags and cohorts that name them, and then nothing differs', async () => {
    const world = await open(profile);
    const desired = manifest(FLAG + BETA);
    const plan = await world.plan(desired);
    expect(plan.changes.map(({ ref, needs }) => [ref, needs])).toEqual([
      ['cohort:staff', []],
      ['cohort:beta', ['cohort:staff']],
      ['flag:checkout', ['cohort:beta']],
    ]);
    expect(plan.warnings).toContainEqual({ code: 'cohort_calculating', key: 'checkout', cohort: 'beta' });
    await applyAll(world, desired);
    const [beta, staff] = ['Beta testers', 'staff'].map(async (name) =>
      (await world.client.listCohorts()).find((cohort) => cohort.name === name),
    );
    expect(await beta).toMatchObject({ description: 'They asked for it.', is_static: false });
    const flag = (await world.client.listFlags())[0];
    expect(flag).toMatchObject({ filters: { groups: [{ properties: [{ value: (await beta)?.id }] }] } });
    expect(await staff).toBeDefined();
  });

  it('decide the values of flags by their definition', async () => {
    const persons = ['pro', 'free'].map((plan) => ({ distinct_ids: [plan], properties: { plan } }));
    const world = await open(profile, { persons });
    await applyAll(world, manifest(FLAG + BETA));
    const valueFor = async (distinctId: string): Promise<unknown> =>
      (await world.client.evaluationReasons({ distinctId }))['checkout']?.value;
    expect([await valueFor('pro'), await valueFor('free')]).toEqual([true, false]);
    await applyAll(world, manifest(FLAG + BETA.replace('value: pro', 'value: free')));
    expect([await valueFor('pro'), await valueFor('free')]).toEqual([false, true]);
  });

  it('are changed with a warning that names every flag that uses them, also through other cohorts', async () => {
    const world = await open(profile);
    await applyAll(world, manifest(FLAG + BETA));
    const live = (await world.live(manifest(BETA))).cohorts?.find(({ name }) => name === 'staff');
    await world.client.createFlag({
      key: 'unmanaged',
      filters: { groups: [{ properties: [{ key: 'id', type: 'cohort', value: live?.id ?? 0 }] }] },
    });
    const changed = manifest(FLAG + BETA.replace('@example.org', '@example.com'));
    const plan = await world.plan(changed);
    expect(plan.changes).toMatchObject([
      {
        ref: 'cohort:staff',
        fields: [{ path: '/filters/properties/values/0/value', before: '@example.org', after: '@example.com' }],
      },
    ]);
    expect(plan.warnings).toEqual([
      { code: 'cohort_flags', key: 'cohort:staff', action: 'update', flags: ['checkout', 'unmanaged'], uses: ['in'] },
    ]);
    await applyAll(world, changed);
  });

  it('are found by a previous name, and renamed', async () => {
    const world = await open(profile);
    await applyAll(world, manifest(BETA));
    const renamed = manifest(
      BETA.replace('name: Beta testers', 'name: Early birds\n    previous_names: [Beta testers]'),
    );
    const plan = await world.plan(renamed);
    expect(plan.changes).toMatchObject([{ ref: 'cohort:beta', action: 'update', body: { name: 'Early birds' } }]);
    await applyAll(world, renamed);
    expect((await world.client.listCohorts()).filter(({ name }) => name === 'Beta testers')).toEqual([]);
  });

  it('are soft-deleted once no flag uses them, and restored by undo with what the flag had', async () => {
    const world = await open(profile);
    await applyAll(world, manifest(FLAG + BETA));
    const before = await world.live(manifest(FLAG + BETA));
    const retired = manifest(
      `flags: { checkout: { rollout_percentage: 0 } }\ncohorts:\n  beta: { name: Beta testers, deleted: true }\n`,
    );
    const plan = await world.plan(retired);
    expect(plan.changes.map(({ ref, needs }) => [ref, needs])).toEqual([
      ['flag:checkout', []],
      ['cohort:beta', ['flag:checkout']],
    ]);
    expect(plan.hazards).toEqual([]);
    const result = await applyAll(world, retired);
    await undo(world, result);
    expect(await world.plan(manifest(FLAG + BETA))).toMatchObject({ changes: [] });
    expect((await world.live(manifest(FLAG + BETA))).cohorts?.map(({ id }) => id)).toEqual(
      before.cohorts?.map(({ id }) => id),
    );
  });

  it('that an active flag still uses are deleted only with permission, and never where the service refuses it', async () => {
    const world = await open(profile);
    await applyAll(world, manifest(FLAG + BETA));
    expect((await world.plan(manifest('cohorts:\n  beta: { name: Beta testers, deleted: true }\n'))).hazards).toEqual([
      {
        code: 'cohort_used',
        ref: 'cohort:beta',
        key: 'cohort:beta',
        flags: ['checkout'],
        cohorts: [],
        ...(profile === 'posthog' ? {} : { permit: { kind: 'risky', value: 'cohort:beta' } }),
      },
    ]);
    const staff = await world.plan(manifest('cohorts:\n  staff: { deleted: true }\n'), {
      exceptions: allowing({ risky: ['cohort:*'] }),
    });
    expect(staff.hazards).toHaveLength(profile === 'posthog' ? 1 : 0);
    expect(staff.changes).toHaveLength(1);
  });

  it('and flags that a run made are unmade by undo, the flag first', async () => {
    const world = await open(profile);
    const result = await applyAll(world, manifest(FLAG + BETA));
    await undo(world, result);
    expect([(await world.client.listFlags()).length, (await world.client.listCohorts()).length]).toEqual([0, 3]);
  });

  it('of a saved plan are created and named in the flags of the same plan', async () => {
    const world = await open(profile);
    const plan = await world.plan(manifest(FLAG + BETA));
    const saved = parseSavedPlan(JSON.stringify(planDocument(plan)));
    const result = await world.apply(saved);
    expect(result.changes.map(({ result: { outcome } }) => outcome)).toEqual(['applied', 'applied', 'applied']);
    expect(result.remainder).toEqual([]);
  });

  it('that moved since the plan are not written, and nor is a flag that needs them', async () => {
    const world = await open(profile);
    await applyAll(world, manifest(BETA));
    const plan = await world.plan(manifest(FLAG + BETA.replace('value: pro', 'value: max')));
    const [beta] = (await world.client.listCohorts()).filter(({ name }) => name === 'Beta testers');
    await world.client.updateCohort(beta?.id ?? 0, { description: 'Changed by hand.' });
    const result = await world.apply(plan);
    expect(result.changes.map(({ change, result: outcome }) => [change.ref, outcome])).toMatchObject([
      ['cohort:beta', { outcome: 'skipped', reason: { code: 'stale', moved: [{ path: '/description' }] } }],
      ['flag:checkout', { outcome: 'skipped', reason: { code: 'needs_failed', refs: ['cohort:beta'] } }],
    ]);
  });

  it('of the configuration are found by id, and restored where they are deleted', async () => {
    const world = await open(profile);
    await applyAll(world, manifest(BETA));
    const [beta] = (await world.client.listCohorts()).filter(({ name }) => name === 'Beta testers');
    const id = beta?.id ?? 0;
    await world.client.updateCohort(id, { name: 'Renamed', deleted: true });
    const desired = manifest(FLAG + BETA, { beta: id });
    const plan = await world.plan(desired);
    expect(plan.changes.map(({ ref, action, needs }) => [ref, action, needs])).toEqual(
      [
        ['flag:checkout', 'create', ['cohort:beta']],
        ['cohort:beta', 'restore', []],
      ].toReversed(),
    );
    await applyAll(world, desired);
  });

  it('with one name cannot be told apart, while everything else is planned', async () => {
    const world = await open(profile);
    const ids = [];
    for (let count = 0; count < 2; count += 1) ids.push((await world.client.createCohort({ name: 'Beta testers' })).id);
    const { changes, warnings } = await world.plan(manifest(`${FLAG}  other: { rollout_percentage: 5 }\n${BETA}`));
    expect(changes.map(({ ref }) => ref)).toEqual(['flag:other', 'cohort:staff']);
    const cohorts = ids.map((id) => ({ id, flags: [] }));
    expect(warnings).toContainEqual(
      expect.objectContaining({ code: 'cohort_name_shared', key: 'cohort:beta', cohorts }),
    );
    await expect(world.plan(manifest(BETA, { beta: 999 }))).rejects.toMatchObject({
      diagnostics: [{ code: 'cohort-missing', args: { alias: 'beta', id: 999 } }],
    });
  });

  it('that are static are named and left alone', async () => {
    const world = await open(profile);
    const plan = await world.plan(manifest(BETA.replace('name: Beta testers', 'name: beta')));
    expect(plan.warnings).toContainEqual({ code: 'cohort_static', key: 'cohort:beta', id: 42 });
    expect(plan.changes.map(({ ref }) => ref)).toEqual(['cohort:staff']);
  });

  it('that are being calculated are named where a flag gets conditions on them', async () => {
    const definition = {
      properties: { type: 'AND', values: [{ key: 'plan', type: 'person', operator: 'exact', value: 'pro' }] },
    };
    const world = await open(profile, {
      cohorts: [{ id: 7, name: 'Slow', filters: definition, is_calculating: true }],
    });
    const slow = `${FLAG.replace('value: beta', 'value: slow')}cohorts:\n  slow: { name: Slow, filters: ${JSON.stringify(definition)} }\n`;
    const plan = await world.plan(manifest(slow));
    expect(plan.changes.map(({ ref }) => ref)).toEqual(['flag:checkout']);
    expect(plan.warnings).toEqual([{ code: 'cohort_calculating', key: 'checkout', cohort: 'slow' }]);
  });

  it('are limited by targets together with the flags that use them', async () => {
    const world = await open(profile);
    const desired = manifest(`${FLAG}  other: { rollout_percentage: 5 }\n${BETA}`);
    const refs = async (target: string): Promise<readonly string[]> =>
      (await world.plan(desired, { targets: [target] })).changes.map(({ ref }) => ref);
    expect(await refs('checkout')).toEqual(['cohort:staff', 'cohort:beta', 'flag:checkout']);
    expect(await refs('other')).toEqual(['flag:other']);
    expect(await refs('cohort:s*')).toEqual(['cohort:staff']);
  });
});

describe('requests', () => {
  let seen: string[] = [];
  afterEach(() => {
    seen = [];
  });

  it('are none for cohorts where no manifest declares one', async () => {
    const onRequest = ({ method, path }: { method: string; path: string }): void => void seen.push(`${method} ${path}`);
    const world = await open('posthog', undefined, { onRequest });
    const desired = manifest('flags: { a: { rollout_percentage: 5 } }\n');
    await world.apply(await world.plan(desired));
    expect(seen.filter((line) => line.includes('cohorts'))).toEqual([]);
    seen = [];
    await world.plan(manifest(BETA));
    expect(seen.filter((line) => line.includes('cohorts'))).toEqual([
      'GET /api/projects/1/cohorts/',
      'GET /api/projects/1/cohorts/activity/',
    ]);
    const beta = manifest(BETA);
    await world.apply(await world.plan(beta));
    seen = [];
    await world.plan(beta);
    expect(seen.filter((line) => line.includes('cohorts'))).toEqual(['GET /api/projects/1/cohorts/']);
  });
});
