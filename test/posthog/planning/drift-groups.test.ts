/** Drift apart from what git changed and nobody applied yet: each difference is in one group, and only drift has effects. */

import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { findDriftEffects } from '../../../src/review/effects/find-effects.ts';
import { buildPlan, type BuildOptions } from '../../../src/posthog/planning/build-plan.ts';
import type { DesiredFlag } from '../../../src/posthog/desired.ts';
import { groupDrift, type DriftGroups } from '../../../src/posthog/planning/drift-groups.ts';
import type { Flag } from '../../../src/posthog/flag/model/flag.ts';
import { kindFor } from '../../../src/posthog/kinds.ts';
import type { Change, Plan } from '../../../src/posthog/plan.ts';
import { render } from '../../../src/report/formats/render.ts';
import { schemaErrors } from '../../helpers/schemas.ts';
import { filters } from '../../helpers/arbitraries.ts';
import { holds } from '../../helpers/runs.ts';
import {
  declared,
  desiredState,
  liveFlag,
  liveState,
  planFor,
  planOptions,
  retired,
  rolledOut,
} from '../../helpers/states.ts';
import { VIEW } from '../../report/samples.ts';

const FACTS = { kind: 'commit', commit: 'a'.repeat(40), from: 'ref' } as const;

interface Three {
  readonly base: readonly DesiredFlag[];
  readonly live: readonly Flag[];
  readonly desired: readonly DesiredFlag[];
}

function drift({ base, live, desired }: Three): { readonly plan: Plan; readonly groups: DriftGroups } {
  const planOf = (options: Partial<BuildOptions> = {}): Plan =>
    buildPlan(desiredState(...desired), liveState(live), {
      ...planOptions(),
      base: { facts: FACTS, desired: desiredState(...base) },
      ...options,
    });
  const plan = planOf();
  return { plan, groups: groupDrift(plan, planOf) };
}

/** `flag:a /name drifted`, sorted. */
function partsIn(changes: readonly Change[]): string[] {
  return changes
    .flatMap((change) =>
      kindFor(change)
        .parts(change)
        .map(({ path, divergence }) => `${change.ref} ${path} ${divergence}`),
    )
    .toSorted();
}

/** Somebody enables a flag and edits another, while git deletes, enables and disables others. */
const MIXED: Three = {
  base: [
    declared('killed', { active: true }),
    declared('gone', {}),
    declared('enabled', { active: false }),
    declared('edited', { active: true, name: 'N', filters: rolledOut(10) }),
  ],
  live: [
    liveFlag(1, 'killed', { active: true }),
    liveFlag(2, 'gone'),
    liveFlag(3, 'enabled', { active: true }),
    liveFlag(4, 'edited', { active: true, name: 'N', filters: rolledOut(30) }),
  ],
  desired: [
    declared('killed', { active: false }),
    retired('gone'),
    declared('enabled', { active: false }),
    declared('edited', { active: false, name: 'M', filters: rolledOut(10) }),
  ],
};

describe('drift beside changes that wait for an apply', () => {
  test('is apart, and its effects are those of people alone', () => {
    const { plan, groups } = drift(MIXED);
    expect(partsIn(groups.drifted)).toEqual([
      'flag:edited /filters/groups/0/rollout_percentage drifted',
      'flag:enabled /active drifted',
    ]);
    expect(partsIn(groups.pending)).toEqual([
      'flag:edited /active pending',
      'flag:edited /name pending',
      'flag:gone /deleted pending',
      'flag:killed /active pending',
    ]);
    const effects = findDriftEffects({ changes: groups.drifted, warnings: plan.warnings });
    expect(effects.map(({ key, classes }) => [key, ...classes])).toEqual([
      ['edited', 'widen'],
      ['enabled', 'enable'],
    ]);
  });

  test.each(['text', 'markdown', 'html', 'github'] as const)('comes first as %s', async (format) => {
    const { plan, groups } = drift(MIXED);
    const shown = (await render({ kind: 'drift', plan, groups }, format, VIEW)) as string;
    const at = (words: string): number => shown.lastIndexOf(words);
    if (format !== 'github') {
      expect(shown).toContain('1 enable, 1 widen');
      expect(shown).not.toMatch(/\d (?:kill|delete)\b/);
      expect(shown).toContain('Not applied yet');
    }
    const drifted = ['10% → 30%', 'declared 10%25, live 30%25'].map(at).find((found) => found >= 0) ?? -1;
    expect(drifted).toBeGreaterThan(-1);
    for (const key of ['killed', 'gone']) expect(at(key)).toBeGreaterThan(drifted);
  });

  test('has a member of its own in JSON, beside those that were there', async () => {
    const { plan, groups } = drift(MIXED);
    const document = JSON.parse((await render({ kind: 'drift', plan, groups }, 'json', VIEW)) as string) as JsonObject;
    expect(schemaErrors('plan', document)).toEqual([]);
    expect(document['live_effects']).toHaveLength(4);
    expect(document['drift_effects']).toMatchObject([
      { key: 'edited', classes: ['widen'] },
      { key: 'enabled', classes: ['enable'] },
    ]);
  });

  test('is everything without a base', () => {
    const plan = planFor(desiredState(...MIXED.desired), liveState(MIXED.live));
    expect(groupDrift(plan)).toEqual({ drifted: plan.changes, pending: [] });
  });
});

describe('a change of both sorts', () => {
  const bodies = (changes: readonly Change[]): unknown =>
    changes.map((change) => [change.ref, 'body' in change ? change.body : undefined]);

  test('has in each group the request that makes its own part, and no other', () => {
    const { groups } = drift(MIXED);
    expect(bodies(groups.drifted)).toContainEqual(['flag:edited', { filters: rolledOut(10) }]);
    expect(bodies(groups.pending)).toContainEqual(['flag:edited', { active: false, name: 'M' }]);
  });

  test('is planned again by itself, once, and only if there is one', () => {
    const asked: unknown[] = [];
    const plan = drift(MIXED).plan;
    groupDrift(plan, ({ targets }) => {
      asked.push(targets);
      return plan;
    });
    expect(asked).toEqual([['edited'], ['edited']]);
    const pure = drift({ ...MIXED, desired: MIXED.desired.slice(0, 3) }).plan;
    groupDrift(pure, () => {
      throw new Error('not planned again');
    });
  });

  test('has its fields divided also where it cannot be planned again', () => {
    const { plan } = drift(MIXED);
    expect(partsIn(groupDrift(plan).drifted)).toEqual(partsIn(drift(MIXED).groups.drifted));
  });
});

test('a new flag without fields, and a cohort, are in a group, too', () => {
  const { groups, plan } = drift({
    base: [declared('z', {})],
    live: [],
    desired: [declared('z', {}), declared('n', {})],
  });
  expect([groups.drifted, groups.pending].map((changes) => changes.map(({ ref }) => ref))).toEqual([
    ['flag:z'],
    ['flag:n'],
  ]);
  expect(plan.changes).toHaveLength(2);
});

const state = fc.record({
  name: fc.constantFrom('A', 'B'),
  active: fc.boolean(),
  tags: fc.subarray(['x', 'y']),
  filters: filters(),
});

it('each difference is in one group, whatever moved', () =>
  holds(200, [state, state, state], (then, now, live) => {
    const { plan, groups } = drift({
      base: [declared('a', then as JsonObject)],
      live: [liveFlag(1, 'a', live as JsonObject)],
      desired: [declared('a', now as JsonObject)],
    });
    expect(partsIn([...groups.drifted, ...groups.pending])).toEqual(partsIn(plan.changes));
    expect(partsIn(groups.drifted).filter((part) => part.endsWith(' pending'))).toEqual([]);
    expect(partsIn(groups.pending).filter((part) => !part.endsWith(' pending'))).toEqual([]);
  }));
