/** No claim of absence is contradicted by posthog-node, which evaluates the flags before and after a change for random people. */

import { env } from 'node:process';

import fc from 'fast-check';
import { afterAll, expect, it, vi } from 'vitest';
import { jsonText } from '../../../src/evaluation/values/scalars.ts';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../src/base/json.ts';
import type { KnownCohort, EvaluationContext, Subject } from '../../../src/evaluation/input.ts';
import { findImpact } from '../../../src/review/impact/find-impact.ts';
import type { FlagImpact } from '../../../src/review/effects/impact.ts';
import { compareValues } from '../../../src/review/effects/worlds.ts';
import type { Flag } from '../../../src/posthog/flag/model/flag.ts';
import { cohortTree, COHORT_IDS, flag, subject } from '../../evaluation/posthog-node/arbitraries.ts';
import { startLocalClient } from '../../evaluation/posthog-node/local-client.ts';
import { contextWith } from '../../evaluation/support.ts';
import { runs } from '../../helpers/runs.ts';
import { declared, desiredState, liveState, planFor } from '../../helpers/states.ts';
import { mixed } from './arbitraries.ts';
import { createObserver } from './observe.ts';

const SEED = 20_260_302;
const PAIRS = runs(160);
/** Pairs that one service has at once. */
const BATCH = 100;
const SUBJECTS = 40;
const GROUP_TYPES = { 0: 'company', 1: 'team', 2: 'site' };

/** The last of three flags may depend on the others. */
interface FlagPair {
  readonly before: readonly Flag[];
  readonly after: readonly Flag[];
}

const seen = { pairs: 0, flags: 0, absences: 0, unknown: 0, answers: 0, changed: 0, different: 0 };
afterAll(() => {
  if (env['PROPERTY_RUNS'] !== undefined) process.stdout.write(`impact beside posthog-node: ${JSON.stringify(seen)}\n`);
});

it(`agrees on who is affected by ${PAIRS} changes`, async () => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  for (let first = 0; first < PAIRS; first += BATCH) {
    const pairs = Array.from({ length: Math.min(BATCH, PAIRS - first) }, (_, index) => makePair(first + index));
    await compareBatch(pairs, first);
  }
  vi.restoreAllMocks();
  expect(seen.changed).toBeGreaterThan(PAIRS);
  expect(seen.different).toBeLessThan(seen.changed / 10);
}, 3_600_000);

async function compareBatch(pairs: readonly FlagPair[], batch: number): Promise<void> {
  const cohorts = Object.fromEntries(
    COHORT_IDS.map((id): [string, KnownCohort] => [
      String(id),
      { kind: 'dynamic', properties: one(cohortTree(id), batch - id) },
    ]),
  );
  const context = contextWith({ now: new Date(), cohorts, groupTypes: GROUP_TYPES });
  const clients = await Promise.all(
    (['before', 'after'] as const).map((side) =>
      startLocalClient({ flags: pairs.flatMap((pair) => [...pair[side]]), context }),
    ),
  );
  const judged = pairs.flatMap((pair) => judgePair(pair, context));
  for (const person of fc.sample(subject, { numRuns: SUBJECTS, seed: SEED + batch }).map(withGroups)) {
    const [former, wanted] = await Promise.all(clients.map(async (client) => client.evaluate(person)));
    for (const { found, observe } of judged) {
      const values = [former?.values[found.key], wanted?.values[found.key]];
      // The library leaves some flags to the service.
      if (!values.every((value) => typeof value === 'boolean' || typeof value === 'string')) continue;
      seen.answers += 1;
      const [own = false, other = false] = values;
      const outcome = compareValues(own, other, new Set());
      if (outcome === undefined) continue;
      seen.changed += 1;
      // What the library evaluates otherwise, such as a holdout without the group, is in docs/evaluation/posthog-node.md.
      const { audiences, outcome: ours } = observe(person);
      if (ours !== outcome) {
        seen.different += 1;
        continue;
      }
      expect(audiences.length).toBeGreaterThan(0);
      for (const { shares } of audiences) expect([found.key, shares[outcome] > 0]).toEqual([found.key, true]);
    }
  }
  await Promise.all(clients.map(async (client) => client.close()));
}

interface Judged {
  readonly found: FlagImpact;
  readonly observe: ReturnType<typeof createObserver>;
}

function judgePair({ before, after }: FlagPair, { now, cohorts }: EvaluationContext): Judged[] {
  const ids = new Map(before.map(({ id, key }) => [key, String(id)]));
  const live = before.map((own) => renamed(own, (key) => ids.get(key) ?? key) as Flag);
  const desired = after.map(({ id: _id, key, ...fields }) => declared(key, fields));
  const plan = planFor(desiredState(...desired), liveState(live));
  const { flags } = findImpact({ ...plan, live }, { generation: 'rust-2026', now });
  seen.pairs += 1;
  return flags.flatMap((found) => {
    seen.flags += 1;
    const { estimate } = found;
    if (estimate.kind === 'unknown') seen.unknown += 1;
    if (estimate.kind !== 'audiences') return [];
    seen.absences += estimate.audiences.some(({ shares }) => Object.values(shares).every((share) => share === 0))
      ? 1
      : 0;
    const context = { now, cohorts, groupTypes: GROUP_TYPES };
    return [{ found, observe: createObserver(found, { plan, live, generation: 'rust-2026', context }) }];
  });
}

function makePair(index: number): FlagPair {
  const [base, middle, top] = [1, 2, 3].map((place) => 3 * index + place) as [number, number, number];
  const keys = [`flag-${base}`, `flag-${middle}`];
  const sides = [base, middle, top].map((id, place) => {
    const own = flag(id, keys.slice(0, place));
    const [live, other] = [ofSeveralGroups(one(own, id)), ofSeveralGroups(one(own, -id))];
    const isAlike = live.filters?.aggregation_group_type_index === other.filters?.aggregation_group_type_index;
    const wanted = one(mixed(live, isAlike ? other : live), id) as Flag;
    return place < 2 && id % 3 > 0 ? [live, live] : [live, { ...wanted, id, key: live.key }];
  }) as [Flag, Flag][];
  return { before: sides.map(([live]) => live), after: sides.map(([, wanted]) => wanted) };
}

/** A condition on groups and its filters are of the type that its rollout names, so that there are several. */
function ofSeveralGroups(own: Flag): Flag {
  const groups = (own.filters?.groups ?? []).map((condition) => {
    if (condition.aggregation_group_type_index !== 0) return condition;
    const type =
      Number(condition.rollout_percentage ?? 0) % 3 === 0 ? 0 : Number(condition.rollout_percentage) % 2 === 0 ? 1 : 2;
    const properties = (condition.properties ?? []).map((property) => ({ ...property, group_type_index: type }));
    return { ...condition, properties, aggregation_group_type_index: type };
  });
  return { ...own, filters: { ...own.filters, groups } };
}

/** In groups of more types, with the properties of the company. */
function withGroups(own: Subject): Subject {
  const [company = ''] = Object.values(own.groups).map(String);
  const properties = own.groupProperties['company'];
  if (company === '' || properties === undefined) return own;
  const isInAll = company < '8';
  return {
    ...own,
    groups: { company, team: `team of ${company}`, ...(isInAll ? { site: `site of ${company}` } : {}) },
    groupProperties: { company: properties, team: properties, ...(isInAll ? { site: properties } : {}) },
  };
}

function one<Value>(arbitrary: fc.Arbitrary<Value>, seed: number): Value {
  return fc.sample(arbitrary, { numRuns: 1, seed: SEED + seed })[0] as Value;
}

/** With other names for the flags that conditions name. */
function renamed(value: JsonValue | undefined, name: (key: string) => string): JsonValue {
  if (isJsonArray(value)) return value.map((element) => renamed(element, name));
  if (!isJsonObject(value)) return value ?? null;
  const members = Object.entries(value).map(([key, member]) => [key, renamed(member, name)] as const);
  const own: JsonObject = Object.fromEntries(members);
  return value['type'] === 'flag' ? { ...own, key: name(jsonText(value['key'] ?? null)) } : own;
}
