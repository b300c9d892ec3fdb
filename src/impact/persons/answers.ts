/** Known facts about people, as answers to questions. */

import { memberOf } from '../../base/json.ts';
import { findsMatch } from '../../evaluation/condition.ts';
import { holdoutHash, rolloutHash, variantHash } from '../../evaluation/hash.ts';
import type { EvaluationContext, Subject, HashName } from '../../evaluation/input.ts';
import { createScope, type EvaluationScope } from '../../evaluation/scope.ts';
import type { Property } from '../../posthog/flag/model/flag.ts';
import { isKnownFilter } from '../predicates.ts';
import { type Answering, NO, UNKNOWN, YES } from './decisions.ts';
import { GROUP, type ListedPerson, PERSON } from './person.ts';
import type { QuestionContent, PersonQuestion } from './questions.ts';

/** The answers of people, by index. */
export interface AnsweringPersons extends Answering<PersonQuestion> {
  /** Replaces the people. */
  readonly load: (people: readonly ListedPerson[]) => void;
}

/** Answers questions for at most `most` people. Each answer is found once, since many flags ask the same. */
export function createAnswers(context: EvaluationContext, most: number): AnsweringPersons {
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
