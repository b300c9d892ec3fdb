/** Counts the people of a file by outcome, and the lines without a person. Keeps counts and hashes of ids, and neither an id nor a property. */

import { arrayOrEmpty, canonicalText, isJsonObject, memberOf, objectFrom } from '../../../base/json.ts';
import { findEffects } from '../../effects/find-effects.ts';
import { findAggregation, findsMatch } from '../../../evaluation/condition.ts';
import { rolloutHash, holdoutHash, variantHash } from '../../../evaluation/hash.ts';
import type { EvaluationContext, HashName, Subject } from '../../../evaluation/input.ts';
import { aggregationOf, conditionsOf, isUnreadable, propertiesOf } from '../../../evaluation/parts.ts';
import { createScope, type EvaluationScope } from '../../../evaluation/scope.ts';
import type { Condition, Flag, Property } from '../../../posthog/flag/model/flag.ts';
import type { Circumstances, PlannedImpact } from '../find-impact.ts';
import type { FlagImpact, Impact, Lines, PersonCounts } from '../../effects/impact.ts';
import { isKnownFilter } from '../../effects/audience.ts';
import {
  cohortsOf,
  compareValues,
  findConcerned,
  makeWorlds,
  pairOf,
  type PersonOutcome,
} from '../../effects/worlds.ts';
import { rememberDecisions, type AnswerOf, type Room } from '../../../base/decisions.ts';
import type { ListedPerson, PersonEntry } from './read-persons.ts';

export interface CountingOptions {
  readonly planned: PlannedImpact;
  /** The planned impact of each step. */
  readonly steps?: readonly PlannedImpact[];
  readonly circumstances: Circumstances;
  /** Told from time to time how many people were counted so far. */
  readonly onCounted?: (people: number) => void;
}

const TOLD_EVERY = 256;

/** The impact with the counts of the people. */
export async function countPersons(
  impact: Impact,
  entries: AsyncIterable<PersonEntry>,
  { planned, steps = [], circumstances, onCounted }: CountingOptions,
): Promise<Impact> {
  const room: Room = { nodes: MOST_NODES };
  const [ofPlan, ...ofSteps] = [planned, ...steps].map((one) => createCounter(one, circumstances, room));
  const isNew = createMemory();
  const lines = { duplicate: noLines(), withoutId: noLines(), malformed: noLines() };
  let counted = 0;
  for await (const entry of entries) {
    if ('fault' in entry) {
      if (entry.fault === 'no_id') addLines(lines.withoutId, entry.line, 1);
      else addLines(lines.malformed, entry.line, entry.lines);
    } else if (isNew(entry.person.distinctId)) {
      for (const counter of [ofPlan, ...ofSteps]) counter?.count(entry.person);
      counted += 1;
      if (counted % TOLD_EVERY === 0) onCounted?.(counted);
    } else addLines(lines.duplicate, entry.line, 1);
  }
  const withCounts = (flags: readonly FlagImpact[], counter: PersonCounter | undefined): readonly FlagImpact[] =>
    flags.map((flag) => {
      const persons = counter?.counts.get(flag.key);
      return persons === undefined ? flag : { ...flag, persons };
    });
  return {
    ...impact,
    flags: withCounts(impact.flags, ofPlan),
    ...(impact.steps && {
      steps: impact.steps.map((step, index) => ({ ...step, flags: withCounts(step.flags, ofSteps[index]) })),
    }),
    persons: { source: 'file', counted, ...lines },
  };
}

interface LineCount extends Lines {
  count: number;
  readonly first: number[];
}

const MOST_NAMED = 5;

function noLines(): LineCount {
  return { count: 0, first: [] };
}

function addLines(lines: LineCount, from: number, amount: number): void {
  lines.count += amount;
  for (let line = from; line < from + amount && lines.first.length < MOST_NAMED; line += 1) lines.first.push(line);
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

interface PersonCounter {
  readonly count: (person: ListedPerson) => void;
  /** By the key of the flag. */
  readonly counts: ReadonlyMap<string, PersonCounts>;
}

/** Nodes that remember decisions, of all flags together: about 100 MB. */
const MOST_NODES = 1_000_000;

/** Counts people for one plan. `room`: shared by all plans. */
function createCounter(
  { changes, warnings, live }: PlannedImpact,
  circumstances: Circumstances,
  room: Room,
): PersonCounter {
  const worlds = makeWorlds(changes, live);
  const flags = [worlds.before, worlds.after].flatMap((world) => [...world.flags.values()]);
  const cohorts = Object.fromEntries(cohortsOf(flags).map((id) => [id, { kind: 'static' } as const]));
  const context: EvaluationContext = { ...circumstances, timeZone: 'UTC', groupTypes: TYPES, cohorts };
  const intern = createQuestions();
  const concerned = findConcerned(findEffects({ changes, warnings }), worlds).map((one) => {
    const pair = pairOf(one, worlds);
    const sides = [pair.before, pair.after].filter((side) => side !== undefined);
    const all = sides.flatMap((side) => side.flags);
    // Only the service can evaluate the others.
    const isReadable = sides.every(({ flag }) => flag.active === false) || !all.some(isUnreadable);
    const [subject, { cohortChanges }] = [subjectOfFlags(all), one];
    const decide = rememberDecisions<SharedQuestion, PersonOutcome>((answer) => {
      const ask = (question: PersonQuestion): boolean => answer(intern(question));
      const hash = askOpen((decision) => ask({ kind: 'hash', hash: decision.hash, share: decision.share }));
      const asked = subject(ask);
      const [former, wanted] = [pair.before, pair.after].map((evaluated, side) => {
        const filter = (property: Property, aggregation: number | null): boolean | undefined => {
          if (property.type === 'flag') return undefined;
          const isOfSide = cohortChanges && property.type === 'cohort';
          return ask(isOfSide ? { kind: 'member', property, side } : { kind: 'filter', property, aggregation });
        };
        const input = { subject: asked, context: { ...context, assumptions: { hash, filter } } };
        return evaluated?.evaluate(input).get(evaluated.flag)?.value;
      });
      return compareValues(former ?? false, wanted ?? false, pair.payloads);
    }, room);
    const counts = { turnsOn: 0, turnsOff: 0, changesVariant: 0, changesPayload: 0, unchanged: 0, undecided: 0 };
    return { key: one.key, counts, ...(isReadable && { decide }) };
  });
  return {
    counts: new Map(concerned.map(({ key, counts }) => [key, counts])),
    count: (person) => {
      const answer = createAnswers(person, context);
      for (const { counts, decide } of concerned)
        counts[decide === undefined ? 'undecided' : (decide(answer) ?? 'unchanged')] += 1;
    },
  };
}

/** The groups, by the index of their type, as in files of people. */
const TYPES = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [String(index), String(index)]));

/** Names that stand for what is hashed while only the order of decisions matters. No real identifier begins with them. */
const PERSON = '\u0000person';
const DEVICE = '\u0000device';
/** Followed by the index of the type. */
const GROUP = '\u0000group ';

/** The subject, by questions about what the flags read of it: groups, the device, and the properties that decide about early access. */
function subjectOfFlags(flags: readonly Flag[]): (ask: (question: PersonQuestion) => boolean) => Subject {
  const aggregations = flags.flatMap((flag) => [
    aggregationOf(flag.filters ?? {}),
    ...conditionsOf(flag.filters).map(([, condition]) => findAggregation(flag, condition)),
  ]);
  const groupTypes = [...new Set(aggregations.flatMap((type) => (typeof type === 'number' ? [String(type)] : [])))];
  const byDevice = flags.some((flag) => flag['bucketing_identifier'] === 'device_id');
  const enrollments = new Set(
    flags.flatMap(({ key, filters }) => {
      if (filters?.['feature_enrollment'] === true) return [`$feature_enrollment/${key}`];
      const [first] = arrayOrEmpty(filters?.['super_groups']);
      const properties = isJsonObject(first) ? (propertiesOf(first as Condition) ?? []) : [];
      return properties.map((property) => String(property.key));
    }),
  );
  return (ask) => {
    const types = groupTypes.filter((type) => ask({ kind: 'group', type }));
    const deciding = [...enrollments].filter((property) => ask({ kind: 'has', property }));
    return {
      distinctId: PERSON,
      personProperties: objectFrom(deciding.map((property) => [property, ask({ kind: 'enrolled', property })])),
      groups: Object.fromEntries(types.map((type) => [type, GROUP + type])),
      groupProperties: {},
      ...(byDevice && ask({ kind: 'device' }) ? { deviceId: DEVICE } : {}),
    };
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
    const name = hashText(hash);
    const range = ranges.get(name) ?? [0, 1];
    const [low, high] = range;
    if (share >= high - NEGLIGIBLE) return true;
    if (share <= low + NEGLIGIBLE) return false;
    const isBelow = ask({ hash, share, range });
    ranges.set(name, isBelow ? [low, share] : [share, high]);
    return isBelow;
  };
}

/** What decides about people, as questions that flags share. */
type PersonQuestion =
  /** The identifier of the hash is the name of the person, their group or their device. */
  | { readonly kind: 'hash'; readonly hash: HashName; readonly share: number }
  /** `aggregation`: the group type of the condition; null means persons. */
  | { readonly kind: 'filter'; readonly property: Property; readonly aggregation: number | null }
  /** Whether the person is in a group of the type. */
  | { readonly kind: 'group'; readonly type: string }
  | { readonly kind: 'device' }
  /** Whether the person has a property by which early access is decided. */
  | { readonly kind: 'has' | 'enrolled'; readonly property: string }
  /** The members of a cohort on one side of a change of its definition. */
  | { readonly kind: 'member'; readonly property: Property; readonly side: number };

interface SharedQuestion {
  readonly question: PersonQuestion;
  /** What was found for the last person, so that it is found once for all flags. Questions on the same hash have one. */
  readonly last: { person?: ListedPerson; found?: boolean | number | undefined };
}

/** Returns one object for equal questions. */
function createQuestions(): (question: PersonQuestion) => SharedQuestion {
  const questions = new Map<string, SharedQuestion>();
  const hashes = new Map<string, SharedQuestion['last']>();
  return (question) => {
    const name = nameOf(question);
    const known = questions.get(name);
    if (known !== undefined) return known;
    const hash = question.kind === 'hash' ? hashText(question.hash) : undefined;
    const last = (hash === undefined ? undefined : hashes.get(hash)) ?? {};
    if (hash !== undefined) hashes.set(hash, last);
    const made = { question, last };
    questions.set(name, made);
    return made;
  };
}

/** A part that may contain any character comes last. */
function nameOf(question: PersonQuestion): string {
  switch (question.kind) {
    case 'hash':
      return `hash ${question.share} ${hashText(question.hash)}`;
    case 'filter':
      return `filter ${question.aggregation} ${canonicalText(question.property)}`;
    case 'member':
      return `member ${question.side} ${canonicalText(question.property)}`;
    case 'group':
      return `group ${question.type}`;
    case 'device':
      return 'device';
    case 'has':
    case 'enrolled':
      return `${question.kind} ${question.property}`;
  }
}

/** An identifier is one of the names above, so it has no line break. */
function hashText({ kind, identifier, flagKey }: HashName): string {
  return `${kind} ${identifier}\n${flagKey}`;
}

/** The answers of one person. */
function createAnswers(person: ListedPerson, context: EvaluationContext): AnswerOf<SharedQuestion> {
  const inGroups = Object.entries(person.groups).flatMap(([type, group]) =>
    group === 'none' ? [] : [[type, group] as const],
  );
  const subject = {
    distinctId: person.distinctId,
    personProperties: person.properties,
    groups: Object.fromEntries(inGroups.map(([type, { key = SOME_KEY }]) => [type, key])),
    groupProperties: Object.fromEntries(inGroups.map(([type, group]) => [type, group.properties])),
    cohortIds: person.cohorts ?? [],
  };
  const scope = createScope({ context, subject }, () => undefined);
  return ({ question, last }) => {
    if (last.person !== person) {
      last.person = person;
      last.found = question.kind === 'hash' ? hashOf(question.hash, person) : answerOf(question, person, scope);
    }
    const { found } = last;
    if (question.kind !== 'hash' || typeof found !== 'number') return found as boolean | undefined;
    // Matches evaluation: only the bound of a variant belongs to the next one.
    return question.hash.kind === 'variant' ? found < question.share : found <= question.share;
  };
}

/** The key of an unknown group; nothing asks for it. */
const SOME_KEY = ' ';

/** `undefined` if the identifier is unknown: nothing here knows the device. */
function hashOf(
  { kind, identifier: name, flagKey }: HashName,
  { distinctId, groups }: ListedPerson,
): number | undefined {
  const group = name.startsWith(GROUP) ? memberOf(groups, name.slice(GROUP.length)) : undefined;
  const keyOfGroup = group === undefined || group === 'none' ? undefined : group.key;
  const identifier = name === PERSON ? distinctId : keyOfGroup;
  if (identifier === undefined) return undefined;
  if (kind === 'holdout') return holdoutHash(identifier, flagKey);
  return kind === 'rollout' ? rolloutHash(flagKey, identifier) : variantHash(flagKey, identifier);
}

function answerOf(
  question: Exclude<PersonQuestion, { readonly kind: 'hash' }>,
  person: ListedPerson,
  scope: EvaluationScope,
): boolean | undefined {
  switch (question.kind) {
    case 'filter': {
      const { property, aggregation } = question;
      if (!isKnown(property, aggregation, { person, scope })) return undefined;
      const match = findsMatch(property, aggregation, scope);
      return typeof match === 'boolean' ? match : undefined;
    }
    case 'group': {
      const group = memberOf(person.groups, question.type);
      return group === undefined ? undefined : group !== 'none';
    }
    case 'has':
      return Object.hasOwn(scope.person, question.property) || undefined;
    case 'enrolled': {
      const value = scope.person[question.property];
      return value === undefined ? undefined : value === true || value === 'true';
    }
    case 'device':
    case 'member':
      return undefined;
  }
}

/** Matches evaluation. A filter without a type is about the subject of its condition. */
function isKnown(
  property: Property,
  aggregation: number | null,
  { person, scope }: { readonly person: ListedPerson; readonly scope: EvaluationScope },
): boolean {
  if (!isKnownFilter(property)) return false;
  const key = String(property.key);
  const type = property.type ?? (aggregation === null ? 'person' : 'group');
  if (type === 'cohort') return person.cohorts !== undefined;
  if (type === 'person') return Object.hasOwn(scope.person, key);
  if (type !== 'group') return true;
  const own = property['group_type_index'];
  const index = typeof own === 'number' ? own : aggregation;
  if (index === null) return true;
  const group = person.groups[String(index)];
  if (group === undefined) return false;
  if (group === 'none' || Object.hasOwn(group.properties, key)) return true;
  return key === '$group_key' && group.key !== undefined;
}
