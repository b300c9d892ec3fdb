/** Counts the people of a file by outcome, and the lines without a person. Keeps counts and hashes of ids, and neither an id nor a property. */

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
import type { Impact, Lines, PersonCounts } from '../impact.ts';
import { cohortsOf, makeWorlds, type Worlds } from '../worlds.ts';
import { createAnswers, type AnsweringPersons } from './answers.ts';
import { createDecider, type DecisionInput, type Decider } from './decide-person.ts';
import type { Room } from './decisions.ts';
import type { ListedPerson, PersonEntry } from './person.ts';
import { createQuestions } from './questions.ts';

export interface CountingOptions {
  readonly planned: PlannedImpact;
  /** The planned impact of each step. */
  readonly steps?: readonly PlannedImpact[];
  readonly circumstances: Circumstances;
  /** Told from time to time how many people were counted so far. */
  readonly onCounted?: (people: number) => void;
}

/** The impact with the counts of the people. */
export async function countPersons(
  impact: Impact,
  entries: AsyncIterable<PersonEntry>,
  { planned, steps = [], circumstances, onCounted }: CountingOptions,
): Promise<Impact> {
  const room: Room = { nodes: MOST_NODES };
  const cases = prepareCases(planned, circumstances, room);
  const casesOfSteps = steps.map((step) => prepareCases(step, circumstances, room));
  const isNew = createMemory();
  const waiting: ListedPerson[] = [];
  const countWaiting = (): void => {
    for (const one of [cases, ...casesOfSteps]) countAll(waiting, one);
    waiting.length = 0;
  };
  const lines = { duplicate: noLines(), withoutId: noLines(), malformed: noLines() };
  let counted = 0;
  for await (const entry of entries) {
    if ('fault' in entry) {
      if (entry.fault === 'no_id') addLines(lines.withoutId, entry.line, 1);
      else addLines(lines.malformed, entry.line, entry.lines);
    } else if (isNew(entry.person.distinctId)) {
      counted += 1;
      waiting.push(entry.person);
      if (waiting.length < TOGETHER) continue;
      countWaiting();
      onCounted?.(counted);
    } else addLines(lines.duplicate, entry.line, 1);
  }
  countWaiting();
  const ofSteps = impact.steps?.map((step, index) => withCounts(step, casesOfSteps[index]));
  return {
    ...withCounts(impact, cases),
    ...defined({ steps: ofSteps }),
    persons: { source: 'file', counted, ...lines },
  };
}

/** Decides people together, flag by flag: what a flag needs is then found once, and its memory stays in the cache of the processor. */
const TOGETHER = 256;

const MOST_NAMED = 5;

interface LineCount extends Lines {
  count: number;
  readonly first: number[];
}

function noLines(): LineCount {
  return { count: 0, first: [] };
}

function addLines(lines: LineCount, from: number, amount: number): void {
  lines.count += amount;
  for (let line = from; line < from + amount && lines.first.length < MOST_NAMED; line += 1) lines.first.push(line);
}

function countAll(people: readonly ListedPerson[], { byKey, answers }: Cases): void {
  answers.load(people);
  const list = Int32Array.from(people.keys());
  for (const { decide, counts } of byKey.values()) {
    if (decide === undefined) counts.undecided += people.length;
    else
      decide.decideAll(list, answers, (outcome, from, until) => {
        counts[outcome ?? 'unchanged'] += until - from;
      });
  }
}

function withCounts<Of extends Pick<Impact, 'flags'>>(of: Of, cases: Cases | undefined): Of {
  const flags = of.flags.map((flag) => ({ ...flag, ...defined({ persons: cases?.byKey.get(flag.key)?.counts }) }));
  return { ...of, flags };
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
  return { byKey: new Map(byKey), answers: createAnswers(context, TOGETHER) };
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
