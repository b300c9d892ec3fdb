/** Early access features are planned with their flags, applied for real, and planned again to nothing. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ApplyResult } from '../../src/loop/apply/result.ts';
import type { JsonObject, JsonValue } from '../../src/base/json.ts';
import { readLiveState } from '../../src/posthog/reading/live-state.ts';
import type { DesiredState } from '../../src/posthog/desired.ts';
import type { EarlyAccessFeature } from '../../src/posthog/early-access/feature.ts';
import { STAGES } from '../../src/posthog/early-access/feature.ts';
import { invertPlan, type AppliedChange } from '../../src/posthog/planning/invert-plan.ts';
import { parseManifest, resolveManifests } from '../../src/posthog/manifests/manifests.ts';
import { planDocument, parseSavedPlan } from '../../src/posthog/planning/plan-document.ts';
import { selectionToUndo } from '../../src/posthog/live-selection.ts';
import { holdsAsync } from '../helpers/runs.ts';
import { planOptions } from '../helpers/states.ts';
import { schemaErrors } from '../helpers/schemas.ts';
import { applyAll, openWorld, startWorld, type World, type WorldOptions } from '../helpers/world.ts';

function manifest(text: string): DesiredState {
  const { file, diagnostics } = parseManifest('flags/a.yaml', text);
  const resolved = resolveManifests([file], { name: 'local', roles: {}, cohorts: {} }, ['local']);
  expect([...diagnostics, ...resolved.diagnostics].filter(({ severity }) => severity === 'error')).toEqual([]);
  return resolved.desired;
}

async function open(seed?: JsonObject, options?: WorldOptions): Promise<World> {
  const world = await openWorld('posthog', seed, options);
  return world;
}

async function undo(world: World, { changes }: ApplyResult): Promise<readonly string[]> {
  const applied = changes.map(({ change, result: outcome }): AppliedChange => {
    const id = outcome.outcome === 'applied' ? outcome.id : undefined;
    return { change, ...(id === undefined ? {} : { id }) };
  });
  const live = await readLiveState(world.client, selectionToUndo(applied.map(({ change, id }) => ({ change, id }))));
  const { plan, refused } = invertPlan(applied, live, planOptions());
  expect((await world.apply(plan)).remainder).toEqual([]);
  return [...refused.map(({ ref, refusal }) => `${ref} ${refusal}`), ...plan.changes.map(({ ref }) => ref)];
}

const feature = async (world: World): Promise<EarlyAccessFeature | undefined> =>
  (await world.client.listEarlyAccessFeatures())[0];
const enrols = async (world: World): Promise<unknown> => {
  const [flag] = await world.client.listFlags();
  return (flag?.filters as JsonObject | undefined)?.['feature_enrollment'] ?? null;
};

const FLAG = 'flags: { sharing: { filters: { groups: [{ properties: [], rollout_percentage: 10 }] } } }\n';
const offers = (members: string): string => `${FLAG}early_access: { share: { flag: sharing, ${members} } }\n`;

describe('a feature', () => {
  test('is created after its flag, which then enrolls people and is as declared', async () => {
    const world = await open();
    const result = await applyAll(world, manifest(offers('name: Sharing, stage: beta, description: Share it.')));
    expect(result.changes.map(({ change }) => change.ref)).toEqual(['flag:sharing', 'early_access:share']);
    expect(await feature(world)).toMatchObject({
      name: 'Sharing',
      stage: 'beta',
      description: 'Share it.',
      feature_flag: { key: 'sharing' },
    });
    expect(await enrols(world)).toBe(true);
  });

  test('and its flag change in one plan, the flag first', async () => {
    const world = await open();
    await applyAll(world, manifest(offers('stage: draft')));
    const desired = manifest(offers('stage: alpha').replace('10', '20'));
    const { changes } = await applyAll(world, desired);
    expect(changes.map(({ change }) => change.ref)).toEqual(['flag:sharing', 'early_access:share']);
    expect(await enrols(world)).toBe(true);
  });

  test('is archived where it is declared as deleted, and taken up again later', async () => {
    const world = await open();
    await applyAll(world, manifest(offers('stage: beta')));
    const { changes } = await applyAll(world, manifest(offers('deleted: true')));
    expect(changes).toMatchObject([{ change: { action: 'delete', body: { stage: 'archived' }, enrollment: 'ends' } }]);
    expect([await feature(world), await enrols(world)]).toMatchObject([{ stage: 'archived' }, null]);
    await applyAll(world, manifest(offers('stage: beta')));
    expect([await feature(world), await enrols(world)]).toMatchObject([{ stage: 'beta' }, true]);
  });

  test('that another user edited is drift, and its flag is not', async () => {
    const world = await open();
    await applyAll(world, manifest(offers('stage: draft')));
    const { id = '' } = (await feature(world)) ?? {};
    await world.client.updateEarlyAccessFeature(id, { stage: 'beta' });
    const plan = await world.plan(manifest(offers('stage: draft')));
    expect(plan.changes).toMatchObject([{ ref: 'early_access:share', enrollment: 'ends' }]);
    await applyAll(world, manifest(offers('stage: draft')));
    expect(await enrols(world)).toBe(null);
  });

  test('that moved since the plan is not written', async () => {
    const world = await open();
    await applyAll(world, manifest(offers('stage: draft')));
    const plan = await world.plan(manifest(offers('stage: beta')));
    const { id = '' } = (await feature(world)) ?? {};
    await world.client.updateEarlyAccessFeature(id, { stage: 'concept' });
    expect((await world.apply(plan)).changes).toMatchObject([
      { result: { outcome: 'skipped', reason: { code: 'stale', moved: [{ path: '/stage', after: 'concept' }] } } },
    ]);
    expect(await enrols(world)).toBe(null);
  });

  test('that the flag got in the meantime is found, and none is made twice', async () => {
    const world = await open({ flags: [{ id: 5, key: 'sharing' }] });
    const desired = manifest('early_access: { sharing: { stage: draft } }\n');
    const plan = await world.plan(desired);
    await world.client.createEarlyAccessFeature({ name: 'Other', stage: 'draft', feature_flag_id: 5 });
    expect((await world.apply(plan)).changes).toMatchObject([{ result: { outcome: 'skipped' } }]);
    expect(await world.client.listEarlyAccessFeatures()).toHaveLength(1);
  });

  test('is saved in a plan by the published schema, and applied from it', async () => {
    const world = await open();
    const plan = await world.plan(manifest(offers('stage: beta')));
    const document = JSON.parse(JSON.stringify(planDocument(plan))) as JsonObject;
    expect(schemaErrors('plan', document)).toEqual([]);
    const saved = parseSavedPlan(JSON.stringify(document));
    expect((await world.apply(saved)).remainder).toEqual([]);
    expect(await enrols(world)).toBe(true);
  });
});

describe('undo', () => {
  test('of a create archives the feature; of the flag nothing but a hazard is left', async () => {
    const world = await open({ flags: [{ id: 5, key: 'sharing', filters: { groups: [{}] } }] });
    const result = await applyAll(
      world,
      manifest('flags: { sharing: { active: true } }\nearly_access: { sharing: { stage: beta } }\n'),
    );
    expect(await undo(world, result)).toEqual(['early_access:sharing']);
    expect([await feature(world), await enrols(world)]).toMatchObject([{ stage: 'archived' }, null]);
  });

  test('of an update writes back what was there', async () => {
    const world = await open();
    await applyAll(world, manifest(offers('name: A, stage: beta')));
    const result = await applyAll(world, manifest(offers('name: B, stage: draft')));
    expect(await undo(world, result)).toEqual(['early_access:share']);
    expect([await feature(world), await enrols(world)]).toMatchObject([{ name: 'A', stage: 'beta' }, true]);
  });

  test('leaves a feature alone that changed since', async () => {
    const world = await open();
    const result = await applyAll(world, manifest(offers('stage: beta')));
    const { id = '' } = (await feature(world)) ?? {};
    await world.client.updateEarlyAccessFeature(id, { stage: 'alpha' });
    const own = { ...result, changes: result.changes.slice(1) };
    expect(await undo(world, own)).toEqual(['early_access:share moved']);
  });
});

test.each([
  ['500 before the write', { answer: { status: 500 } }],
  ['500 after the write', { answer: { status: 500, when: 'after' } }],
  ['a lost answer', { reset: { when: 'after' } }],
  ['an empty answer', { answer: { status: 200, body: 'nothing', when: 'after' } }],
])('%s makes no feature twice, and the outcome is true', async (_name, effects) => {
  for (const operation of ['createEarlyAccessFeature', 'updateEarlyAccessFeature']) {
    const world = await open(
      { flags: [{ id: 5, key: 'sharing', filters: { groups: [{}] } }] },
      { faults: { faults: [{ match: { operation }, count: 1, ...effects }] } },
    );
    await applyAll(world, manifest('flags: { sharing: {} }\nearly_access: { sharing: { stage: draft } }\n'));
    await applyAll(world, manifest('flags: { sharing: {} }\nearly_access: { sharing: { stage: beta } }\n'));
    expect(await world.client.listEarlyAccessFeatures()).toHaveLength(1);
    expect(await enrols(world)).toBe(true);
  }
});

const NOBODY = { groups: [{ properties: [], rollout_percentage: 0 }] };

test('a plan after an apply is empty, whatever was live and whatever is declared, also who is enrolled', async () => {
  const text = fc.constantFrom('', 'Sharing', ' Größe ', '# not a comment: "quoted"');
  const fields = fc.record(
    {
      name: fc.constantFrom('Sharing', 'Größe & Form', ' padded '),
      description: text,
      stage: fc.constantFrom(...STAGES),
      documentation_url: fc.constantFrom('', 'https://docs.example.org/a?b=c#d'),
      payload: fc.constantFrom<JsonValue>({}, [], 0, false, '', ' a ', { a: { b: null } }, { a: [1.5, 'é'] }, 12),
    },
    { requiredKeys: [] },
  );
  const declared = fc.oneof(fields, fc.constant({ deleted: true }));
  const edit = fc.constantFrom(undefined, null, true);
  await holdsAsync(40, [fc.array(fc.tuple(declared, edit), { minLength: 1, maxLength: 4 })], async (steps) => {
    const world = await startWorld('posthog', { flags: [{ id: 5, key: 'sharing', filters: { groups: [{}] } }] });
    try {
      for (const [step, enrollment] of steps) {
        const isFirst = (await feature(world)) === undefined;
        if (!isFirst && enrollment !== undefined) {
          await world.client.updateFlag(5, { filters: { ...NOBODY, feature_enrollment: enrollment } });
        }
        const before = await enrols(world);
        const state = manifest(JSON.stringify({ flags: { sharing: {} }, early_access: { sharing: step } }));
        await applyAll(world, state);
        const live = await feature(world);
        const isOn = ['alpha', 'beta', 'general-availability'].includes(live?.stage ?? '');
        const isManaged = 'stage' in step || 'deleted' in step;
        expect(await enrols(world)).toBe(isManaged ? isOn || null : before);
      }
    } finally {
      await world.close();
    }
  });
});
