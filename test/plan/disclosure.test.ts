import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import { ENCRYPTED_PAYLOAD } from '../../src/model/encrypted-payloads.ts';
import { buildPlan } from '../../src/plan/build-plan.ts';
import type { Plan } from '../../src/plan/plan.ts';
import { parseSavedPlan, planDocument } from '../../src/plan/saved-plan.ts';
import { declared, desiredState, liveFlag, liveState, planOptions } from '../helpers/states.ts';

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
    ['of an update', planFor({ filters: filters('"NEW-SECRET"') })],
    ['of a create', planFor({ ...ENCRYPTED, filters: filters('"NEW-SECRET"') }, liveState([]))],
    ['that stay, while something else changes', planFor({ filters: filters('"OLD-SECRET"', 10) })],
    ['of a flag whose description changes', planFor({ name: 'x' })],
  ])('%s never stand in a document', (_name, plan) => {
    expect(plan.changes).toHaveLength(1);
    expect(JSON.stringify(planDocument(plan))).not.toMatch(/(OLD|NEW)-SECRET/);
  });

  it('show that they change', () => {
    const [change] = planFor({ filters: filters('"NEW-SECRET"') }).changes;
    const digest = { encrypted_payload: expect.stringMatching(/^sha256:/) as unknown };
    expect(change).toMatchObject({ fields: [{ path: expect.stringContaining('/filters/payloads/true') as unknown }] });
    expect(change).toMatchObject({ base: { flag: { filters: { payloads: { true: digest } } } } });
  });

  it('are as declared when they are the same, or marked to stay', () => {
    expect(planFor({ filters: filters('"OLD-SECRET"') }).changes).toEqual([]);
    expect(planFor({ filters: filters(ENCRYPTED_PAYLOAD) }).changes).toEqual([]);
  });

  it('are sent by an apply that needs no file, and cannot be applied from one', () => {
    const plan = planFor({ filters: filters('"NEW-SECRET"') });
    expect(JSON.stringify(plan.changes)).toContain('NEW-SECRET');
    expect(() => parseSavedPlan(JSON.stringify(planDocument(plan)))).toThrow('encrypted payloads of a');
  });

  it('are warned of while planning, since nobody could apply the file', () => {
    const plan = planFor({ filters: filters('"NEW-SECRET"') });
    expect(plan.warnings).toEqual([{ code: 'payloads_encrypted', key: 'a' }]);
    expect(planFor({ name: 'x' }).warnings).toEqual([]);
  });

  it('do not keep other changes of the flag from being saved', () => {
    const plan = planFor({ filters: filters(ENCRYPTED_PAYLOAD, 10) });
    expect(parseSavedPlan(JSON.stringify(planDocument(plan))).changes).toHaveLength(1);
  });
});
