import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import type { DesiredFlag } from '../../../src/posthog/desired.ts';
import type { Flag } from '../../../src/posthog/flag/model/flag.ts';
import type { LiveState } from '../../../src/posthog/live.ts';
import { type PlanOptions } from '../../../src/posthog/planning/build-plan.ts';
import { invertPlan, type AppliedChange, type Inversion } from '../../../src/posthog/planning/invert-plan.ts';
import {
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

const [ROLE, OTHER] = ['role-a', 'role-b'] as const;

/** The changes that a plan of these states makes, as if each had been applied. */
function applied(
  desired: readonly DesiredFlag[],
  live: LiveState,
  { ids = {}, ...options }: Partial<PlanOptions> & { readonly ids?: Readonly<Record<string, number>> } = {},
): AppliedChange[] {
  return planFor(desiredState(...desired), live, options).changes.map((change) => {
    const id = ids[change.ref];
    return id === undefined ? { change } : { change, id };
  });
}

const invert = (changes: readonly AppliedChange[], live: LiveState): Inversion =>
  invertPlan(changes, live, planOptions());

const filters = (rollout: number): JsonObject => ({ groups: [{ rollout_percentage: rollout }] });

describe('the inverse of an update', () => {
  const before = liveFlag(1, 'a', { name: 'before', tags: ['x'], filters: filters(10), version: 3 });
  const changes = applied([declared('a', { name: 'after', filters: filters(20) })], liveState([before]));
  const after = { ...before, name: 'after', filters: filters(20), version: 4 };

  it('writes the former values of the changed fields only', () => {
    const { plan, refused } = invert(changes, liveState([after]));
    expect(refused).toEqual([]);
    expect(plan.changes).toEqual([
      {
        action: 'update',
        ref: 'flag:a',
        resource: 'flag',
        key: 'a',
        id: 1,
        fields: [
          { path: '/name', before: 'after', after: 'before' },
          { path: '/filters/groups/0/rollout_percentage', before: 20, after: 10 },
        ],
        body: { name: 'before', filters: filters(10) },
        base: {
          version: 4,
          flag: expect.objectContaining({ name: 'after', tags: ['x'] }) as unknown,
          former: { name: 'after', filters: filters(20) },
        },
        needs: [],
      },
    ]);
    expect(plan.summary).toEqual({
      create: 0,
      update: 1,
      delete: 0,
      restore: 0,
      grant: 0,
      adjust: 0,
      revoke: 0,
      unchanged: 0,
      unmanaged: 0,
      kinds: {
        flag: { create: 0, update: 1, delete: 0, restore: 0, unchanged: 0 },
        role_access: { grant: 0, adjust: 0, revoke: 0 },
        cohort: { create: 0, update: 0, delete: 0, restore: 0, unchanged: 0 },
      },
    });
    expect([plan.unmanaged, plan.warnings, plan.hazards]).toEqual([[], [], []]);
  });

  it('is made even if another user changed other fields', () => {
    const { plan, refused } = invert(changes, liveState([{ ...after, tags: ['y'] }]));
    expect([refused, plan.changes.length]).toEqual([[], 1]);
  });

  it('is refused if a field was changed later, and reports the written and the live value', () => {
    const { plan, refused } = invert(changes, liveState([{ ...after, name: 'third', filters: null as never }]));
    expect(plan.changes).toEqual([]);
    expect(refused).toEqual([
      {
        ref: 'flag:a',
        key: 'a',
        refusal: 'moved',
        moved: [
          { path: '/name', before: 'after', after: 'third' },
          { path: '/filters', before: filters(20), after: null },
        ],
      },
    ]);
  });

  it('is refused if the flag no longer exists', () => {
    expect(invert(changes, liveState([])).refused).toEqual([{ ref: 'flag:a', key: 'a', refusal: 'gone', moved: [] }]);
  });

  it.each<[field: string, wanted: JsonObject, empty: JsonObject]>([
    ['name', { name: 'x' }, { name: '' }],
    ['tags', { tags: ['x'] }, { tags: [] }],
    ['deleted', { deleted: true }, { deleted: false }],
    ['evaluation_runtime', { evaluation_runtime: 'server' }, { evaluation_runtime: 'all' }],
    ['filters', { filters: filters(5) }, { filters: { groups: [] } }],
  ])('writes an empty %s if its former value is unknown', (field, wanted, empty) => {
    const [made] = applied([declared('a', wanted)], liveState([liveFlag(1, 'a', { [field]: undefined as never })]));
    const { change } = made as AppliedChange;
    if (change.resource !== 'flag' || change.action === 'create') throw new Error('an update');
    const former = { ...change, base: { ...change.base, former: {} } };
    const { plan } = invert([{ change: former }], liveState([liveFlag(1, 'a', wanted as Partial<Flag>)]));
    expect(plan.changes).toMatchObject([{ body: empty }]);
  });

  it('keeps the current parts of other products', () => {
    const holdout = (id: number): JsonObject => ({ holdout: { id, exclusion_percentage: 10 } });
    const flag = liveFlag(1, 'a', { filters: { ...filters(10), ...holdout(1) } });
    const made = applied([declared('a', { filters: filters(20) })], liveState([flag]));
    const { plan, refused } = invert(made, liveState([{ ...flag, filters: { ...filters(20), ...holdout(2) } }]));
    expect(refused).toEqual([]);
    expect(plan.changes).toMatchObject([{ body: { filters: { ...filters(10), ...holdout(2) } } }]);
  });

  it('reverts a part of another product that the run wrote', () => {
    const part = (id: number): JsonObject => ({ ...filters(10), holdout: { id, exclusion_percentage: 10 } });
    const flag = liveFlag(1, 'a', { filters: part(1) });
    const made = applied([declared('a', { filters: part(2) })], liveState([flag]));
    const { plan } = invert(made, liveState([{ ...flag, filters: part(2) }]));
    expect(plan.changes).toMatchObject([{ body: { filters: part(1) } }]);
  });

  it('names dependencies by their keys after the inversion', () => {
    const live = (id: string, other: string): LiveState =>
      liveState([liveFlag(1, 'a', { filters: dependsOn(id) }), liveFlag(2, other)]);
    const made = applied(
      [declared('a', { filters: filters(10) }), declared('new', {}, { previousKeys: ['old'] })],
      live('2', 'old'),
    );
    const { plan } = invert(made, liveState([liveFlag(1, 'a', { filters: filters(10) }), liveFlag(2, 'new')]));
    const dependent = plan.changes.find(({ key }) => key === 'a');
    expect(dependent).toMatchObject({ body: { filters: { groups: [{ properties: [{ type: 'flag' }] }] } } });
    expect(plan.changes.find(({ key }) => key === 'old')).toMatchObject({ id: 2, body: { key: 'old' } });
  });
});

describe('the inverse of a create', () => {
  const changes = applied([declared('a', { active: true })], liveState([]), { ids: { 'flag:a': 7 } });

  it('deletes the flag', () => {
    const { plan } = invert(changes, liveState([liveFlag(7, 'a')]));
    expect(plan.changes).toMatchObject([
      {
        action: 'delete',
        reason: 'undone',
        ref: 'flag:a',
        id: 7,
        body: { deleted: true },
        fields: [{ path: '/deleted', after: true }],
      },
    ]);
    expect(plan.summary.delete).toBe(1);
  });

  it('is refused if the id is unknown or the flag no longer exists', () => {
    const gone = [{ ref: 'flag:a', key: 'a', refusal: 'gone', moved: [] }];
    expect(invert(applied([declared('a', {})], liveState([])), liveState([liveFlag(7, 'a')])).refused).toEqual(gone);
    expect(invert(changes, liveState([liveFlag(8, 'a')])).refused).toEqual(gone);
  });

  it('is refused if the flag was deleted since, as by an undo that no journal recorded', () => {
    const { plan, refused } = invert(changes, liveState([liveFlag(7, 'a', { deleted: true })]));
    const moved = [{ path: '/deleted', after: true }];
    expect([plan.changes, refused]).toEqual([[], [{ ref: 'flag:a', key: 'a', refusal: 'moved', moved }]]);
  });

  it('counts towards the percentage of deletes among live flags', () => {
    const others = Array.from({ length: 9 }, (_, index) => liveFlag(index + 10, `other-${index}`));
    const made = Array.from({ length: 4 }, (_, index) => `new-${index}`);
    const run = applied(
      made.map((key) => declared(key, { active: true })),
      liveState([]),
      { ids: Object.fromEntries(made.map((key, index) => [`flag:${key}`, index + 1])) },
    );
    const flags = made.map((key, index) => liveFlag(index + 1, key));
    const share = (live: readonly Flag[]): unknown[] =>
      invert(run, liveState(live)).plan.hazards.filter(({ code }) => code === 'deletes_percent');
    expect(share([...flags, ...others])).toMatchObject([{ count: 4, of: 13 }]);
    expect(share([...flags, ...others.map((flag) => ({ ...flag, deleted: true }))])).toEqual([]);
  });
});

describe('the inverse of a delete', () => {
  const changes = applied([retired('a')], liveState([liveFlag(1, 'a')]));

  it('restores the flag under its former key', () => {
    const { plan } = invert(changes, liveState([liveFlag(1, 'a:deleted:1', { deleted: true })]));
    expect(plan.changes).toMatchObject([
      { action: 'restore', ref: 'flag:a', key: 'a', id: 1, body: { deleted: false } },
    ]);
    expect(plan.summary.restore).toBe(1);
  });

  it('is refused if another user restored the flag', () => {
    expect(invert(changes, liveState([liveFlag(1, 'a')])).refused).toMatchObject([
      { refusal: 'moved', moved: [{ path: '/deleted', before: true }] },
    ]);
  });
});

describe('the inverse of a rename', () => {
  const changes = applied(
    [declared('new', {}, { previousKeys: ['old'], roles: [ROLE] })],
    liveState([liveFlag(1, 'old')], { '1': [] }),
    { ids: { [`role_access:new:${ROLE}`]: 5 } },
  );

  it('names the flag and its role access by the former key', () => {
    const { plan, refused } = invert(changes, liveState([liveFlag(1, 'new')], { '1': [entry(5, ROLE)] }));
    expect(refused).toEqual([]);
    expect(new Set(plan.changes.map(({ action, ref, key }) => `${action} ${ref} of ${key}`))).toEqual(
      new Set([`revoke role_access:old:${ROLE} of old`, 'update flag:old of old']),
    );
  });
});

describe('in role access', () => {
  const grants = applied([declared('a', {}, { roles: [ROLE] })], liveState([liveFlag(1, 'a')], { '1': [] }), {
    ids: { [`role_access:a:${ROLE}`]: 5 },
  });
  const revokes = applied([declared('a', {}, { roles: [] })], liveState([liveFlag(1, 'a')], { '1': [entry(5, ROLE)] }));
  const now = (...entries: Parameters<typeof entry>[]): LiveState =>
    liveState([liveFlag(1, 'a')], { '1': entries.map(([id, role]) => entry(id, role)) });

  it('the inverse of a grant revokes its entry', () => {
    expect(invert(grants, now([6, OTHER], [5, ROLE])).plan.changes).toEqual([
      {
        action: 'revoke',
        entry_id: 5,
        ref: `role_access:a:${ROLE}`,
        resource: 'role_access',
        key: 'a',
        id: 1,
        role: { id: ROLE, name: `name of ${ROLE}` },
        base: { roles: [ROLE, OTHER] },
        needs: [],
      },
    ]);
  });

  it('the inverse of a grant with an unknown entry revokes the entry of the role', () => {
    const [first] = grants;
    const { plan } = invert([{ change: (first as AppliedChange).change }], now([9, ROLE]));
    expect(plan.changes).toMatchObject([{ action: 'revoke', entry_id: 9 }]);
  });

  it('a grant to a flag that the run created has no inverse besides the delete of the flag', () => {
    const run = applied([declared('b', {}, { roles: [ROLE] })], liveState([]), {
      ids: { 'flag:b': 2, [`role_access:b:${ROLE}`]: 5 },
    });
    const live = liveState([liveFlag(1, 'a'), liveFlag(2, 'b')], { '1': [entry(4, ROLE)], '2': [entry(5, ROLE)] });
    expect(invert(run, live).plan.changes).toMatchObject([{ action: 'delete', id: 2 }]);
  });

  it('the inverse of a revoke grants the role again', () => {
    const { plan } = invert(revokes, now([6, OTHER]));
    expect(plan.changes).toMatchObject([{ action: 'grant', id: 1, role: { id: ROLE }, base: { roles: [OTHER] } }]);
  });

  it.each<[string, AppliedChange[], LiveState, unknown]>([
    ['a grant that another user revoked', grants, now(), { path: `/role_access/${ROLE}`, before: `name of ${ROLE}` }],
    [
      'a grant that another user revoked and repeated',
      grants,
      now([8, ROLE]),
      { path: `/role_access/${ROLE}`, after: `name of ${ROLE}` },
    ],
    [
      'a revoke of a role that another user granted again',
      revokes,
      now([8, ROLE]),
      { path: `/role_access/${ROLE}`, after: `name of ${ROLE}` },
    ],
  ])('the inverse is refused for %s', (_, changes, live, moved) => {
    const { plan, refused } = invert(changes, live);
    expect(plan.changes).toEqual([]);
    expect(refused).toMatchObject([{ ref: `role_access:a:${ROLE}`, key: 'a', refusal: 'moved' }]);
    expect(refused[0]?.moved).toEqual([moved]);
  });

  it('the inverse is refused if the flag no longer exists or its role access was not read', () => {
    const gone = [{ ref: `role_access:a:${ROLE}`, key: 'a', refusal: 'gone', moved: [] }];
    expect(invert(grants, liveState([], { '1': [] })).refused).toEqual(gone);
    expect(invert(grants, liveState([liveFlag(1, 'a')])).refused).toEqual(gone);
    const deleted = liveState([liveFlag(1, 'a', { deleted: true })], { '1': [entry(5, ROLE)] });
    expect(invert(grants, deleted).refused).toEqual(gone);
  });
});

describe('encrypted payloads in an inversion', () => {
  const ENCRYPTED = { is_remote_configuration: true, has_encrypted_payloads: true };
  const secret = (rollout: number, payloads: JsonObject): JsonObject => ({
    filters: { ...filters(rollout), payloads },
  });
  const flag = (fields: JsonObject): Flag => liveFlag(1, 'a', { ...ENCRYPTED, ...fields } as Partial<Flag>);

  it.each<[string, before: JsonObject, after: JsonObject, expected: unknown]>([
    ['are kept by the mark if they are unchanged', { a: '"S"' }, { a: '"S"' }, { a: '"********* (encrypted)"' }],
    ['are removed if they were added', {}, { a: '"S"' }, {}],
    ['cannot be reverted if they changed', { a: '"S"' }, { a: '"T"' }, 'secret'],
    ['cannot be reverted if one of them changed', { a: '"S"', b: '"S"' }, { a: '"S"', b: '"T"' }, 'secret'],
    ['cannot be reverted if they were removed', { a: '"S"' }, {}, 'secret'],
  ])('%s', (_, before, after, expected) => {
    const made = applied([declared('a', secret(20, after))], liveState([flag(secret(10, before))]));
    const { plan, refused } = invert(made, liveState([flag(secret(20, after))]));
    if (expected === 'secret') expect(refused).toEqual([{ ref: 'flag:a', key: 'a', refusal: 'secret', moved: [] }]);
    else expect(plan.changes).toMatchObject([{ body: { filters: { ...filters(10), payloads: expected } } }]);
  });

  it('keep their current values if the run did not change them, even if another user did', () => {
    const mark = { a: '"********* (encrypted)"' };
    const made = applied([declared('a', secret(20, mark))], liveState([flag(secret(10, { a: '"S"' }))]));
    const { plan, refused } = invert(made, liveState([flag(secret(20, { a: '"T"' }))]));
    expect(refused).toEqual([]);
    expect(plan.changes).toMatchObject([{ body: { filters: { ...filters(10), payloads: mark } } }]);
  });

  it('are sent with their live values to a service without encryption', () => {
    const made = applied([declared('a', secret(20, { a: '"S"' }))], liveState([flag(secret(10, { a: '"S"' }))]));
    const { plan } = invert(made, liveState([liveFlag(1, 'a', secret(20, { a: '"S"' }))]));
    expect(plan.changes).toMatchObject([{ body: { filters: { ...filters(10), payloads: { a: '"S"' } } } }]);
  });
});
