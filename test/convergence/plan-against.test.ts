/** A plan against a snapshot is the plan that the service would have given, over real HTTP and through the file's text. */

import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { stringifyJson } from '../../src/base/json-text.ts';
import type { JsonObject } from '../../src/base/json.ts';
import { buildPlan } from '../../src/posthog/build-plan.ts';
import { readWholeState } from '../../src/posthog/client/whole-state.ts';
import type { DeclaredFlag, DesiredFlag, DesiredState } from '../../src/posthog/desired.ts';
import type { LiveState } from '../../src/posthog/live.ts';
import type { Plan } from '../../src/posthog/plan.ts';
import { disclose } from '../../src/posthog/snapshot-file/disclose.ts';
import { snapshotDocument } from '../../src/posthog/snapshot-file/document.ts';
import { parseSnapshot } from '../../src/posthog/snapshot-file/parse.ts';
import { selectLive } from '../../src/posthog/snapshot-file/select.ts';
import { wantedState } from '../../src/posthog/wanted-state.ts';
import { flagFields } from '../helpers/arbitraries.ts';
import { declared, desiredState, planOptions, retired } from '../helpers/states.ts';
import { runs } from '../helpers/runs.ts';
import { ROLE_IDS, startWorld, type World } from '../helpers/world.ts';

let serial = 0;

/** Unused keys, so that one service serves all runs of a property. */
function freshKeys(count: number): string[] {
  serial += 1;
  return Array.from({ length: count }, (_, index) => `f${serial}-${index}`);
}

const roles = fc.subarray([...ROLE_IDS]);
/** A flag before and after a change of the manifests; who has access to it is managed in both or in neither. */
const pair = fc.record({
  before: fc.option(flagFields(), { nil: undefined }),
  after: fc.oneof({ weight: 8, arbitrary: flagFields() }, { weight: 1, arbitrary: fc.constant(undefined) }),
  archived: fc.boolean(),
  roles: fc.option(fc.tuple(roles, roles), { nil: undefined }),
});

describe.each(['documented', 'posthog'] as const)('in profile %s', (profile) => {
  let world: World;
  beforeEach(async () => {
    world = await startWorld(profile);
  });
  afterEach(() => world.close());

  async function snapshot(desired: DesiredState): Promise<LiveState> {
    const { live, roles: ids } = await readWholeState(world.client, wantedState(desired), {});
    const project = { name: 'test', host: 'https://flags.example.com', project_id: '1' };
    const taken = { project, takenAt: '2026-01-31T12:00:00.000Z', roles: ids, live: disclose(live, desired) };
    return parseSnapshot(stringifyJson(snapshotDocument(taken), 2)).live;
  }

  it('both plans are equal, whatever the manifests declare by then', () =>
    fc.assert(
      fc.asyncProperty(fc.array(pair, { minLength: 1, maxLength: 4 }), async (pairs) => {
        const keys = freshKeys(pairs.length);
        const flagAt = (index: number, fields: JsonObject | undefined, ids: string[] | undefined): DeclaredFlag[] =>
          fields === undefined
            ? []
            : [declared(keys[index] ?? '', fields, ids === undefined ? {} : { roles: ids.toSorted() })];
        const before = desiredState(...pairs.flatMap((one, index) => flagAt(index, one.before, one.roles?.[0])));
        await world.apply(await world.plan(before));
        await archive(pairs.flatMap((one, index) => (one.archived ? (keys[index] ?? '') : [])));
        const after = desiredState(
          ...pairs.flatMap((one, index): DesiredFlag[] =>
            one.after === undefined ? [retired(keys[index] ?? '')] : flagAt(index, one.after, one.roles?.[1]),
          ),
        );
        const fromFile = buildPlan(after, selectLive(await snapshot(before), wantedState(after)), planOptions());
        expect(withoutEditors(fromFile)).toEqual(withoutEditors(await world.plan(after)));
      }),
      { numRuns: runs(16) },
    ));

  /** As far as the service has an archive. */
  async function archive(keys: readonly string[]): Promise<void> {
    for (const flag of await world.client.listFlags()) {
      if (keys.includes(flag.key) && 'archived' in flag)
        await world.client.updateFlag(flag.id, { active: false, archived: true });
    }
  }
});

/** A snapshot does not say who edited a flag. */
function withoutEditors(plan: Plan): object {
  const { fingerprint: _, ...content } = plan;
  return JSON.parse(
    JSON.stringify(content, (name, value: unknown) => (name === 'edited' ? undefined : value)),
  ) as object;
}
