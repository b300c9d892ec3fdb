/** Counts people by outcome. Keeps counts and hashes of ids, and neither an id nor a property. */

import { arrayOrEmpty, isJsonObject } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { findEffects } from '../../effects/find-effects.ts';
import { findAggregation } from '../../evaluation/condition.ts';
import { rolloutHash } from '../../evaluation/hash.ts';
import type { EvaluationContext } from '../../evaluation/input.ts';
import { aggregationOf, conditionsOf, isUnreadable, propertiesOf } from '../../evaluation/parts.ts';
import type { Condition, Flag } from '../../posthog/flag/model/flag.ts';
import { findConcerned, pairOf, type Concerned } from '../concerned.ts';
import type { Circumstances, PlannedImpact } from '../find-impact.ts';
import type { FlagImpact, Impact, PersonCounts, PersonsRead } from '../impact.ts';
import { cohortsOf, makeWorlds, type Worlds } from '../worlds.ts';
import { createAnswers, type AnsweringPersons, type PersonRow } from './answers.ts';
import { createDecider, type DecisionInput, type Decider } from './decide-person.ts';
import type { Room } from './decisions.ts';
import type { ListedPerson } from './person.ts';
import { createQuestions } from './questions.ts';

export interface CounterOptions {
  readonly planned: PlannedImpact;
  /** The planned impact of each step. */
  readonly steps?: readonly PlannedImpact[];
  readonly circumstances: Circumstances;
}

export interface Counter {
  /** Whether the person was new, and so was counted. */
  readonly count: (person: ListedPerson) => boolean;
  /** The impact with the counts so far, and what was read. */
  readonly complete: (impact: Impact, read: PersonsRead) => Impact;
}

export function createCounter({ planned, steps = [], circumstances }: CounterOptions): Counter {
  const room: Room = { nodes: MOST_NODES };
  const cases = prepareCases(planned, circumstances, room);
  const casesOfSteps = steps.map((step) => prepareCases(step, circumstances, room));
  const isNew = createMemory();
  const waiting: (readonly PersonRow[])[] = [];
  let rows = 0;
  const countWaiting = (): void => {
    for (const one of [cases, ...casesOfSteps]) countAll(waiting, one);
    waiting.length = rows = 0;
  };
  return {
    count: (person) => {
      if (!isNew(person.identity)) return false;
      const own = rowsOf(person);
      waiting.push(own);
      rows += own.length;
      if (rows >= ENOUGH_ROWS) countWaiting();
      return true;
    },
    complete: (impact, persons) => {
      countWaiting();
      const counted = <Of extends Pick<Impact, 'flags'>>(of: Of, own: Cases | undefined): Of =>
        own === undefined ? of : { ...of, flags: of.flags.map((flag) => withCounts(flag, own)) };
      const ofSteps = impact.steps?.map((step, index) => counted(step, casesOfSteps[index]));
      return { ...counted(impact, cases), ...defined({ steps: ofSteps }), persons };
    },
  };
}

/** Decides people together, flag by flag: what a flag needs is then found once, and its memory stays in the cache of the processor. */
const ENOUGH_ROWS = 256;
/** A limit on the time for each person. */
const MOST_IDS = 64;
const MOST_ROWS = ENOUGH_ROWS + MOST_IDS + 1;

/** If there are too many ids, they count as one that may be any. */
function rowsOf(person: ListedPerson): readonly PersonRow[] {
  const rows: PersonRow[] = person.distinctIds.slice(0, MOST_IDS).map((distinctId) => ({ person, distinctId }));
  return person.distinctIds.length > MOST_IDS ? [...rows, { person, distinctId: undefined }] : rows;
}

/** `people`: the rows of each. */
function countAll(people: readonly (readonly PersonRow[])[], { byKey, answers }: Cases): void {
  answers.load(people.flat());
  let row = 0;
  const places = people.map((own) => own.map(() => row++));
  const alone = Int32Array.from(places.filter(({ length }) => length === 1).flat());
  const several = places.filter(({ length }) => length > 1);
  const ofSeveral = Int32Array.from(several.flat());
  const outcomes: (keyof PersonCounts)[] = [];
  for (const { decide, counts } of byKey.values()) {
    if (decide === undefined) {
      counts.undecided += people.length;
      continue;
    }
    decide.decideAll(alone, answers, (outcome, from, until) => {
      counts[outcome ?? 'unchanged'] += until - from;
    });
    decide.decideAll(ofSeveral, answers, (outcome, from, until) => {
      for (let at = from; at < until; at += 1) outcomes[ofSeveral[at] ?? 0] = outcome ?? 'unchanged';
    });
    for (const own of several) counts[agreed(own.map((place) => outcomes[place])) ?? 'undecided'] += 1;
  }
}

/** The value that all of them have; `undefined` if they differ. */
function agreed<Value>([first, ...others]: readonly Value[]): Value | undefined {
  return others.every((other) => other === first) ? first : undefined;
}

function withCounts(flag: FlagImpact, { byKey }: Cases): FlagImpact {
  const counts = byKey.get(flag.key)?.counts;
  return counts === undefined ? flag : { ...flag, persons: counts };
}

interface Cases {
  readonly byKey: ReadonlyMap<string, CountedFlag>;
  readonly answers: AnsweringPersons;
}

interface CountedFlag {
  /** Absent if only the service can evaluate the flag. */
  readonly decide?: Decider;
  readonly counts: { -readonly [Kind in keyof PersonCounts]: number };
}

/** Nodes that remember decisions, of all flags together: about 100 MB. */
const MOST_NODES = 1_000_000;

function prepareCases({ changes, warnings, live }: PlannedImpact, circumstances: Circumstances, room: Room): Cases {
  const worlds = makeWorlds(changes, live);
  const concerned = findConcerned(findEffects({ changes, warnings }), worlds);
  const flags = [worlds.before, worlds.after].flatMap((world) => [...world.flags.values()]);
  const cohorts = Object.fromEntries(cohortsOf(flags).map((id) => [id, { kind: 'static' } as const]));
  const context = { ...circumstances, timeZone: 'UTC', groupTypes: TYPES, cohorts };
  const questions = createQuestions();
  const byKey = concerned.map((one): [string, CountedFlag] => {
    const counts = { turnsOn: 0, turnsOff: 0, changesVariant: 0, changesPayload: 0, unchanged: 0, undecided: 0 };
    const asked = askedOf(one, worlds, context);
    if (asked === undefined) return [one.key, { counts }];
    return [one.key, { counts, decide: createDecider(asked, { questions, room }) }];
  });
  return { byKey: new Map(byKey), answers: createAnswers(context, MOST_ROWS) };
}

/** `undefined` if only the service can evaluate the flag. */
function askedOf(concerned: Concerned, worlds: Worlds, context: EvaluationContext): DecisionInput | undefined {
  const pair = pairOf(concerned, worlds);
  const sides = [pair.before, pair.after].filter((side) => side !== undefined);
  const flags = sides.flatMap((side) => side.flags);
  const isDormant = sides.every(({ flag }) => flag.active === false);
  if (!isDormant && flags.some(isUnreadable)) return undefined;
  return {
    pair,
    context,
    groupTypes: groupTypesOf(flags),
    byDevice: flags.some((flag) => flag['bucketing_identifier'] === 'device_id'),
    enrolments: [...new Set(flags.flatMap(enrolmentsOf))],
    cohortChanges: concerned.cohortChanges,
  };
}

function enrolmentsOf({ key, filters }: Flag): readonly string[] {
  if (filters?.['feature_enrollment'] === true) return [`$feature_enrollment/${key}`];
  const [first] = arrayOrEmpty(filters?.['super_groups']);
  const properties = isJsonObject(first) ? (propertiesOf(first as Condition) ?? []) : [];
  return properties.map((property) => String(property.key));
}

/** The groups, by the index of their type, as in files of people. */
const TYPES = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [String(index), String(index)]));

function groupTypesOf(flags: readonly Flag[]): readonly string[] {
  const types = flags.flatMap((flag) => [
    aggregationOf(flag.filters ?? {}),
    ...conditionsOf(flag.filters).map(([, condition]) => findAggregation(flag, condition)),
  ]);
  return [...new Set(types.flatMap((type) => (typeof type === 'number' ? [String(type)] : [])))];
}

/**
 * Whether an id is new. Hashes take less memory than ids; two of a million ids have the same hash in one of 10,000 files. A set holds at
 * most 2^24 entries, so there are several.
 */
function createMemory(): (id: string) => boolean {
  const sets = Array.from({ length: SETS }, () => new Set<number>());
  return (id) => {
    const hash = rolloutHash('', id);
    const set = sets[Math.min(Math.floor(hash * SETS), SETS - 1)];
    if (set === undefined || set.has(hash)) return false;
    set.add(hash);
    return true;
  };
}

const SETS = 64;
