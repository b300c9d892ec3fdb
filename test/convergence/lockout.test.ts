/** A flag that a role may edit before and after the plan is never without one, whichever write fails. */

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applyPlan } from '../../src/loop/apply/apply-plan.ts';
import type { ApplyRecorder } from '../../src/loop/apply/recorder.ts';
import type { FaultRule } from '../../service/src/index.ts';
import { invertPlan } from '../../src/posthog/planning/invert-plan.ts';
import type { Plan } from '../../src/posthog/plan.ts';
import { readLiveState } from '../../src/posthog/reading/live-state.ts';
import { rolesOf as readRoles } from '../helpers/access.ts';
import { holdsAsync } from '../helpers/runs.ts';
import { declared, desiredState, planOptions } from '../helpers/states.ts';
import { ROLE_IDS } from '../helpers/world.ts';
import { startRig, type Rig } from '../faults/rig.ts';

const some = fc.subarray([...ROLE_IDS], { minLength: 1 });

const fault = fc
  .record({
    operation: fc.constantFrom(
      'createRoleAccess' as const,
      'deleteRoleAccess' as const,
      'setAccess' as const,
      'updateFlag' as const,
    ),
    from: fc.integer({ min: 1, max: 3 }),
    count: fc.constantFrom(1, 3, 1000),
    status: fc.constantFrom(503, 403, 400, 409),
    when: fc.constantFrom('before' as const, 'after' as const),
  })
  .map(({ operation, from, count, status, when }): FaultRule => ({
    match: { operation },
    from,
    count,
    answer: status === 503 ? { status, when } : { status },
  }));

describe.each(['documented', 'posthog'] as const)('in profile %s', (profile) => {
  let rig: Rig;
  let serial = 0;
  beforeAll(async () => {
    rig = await startRig(profile);
  });
  afterAll(() => rig.close());

  const rolesOf = async (id: number): Promise<string[]> => readRoles(rig.honest.client, id);

  /** Applies through a faulty service, and reads the roles before every write and at the end. */
  async function apply(plan: Plan, id: number, options: { faults: readonly FaultRule[]; concurrency: number }) {
    const faulty = await rig.startFaulty(options.faults, options);
    const look = async (): Promise<void> => {
      expect(await rolesOf(id)).not.toEqual([]);
    };
    const failures: unknown[] = [];
    const recorder: ApplyRecorder = {
      sending: () => look().catch((error: unknown) => void failures.push(error)),
      settled: () => undefined,
    };
    const result = await applyPlan(plan, faulty.client, { concurrency: options.concurrency, recorder });
    await look();
    expect(failures).toEqual([]);
    return result;
  }

  it('the same holds for undo', () =>
    holdsAsync(
      10,
      [
        fc.record({ before: some, after: some, faults: fc.array(fault, { minLength: 1, maxLength: 2 }) }),
        fc.record({ concurrency: fc.constantFrom(1, 4), renames: fc.boolean() }),
      ],
      async ({ before, after, faults }, { concurrency, renames }) => {
        const { honest } = rig;
        serial += 1;
        const key = `f${serial}`;
        await honest.apply(await honest.plan(desiredState(declared(key, { active: true }, { roles: before }))));
        const wanted = declared(
          renames ? `${key}-new` : key,
          { active: false },
          { roles: after, previousKeys: renames ? [key] : [] },
        );
        const plan = await honest.plan(desiredState(wanted));
        const id = (await honest.live()).flags.find((flag) => flag.key === key)?.id ?? 0;
        const { changes } = await apply(plan, id, { faults, concurrency });
        const applied = changes.filter(({ result }) => result.outcome === 'applied');
        const keys = [key, wanted.key];
        const live = await readLiveState(honest.client, { flags: { keys }, roleAccess: { keys } });
        const undo = invertPlan(applied, live, planOptions());
        await apply(undo.plan, id, { faults, concurrency });
      },
    ));
});
