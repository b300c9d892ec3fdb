/** What reports count: flags alone without a noun, and several kinds of resources apart. */

import { describe, expect, it, test } from 'vitest';
import { buildPlan, type BuildOptions } from '../../../src/posthog/planning/build-plan.ts';
import type { Cohort } from '../../../src/posthog/cohort/cohort.ts';
import { parseManifest, resolveManifests } from '../../../src/posthog/manifests/manifests.ts';
import type { Plan } from '../../../src/posthog/plan.ts';
import { render } from '../../../src/report/formats/render.ts';
import { hazardText } from '../../../src/report/words/rules.ts';
import { allowing, liveFlag, planFor, planOptions } from '../../helpers/states.ts';
import { EMPTY_PLAN, VIEW } from '../samples.ts';
import { driftSummary, inSyncText, planSummary, undoSummary } from '../../../src/report/words/summaries.ts';

const definition = (plan: string): string =>
  `{ filters: { properties: { type: AND, values: [{ key: plan, value: ${plan} }] } } }`;

interface World {
  readonly flags?: Readonly<Record<string, string>>;
  readonly cohorts?: Readonly<Record<string, string>>;
}

const lines = (entries: Readonly<Record<string, string>>): string =>
  Object.entries(entries)
    .map(([key, value]) => `  ${key}: ${value}\n`)
    .join('');

/** Of manifests against the flags `same`, `other` and `stray` and cohorts that are live. */
function planOf({ flags = {}, cohorts = {} }: World, live: readonly string[], options: BuildOptions = {}): Plan {
  const text = `flags:\n${lines({ same: '{}', ...flags })}${live.length === 0 && Object.keys(cohorts).length === 0 ? '' : `cohorts:\n${lines(cohorts)}`}`;
  const { file, diagnostics } = parseManifest('a.yaml', text);
  const resolved = resolveManifests([file], { name: 'test', roles: {}, cohorts: {} }, ['test']);
  expect([...diagnostics, ...resolved.diagnostics]).toEqual([]);
  const held = live.map((name, index): Cohort => {
    const values = [{ key: 'plan', type: 'person', operator: 'exact', value: 'pro' }];
    return { id: index + 1, name, description: '', is_static: false, filters: { properties: { type: 'AND', values } } };
  });
  const state = {
    flags: [liveFlag(1, 'same'), liveFlag(2, 'other'), liveFlag(3, 'stray')],
    roleAccess: {},
    cohorts: held,
  };
  return buildPlan(resolved.desired, state, { ...planOptions(), ...options });
}

const named = (names: readonly string[], plan: string): Readonly<Record<string, string>> =>
  Object.fromEntries(names.map((name) => [name, definition(plan)]));
const CREW = ['crew', 'staff'];

describe('a project without cohorts', () => {
  it('has bare numbers', () => {
    expect(planSummary(planOf({}, []))).toBe('In sync: 1 flag matches the manifests · 2 unmanaged.');
    const plan = planOf({ flags: { other: '{ description: x }', new: '{}' } }, []);
    expect(planSummary(plan)).toBe('Plan: 1 to create, 1 to update · 1 unchanged · 1 unmanaged');
    expect(driftSummary(plan)).toBe('Drift: 1 missing, 1 different · 1 in sync · 1 unmanaged');
  });
});

describe('a project with cohorts', () => {
  it('is in sync with both', () => {
    expect(planSummary(planOf({ cohorts: named(CREW, 'pro') }, CREW))).toBe(
      'In sync: 1 flag and 2 cohorts match the manifests · 2 flags unmanaged.',
    );
  });

  it('names the kinds of its changes and of what needs none', () => {
    const plan = planOf(
      { flags: { new: '{}' }, cohorts: { ...named(CREW, 'free'), ...named(['same', 'late'], 'pro') } },
      [...CREW, 'same'],
    );
    expect(planSummary(plan)).toBe(
      'Plan: 1 flag and 1 cohort to create, 2 cohorts to update · 1 flag and 1 cohort unchanged · 2 flags unmanaged',
    );
    expect(driftSummary(plan)).toBe(
      'Drift: 1 flag and 1 cohort missing, 2 cohorts different · 1 flag and 1 cohort in sync · 2 flags unmanaged',
    );
    expect(plan.summary).toMatchObject({
      create: 2,
      update: 2,
      unchanged: 2,
      kinds: {
        flag: { create: 1, update: 0, unchanged: 1 },
        role_access: { grant: 0, adjust: 0, revoke: 0 },
        cohort: { create: 1, update: 2, unchanged: 1 },
      },
    });
    const refused = [{ ref: 'cohort:gone', key: 'gone', refusal: 'gone', moved: [] }] as const;
    expect(undoSummary(plan, refused)).toBe(
      'Undo: 1 flag and 1 cohort to create, 2 cohorts to update · 1 cohort cannot be undone',
    );
  });

  it('heads each action in Markdown with its kinds', async () => {
    const plan = planOf({ flags: { new: '{}' }, cohorts: named(['late'], 'pro') }, ['late-live']);
    expect(await render({ kind: 'plan', plan }, 'markdown', VIEW)).toContain('1 flag and 1 cohort to create');
    expect(await render({ kind: 'drift', plan }, 'markdown', VIEW)).toContain('1 flag and 1 cohort missing');
  });

  it('has limits on all changes together, and shares of each kind', () => {
    const names = Array.from({ length: 12 }, (_, index) => `crew-${index}`);
    const limits = { deletes: 5, deletes_percent: 30, updates: 6, updates_percent: 50 };
    const { hazards } = planOf({ flags: { other: '{ description: x }' }, cohorts: named(names, 'free') }, names, {
      limits,
    });
    const permit = { kind: 'updates', value: 13 };
    expect(hazards).toEqual([
      { code: 'updates', count: 13, kinds: { flag: 1, cohort: 12 }, limit: 6, permit },
      { code: 'updates_percent', resource: 'cohort', count: 12, of: 12, limit_percent: 50, permit },
    ]);
    expect(hazards.map((hazard) => hazardText(hazard))).toEqual([
      '1 flag and 12 cohorts would be updated; the limit is 6 in all.',
      '12 of 12 cohorts would be updated; the limit is 50%.',
    ]);
    const exceptions = allowing({ updates: 13 });
    expect(planOf({ cohorts: named(names, 'free') }, names, { limits, exceptions }).hazards).toEqual([]);
  });

  it('does not make the share of changed flags small by many cohorts', () => {
    const names = Array.from({ length: 40 }, (_, index) => `crew-${index}`);
    const live = Array.from({ length: 10 }, (_, index) => liveFlag(index + 1, `flag-${index}`));
    const flags = Object.fromEntries(live.map(({ key }) => [key, '{ description: x }']));
    const text = `flags:\n${lines(flags)}cohorts:\n${lines(named(names, 'pro'))}`;
    const { file } = parseManifest('a.yaml', text);
    const { desired } = resolveManifests([file], { name: 'test', roles: {}, cohorts: {} }, ['test']);
    const values = [{ key: 'plan', type: 'person', operator: 'exact', value: 'pro' }];
    const cohorts = names.map((name, index): Cohort => ({
      id: index + 1,
      name,
      is_static: false,
      filters: { properties: { type: 'AND', values } },
    }));
    const plan = planFor(desired, { flags: live, roleAccess: {}, cohorts });
    expect(plan.hazards).toMatchObject([{ code: 'updates_percent', resource: 'flag', count: 10, of: 10 }]);
  });
});

test('what no plan can write is not in sync, by kind', () => {
  const summary = { ...EMPTY_PLAN.summary, unchanged: 43 };
  const kinds = { ...EMPTY_PLAN.summary.kinds, cohort: { create: 0, update: 0, delete: 0, restore: 0, unchanged: 2 } };
  expect(
    inSyncText(
      { ...summary, kinds: kinds as NonNullable<typeof EMPTY_PLAN.summary.kinds> },
      { unwritable: { cohort: 1 } },
    ),
  ).toBe(
    'Nothing to apply: 1 cohort differs in ways that no plan can change, 41 flags and 1 cohort match the manifests.',
  );
});

test('a plan that changes nothing counts the steps that later runs make', () => {
  const rollout = (steps: number, step: number): object => ({ steps: Array.from({ length: steps }, () => ({})), step });
  const summaryOf = (...rollouts: object[]): string =>
    planSummary({ ...EMPTY_PLAN, rollouts: rollouts as NonNullable<Plan['rollouts']> });
  expect(summaryOf(rollout(3, -1), rollout(2, 0))).toBe('In sync: 41 flags match the manifests · 4 steps to come.');
  expect(summaryOf(rollout(2, 0))).toBe('In sync: 41 flags match the manifests · 1 step to come.');
  expect(summaryOf(rollout(2, 1))).toBe('In sync: 41 flags match the manifests.');
});

test('a plan of an older release, which did not tell kinds apart, shows what it has', () => {
  const { kinds: _, ...summary } = EMPTY_PLAN.summary;
  expect(inSyncText(summary)).toBe('In sync: 41 flags match the manifests.');
  expect(hazardText({ code: 'deletes', count: 6, limit: 5, permit: { kind: 'deletes', value: 6 } })).toBe(
    '6 flags would be deleted; the limit is 5.',
  );
});
