import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import type { LiveState } from '../../../src/posthog/live.ts';
import { disclose } from '../../../src/posthog/snapshot-file/document.ts';
import { declared, desiredState, entry, liveFlag, liveState, planFor, retired } from '../../helpers/states.ts';

const NOTHING = desiredState();
const USER = { id: 7, uuid: 'user-uuid', first_name: 'Ana', email: 'ana@example.com' };

function flagIn(live: LiveState, key: string): JsonObject | undefined {
  return disclose(live, NOTHING).flags.find((flag) => flag.key === key);
}

describe('a snapshot holds of a flag', () => {
  it('no author, no editor, no use, and no member that is unknown', () => {
    const fields = {
      created_by: USER,
      last_modified_by: USER,
      last_called_at: '2026-01-01T00:00:00Z',
      unheard_of: 'new in the service',
      updated_at: '2026-01-02T00:00:00Z',
    };
    const shown = flagIn(liveState([liveFlag(1, 'a', fields)]), 'a');
    expect(shown).toEqual(liveFlag(1, 'a', { updated_at: '2026-01-02T00:00:00Z' }));
  });

  it('an unknown member that a manifest declares', () => {
    const live = liveState([liveFlag(1, 'a', { unheard_of: 'x' }), liveFlag(2, 'b', { unheard_of: 'x' })]);
    const { flags } = disclose(live, desiredState(declared('a', { unheard_of: 'y' })));
    expect(flags.map((flag) => flag['unheard_of'])).toEqual(['x', undefined]);
  });

  it('the names of its experiments, and whether they run', () => {
    const metadata = [{ id: 3, name: 'Pricing', is_running: true, created_by: USER }];
    const shown = flagIn(liveState([liveFlag(1, 'a', { experiment_set_metadata: metadata })]), 'a');
    expect(shown?.['experiment_set_metadata']).toEqual([{ id: 3, name: 'Pricing', is_running: true }]);
  });

  it('the names of its surveys, and whether session replay uses it', () => {
    const uses = { surveys: [{ id: 'u1', name: 'NPS', questions: ['Why?'] }], is_used_in_replay_settings: true };
    const shown = flagIn(liveState([liveFlag(1, 'a', uses)]), 'a');
    expect(shown).toMatchObject({ ...uses, surveys: [{ id: 'u1', name: 'NPS' }] });
    expect(JSON.stringify(shown)).not.toContain('Why?');
  });
});

describe('an encrypted payload', () => {
  const filters = { groups: [{ rollout_percentage: 100 }], payloads: { true: '"s3cret"' } };

  it.each<[string, JsonObject, JsonObject]>([
    ['that the service encrypts', { has_encrypted_payloads: true }, {}],
    ['that only a manifest declares secret', {}, { has_encrypted_payloads: true }],
  ])('%s is a digest, by which plans still tell whether it changes', (_name, live, wanted) => {
    const desired = (payload: string): ReturnType<typeof desiredState> =>
      desiredState(declared('a', { ...live, ...wanted, filters: { ...filters, payloads: { true: payload } } }));
    const shown = disclose(liveState([liveFlag(1, 'a', { ...live, filters })]), desired('"s3cret"'));
    expect(JSON.stringify(shown)).not.toContain('s3cret');
    expect(JSON.stringify(shown)).toMatch(/sha256:[0-9a-f]{12}"/);
    const changed = (payload: string): readonly unknown[] => planFor(desired(payload), shown).changes;
    expect(JSON.stringify(changed('"0ther"'))).toContain('/filters/payloads/true');
    expect(JSON.stringify(changed('"s3cret"'))).not.toContain('/filters/payloads');
    expect(disclose(shown, desired('"s3cret"'))).toEqual(shown);
  });

  it('that the key may not see stays hidden', () => {
    const hidden = { ...filters, payloads: { true: '"********* (encrypted)"' } };
    const shown = flagIn(liveState([liveFlag(1, 'a', { has_encrypted_payloads: true, filters: hidden })]), 'a');
    expect(shown?.['filters']).toMatchObject({ payloads: hidden.payloads });
  });
});

describe('a snapshot holds of access', () => {
  it('roles and levels, but no member', () => {
    const rules = {
      access_controls: [
        { access_level: 'editor', role: 'r1', organization_member: null, created_by: USER },
        { access_level: 'viewer', role: null, organization_member: 'member-uuid' },
      ],
      default_access_level: 'editor',
      inherited_access: { access_level: 'viewer', inherited_access_level_reason: 'x' },
      user_access_level: 'manager',
    };
    expect(disclose(liveState([liveFlag(1, 'a')], { 1: rules }), NOTHING).roleAccess).toEqual({
      1: {
        access_controls: [
          { access_level: 'viewer', role: null, organization_member: 'member' },
          { access_level: 'editor', role: 'r1', organization_member: null },
        ],
        default_access_level: 'editor',
        inherited_access: { access_level: 'viewer' },
      },
    });
  });

  it('on a service of 2023, the roles without who added them', () => {
    const { roleAccess } = disclose(
      liveState([liveFlag(1, 'a')], { 1: [{ ...entry(5, 'r1'), added_by: USER }] }),
      NOTHING,
    );
    expect(roleAccess).toEqual({ 1: [entry(5, 'r1')] });
  });

  it('that the service refused to answer, but not its words', () => {
    const { roleAccess } = disclose(
      liveState([liveFlag(1, 'a')], { 1: { refused: 'ana@example.com may not' } }),
      NOTHING,
    );
    expect(roleAccess).toEqual({ 1: { refused: null } });
  });
});

it('a snapshot holds of a cohort its definition, and not who made it or how many are in it', () => {
  const cohort = { id: 4, name: 'Beta', is_static: false, filters: { properties: {} }, count: 9, created_by: USER };
  const { cohorts } = disclose({ ...liveState([]), cohorts: [cohort] }, NOTHING);
  expect(cohorts).toEqual([{ id: 4, name: 'Beta', is_static: false, filters: { properties: {} } }]);
});

it('a snapshot holds of a scheduled change when it comes, what it switches and which conditions it adds, and not who made it', () => {
  const common = { record_id: '1', scheduled_at: '2026-02-01T00:00:00Z', created_by: USER };
  const schedules = [
    { id: 2, ...common, payload: { operation: 'update_variants', value: { payloads: { true: 's3cret' } } } },
    { id: 1, ...common, payload: { operation: 'update_status', value: false } },
    {
      id: 3,
      ...common,
      change_request: { id: '7', state: 'pending', created_by: USER },
      payload: {
        operation: 'add_release_condition',
        value: { groups: [{ rollout_percentage: 5 }], payloads: { true: 's3cret' } },
      },
    },
  ];
  expect(disclose({ ...liveState([]), schedules }, NOTHING).schedules).toEqual([
    {
      id: 1,
      record_id: '1',
      scheduled_at: '2026-02-01T00:00:00Z',
      payload: { operation: 'update_status', value: false },
    },
    { id: 2, record_id: '1', scheduled_at: '2026-02-01T00:00:00Z', payload: { operation: 'update_variants' } },
    {
      id: 3,
      record_id: '1',
      scheduled_at: '2026-02-01T00:00:00Z',
      change_request: { id: '7', state: 'pending' },
      payload: { operation: 'add_release_condition', value: { groups: [{ rollout_percentage: 5 }] } },
    },
  ]);
});

it('a snapshot holds everything in an order of its own: the same state is the same document', () => {
  const state: LiveState = {
    ...liveState([liveFlag(2, 'b'), liveFlag(10, 'a'), liveFlag(1, 'c')], {
      1: [entry(7, 'r2'), entry(5, 'r1')],
      2: {
        access_controls: [
          { access_level: 'viewer', role: 'r1', organization_member: null },
          { access_level: 'editor', role: 'r1', organization_member: null },
        ],
      },
    }),
    cohorts: [
      { id: 12, name: 'Twelve' },
      { id: 4, name: 'Four' },
    ],
  };
  const shown = disclose(state, NOTHING);
  expect(shown.flags.map(({ id }) => id)).toEqual([1, 2, 10]);
  expect(shown.cohorts?.map(({ id }) => id)).toEqual([4, 12]);
  expect(shown.roleAccess).toEqual({
    1: [entry(5, 'r1'), entry(7, 'r2')],
    2: {
      access_controls: [
        { access_level: 'editor', role: 'r1', organization_member: null },
        { access_level: 'viewer', role: 'r1', organization_member: null },
      ],
    },
  });
  expect(shown.hasPayloadDigests).toBe(true);
  expect(shown).not.toHaveProperty('early_access');
});

it('a snapshot holds of an early access feature what manifests can declare, and nothing else', () => {
  const feature = {
    id: 7,
    feature_id: 'f7',
    name: 'New',
    description: 'd',
    stage: 'beta',
    documentation_url: 'https://x.y',
    payload: { icon: 'share' },
  };
  const live = { ...liveState([]), early_access: [{ ...feature, created_by: USER }] };
  expect(disclose(live as unknown as LiveState, NOTHING).early_access).toEqual([feature]);
});

it('a field that a manifest declares under a former key of the flag is held', () => {
  const live = liveState([liveFlag(1, 'old', { unheard_of: 'x' }), liveFlag(2, 'gone', { unheard_of: 'x' })]);
  const desired = desiredState(declared('new', { unheard_of: 'y' }, { previousKeys: ['old'] }), retired('gone'));
  expect(disclose(live, desired).flags.map((flag) => flag['unheard_of'])).toEqual(['x', undefined]);
});
