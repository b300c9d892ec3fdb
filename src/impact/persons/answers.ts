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

/** A person with one of their distinct ids; without an id if only what no id decides is known. */
export interface PersonRow {
  readonly person: ListedPerson;
  readonly distinctId: string | undefined;
}

/** The answers of rows, by index. */
export interface AnsweringPersons extends Answering<PersonQuestion> {
  /** Replaces the rows. */
  readonly load: (rows: readonly PersonRow[]) => void;
}

/** Answers questions for at most `most` rows. Each answer is found once, since many flags ask the same. */
export function createAnswers(context: EvaluationContext, most: number): AnsweringPersons {
  const compared = new Uint8Array(most);
  const [hashes, known]: [Float64Array[], Uint8Array[]] = [[], []];
  let rows: readonly PersonRow[] = [];
  let scopes: readonly EvaluationScope[] = [];
  const find = ({ asking, isOfId }: PersonQuestion, index: number): boolean | undefined => {
    const [row, scope] = [rows[index], scopes[index]];
    if (asking.kind === 'hash' || row === undefined || scope === undefined) return undefined;
    return isOfId && row.distinctId === undefined ? undefined : answerOf(asking, row.person, scope);
  };
  const answersTo: AnsweringPersons['answersTo'] = (question, list, { from, until }) => {
    const { asking, place } = question;
    if (asking.kind === 'hash') {
      const values = (hashes[place] ??= new Float64Array(most).fill(UNHASHED));
      for (let at = from; at < until; at += 1) {
        const index = list[at] ?? 0;
        const row = rows[index];
        if (values[index] === UNHASHED && row !== undefined) values[index] = hashOf(asking.hash, row);
        compared[index] = compare(values[index] ?? Number.NaN, asking);
      }
      return compared;
    }
    const answers = (known[place] ??= new Uint8Array(most));
    for (let at = from; at < until; at += 1) {
      const index = list[at] ?? 0;
      if (answers[index] === 0) answers[index] = codeOf(find(question, index));
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
      rows = given;
      scopes = rows.map(({ person, distinctId = '' }) =>
        createScope({ context, subject: subjectOf(person, distinctId) }, () => undefined),
      );
      known.forEach((answers) => answers.fill(0));
      hashes.forEach((values) => values.fill(UNHASHED));
    },
  };
}

function codeOf(answer: boolean | undefined): number {
  return answer === undefined ? UNKNOWN : answer ? YES : NO;
}

const UNHASHED = -1;

/** NaN if the identifier is unknown. */
function hashOf(hash: HashName, { person, distinctId }: PersonRow): number {
  const identifier = hash.identifier === PERSON ? distinctId : groupKey(hash.identifier, person);
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

function subjectOf({ properties, groups, cohorts = [] }: ListedPerson, distinctId: string): Subject {
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
      return Object.hasOwn(scope.person, asking.property) || (person.complete === true ? false : undefined);
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
  if (type === 'person') return person.complete === true || Object.hasOwn(scope.person, key);
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
