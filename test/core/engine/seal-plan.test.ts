import { describe, expect, it } from 'vitest';
import { fingerprintOf } from '../../../src/core/engine/plan-document.ts';
import { buildPlan } from '../../../src/posthog/planning/build-plan.ts';
import { KINDS } from '../../../src/posthog/kinds.ts';
import type { PostHog } from '../../../src/posthog/kind.ts';
import { takeSnapshot } from '../../../src/posthog/snapshot.ts';
import { sealPlan } from '../../../src/core/engine/seal-plan.ts';
import {
  declared,
  desiredState,
  entry,
  liveFlag,
  liveState,
  planFor,
  planOptions,
  retired,
} from '../../helpers/states.ts';

describe('a sealed plan', () => {
  const live = liveState(
    [
      liveFlag(1, 'same'),
      liveFlag(2, 'changed'),
      liveFlag(3, 'doomed'),
      liveFlag(4, 'back', { deleted: true }),
      liveFlag(5, 'roles'),
      liveFlag(6, 'foreign'),
      liveFlag(7, 'survey-1'),
    ],
    { '5': [entry(1, 'r')] },
  );
  const desired = desiredState(
    declared('same', { active: true }),
    declared('changed', { name: 'x' }),
    declared('back', {}),
    declared('new', {}),
    declared('roles', {}, { roles: ['s', 't'] }),
    retired('doomed'),
  );

  it('counts the changes of each action, unchanged flags and unmanaged flags', () => {
    const plan = planFor(desired, live, { scope: { include: ['*'], exclude: ['survey-*'] } });
    expect(plan.summary).toEqual({
      create: 1,
      update: 1,
      delete: 1,
      restore: 1,
      grant: 2,
      adjust: 0,
      revoke: 1,
      unchanged: 1,
      unmanaged: 2,
      kinds: {
        flag: { create: 1, update: 1, delete: 1, restore: 1, unchanged: 1 },
        role_access: { grant: 2, adjust: 0, revoke: 1 },
        cohort: { create: 0, update: 0, delete: 0, restore: 0, unchanged: 0 },
      },
    });
    expect(plan.unmanaged).toEqual(['foreign']);
  });

  it('sorts its warnings by key, then by code', () => {
    const warning = (key: string, field: string) => ({ code: 'field_unsupported' as const, key, field });
    const unarchives = (key: string) => ({ code: 'unarchives' as const, key, id: 1 });
    const plan = sealPlan<PostHog>(
      {
        changes: [],
        families: [],
        kept: 0,
        unmanaged: { count: 0, inScope: [] },
        warnings: [unarchives('b'), warning('b', 'x'), warning('a', 'y'), unarchives('a'), warning('a', 'x')],
      },
      { kinds: KINDS, snapshot: takeSnapshot({ flags: [], roleAccess: {} }) },
      planOptions(),
    );
    expect(plan.warnings).toEqual([
      warning('a', 'y'),
      warning('a', 'x'),
      unarchives('a'),
      warning('b', 'x'),
      unarchives('b'),
    ]);
  });

  it('warns of a write that the service will refuse', () => {
    const flags = [liveFlag(1, 'a', { can_edit: false })];
    const plan = planFor(desiredState(declared('a', { name: 'x' })), liveState(flags));
    expect(plan.warnings).toEqual([{ code: 'cannot_edit', key: 'a', id: 1 }]);
  });

  it('has the hazards of its changes against live state', () => {
    const flags = [liveFlag(1, 'a', { experiment_set: [30] })];
    const plan = planFor(desiredState(retired('a')), liveState(flags), { protected: ['a'] });
    expect(plan.hazards.map(({ code }) => code).toSorted()).toEqual(['experiments', 'protected']);
  });

  it('names its project, and has the fingerprint of all its other content', () => {
    const options = planOptions({ project: { name: 'other', host: 'embedded', project_id: '7' } });
    const { fingerprint, ...content } = buildPlan(desired, live, options);
    expect(content.project).toEqual(options.project);
    expect(fingerprint).toBe(fingerprintOf(content as never));
    expect(fingerprint).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(fingerprintOf({ b: 1, a: 2 })).toBe(fingerprintOf({ a: 2, b: 1 }));
    expect(fingerprintOf({ a: 1 })).not.toBe(fingerprintOf({ a: 2 }));
  });

  it('has no warning and no hazard for a flag without a change', () => {
    const dependent = liveFlag(1, 'a', { active: true });
    const plan = planFor(desiredState(declared('a', {})), liveState([dependent]));
    expect([plan.changes, plan.warnings, plan.hazards]).toEqual([[], [], []]);
  });
});
