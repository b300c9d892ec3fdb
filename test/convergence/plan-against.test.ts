/** A plan against a snapshot is the plan that the service would have given, and says the same, over real HTTP and through the file's text. */

import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { stringifyJson } from '../../src/base/json-text.ts';
import type { JsonObject } from '../../src/base/json.ts';
import { findEffects } from '../../src/review/effects/find-effects.ts';
import type { BaseFacts } from '../../src/core/engine/base.ts';
import { createComparison } from '../../src/review/expectations/compare-answers.ts';
import { findImpact } from '../../src/review/impact/find-impact.ts';
import { judge } from '../../src/review/policy/judge.ts';
import { liftFindings } from '../../src/review/policy/exceptions.ts';
import type { Policy } from '../../src/review/policy/built-in.ts';
import { buildPlan } from '../../src/posthog/planning/build-plan.ts';
import { readWholeState } from '../../src/posthog/reading/live-state.ts';
import type { DeclaredFlag, DesiredFlag, DesiredState } from '../../src/posthog/desired.ts';
import type { LiveState } from '../../src/posthog/live.ts';
import type { Plan } from '../../src/posthog/plan.ts';
import { disclose, snapshotDocument } from '../../src/posthog/snapshot-file/document.ts';
import { parseSnapshot, selectLive } from '../../src/posthog/snapshot-file/parse.ts';
import { selectionOf } from '../../src/posthog/live-selection.ts';
import { suiteOf } from '../review/expectations/support.ts';
import { flagFields } from '../helpers/arbitraries.ts';
import { declared, desiredState, planOptions, retired } from '../helpers/states.ts';
import { holdsAsync } from '../helpers/runs.ts';
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
    const { live, roles: ids } = await readWholeState(world.client, selectionOf(desired), {});
    const project = { name: 'test', host: 'https://flags.example.com', project_id: '1' };
    const taken = { project, takenAt: '2026-01-31T12:00:00.000Z', roles: ids, live: disclose(live, desired) };
    return parseSnapshot(stringifyJson(snapshotDocument(taken), 2)).live;
  }

  it('both plans are equal, and what reports say of them, whatever the manifests declare by then', () =>
    holdsAsync(16, [fc.array(pair, { minLength: 1, maxLength: 4 })], async (pairs) => {
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
      const file = await snapshot(before);
      const options = { ...planOptions(), base: { facts: FACTS, desired: before } };
      const [found, expected] = [selectLive(file, selectionOf(after)), await world.live(after)].map((live) => {
        const plan = buildPlan(after, live, options);
        return { plan: withoutEditors(plan), ...toldOf(plan, live) };
      });
      expect(found).toEqual(expected);
    }));

  /** As far as the service has an archive. */
  async function archive(keys: readonly string[]): Promise<void> {
    for (const flag of await world.client.listFlags()) {
      if (keys.includes(flag.key) && 'archived' in flag)
        await world.client.updateFlag(flag.id, { active: false, archived: true });
    }
  }
});

const FACTS: BaseFacts = { kind: 'commit', commit: 'a'.repeat(40), from: 'ref' };
const NOW = Date.parse('2026-06-15T12:00:00Z');
const CIRCUMSTANCES = { generation: 'rust-2026', now: new Date(NOW) } as const;
const PLACE = { file: 'flagwright.yaml', line: 1, column: 1 };
const POLICIES: readonly Policy[] = [
  { rule: 'max-widen', level: 'error', source: PLACE, points: 25 },
  { rule: 'require', level: 'warning', source: PLACE, description: true, tags: [] },
  { rule: 'no-personal-data', level: 'error', source: PLACE, allow: [] },
  {
    rule: 'own',
    name: 'in-small-steps',
    level: 'error',
    source: PLACE,
    when: 'change.widens > 5.0 || change.classes.exists(one, one == "payload")',
    whenSource: PLACE,
    message: 'At most 5 points, and no payload',
  },
];
const PEOPLE = suiteOf(`people:
  ada: { properties: { country: US, email: ada@example.com }, cohorts: [staff] }
  zoe: { id: zoe, properties: { plan: pro } }
`);

/** What reports say beside a plan: what it does, what the policies find, and who gets something else. */
function toldOf(plan: Plan, live: LiveState): object {
  const findings = judge(POLICIES, plan, { project: 'test', now: NOW });
  const compare = createComparison({
    plan,
    live,
    project: { name: 'test', roles: {}, cohorts: { staff: 42 } },
    surroundings: { ...CIRCUMSTANCES, now: NOW },
  });
  return {
    effects: findEffects(plan),
    lifted: liftFindings(findings, { approvedBy: ['ann'], exceptions: [], now: NOW }),
    impact: findImpact({ ...plan, live: live.flags }, CIRCUMSTANCES),
    named: [...PEOPLE.people.values()].flatMap(compare),
  };
}

/** A snapshot does not say who edited a flag. */
function withoutEditors(plan: Plan): object {
  const { fingerprint: _, ...content } = plan;
  return JSON.parse(
    JSON.stringify(content, (name, value: unknown) => (name === 'edited' ? undefined : value)),
  ) as object;
}
