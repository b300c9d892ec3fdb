/** Counts the people of a file by outcome, and the lines without a person. Keeps counts and hashes of ids, and neither an id nor a property. */

import { arrayOrEmpty, isJsonObject, objectFrom, memberOf } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { findEffects } from '../../effects/find-effects.ts';
import { findAggregation, findsMatch } from '../../evaluation/condition.ts';
import { rolloutHash, holdoutHash, variantHash } from '../../evaluation/hash.ts';
import type { EvaluationContext, Subject, HashName } from '../../evaluation/input.ts';
import { aggregationOf, conditionsOf, isUnreadable, propertiesOf } from '../../evaluation/parts.ts';
import type { Condition, Flag, Property } from '../../posthog/flag/model/flag.ts';
import { findConcerned, pairOf, type Concerned } from '../concerned.ts';
import type { Circumstances, PlannedImpact } from '../find-impact.ts';
import type { Impact, Lines, PersonCounts } from '../impact.ts';
import { cohortsOf, makeWorlds, type Worlds } from '../worlds.ts';
import {
  type Room,
  type RememberedDecisions,
  rememberDecisions,
  type Answering,
  NO,
  UNKNOWN,
  YES,
} from './decisions.ts';
import { type ListedPerson, type PersonEntry, DEVICE, GROUP, PERSON } from './person.ts';
import { createQuestions, type PersonQuestion, type PersonQuestions, type QuestionContent } from './questions.ts';
import { compareValues, type FlagPair, type PersonOutcome, valueOf } from '../outcome.ts';
import { createScope, type EvaluationScope } from '../../evaluation/scope.ts';
import { isKnownFilter } from '../predicates.ts';

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

interface DecisionInput {
  readonly pair: FlagPair;
  readonly context: EvaluationContext;
  /** Indexes of the types of groups by which conditions assign people. */
  readonly groupTypes: readonly string[];
  readonly byDevice: boolean;
  /** Properties that put people in early access. */
  readonly enrolments: readonly string[];
  /** Members of cohorts may differ before and after. */
  readonly cohortChanges: boolean;
}

/** Decides about one flag. */
type Decider = RememberedDecisions<PersonQuestion, PersonOutcome>;

/** `room`: shared by all flags. */
function createDecider(
  asked: DecisionInput,
  { questions, room }: { readonly questions: PersonQuestions; readonly room: Room },
): Decider {
  return rememberDecisions((ask) => runOnce(asked, (asking) => ask(questions.find(asking))), room);
}

/** Decides once; `ask` is called for everything that evaluation reads of the person. */
function runOnce(asked: DecisionInput, ask: (asking: QuestionContent) => boolean): PersonOutcome {
  const { pair, context, cohortChanges } = asked;
  const subject = subjectFrom(asked, ask);
  const hash = askOpen(({ hash: name, share }) => ask({ kind: 'hash', hash: name, share }));
  const [former, wanted] = [pair.before, pair.after].map((evaluated, side) =>
    valueOf(evaluated, subject, {
      ...context,
      assumptions: {
        hash,
        filter: (property, aggregation) => {
          if (property.type === 'flag') return undefined;
          if (cohortChanges && property.type === 'cohort') return ask({ kind: 'member', property, side });
          return ask({ kind: 'filter', property, aggregation });
        },
      },
    }),
  );
  return compareValues(former ?? false, wanted ?? false, pair.payloads);
}

function subjectFrom(
  { groupTypes, byDevice, enrolments }: DecisionInput,
  ask: (asking: QuestionContent) => boolean,
): Subject {
  const types = groupTypes.filter((type) => ask({ kind: 'group', type }));
  const deciding = enrolments.filter((property) => ask({ kind: 'has', property }));
  return {
    distinctId: PERSON,
    personProperties: objectFrom(deciding.map((property) => [property, ask({ kind: 'enrolled', property })])),
    groups: Object.fromEntries(types.map((type) => [type, GROUP + type])),
    groupProperties: {},
    ...(byDevice && ask({ kind: 'device' }) ? { deviceId: DEVICE } : {}),
  };
}

/** Whether the hash lies in the first `share` of its range. */
export type Decide = (hash: HashName, share: number) => boolean;

/** A decision that earlier ones on the same hash leave open; `range`: where they leave the hash. */
interface OpenDecision {
  readonly hash: HashName;
  readonly share: number;
  readonly range: readonly [low: number, high: number];
}

/** Sums of decimal shares are inexact by less than this. */
const NEGLIGIBLE = 1e-9;

/** Asks only what earlier answers do not imply. */
export function askOpen(ask: (decision: OpenDecision) => boolean): Decide {
  const ranges = new Map<string, OpenDecision['range']>();
  return (hash, share) => {
    const name = `${hash.kind} ${hash.flagKey}.${hash.identifier}`;
    const range = ranges.get(name) ?? [0, 1];
    const [low, high] = range;
    if (share >= high - NEGLIGIBLE) return true;
    if (share <= low + NEGLIGIBLE) return false;
    const isBelow = ask({ hash, share, range });
    ranges.set(name, isBelow ? [low, share] : [share, high]);
    return isBelow;
  };
}

/** The answers of people, by index. */
interface AnsweringPersons extends Answering<PersonQuestion> {
  /** Replaces the people. */
  readonly load: (people: readonly ListedPerson[]) => void;
}

/** Answers questions for at most `most` people. Each answer is found once, since many flags ask the same. */
function createAnswers(context: EvaluationContext, most: number): AnsweringPersons {
  const compared = new Uint8Array(most);
  const [hashes, known]: [Float64Array[], Uint8Array[]] = [[], []];
  let people: readonly ListedPerson[] = [];
  let scopes: readonly EvaluationScope[] = [];
  const answersTo: AnsweringPersons['answersTo'] = ({ asking, place }, list, { from, until }) => {
    if (asking.kind === 'hash') {
      const values = (hashes[place] ??= new Float64Array(most).fill(UNHASHED));
      for (let at = from; at < until; at += 1) {
        const index = list[at] ?? 0;
        const person = people[index];
        if (values[index] === UNHASHED && person !== undefined) values[index] = hashOf(asking.hash, person);
        compared[index] = compare(values[index] ?? Number.NaN, asking);
      }
      return compared;
    }
    const answers = (known[place] ??= new Uint8Array(most));
    for (let at = from; at < until; at += 1) {
      const index = list[at] ?? 0;
      const [person, scope] = [people[index], scopes[index]];
      if (answers[index] === 0 && person !== undefined && scope !== undefined) {
        const answer = answerOf(asking, person, scope);
        answers[index] = answer === undefined ? UNKNOWN : answer ? YES : NO;
      }
    }
    return answers;
  };
  const single = new Int32Array(1);
  return {
    answersTo,
    answerOf: (index) => (question) => {
      single[0] = index;
      const answer = answersTo(question, single, { from: 0, until: 1 })[index];
      return answer === UNKNOWN ? undefined : answer === YES;
    },
    load: (given) => {
      people = given;
      scopes = people.map((person) => createScope({ context, subject: subjectOf(person) }, () => undefined));
      known.forEach((answers) => answers.fill(0));
      hashes.forEach((values) => values.fill(UNHASHED));
    },
  };
}

const UNHASHED = -1;

/** NaN if the identifier is unknown. */
function hashOf(hash: HashName, person: ListedPerson): number {
  const identifier = hash.identifier === PERSON ? person.distinctId : groupKey(hash.identifier, person);
  return identifier === undefined ? Number.NaN : HASHES[hash.kind](hash, identifier);
}

/** Matches evaluation: only the bound of a variant belongs to the next one. */
function compare(value: number, { hash, share }: Extract<QuestionContent, { readonly kind: 'hash' }>): number {
  if (Number.isNaN(value)) return UNKNOWN;
  return (hash.kind === 'variant' ? value < share : value <= share) ? YES : NO;
}

const HASHES: Readonly<Record<HashName['kind'], (hash: HashName, identifier: string) => number>> = {
  rollout: ({ flagKey }, identifier) => rolloutHash(flagKey, identifier),
  variant: ({ flagKey }, identifier) => variantHash(flagKey, identifier),
  holdout: ({ flagKey }, identifier) => holdoutHash(identifier, flagKey),
};

/** `name`: of a group or of the device, which nothing here knows. */
function groupKey(name: string, { groups }: ListedPerson): string | undefined {
  const group = name.startsWith(GROUP) ? memberOf(groups, name.slice(GROUP.length)) : undefined;
  return group === undefined || group === 'none' ? undefined : group.key;
}

/** The key of an unknown group; nothing asks for it. */
const SOME_KEY = ' ';

function subjectOf({ distinctId, properties, groups, cohorts = [] }: ListedPerson): Subject {
  const known = Object.entries(groups).flatMap(([type, group]) => (group === 'none' ? [] : [[type, group] as const]));
  return {
    distinctId,
    personProperties: properties,
    groups: Object.fromEntries(known.map(([type, { key = SOME_KEY }]) => [type, key])),
    groupProperties: Object.fromEntries(known.map(([type, group]) => [type, group.properties])),
    cohortIds: cohorts,
  };
}

function answerOf(
  asking: Exclude<QuestionContent, { readonly kind: 'hash' }>,
  person: ListedPerson,
  scope: EvaluationScope,
): boolean | undefined {
  switch (asking.kind) {
    case 'filter':
      return isKnown(asking, person, scope) ? knownMatch(asking, scope) : undefined;
    case 'group': {
      const group = memberOf(person.groups, asking.type);
      return group === undefined ? undefined : group !== 'none';
    }
    case 'has':
      return Object.hasOwn(scope.person, asking.property) || undefined;
    case 'enrolled': {
      const value = scope.person[asking.property];
      return value === undefined ? undefined : value === true || value === 'true';
    }
    case 'device':
    case 'member':
      return undefined;
  }
}

function knownMatch({ property, aggregation }: Filter, scope: EvaluationScope): boolean | undefined {
  const match = findsMatch(property, aggregation, scope);
  return typeof match === 'boolean' ? match : undefined;
}

interface Filter {
  readonly property: Property;
  readonly aggregation: number | null;
}

/** A filter without a type is about the subject of its condition. */
function isKnown({ property, aggregation }: Filter, person: ListedPerson, scope: EvaluationScope): boolean {
  if (!isKnownFilter(property)) return false;
  const key = String(property.key);
  const type = property.type ?? (aggregation === null ? 'person' : 'group');
  if (type === 'cohort') return person.cohorts !== undefined;
  if (type === 'person') return Object.hasOwn(scope.person, key);
  return type !== 'group' || isKnownOfGroup(key, groupOf(property, aggregation), person);
}

/** Matches evaluation. */
function groupOf(property: Property, aggregation: number | null): number | null {
  const own = property['group_type_index'];
  return typeof own === 'number' ? own : aggregation;
}

function isKnownOfGroup(key: string, type: number | null, { groups }: ListedPerson): boolean {
  if (type === null) return true;
  const group = groups[String(type)];
  if (group === undefined) return false;
  if (group === 'none' || Object.hasOwn(group.properties, key)) return true;
  return key === '$group_key' && group.key !== undefined;
}
