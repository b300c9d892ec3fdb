import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { canonicalFlag } from '../../../src/posthog/flag/model/canonical.ts';
import {
  ENCRYPTED_PAYLOAD,
  withMissingDigests,
  withPayloadDigests,
} from '../../../src/posthog/flag/model/encrypted-payloads.ts';
import { buildPlan } from '../../../src/posthog/planning/build-plan.ts';
import type { Plan } from '../../../src/posthog/plan.ts';
import { planDocument, parseSavedPlan } from '../../../src/posthog/planning/plan-document.ts';
import { flagFields } from '../../helpers/arbitraries.ts';
import { holds } from '../../helpers/runs.ts';
import { declared, desiredState, liveFlag, liveState, planOptions } from '../../helpers/states.ts';

const ENCRYPTED = { is_remote_configuration: true, has_encrypted_payloads: true };
const filters = (payload: string, rollout = 100): JsonObject => ({
  groups: [{ rollout_percentage: rollout }],
  payloads: { true: payload },
});
const live = liveState([liveFlag(1, 'a', { ...ENCRYPTED, filters: filters('"OLD-SECRET"') })]);
const planFor = (fields: JsonObject, state = live): Plan =>
  buildPlan(desiredState(declared('a', fields)), state, planOptions());

describe('encrypted payloads', () => {
  it.each([
    ['that an update changes', planFor({ filters: filters('"NEW-SECRET"') })],
    ['that a create sets', planFor({ ...ENCRYPTED, filters: filters('"NEW-SECRET"') }, liveState([]))],
    ['that an update of other filters keeps', planFor({ filters: filters('"OLD-SECRET"', 10) })],
    ['of a flag with a changed description', planFor({ name: 'x' })],
  ])('%s never appear in a saved plan', (_name, plan) => {
    expect(plan.changes).toHaveLength(1);
    expect(JSON.stringify(planDocument(plan))).not.toMatch(/(OLD|NEW)-SECRET/);
  });

  it('never appear in a saved plan that also has changes without payloads', () => {
    const desired = desiredState(
      declared('a', { filters: filters('"NEW-SECRET"') }),
      declared('b', { name: 'x' }, { roles: ['role-a'] }),
    );
    const plan = buildPlan(desired, liveState([...live.flags, liveFlag(2, 'b')], { 2: [] }), planOptions());
    expect(plan.changes).toHaveLength(3);
    expect(JSON.stringify(planDocument(plan))).not.toMatch(/(OLD|NEW)-SECRET/);
  });

  it('are shown as digests if they change', () => {
    const [change] = planFor({ filters: filters('"NEW-SECRET"') }).changes;
    const digest = { encrypted_payload: expect.stringMatching(/^sha256:/) as unknown };
    expect(change).toMatchObject({ fields: [{ path: expect.stringContaining('/filters/payloads/true') as unknown }] });
    expect(change).toMatchObject({ base: { flag: { filters: { payloads: { true: digest } } } } });
  });

  it('are unchanged if they are equal or declared as the mark', () => {
    expect(planFor({ filters: filters('"OLD-SECRET"') }).changes).toEqual([]);
    expect(planFor({ filters: filters(ENCRYPTED_PAYLOAD) }).changes).toEqual([]);
  });

  it('are sent by an apply without a saved plan, and refused in a saved plan', () => {
    const plan = planFor({ filters: filters('"NEW-SECRET"') });
    expect(JSON.stringify(plan.changes)).toContain('NEW-SECRET');
    expect(() => parseSavedPlan(JSON.stringify(planDocument(plan)))).toThrow('encrypted payloads of a');
  });

  it('cause a warning if they change, because the saved plan cannot be applied', () => {
    expect(planFor({ filters: filters('"NEW-SECRET"') }).warnings).toEqual([{ code: 'payloads_encrypted', key: 'a' }]);
    expect(planFor({ name: 'x' }).warnings).toEqual([]);
  });

  it.each<JsonValue>([{ encrypted_payload: 'x' }, { encrypted_payload: 'sha256:0123456789ab' }])(
    'remain hidden if another payload looks like a digest: %j',
    (payload) => {
      const two = { groups: [{ rollout_percentage: 10 }], payloads: { a: payload, b: '"NEW-SECRET"' } };
      const text = JSON.stringify(planDocument(planFor({ filters: two })));
      expect(text).not.toContain('NEW-SECRET');
      expect(text).not.toContain('"x"');
    },
  );

  it('count as changed even if the live payload looks like the digest of the declared one', () => {
    const digests = withPayloadDigests({ filters: filters('WANTED') });
    const state = liveState([liveFlag(1, 'a', { ...ENCRYPTED, ...digests })]);
    expect(planFor({ filters: filters('WANTED') }, state).changes).toHaveLength(1);
  });

  it('keep their digests if digests are taken again', () => {
    holds(100, [flagFields()], (fields) => {
      const once = withPayloadDigests(canonicalFlag(fields));
      expect(withMissingDigests(once)).toEqual(once);
      expect(withMissingDigests(canonicalFlag(fields))).toEqual(once);
    });
  });

  it('do not prevent saving other changes of the flag if they are unchanged', () => {
    const plan = planFor({ filters: filters(ENCRYPTED_PAYLOAD, 10) });
    expect(parseSavedPlan(JSON.stringify(planDocument(plan))).changes).toHaveLength(1);
  });

  describe('of a flag whose service does not report encryption', () => {
    const { has_encrypted_payloads: _, is_remote_configuration: __, ...told } = liveFlag(1, 'a');
    const open = liveState([{ ...told, filters: filters('"OLD-SECRET"') }] as never);

    it.each([
      ['changed payloads', planFor({ has_encrypted_payloads: true, filters: filters('"NEW-SECRET"') }, open)],
      ['unchanged payloads', planFor({ has_encrypted_payloads: true, filters: filters('"OLD-SECRET"', 10) }, open)],
      [
        'removed payloads',
        planFor({ has_encrypted_payloads: true, filters: { groups: [{ rollout_percentage: 10 }] } }, open),
      ],
      ['undeclared payloads', planFor({ has_encrypted_payloads: true, name: 'x' }, open)],
    ])('are secret if a manifest declares encryption: %s', (_name, plan) => {
      expect(plan.changes).toHaveLength(1);
      expect(JSON.stringify(planDocument(plan))).not.toMatch(/(OLD|NEW)-SECRET/);
      expect(plan.warnings).toContainEqual({ code: 'field_unsupported', key: 'a', field: 'has_encrypted_payloads' });
    });

    it('are unchanged if they are equal or declared as the mark', () => {
      for (const payload of ['"OLD-SECRET"', ENCRYPTED_PAYLOAD]) {
        expect(planFor({ has_encrypted_payloads: true, filters: filters(payload) }, open).changes).toEqual([]);
      }
    });
  });

  describe('in the form of the mark', () => {
    const plain = (payload: string): typeof live => liveState([liveFlag(1, 'a', { filters: filters(payload) })]);
    const path = '/filters/payloads/true';

    it('are ordinary payloads on a flag without encryption, declared or live', () => {
      expect(planFor({ filters: filters('1') }, plain(ENCRYPTED_PAYLOAD)).changes).toMatchObject([
        { fields: [{ path, before: ENCRYPTED_PAYLOAD, after: 1 }] },
      ]);
      expect(planFor({ filters: filters(ENCRYPTED_PAYLOAD) }, plain('1')).changes).toMatchObject([
        { fields: [{ path, before: 1, after: ENCRYPTED_PAYLOAD }], body: { filters: filters(ENCRYPTED_PAYLOAD) } },
      ]);
      expect(planFor({ filters: filters(ENCRYPTED_PAYLOAD) }, plain(ENCRYPTED_PAYLOAD)).changes).toEqual([]);
    });

    it('are unchanged if the manifest or the service enables encryption', () => {
      const encrypting = planFor({ ...ENCRYPTED, filters: filters(ENCRYPTED_PAYLOAD) }, plain('1')).changes;
      expect(encrypting.flatMap((change) => (change.resource === 'flag' ? change.fields : []))).not.toContainEqual(
        expect.objectContaining({ path }),
      );
      const seen = liveState([liveFlag(1, 'a', { ...ENCRYPTED, filters: filters(ENCRYPTED_PAYLOAD) })]);
      expect(planFor({ filters: filters('"NEW-SECRET"') }, seen).changes).toEqual([]);
    });
  });
});
