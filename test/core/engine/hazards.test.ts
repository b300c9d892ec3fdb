import { describe, expect, it } from 'vitest';
import type { ChangeEffect } from '../../../src/core/engine/kind.ts';
import { findRead } from '../../../src/core/engine/hazards.ts';
import { buildPlan, type PlanOptions } from '../../../src/posthog/planning/build-plan.ts';
import type { Hazard } from '../../../src/posthog/plan.ts';
import {
  allowing,
  declared,
  dependsOn,
  desiredState,
  entry,
  liveFlag,
  liveState,
  of2023,
  planFor,
  planOptions,
  retired,
} from '../../helpers/states.ts';

const numbered = (count: number): string[] => Array.from({ length: count }, (_, index) => `flag-${index}`);

function hazards(
  options: { deletes?: number; updates?: number; disables?: number; kept?: number },
  plan: Partial<PlanOptions> = {},
): readonly Hazard[] {
  const { deletes = 0, updates = 0, disables = 0, kept = 0 } = options;
  const flags = [
    ...numbered(deletes).map((key) => retired(`delete-${key}`)),
    ...numbered(updates).map((key) => declared(`update-${key}`, { name: 'changed' })),
    ...numbered(disables).map((key) => declared(`disable-${key}`, { active: false })),
    ...numbered(kept).map((key) => declared(`keep-${key}`)),
  ];
  const keys = flags.map((flag) => flag.key);
  const live = liveState(keys.map((key, index) => liveFlag(index + 1, key)));
  return planFor(desiredState(...flags), live, plan).hazards;
}

const codesOf = (found: readonly Hazard[]): string[] => found.map((hazard) => hazard.code);

describe('limits', () => {
  it.each([
    ['permit 5 deletes of 105 flags', { deletes: 5, kept: 100 }, []],
    ['are exceeded by 6 deletes', { deletes: 6, kept: 100 }, ['deletes']],
    ['are exceeded by deletes of 40 percent of 10 flags', { deletes: 4, kept: 6 }, ['deletes_percent']],
    ['permit 4 deletes of 9 flags, too few for a percentage', { deletes: 4, kept: 5 }, []],
    ['permit updates of half of the flags', { updates: 5, kept: 5 }, []],
    ['are exceeded by updates of more than half of the flags', { updates: 6, kept: 4 }, ['updates_percent']],
    ['permit 40 updates of 140 flags', { updates: 40, kept: 100 }, []],
    ['permit 5 disables', { disables: 5, kept: 100 }, []],
    ['are exceeded by 6 disables', { disables: 6, kept: 100 }, ['disables']],
    [
      'are each reported if all of them are exceeded',
      { deletes: 7, updates: 5, disables: 6 },
      ['deletes', 'deletes_percent', 'updates_percent', 'disables'],
    ],
  ])('%s', (_name, counts, expected) => expect(codesOf(hazards(counts))).toEqual(expected));

  it('cap the number of updates if the configuration sets it', () => {
    const limits = { deletes: 5, deletes_percent: 30, updates: 10, updates_percent: 50 };
    expect(hazards({ updates: 10, kept: 100 }, { limits })).toEqual([]);
    expect(hazards({ updates: 11, kept: 100 }, { limits })).toEqual([
      { code: 'updates', count: 11, kinds: { flag: 11 }, limit: 10, permit: { kind: 'updates', value: 11 } },
    ]);
  });

  it('count disables of active flags only, and permit any number of disables if no limit is set', () => {
    const limits = { deletes: 5, deletes_percent: 30, updates_percent: 50, disables: 0 };
    const live = liveState([liveFlag(1, 'on'), liveFlag(2, 'off', { active: false })]);
    const off = desiredState(declared('on', { active: false }), declared('off', { active: false, name: 'changed' }));
    expect(planFor(off, live, { limits }).hazards).toMatchObject([{ code: 'disables', count: 1 }]);
    const { disables: _, ...unlimited } = limits;
    expect(hazards({ disables: 50, kept: 100 }, { limits: unlimited })).toEqual([]);
  });

  it('are waived by a permit for the number', () => {
    expect(hazards({ deletes: 6, kept: 4 }, { exceptions: allowing({ deletes: 6 }) })).toEqual([]);
    expect(codesOf(hazards({ deletes: 6, kept: 100 }, { exceptions: allowing({ deletes: 5 }) }))).toEqual(['deletes']);
    expect(hazards({ updates: 9, kept: 1 }, { exceptions: allowing({ updates: 9 }) })).toEqual([]);
    expect(hazards({ disables: 6, kept: 100 }, { exceptions: allowing({ disables: 6 }) })).toEqual([]);
    expect(codesOf(hazards({ disables: 7, kept: 100 }, { exceptions: allowing({ disables: 6 }) }))).toEqual([
      'disables',
    ]);
  });

  it('are reported with the permit that waives them', () => {
    expect(hazards({ deletes: 6, kept: 100 })).toEqual([
      { code: 'deletes', count: 6, kinds: { flag: 6 }, limit: 5, permit: { kind: 'deletes', value: 6 } },
    ]);
  });
});

describe('the origin of', () => {
  const place = { file: 'flagwright.yaml', line: 3, column: 5 };
  const written = { from: 'configuration', place } as const;
  const origins = { limits: { deletes_percent: written }, protected: new Map([['delete-*', written]]) };
  const originsIn = (plan: Partial<PlanOptions>): unknown[] =>
    hazards({ deletes: 6, kept: 4 }, { origins, ...plan }).map((hazard) => [
      hazard.code,
      'origin' in hazard ? hazard.origin : undefined,
    ]);

  it('a limit is the line that sets it, or that it is the default', () =>
    expect(originsIn({})).toEqual([
      ['deletes', { from: 'default' }],
      ['deletes_percent', written],
    ]));

  it('a limit that the run sets is the run', () =>
    expect(originsIn({ exceptions: allowing({ deletes: 5 }) })).toEqual([
      ['deletes', { from: 'run' }],
      ['deletes_percent', written],
    ]));

  it('a protected flag is the line of the first pattern that matches it', () => {
    const patterns = { protected: ['other', 'delete-*', '*'], exceptions: allowing({ deletes: 6 }) };
    expect(originsIn(patterns)).toEqual(Array.from({ length: 6 }, () => ['protected', written]));
  });

  it('no rule is known where nothing tells', () => {
    const { origins: _, ...unknown } = planOptions({ protected: ['a'] });
    const live = liveState([liveFlag(1, 'a')]);
    expect(buildPlan(desiredState(retired('a')), live, unknown).hazards[0]).not.toHaveProperty('origin');
  });
});

describe('protected flags', () => {
  const live = liveState([liveFlag(1, 'billing-new')]);
  const rules = { protected: ['billing-*'] };
  const found = (flag: Parameters<typeof desiredState>[0], options: Partial<PlanOptions> = {}): readonly Hazard[] =>
    planFor(desiredState(flag), live, { ...rules, ...options }).hazards;

  it.each([
    ['deleted', retired('billing-new'), 'delete'],
    ['disabled', declared('billing-new', { active: false }), 'disable'],
    ['renamed', declared('payment-new', {}, { previousKeys: ['billing-new'] }), 'rename'],
  ])('are not %s without a permit for the key', (_name, flag, action) => {
    expect(found(flag)).toMatchObject([
      { code: 'protected', key: 'billing-new', action, permit: { kind: 'protected', value: 'billing-new' } },
    ]);
    expect(found(flag, { exceptions: allowing({ protected: ['billing-new'] }) })).toEqual([]);
    expect(found(flag, { exceptions: allowing({ protected: ['billing-old'] }) })).toHaveLength(1);
  });

  it('stay protected by a key that they had before', () => {
    const former = { previousKeys: ['payment-old'] };
    const off = declared('billing-new', { active: false }, former);
    expect(found(off, { protected: ['payment-*'] })).toMatchObject([{ code: 'protected', key: 'billing-new' }]);
    expect(found(declared('payment-new', {}, former), { protected: ['payment-new'] })).toEqual([]);
  });

  it('are not pruned without a permit for the key', () => {
    const allow = { deletes: 1, protected: [] };
    expect(planFor(desiredState(), live, { ...rules, exceptions: allowing(allow), prune: true }).hazards).toMatchObject(
      [{ code: 'protected', action: 'delete' }],
    );
  });

  it('may be edited in other fields', () => expect(found(declared('billing-new', { name: 'x' }))).toEqual([]));

  // Services of 2023 accepted any character in a key.
  it.each(['billing/main', 'billing.v2/../x', 'billing {a,b}[c]', 'billing!', './billing/../x'])(
    'match patterns by key, not by path: %s',
    (key) => {
      const hazardsOf = (patterns: string[], permitted: string[]): readonly Hazard[] =>
        planFor(desiredState(retired(key)), liveState([liveFlag(1, key)]), {
          protected: patterns,
          exceptions: allowing({ deletes: 1, protected: permitted }),
        }).hazards;
      expect(hazardsOf(['*billing*'], [])).toMatchObject([{ code: 'protected', key }]);
      expect(hazardsOf([key], [])).toMatchObject([{ code: 'protected', key }]);
      // The key in the hazard is the permit for it.
      expect(hazardsOf(['*billing*'], [key])).toEqual([]);
    },
  );

  it('are permitted by their exact key, even if it contains special characters of patterns', () => {
    const keys = ['!billing', 'a+(b', '{1..99999}', 'a'.repeat(400)];
    const state = liveState(keys.map((key, index) => liveFlag(index + 1, key)));
    for (const key of keys) {
      const options = planOptions({ protected: ['*'], exceptions: allowing({ deletes: 9, protected: [key] }) });
      const plan = buildPlan(desiredState(...keys.map(retired)), state, options);
      expect(plan.hazards.map((hazard) => ('key' in hazard ? hazard.key : '')).toSorted()).toEqual(
        keys.filter((other) => other !== key).toSorted(),
      );
    }
  });
});

describe('manifests that shrank', () => {
  const found = (live: number, kept: number, options: Partial<PlanOptions> = {}): readonly Hazard[] => {
    const keys = numbered(live);
    const state = liveState(keys.map((key, index) => liveFlag(index + 1, key)));
    const desired = desiredState(...keys.slice(0, kept).map((key) => declared(key)));
    return planFor(desired, state, { prune: true, ...options }).hazards;
  };

  it.each([
    ['raise a hazard if they keep no flag', 1, 0, ['manifests_shrunk']],
    ['raise a hazard if they keep less than half of the flags', 3, 1, ['manifests_shrunk']],
    ['raise no hazard if they keep half of the flags', 4, 2, []],
    ['raise no hazard if they keep most flags', 5, 4, []],
    ['raise a hazard in addition to exceeded limits', 40, 3, ['deletes', 'deletes_percent', 'manifests_shrunk']],
  ])('%s', (_name, live, kept, codes) => expect(codesOf(found(live, kept))).toEqual(codes));

  it('raise no hazard without --prune', () => expect(found(3, 0, { prune: false })).toEqual([]));

  it('raise no hazard with a permit for the number of deletes', () => {
    const permit = { kind: 'deletes', value: 3 };
    expect(found(3, 0)).toEqual([{ code: 'manifests_shrunk', count: 3, kept: 0, permit }]);
    expect(found(3, 0, { exceptions: allowing({ deletes: 3 }) })).toEqual([]);
    expect(codesOf(found(3, 0, { exceptions: allowing({ deletes: 2 }) }))).toContain('manifests_shrunk');
  });

  it('raise no hazard for a prune of one target', () => {
    expect(found(3, 2, { targets: ['flag-2'] })).toEqual([]);
  });
});

describe('in the safety rules', () => {
  interface World {
    readonly updates?: number;
    readonly kept?: number;
    readonly created?: number;
    readonly retired?: number;
    readonly pruned?: number;
  }

  function codes(world: World, options: Partial<PlanOptions> = {}): string[] {
    const { updates = 0, kept = 0, created = 0, retired: gone = 0, pruned = 0 } = world;
    const existing = [
      ...numbered(updates).map((key) => declared(`update-${key}`, { name: 'changed' })),
      ...numbered(kept).map((key) => declared(`keep-${key}`)),
      ...numbered(gone).map((key) => retired(`delete-${key}`)),
    ];
    const keys = [...existing.map(({ key }) => key), ...numbered(pruned)];
    const live = liveState(keys.map((key, index) => liveFlag(index + 1, key)));
    const desired = desiredState(...existing, ...numbered(created).map((key) => declared(`new-${key}`)));
    return codesOf(planFor(desired, live, { prune: true, ...options }).hazards);
  }

  it.each<[string, World, Partial<PlanOptions>, string[]]>([
    ['percentages are of live flags, not of creates', { updates: 6, kept: 5, created: 20 }, {}, ['updates_percent']],
    ['created flags do not count as kept', { pruned: 3, kept: 2, created: 5 }, {}, ['manifests_shrunk']],
    ['retired flags do not count as kept', { pruned: 3, kept: 2, retired: 2 }, {}, ['manifests_shrunk']],
    ['retired flags do not count as pruned', { pruned: 1, kept: 2, retired: 2 }, {}, []],
    [
      'updates do not count as deletes',
      { pruned: 3, kept: 0, updates: 2 },
      { exceptions: allowing({ deletes: 3 }) },
      [],
    ],
  ])('%s', (_name, world, options, expected) => {
    expect(codes(world, options)).toEqual(expected);
  });
});

describe('risky changes', () => {
  const live = liveState(
    [
      liveFlag(1, 'base'),
      liveFlag(2, 'dependent', { filters: dependsOn('1') }),
      liveFlag(3, 'tested', { experiment_set: [7, 8] }),
      liveFlag(4, 'secret'),
    ].map(of2023),
    { '4': [entry(11, 'role-a'), entry(12, 'role-b')] },
  );
  const found = (flag: Parameters<typeof desiredState>[0], options: Partial<PlanOptions> = {}): readonly Hazard[] =>
    planFor(desiredState(flag), live, options).hazards;
  const off = { active: false };

  it.each([
    ['a delete of a flag with dependents', retired('base'), { code: 'dependents', ref: 'flag:base', action: 'delete' }],
    [
      'a disable of a flag with dependents',
      declared('base', off),
      { code: 'dependents', action: 'disable', dependents: ['dependent'] },
    ],
    [
      'a delete of a flag with experiments',
      retired('tested'),
      { code: 'experiments', ref: 'flag:tested', experiments: [7, 8] },
    ],
    [
      'a revoke of the last roles',
      declared('secret', {}, { roles: [] }),
      { code: 'lockout', ref: 'role_access:secret:role-b' },
    ],
  ])('are reported and permitted by key: %s', (_name, flag, expected) => {
    const permit = { kind: 'risky', value: flag.key };
    expect(found(flag)).toMatchObject([{ ...expected, key: flag.key, permit }]);
    expect(found(flag, { exceptions: allowing({ risky: [flag.key] }) })).toEqual([]);
    expect(found(flag, { exceptions: allowing({ risky: ['other'] }) })).toHaveLength(1);
  });

  it('are not permitted by a pattern for the new key alone', () => {
    const flag = declared('exp-base', off, { previousKeys: ['base'] });
    const codes = (risky: readonly string[]): string[] =>
      found(flag, { exceptions: allowing({ risky }) }).map(({ code }) => code);
    expect([['exp-*'], ['base'], ['exp-base']].map(codes)).toEqual([['dependents'], [], []]);
  });

  it.each([
    ['a disable of a flag with experiments', declared('tested', off)],
    ['a delete of a dependent', retired('dependent')],
    ['an exchange of roles', declared('secret', {}, { roles: ['role-c'] })],
    ['a revoke of one of two roles', declared('secret', {}, { roles: ['role-a'] })],
  ])('do not include %s', (_name, flag) => expect(found(flag)).toEqual([]));

  it('do not include a delete if its dependents are deleted too or drop the dependency', () => {
    expect(planFor(desiredState(retired('base'), retired('dependent')), live).hazards).toEqual([]);
    const freed = declared('dependent', { filters: { groups: [{ properties: [], rollout_percentage: 100 }] } });
    expect(planFor(desiredState(retired('base'), freed), live).hazards).toEqual([]);
  });
});

it('the delete of a flag with dependents is a hazard, unless they are retired too', () => {
  const live = liveState([liveFlag(1, 'old'), liveFlag(2, 'dep', { filters: dependsOn('1') })]);
  expect(planFor(desiredState(retired('old')), live).hazards).toMatchObject([{ code: 'dependents', key: 'old' }]);
  const both = planFor(desiredState(retired('old'), retired('dep')), live);
  expect(both.hazards).toEqual([]);
  expect(both.changes.map(({ ref }) => ref)).toEqual(['flag:dep', 'flag:old']);
});

describe('code that reads a flag', () => {
  const READ = { flags: 1, places: [] } as never;
  const change = (
    effects: readonly ChangeEffect[],
    liveKey = 'a',
  ): Parameters<typeof findRead>[0]['changes'][number] => ({
    change: { ref: 'flag:a', key: 'a' } as never,
    name: 'a',
    effects,
    liveKey,
  });
  const readers = new Map([['flag:a', READ]]) as never;

  it.each<[effects: readonly ChangeEffect[], action: string | undefined]>([
    [['delete'], 'delete'],
    [['rename'], 'rename'],
    [['rename', 'delete'], 'delete'],
    [['disable'], undefined],
    [[], undefined],
  ])('%j', (effects, action) => {
    expect(findRead({ changes: [change(effects)], readers })).toEqual(
      action === undefined
        ? []
        : [
            {
              code: 'read_by_code',
              ref: 'flag:a',
              key: 'a',
              action,
              ...(READ as object),
              permit: { kind: 'risky', value: 'a' },
            },
          ],
    );
  });

  it('reads the key that is live, which is told where it is another one', () => {
    expect(findRead({ changes: [change(['rename'], 'old')], readers })).toMatchObject([{ key: 'a', read: 'old' }]);
    expect(findRead({ changes: [change(['rename'])], readers })[0]).not.toHaveProperty('read');
  });

  it('is no hazard where nobody reads it, or nobody looked', () => {
    expect(findRead({ changes: [change(['delete'])], readers: new Map() })).toEqual([]);
    expect(findRead({ changes: [change(['delete'])] } as never)).toEqual([]);
  });
});
