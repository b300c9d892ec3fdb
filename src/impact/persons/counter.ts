/** Counts people by outcome. Keeps counts and hashes of ids, and neither an id nor a property. */

import { arrayOrEmpty, isJsonObject } from '../../base/json.ts';
import { findEffects } from '../../effects/find-effects.ts';
import { findAggregation } from '../../evaluation/condition.ts';
import { rolloutHash } from '../../evaluation/hash.ts';
import type { EvaluationContext } from '../../evaluation/input.ts';
import { aggregationOf, conditionsOf, propertiesOf } from '../../evaluation/parts.ts';
import type { Condition, Flag } from '../../posthog/flag/flag.ts';
import { isOpaque } from '../../posthog/flag/opaque.ts';
import { findConcerned, pairOf, type Concerned } from '../concerned.ts';
import type { Circumstances, PlannedImpact } from '../find-impact.ts';
import type { FlagImpact, Impact, PersonCounts, PersonsRead } from '../impact.ts';
import { cohortsOf, makeWorlds, type Worlds } from '../worlds.ts';
import { createAnswers, type KnownAnswers, type Knowing } from './answers.ts';
import { createDecider, type DecisionInput, type Decider } from './decide-person.ts';
import type { Room } from './decisions.ts';
import type { ListedPerson } from './person.ts';
import { createQuestions } from './questions.ts';

export interface CounterOptions {
  readonly planned: PlannedImpact;
  readonly circumstances: Circumstances;
}

export interface Counter {
  /** Whether the person was new, and so was counted. */
  readonly count: (person: ListedPerson) => boolean;
  /** The impact with the counts so far, and what was read. */
  readonly complete: (impact: Impact, read: PersonsRead) => Impact;
}

export function createCounter({ planned, circumstances }: CounterOptions): Counter {
  const { changes, warnings, live } = planned;
  const worlds = makeWorlds(changes, live);
  const concerned = findConcerned(findEffects({ changes, warnings }), worlds);
  const cases = prepareCases(concerned, worlds, circumstances);
  const isNew = createMemory();
  const waiting: AnswersAt[] = [];
  const countWaiting = (): void => {
    for (const one of cases.byKey.values()) countEach(waiting, one);
    waiting.length = 0;
  };
  return {
    count: (person) => {
      if (!isNew(person.identity)) return false;
      waiting.push(answersOf(person, cases.knowing));
      if (waiting.length >= MOST_WAITING) countWaiting();
      return true;
    },
    complete: (impact, persons) => {
      countWaiting();
      return { ...impact, flags: impact.flags.map((flag) => withCounts(flag, cases)), persons };
    },
  };
}

/** People are decided in groups of this size, flag by flag: the memory of a flag then stays in the cache of the processor. */
const MOST_WAITING = 64;

function countEach(people: readonly AnswersAt[], { decide, counts }: CountedFlag): void {
  for (const answersAt of people) {
    const outcome = decide === undefined ? 'undecided' : decide(answersAt);
    counts[outcome ?? 'unchanged'] += 1;
  }
}

function withCounts(flag: FlagImpact, { byKey }: Cases): FlagImpact {
  const counts = byKey.get(flag.key)?.counts;
  return counts === undefined ? flag : { ...flag, persons: counts };
}

type AnswersAt = (index: number) => KnownAnswers | undefined;

/** Tries one distinct id after the other, and makes each when it is asked for. */
function answersOf(person: ListedPerson, knowing: Knowing): AnswersAt {
  const made: KnownAnswers[] = [];
  return (index) => {
    const known = made[index];
    if (known !== undefined) return known;
    const id = person.distinctIds[index];
    if (id === undefined) return undefined;
    return (made[index] = createAnswers(person, id, knowing));
  };
}

interface Cases {
  readonly byKey: ReadonlyMap<string, CountedFlag>;
  readonly knowing: Knowing;
}

interface CountedFlag {
  /** Absent if only the service can evaluate the flag. */
  readonly decide?: Decider;
  readonly counts: { -readonly [Kind in keyof PersonCounts]: number };
}

/** Nodes that remember decisions, of all flags together: about 100 MB. */
const MOST_NODES = 1_000_000;

function prepareCases(concerned: readonly Concerned[], worlds: Worlds, circumstances: Circumstances): Cases {
  const flags = [worlds.before, worlds.after].flatMap((world) => [...world.flags.values()]);
  const cohorts = Object.fromEntries(cohortsOf(flags).map((id) => [id, { kind: 'static' } as const]));
  const context = { ...circumstances, timeZone: 'UTC', groupTypes: TYPES, cohorts };
  const knowing = { questions: createQuestions(), context };
  const room: Room = { nodes: MOST_NODES };
  const byKey = concerned.map((one): [string, CountedFlag] => {
    const counts = { turnsOn: 0, turnsOff: 0, changesVariant: 0, changesPayload: 0, unchanged: 0, undecided: 0 };
    const asked = askedOf(one, worlds, context);
    if (asked === undefined) return [one.key, { counts }];
    return [one.key, { counts, decide: createDecider(asked, { questions: knowing.questions, room }) }];
  });
  return { byKey: new Map(byKey), knowing };
}

/** `undefined` if only the service can evaluate the flag. */
function askedOf(concerned: Concerned, worlds: Worlds, context: EvaluationContext): DecisionInput | undefined {
  const pair = pairOf(concerned, worlds);
  const sides = [pair.before, pair.after].filter((side) => side !== undefined);
  const flags = sides.flatMap((side) => side.flags);
  const isDormant = sides.every(({ flag }) => flag.active === false);
  if (!isDormant && flags.some(({ filters }) => isOpaque(filters))) return undefined;
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

/** Each named by its index, as in files of people. */
const TYPES = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [String(index), String(index)]));

function groupTypesOf(flags: readonly Flag[]): readonly string[] {
  const types = flags.flatMap((flag) => [
    aggregationOf(flag.filters ?? {}),
    ...conditionsOf(flag.filters).map(([, condition]) => findAggregation(flag, condition)),
  ]);
  return [...new Set(types.flatMap((type) => (typeof type === 'number' ? [String(type)] : [])))];
}

/**
 * Whether an id comes for the first time. Hashes take less memory than ids; that two of a million ids have the same one happens
 * in one of 10,000 files. A set holds at most 2^24 entries, so there are several.
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
