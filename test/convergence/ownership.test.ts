/** What others decide is never overwritten: the law of ownership, over real HTTP and a real database, in both profiles. */

import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { applyPlan } from '../../src/loop/apply/apply-plan.ts';
import type { ApplyResult } from '../../src/loop/apply/result.ts';
import { isJsonArray, isJsonObject, type JsonArray, type JsonObject } from '../../src/base/json.ts';
import type { BaseFacts } from '../../src/core/engine/base.ts';
import type { Ownership } from '../../src/core/engine/ownership.ts';
import { buildPlan } from '../../src/posthog/planning/build-plan.ts';
import type { ServiceClient } from '../../src/posthog/service-client.ts';
import type { DeclaredFlag } from '../../src/posthog/desired.ts';
import { parseFieldPath, type OwnershipRule } from '../../src/posthog/flag/model/fields.ts';
import type { Flag } from '../../src/posthog/flag/model/flag.ts';
import { invertPlan } from '../../src/posthog/planning/invert-plan.ts';
import type { Plan } from '../../src/posthog/plan.ts';
import { holdsAsync } from '../helpers/runs.ts';
import { declared, desiredState, planOptions } from '../helpers/states.ts';
import { startWorld, type World } from '../helpers/world.ts';

const FACTS: BaseFacts = { kind: 'commit', commit: 'a'.repeat(40), from: 'ref' };
let serial = 0;

function rules(written: Readonly<Record<string, Ownership>>): readonly OwnershipRule[] {
  return Object.entries(written).map(([text, ownership]) => {
    const path = parseFieldPath(text);
    if ('problem' in path) throw new Error(text);
    return { path, ownership, source: { file: 'flagwright.yaml', line: 1, column: 1 } };
  });
}

function owned(key: string, fields: JsonObject, written: Readonly<Record<string, Ownership>>): DeclaredFlag {
  return { ...declared(key, fields), ownership: rules(written) };
}

/** A condition for the people of one plan, by which it is recognised. */
interface Part {
  readonly people: string;
  readonly rollout: number;
}

interface State {
  readonly parts: readonly Part[];
  readonly name: string;
  readonly active: boolean;
  readonly tags: readonly string[];
}

const rollout = fc.integer({ min: 0, max: 100 });
const parts = fc
  .uniqueArray(fc.record({ people: fc.constantFrom('a', 'b', 'c', 'd', 'e'), rollout }), {
    selector: ({ people }) => people,
    minLength: 1,
    maxLength: 4,
  })
  .map((list): readonly Part[] => list);
const state: fc.Arbitrary<State> = fc.record({
  parts,
  name: fc.constantFrom('one', 'two', 'three'),
  active: fc.boolean(),
  tags: fc.subarray(['web', 'app']),
});

/** What others make of the rollouts, condition by condition, and of the other fields. */
const edit = fc.record({
  rollouts: fc.array(rollout, { minLength: 5, maxLength: 5 }),
  name: fc.constantFrom('x', 'y'),
  active: fc.boolean(),
});
type Edit = { readonly rollouts: readonly number[]; readonly name: string; readonly active: boolean };

function fieldsOf({ parts: list, ...others }: State): JsonObject {
  return { ...others, filters: { groups: list.map(toCondition) } };
}

function toCondition({ people, rollout: percentage }: Part): JsonObject {
  return {
    properties: [{ key: 'plan', type: 'person', operator: 'exact', value: [people] }],
    rollout_percentage: percentage,
  };
}

function partsOf({ filters }: JsonObject): readonly Part[] {
  const groups = isJsonObject(filters) && isJsonArray(filters['groups']) ? filters['groups'] : [];
  return groups.map((group) => {
    const { properties, rollout_percentage: percentage = 100 } = group as JsonObject;
    const [property] = properties as JsonArray;
    const [people] = (property as { readonly value: readonly string[] }).value;
    return { people: people ?? '', rollout: Number(percentage) };
  });
}

function moved(flag: Flag, { rollouts, name, active }: Edit, isMoved?: (part: Part) => boolean): JsonObject {
  const groups = partsOf(flag).map((part, index) =>
    toCondition(isMoved?.(part) !== false ? { ...part, rollout: rollouts[index] ?? 0 } : part),
  );
  return { filters: { groups }, name: `by people ${name}`, active };
}

describe.each(['documented', 'posthog'] as const)('in profile %s', (profile) => {
  let world: World;
  let sent: { readonly body: JsonObject; readonly before: Flag }[] = [];
  beforeEach(async () => {
    world = await startWorld(profile);
  });
  afterEach(() => world.close());

  const find = async (key: string): Promise<Flag> => {
    const flag = (await world.client.listFlags()).find((one) => one.key === key);
    if (flag === undefined) throw new Error(key);
    return flag;
  };

  /** The client of the world, which keeps what is sent with what was live before. */
  function recording(): ServiceClient {
    sent = [];
    return {
      ...world.client,
      updateFlag: async (id, body) => {
        const before = await world.client.getFlag(id);
        sent.push({ body, before });
        return world.client.updateFlag(id, body);
      },
    };
  }

  async function makePlan(flag: DeclaredFlag, base?: DeclaredFlag): Promise<Plan> {
    const desired = desiredState(flag);
    const known = base === undefined ? {} : { base: { facts: FACTS, desired: desiredState(base) } };
    return buildPlan(desired, await world.live(desired), { ...planOptions(), ...known });
  }

  async function apply(plan: Plan): Promise<ApplyResult> {
    const result = await applyPlan(plan, recording(), { concurrency: 2 });
    expect(result.changes.map(({ result: { outcome } }) => outcome)).toEqual(plan.changes.map(() => 'applied'));
    expect(result).toMatchObject({ remainder: [], verified: true });
    return result;
  }

  it.each(['two-way', 'three-way'])(
    'observed and initial values are never written, and a plan after apply is empty: %s',
    (way) =>
      holdsAsync(30, [state, state, edit, edit], async (first, second, then, meanwhile) => {
        serial += 1;
        const key = `observed-${serial}`;
        const written = {
          'conditions.*.rollout_percentage': 'observed',
          name: 'initial',
          active: 'observed',
        } as const;
        const before = owned(key, fieldsOf(first), written);
        await apply(await makePlan(before));
        // Created as declared.
        expect(await find(key)).toMatchObject({ name: first.name, active: first.active });
        expect(partsOf(await find(key))).toEqual(first.parts);

        await world.edit(key, moved(await find(key), then));
        const after = owned(key, fieldsOf(second), written);
        const plannedFor = await find(key);
        const plan = await makePlan(after, way === 'three-way' ? before : undefined);
        // Others go on, also between the plan and its apply, in conditions that it does not remove.
        const stays = ({ people }: Part): boolean =>
          partsOf(plannedFor).length === second.parts.length || second.parts.some((part) => part.people === people);
        const edited = await world.edit(key, moved(plannedFor, meanwhile, stays));
        await apply(plan);
        for (const { body, before: live } of sent) {
          expect(Object.keys(body)).not.toEqual(expect.arrayContaining(['name']));
          expect(Object.keys(body)).not.toEqual(expect.arrayContaining(['active']));
          const written = body['filters'] === undefined ? [] : partsOf(body);
          const known = continued(written, partsOf(live));
          expect(written.map((part, index) => known[index] ?? part.rollout)).toEqual(
            written.map((part) => part.rollout),
          );
        }
        const now = await find(key);
        const kept = continued(second.parts, partsOf(edited));
        expect(partsOf(now)).toEqual(
          second.parts.map((part, index) => ({ ...part, rollout: kept[index] ?? part.rollout })),
        );
        expect(now).toMatchObject({ name: edited.name, active: edited.active });
        expect((now.tags ?? []).toSorted()).toEqual([...second.tags].toSorted());
        expect((await makePlan(after)).changes).toEqual([]);
      }),
  );

  it('a value inside its bounds stays, and one outside goes to the nearest bound', () =>
    holdsAsync(20, [parts, parts, edit], async (first, second, then) => {
      serial += 1;
      const key = `between-${serial}`;
      const written = { rollout_percentage: { between: [20, 60] } } as const;
      const inside = (list: readonly Part[]): JsonObject => ({
        filters: { groups: list.map((part) => toCondition({ ...part, rollout: clamp(part.rollout) })) },
      });
      await apply(await makePlan(owned(key, inside(first), written)));
      const edited = await world.edit(key, { filters: moved(await find(key), then)['filters'] ?? null });
      const after = owned(key, inside(second), written);
      await apply(await makePlan(after));
      const live = continued(second, partsOf(edited));
      expect(partsOf(await find(key))).toEqual(
        second.map(({ people, rollout: own }, index) => ({ people, rollout: clamp(live[index] ?? own) })),
      );
      expect((await makePlan(after)).changes).toEqual([]);
    }));

  it('an undo leaves what others moved since, and reverts the rest', () =>
    holdsAsync(15, [parts, parts, edit, edit], async (first, second, then, since) => {
      serial += 1;
      const key = `undone-${serial}`;
      const written = { rollout_percentage: 'observed' } as const;
      const of = (list: readonly Part[], name: string): DeclaredFlag =>
        owned(key, { name, filters: { groups: list.map(toCondition) } }, written);
      await apply(await makePlan(of(first, 'one')));
      const before = await world.edit(key, { filters: moved(await find(key), then)['filters'] ?? null });
      const plan = await makePlan(of(second, 'two'));
      await apply(plan);
      const edited = await world.edit(key, { filters: moved(await find(key), since)['filters'] ?? null });
      const live = await world.live(desiredState(of(second, 'two')));
      const applied = plan.changes.map((change) => ({
        change,
        ...(change.id === undefined ? {} : { id: change.id }),
      }));
      const { plan: undo, refused } = invertPlan(applied, live, planOptions());
      expect(refused).toEqual([]);
      await apply(undo);
      const now = await find(key);
      expect(now.name).toBe('one');
      expect(partsOf(now).map(({ people }) => people)).toEqual(partsOf(before).map(({ people }) => people));
      const kept = new Map(partsOf(edited).map((part) => [part.people, part.rollout]));
      for (const part of partsOf(now)) if (kept.has(part.people)) expect(part.rollout).toBe(kept.get(part.people));
    }));
});

/** The live rollout that each declared condition continues: of the same people, else in lists of the same length of the next left. */
function continued(wanted: readonly Part[], live: readonly Part[]): readonly (number | undefined)[] {
  const people = new Set(wanted.map((part) => part.people));
  const left = live.map((part, index) => ({ ...part, index })).filter((part) => !people.has(part.people));
  const byIndex = wanted.map((part, index) => {
    const same = live.find((other) => other.people === part.people);
    if (same !== undefined || wanted.length !== live.length) return same?.rollout;
    const at = left.findIndex((other) => other.index === index);
    return at < 0 ? undefined : left.splice(at, 1)[0]?.rollout;
  });
  return byIndex.map((found) => found ?? (wanted.length === live.length ? left.shift()?.rollout : undefined));
}

function clamp(value: number): number {
  return Math.min(60, Math.max(20, value));
}
