import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildPlan, type PlanOptions } from '../../../src/posthog/planning/build-plan.ts';
import type { Plan } from '../../../src/posthog/plan.ts';
import type { DesiredState } from '../../../src/posthog/desired.ts';
import type { LiveState } from '../../../src/posthog/live.ts';
import { flagFields } from '../../helpers/arbitraries.ts';
import { holds } from '../../helpers/runs.ts';
import {
  allowing,
  declared,
  dependsOn,
  desiredState,
  entry,
  liveFlag,
  liveState,
  planFor,
  planOptions,
  retired,
} from '../../helpers/states.ts';

function plan(desired: DesiredState, live: LiveState, options: Partial<PlanOptions> = {}): Plan {
  return planFor(desired, live, options);
}

const refs = (made: Plan): string[] => made.changes.map((change) => `${change.action} ${change.ref}`);
const codes = (made: Plan): string[] => made.warnings.map((warning) => warning.code);

describe('a plan', () => {
  it('creates a missing flag with the body that is sent', () => {
    const made = plan(desiredState(declared('a', { active: true, name: 'A' })), liveState([]));
    expect(made.changes).toMatchObject([{ action: 'create', key: 'a', body: { key: 'a', active: true, name: 'A' } }]);
    expect(made.summary).toMatchObject({ create: 1, update: 0, unchanged: 0 });
  });

  it('omits filters from the create of a flag without conditions', () => {
    const made = plan(desiredState(declared('a', { filters: { groups: [], payloads: {} } })), liveState([]));
    expect(made.changes).toMatchObject([{ body: { key: 'a' } }]);
    expect(made.changes[0]?.resource === 'flag' && 'filters' in made.changes[0].body).toBe(false);
  });

  it('adopts a live flag by its key, and sends only changed fields', () => {
    const made = plan(
      desiredState(declared('a', { active: false, name: 'A' })),
      liveState([liveFlag(7, 'a', { name: 'A' })]),
    );
    expect(made.changes).toMatchObject([
      { action: 'update', id: 7, body: { active: false }, fields: [{ path: '/active', before: true, after: false }] },
    ]);
    expect(Object.keys(made.changes[0]?.resource === 'flag' ? made.changes[0].body : {})).toEqual(['active']);
  });

  it.each([
    ['filters of a later version', { version: 2, rules: [1] }, { version: 2, rules: [] }],
    [
      'conditions that replace filters of a later version',
      { groups: [{ rollout_percentage: 5 }] },
      { version: 2, rules: [] },
    ],
    [
      'filters of a later version that replace conditions',
      { version: 2, rules: [] },
      { groups: [{}], payloads: { true: '1' } },
    ],
  ])('never sends %s, and warns', (_what, wanted, before) => {
    const made = plan(
      desiredState(declared('a', { filters: wanted })),
      liveState([liveFlag(7, 'a', { filters: before })]),
    );
    expect(made.changes).toEqual([]);
    expect(made.warnings).toMatchObject([{ code: 'filters_opaque', key: 'a', format: '2', omitted: ['filters'] }]);
  });

  it('does not change undeclared fields and flags', () => {
    const made = plan(
      desiredState(declared('a')),
      liveState([liveFlag(1, 'a', { name: 'by hand' }), liveFlag(2, 'other')]),
    );
    expect(made.changes).toEqual([]);
    expect(made.unmanaged).toEqual(['other']);
    expect(made.summary).toMatchObject({ unchanged: 1, unmanaged: 1 });
  });

  it('renames a flag that is found under a previous key', () => {
    const made = plan(
      desiredState(declared('new', { active: true }, { previousKeys: ['older', 'old'] })),
      liveState([liveFlag(3, 'old')]),
    );
    expect(made.changes).toMatchObject([{ action: 'update', id: 3, key: 'new', body: { key: 'new' } }]);
  });

  it('warns instead of renaming a flag if another flag has the new key', () => {
    const made = plan(
      desiredState(declared('new', {}, { previousKeys: ['old'] })),
      liveState([liveFlag(3, 'old'), liveFlag(4, 'new')]),
    );
    expect(made.changes).toEqual([]);
    expect(codes(made)).toEqual(['previous_key_live']);
  });

  it('renames one of several flags under previous keys, and warns of the others', () => {
    const made = plan(
      desiredState(declared('new', {}, { previousKeys: ['older', 'old', 'oldest'] })),
      liveState([liveFlag(3, 'old'), liveFlag(4, 'oldest')]),
      { prune: true },
    );
    expect(made.changes).toMatchObject([{ action: 'update', id: 3, body: { key: 'new' } }]);
    expect(made.warnings).toEqual([{ code: 'previous_key_live', key: 'new', previous: 'oldest', id: 4 }]);
  });

  it('does not rename a deleted flag', () => {
    const made = plan(
      desiredState(declared('new', {}, { previousKeys: ['old'] })),
      liveState([liveFlag(3, 'old', { deleted: true })]),
    );
    expect(refs(made)).toEqual(['create flag:new']);
  });

  it('distinguishes a dependency on the key 7 from one on the id 7', () => {
    const filters = dependsOn('7');
    const live = [liveFlag(7, 'other'), liveFlag(8, '7'), liveFlag(9, 'top', { filters })];
    expect(plan(desiredState(declared('top', { filters }), declared('7')), liveState(live)).changes).toMatchObject([
      { key: 'top', fields: [{ path: '/filters/groups/0/properties/0/key', before: 'other', after: '7' }] },
    ]);
  });

  it('does not change the dependents of a renamed flag', () => {
    const made = plan(
      desiredState(declared('child', { filters: dependsOn('new') }), declared('new', {}, { previousKeys: ['old'] })),
      liveState([liveFlag(3, 'old'), liveFlag(4, 'child', { filters: dependsOn('3') })]),
    );
    expect(refs(made)).toEqual(['update flag:new']);
  });

  it('restores a flag that is listed as deleted', () => {
    const made = plan(desiredState(declared('a', { active: true })), liveState([liveFlag(1, 'a', { deleted: true })]));
    expect(made.changes).toMatchObject([{ action: 'restore', id: 1, body: { deleted: false } }]);
  });

  it('unarchives a flag that is declared active', () => {
    const made = plan(
      desiredState(declared('a', { active: true })),
      liveState([liveFlag(1, 'a', { archived: true, active: false })]),
    );
    expect(made.changes).toMatchObject([{ action: 'update', body: { active: true, archived: false } }]);
    expect(codes(made)).toEqual(['unarchives']);
  });

  it('warns of a field that the service does not support, instead of comparing it', () => {
    const { tags: _tags, ...older } = liveFlag(1, 'a');
    const made = plan(desiredState(declared('a', { tags: ['x'] })), liveState([older as ReturnType<typeof liveFlag>]));
    expect(made.changes).toEqual([]);
    expect(made.warnings).toEqual([{ code: 'field_unsupported', key: 'a', field: 'tags' }]);
  });

  it('warns of a key that the service lists twice, and manages the older flag', () => {
    const made = plan(desiredState(declared('a', { active: false })), liveState([liveFlag(9, 'a'), liveFlag(2, 'a')]));
    expect(made.changes).toMatchObject([{ id: 2 }]);
    expect(codes(made)).toEqual(['key_shared']);
  });
});

describe('filters', () => {
  const live = {
    groups: [{ properties: [{ key: 'id', type: 'cohort', value: 42, cohort_name: 'Beta' }], rollout_percentage: 10 }],
    multivariate: { variants: [{ key: 'a', rollout_percentage: 100 }] },
    holdout: { id: 3, exclusion_percentage: 10 },
    super_groups: [{ properties: [{ key: 'id', type: 'cohort', value: 1, cohort_name: 'x' }] }],
  };

  it('are sent whole, with null for removed parts and with the parts of other products', () => {
    const made = plan(
      desiredState(declared('a', { filters: { groups: [{ rollout_percentage: 25 }] } })),
      liveState([liveFlag(1, 'a', { filters: live })]),
    );
    expect(made.changes[0]).toMatchObject({
      body: {
        filters: {
          groups: [{ rollout_percentage: 25 }],
          multivariate: null,
          holdout: live.holdout,
          super_groups: [{ properties: [{ key: 'id', type: 'cohort', value: 1 }] }],
        },
      },
    });
    expect(JSON.stringify(made.changes[0]?.resource === 'flag' && made.changes[0].body)).not.toContain('cohort_name');
  });

  it('are unchanged if only the part of another product differs', () => {
    const { holdout: _holdout, super_groups: _supers, ...own } = live;
    const made = plan(desiredState(declared('a', { filters: own })), liveState([liveFlag(1, 'a', { filters: live })]));
    expect(made.changes).toEqual([]);
  });

  it('include the part of another product if a manifest declares it', () => {
    const made = plan(
      desiredState(declared('a', { filters: { ...live, holdout: { id: 4 } } })),
      liveState([liveFlag(1, 'a', { filters: live })]),
    );
    expect(made.changes[0]).toMatchObject({
      fields: [
        { path: '/filters/holdout/id', before: 3, after: 4 },
        { path: '/filters/holdout/exclusion_percentage', before: 10 },
      ],
    });
  });

  it('do not affect a description that looks like an encrypted payload', () => {
    const made = plan(
      desiredState(declared('a', { name: 'x' })),
      liveState([liveFlag(1, 'a', { name: '"********* (encrypted)"' })]),
    );
    expect(made.changes).toMatchObject([{ fields: [{ path: '/name' }] }]);
  });

  it('are unchanged if the service hides an encrypted payload', () => {
    const filters = (payload: string): LiveState['flags'][number]['filters'] & object => ({
      groups: [],
      payloads: { true: payload },
    });
    const made = plan(
      desiredState(declared('a', { filters: filters('{"secret": 1}') })),
      liveState([liveFlag(1, 'a', { has_encrypted_payloads: true, filters: filters('"********* (encrypted)"') })]),
    );
    expect(made.changes).toEqual([]);
  });
});

describe('role access', () => {
  it('is granted and revoked only for flags that declare it', () => {
    const made = plan(
      desiredState(declared('a', {}, { roles: ['r1', 'r2'] }), declared('b'), declared('c', {}, { roles: [] })),
      liveState([liveFlag(1, 'a'), liveFlag(2, 'b'), liveFlag(3, 'c')], {
        1: [entry(5, 'r2'), entry(6, 'r3')],
        3: [entry(7, 'r1')],
      }),
    );
    expect(refs(made)).toEqual(['grant role_access:a:r1', 'revoke role_access:a:r3', 'revoke role_access:c:r1']);
    expect(made.changes[1]).toMatchObject({ id: 1, entry_id: 6, base: { roles: ['r2', 'r3'] } });
    expect(made.summary).toMatchObject({ grant: 1, adjust: 0, revoke: 2, unchanged: 1 });
  });

  it('is revoked only after every grant of the same flag', () => {
    const live = liveState([liveFlag(1, 'a'), liveFlag(2, 'b')], {
      1: [entry(5, 'r1'), entry(6, 'r2')],
      2: [entry(7, 'r1')],
    });
    const made = plan(
      desiredState(declared('a', {}, { roles: ['r3', 'r4'] }), declared('b', {}, { roles: ['r2'] })),
      live,
    );
    const grants = ['role_access:a:r3', 'role_access:a:r4'];
    expect(Object.fromEntries(made.changes.map(({ ref, needs }) => [ref, needs]))).toEqual({
      'role_access:a:r3': [],
      'role_access:a:r4': [],
      'role_access:a:r1': grants,
      'role_access:a:r2': grants,
      'role_access:b:r2': [],
      'role_access:b:r1': ['role_access:b:r2'],
    });
  });

  it('is granted after the create of its flag', () => {
    const made = plan(desiredState(declared('a', {}, { roles: ['r1'] })), liveState([]));
    expect(refs(made)).toEqual(['create flag:a', 'grant role_access:a:r1']);
    expect(made.changes[1]?.needs).toEqual(['flag:a']);
  });

  it('must have been read if it is declared', () => {
    expect(() => plan(desiredState(declared('a', {}, { roles: [] })), liveState([liveFlag(1, 'a')]))).toThrow(
      'was not read',
    );
  });
});

describe('order', () => {
  it('has creates of dependencies first, disables and deletes of dependents first, and deletes last', () => {
    const made = plan(
      desiredState(
        declared('a-new', { filters: dependsOn('z-new') }),
        declared('z-new', { active: true }),
        declared('base-off', { active: false }),
        declared('top-off', { active: false }),
        retired('base-gone'),
        retired('top-gone'),
        declared('touched', { name: 'x' }),
      ),
      liveState([
        liveFlag(1, 'base-off'),
        liveFlag(2, 'top-off', { filters: dependsOn('1') }),
        liveFlag(3, 'base-gone'),
        liveFlag(4, 'top-gone', { filters: dependsOn('3') }),
        liveFlag(5, 'touched'),
      ]),
    );
    expect(refs(made)).toEqual([
      'create flag:z-new',
      'create flag:a-new',
      'update flag:touched',
      'update flag:top-off',
      'update flag:base-off',
      'delete flag:top-gone',
      'delete flag:base-gone',
    ]);
    expect(made.warnings).toEqual([]);
  });

  it('has the enable of a flag before the enable of its dependents', () => {
    const made = plan(
      desiredState(declared('a', { active: true, filters: dependsOn('z') }), declared('z', { active: true })),
      liveState([liveFlag(1, 'a', { active: false }), liveFlag(2, 'z', { active: false })]),
    );
    expect(refs(made)).toEqual(['update flag:z', 'update flag:a']);
    expect(made.changes[1]?.needs).toEqual(['flag:z']);
  });
});

describe('needs', () => {
  it('include only changes that make a dependency usable', () => {
    const made = plan(
      desiredState(declared('a', { filters: dependsOn('z') }), declared('z', { name: 'renewed' })),
      liveState([liveFlag(1, 'z')]),
    );
    expect(made.changes.map(({ ref, needs }) => [ref, needs])).toEqual([
      ['flag:a', []],
      ['flag:z', []],
    ]);
  });
});

describe('warnings', () => {
  it.each([
    [
      'an edit of a read-only flag',
      declared('a', { active: false }),
      liveFlag(1, 'a', { can_edit: false }),
      'cannot_edit',
    ],
    [
      'a delete of a flag with experiments',
      retired('a'),
      liveFlag(1, 'a', { experiment_set: [4] }),
      'experiments_linked',
    ],
    [
      'a dependency on an unknown flag',
      declared('a', { filters: dependsOn('nowhere') }),
      liveFlag(1, 'a'),
      'dependency_missing',
    ],
  ])('predict the refusal of %s', (_name, flag, live, code) => {
    expect(codes(plan(desiredState(flag), liveState([live])))).toEqual([code]);
  });

  it('say nothing of a disable of a flag with dependents, which a hazard refuses', () => {
    const made = plan(
      desiredState(declared('base', { active: false })),
      liveState([liveFlag(1, 'base'), liveFlag(2, 'top', { filters: dependsOn('1') })]),
    );
    expect(made.warnings).toEqual([]);
    expect(made.hazards).toMatchObject([{ code: 'dependents', key: 'base', dependents: ['top'], first: ['top'] }]);
  });

  it('predict the refusal of a dependency on a disabled flag', () => {
    const made = plan(
      desiredState(declared('top', { filters: dependsOn('base') })),
      liveState([liveFlag(1, 'base', { active: false }), liveFlag(2, 'top')]),
    );
    expect(made.warnings).toEqual([{ code: 'dependency_disabled', key: 'top', dependency: 'base' }]);
  });
});

describe('drift that is kept', () => {
  const base = desiredState(
    declared('drifted', { name: 'git' }),
    declared('pending', { name: 'then' }),
    declared('conflict', { name: 'then' }),
    declared('gone', { name: 'git' }),
  );
  const desired = desiredState(
    declared('drifted', { name: 'git' }),
    declared('pending', { name: 'git' }),
    declared('conflict', { name: 'git' }),
    declared('gone', { name: 'git' }),
    declared('new', { name: 'git' }),
  );
  const live = liveState([
    liveFlag(1, 'drifted', { name: 'by hand' }),
    liveFlag(2, 'pending', { name: 'then' }),
    liveFlag(3, 'conflict', { name: 'by hand' }),
  ]);
  const facts = { kind: 'commit', commit: 'c'.repeat(40), from: 'ref' } as const;
  const keptBy = (override: readonly string[] | undefined, keepDrift = true) => {
    const allow = { protected: [], ...(override && { override }) };
    const plan = buildPlan(desired, live, {
      ...planOptions({ exceptions: allowing(allow) }),
      base: { facts, desired: base },
      keepDrift,
    });
    return { written: plan.changes.map(({ key }) => key).sort(), left: (plan.left ?? []).map(({ key }) => key).sort() };
  };

  it('is what only the service changed, and nothing else', () => {
    expect(keptBy(undefined)).toEqual({ written: ['conflict', 'new', 'pending'], left: ['drifted', 'gone'] });
  });

  it('is written of resources that are named, and of all where it is not kept', () => {
    expect(keptBy(['drif*'])).toEqual({ written: ['conflict', 'drifted', 'new', 'pending'], left: ['gone'] });
    expect(keptBy(undefined, false)).toEqual({
      written: ['conflict', 'drifted', 'gone', 'new', 'pending'],
      left: [],
    });
  });

  it('leaves the commit of a pending change that is left, by the key that the base has', () => {
    const earlier = [{ key: 'old', fields: ['name'], commit: 'a'.repeat(40) }];
    const plan = buildPlan(
      desiredState(declared('new', { name: 'git' }, { previousKeys: ['old'] }), declared('same', { name: 'git' })),
      liveState([liveFlag(1, 'new', { name: 'then' }), liveFlag(2, 'same', { name: 'then' })]),
      {
        ...planOptions(),
        base: {
          facts: { ...facts, earlier },
          desired: desiredState(declared('old', { name: 'then' }), declared('same', { name: 'then' })),
        },
        leaving: [{ by: 'difference', isLeft: () => true }],
      },
    );
    expect(plan.changes).toEqual([]);
    expect(plan.unrecorded).toEqual([
      { key: 'new', fields: ['name'], commit: 'a'.repeat(40) },
      { key: 'same', fields: ['name'], commit: 'c'.repeat(40) },
    ]);
  });
});

describe('a protected pattern that matches nothing', () => {
  const live = liveState([liveFlag(1, 'live'), liveFlag(2, 'former'), liveFlag(3, 'gone', { deleted: true })]);
  const desired = desiredState(declared('declared'), declared('renamed', {}, { previousKeys: ['former'] }));

  it('causes a warning', () => {
    const patterns = ['live', 'form*', 'declared', 'renamed', 'billing-*', 'gone'];
    expect(plan(desired, live, { protected: patterns }).warnings).toEqual([
      { code: 'protected_unmatched', key: 'billing-*' },
      { code: 'protected_unmatched', key: 'gone' },
    ]);
  });
});

describe('a plan with prune or targets', () => {
  const live = liveState([liveFlag(1, 'kept'), liveFlag(2, 'survey-x'), liveFlag(3, 'stray')]);

  it('prunes only unmanaged flags in scope', () => {
    const made = plan(desiredState(declared('kept')), live, {
      prune: true,
      scope: { include: ['*'], exclude: ['survey-*'] },
    });
    expect(refs(made)).toEqual(['delete flag:stray']);
    expect(made.changes[0]).toMatchObject({ reason: 'pruned' });
    expect(made.unmanaged).toEqual(['stray']);
    expect(made.summary.unmanaged).toBe(2);
  });

  it('does not prune a flag under a previous key', () => {
    const made = plan(
      desiredState(declared('b', {}, { previousKeys: ['a'] })),
      liveState([liveFlag(1, 'a'), liveFlag(2, 'b')]),
      { prune: true },
    );
    expect(made.changes).toEqual([]);
    expect(made.unmanaged).toEqual([]);
    expect(made.summary.unmanaged).toBe(0);
    expect(codes(made)).toEqual(['previous_key_live']);
  });

  it('does not prune a flag named for another project, and warns of it if it is in scope', () => {
    const made = plan({ ...desiredState(declared('kept')), namedElsewhere: { flags: ['survey-x', 'stray'] } }, live, {
      prune: true,
      scope: { include: ['*'], exclude: ['survey-*'] },
    });
    expect(made.changes).toEqual([]);
    expect(made.unmanaged).toEqual([]);
    expect(made.warnings).toEqual([{ code: 'named_elsewhere', key: 'stray', id: 3 }]);
  });

  it('does not prune an archived flag', () => {
    const archived = liveState([
      liveFlag(1, 'kept', { filters: dependsOn('2') }),
      liveFlag(2, 'shelved', { archived: true, active: false }),
    ]);
    expect(plan(desiredState(declared('kept')), archived, { prune: true }).changes).toEqual([]);
  });

  it('accepts the key of any live flag as a target', () => {
    const desired = desiredState(declared('b', {}, { previousKeys: ['a'] }));
    const both = liveState([liveFlag(1, 'a'), liveFlag(2, 'b')]);
    expect(codes(plan(desired, both, { targets: ['a'] }))).toEqual([]);
  });

  it('changes only its targets and their dependencies', () => {
    const desired = desiredState(declared('a', { filters: dependsOn('b') }), declared('b'), declared('c'));
    expect(refs(plan(desired, liveState([]), { targets: ['a'] }))).toEqual(['create flag:b', 'create flag:a']);
    expect(codes(plan(desired, liveState([]), { targets: ['a', 'nobody'] }))).toContain('target_unknown');
  });
});

describe('for any input', () => {
  const KEYS = ['a', 'b', 'c', 'd', 'e', 'f'];
  const somebody = fc.record({
    kind: fc.constantFrom('declared', 'retired'),
    previous: fc.subarray(KEYS, { maxLength: 3 }),
  });

  it('only flags that no manifest names are pruned, and each flag with an undeclared key is changed or warned about', () =>
    holds(
      200,
      [fc.subarray(KEYS), fc.dictionary(fc.constantFrom(...KEYS), somebody), fc.subarray(KEYS)],
      (liveKeys, manifests, elsewhere) => {
        const flags = Object.entries(manifests).map(([key, { kind, previous }]) =>
          kind === 'retired' ? retired(key) : declared(key, {}, { previousKeys: previous }),
        );
        const named = new Set(
          flags.flatMap((flag) => (flag.kind === 'retired' ? [flag.key] : [flag.key, ...flag.previousKeys])),
        );
        const namedElsewhere = elsewhere.filter((key) => !named.has(key));
        const live = liveState(liveKeys.map((key, index) => liveFlag(index + 1, key)));
        const made = plan({ ...desiredState(...flags), namedElsewhere: { flags: namedElsewhere } }, live, {
          prune: true,
        });
        const retiredKeys = flags.flatMap((flag) => (flag.kind === 'retired' ? [flag.key] : []));
        const deleted = made.changes.flatMap((change) => (change.action === 'delete' ? [change] : []));
        const inNone = liveKeys.filter((key) => !named.has(key) && !elsewhere.includes(key));
        const keysFor = (reason: string): string[] =>
          deleted.filter((change) => change.reason === reason).map(({ key }) => key);
        expect(keysFor('retired').sort()).toEqual(liveKeys.filter((key) => retiredKeys.includes(key)));
        expect(keysFor('pruned').sort()).toEqual(inNone);
        expect(made.unmanaged).toEqual(inNone);
        const told = made.warnings.flatMap((warning) => ('id' in warning ? [warning.id] : []));
        const touched = made.changes.flatMap((change) => ('id' in change ? [change.id] : []));
        for (const flag of live.flags) {
          const isCurrent = flags.some(({ key }) => key === flag.key);
          if (!isCurrent) expect([...told, ...touched]).toContain(flag.id);
        }
      },
    ));

  const world = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { minLength: 1 }).chain((keys) =>
    fc.record({
      desired: fc.tuple(...keys.map((key) => flagFields().map((fields) => declared(key, fields)))),
      live: fc.tuple(...keys.map((key, index) => flagFields().map((fields) => liveFlag(index + 1, key, fields)))),
    }),
  );

  it('a plan does not depend on the order of flags', () => {
    fc.assert(
      fc.property(world, ({ desired, live }) => {
        const forwards = plan(desiredState(...desired), liveState(live));
        expect(plan({ flags: desired.toReversed() }, liveState(live.toReversed()))).toEqual(forwards);
      }),
    );
  });

  it('a flag that already matches its declaration has no change', () => {
    fc.assert(
      fc.property(flagFields(), (fields) => {
        expect(plan(desiredState(declared('a', fields)), liveState([liveFlag(1, 'a', fields)])).changes).toEqual([]);
      }),
    );
  });

  it('a plan is unchanged by writing and reading it as JSON', () => {
    fc.assert(
      fc.property(world, ({ desired, live }) => {
        const made = plan(desiredState(...desired), liveState(live));
        expect(JSON.parse(JSON.stringify(made))).toEqual(made);
      }),
    );
  });
});
