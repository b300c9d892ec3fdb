/** Known facts about one person, as answers to questions. */

import { memberOf } from '../../base/json.ts';
import { findsMatch } from '../../evaluation/condition.ts';
import { holdoutHash, rolloutHash, variantHash } from '../../evaluation/hash.ts';
import type { EvaluationContext, Subject } from '../../evaluation/input.ts';
import type { HashName } from '../../evaluation/assumptions.ts';
import { createScope, type EvaluationScope } from '../../evaluation/scope.ts';
import type { Property } from '../../posthog/flag/flag.ts';
import { isKnownFilter } from '../predicates.ts';
import type { AnswerOf } from './decisions.ts';
import { GROUP, type ListedPerson, PERSON } from './person.ts';
import type { QuestionContent, PersonQuestion, PersonQuestions } from './questions.ts';

export interface KnownAnswers {
  /** `undefined` if nothing that is known answers it. */
  readonly answer: AnswerOf<PersonQuestion>;
  /** Whether an answer since the last call depended on the distinct id. */
  readonly takeDependence: () => boolean;
}

export interface Knowing {
  readonly questions: PersonQuestions;
  readonly context: EvaluationContext;
}

/** Answers for the person with one of their distinct ids. Answers and hashes are found once, since many flags ask for the same. */
export function createAnswers(person: ListedPerson, distinctId: string, { questions, context }: Knowing): KnownAnswers {
  const scope = createScope({ context, subject: subjectOf(person, distinctId) }, () => undefined);
  const amounts = questions.amounts();
  const found = new Int8Array(amounts.questions);
  const hashes = new Float64Array(amounts.hashes).fill(Number.NaN);
  let dependsOnId = false;
  const hashOf = (hash: HashName, place: number): number | undefined => {
    const known = hashes[place];
    if (known !== undefined && !Number.isNaN(known)) return known;
    const identifier = identifierOf(hash.identifier, person, distinctId);
    return identifier === undefined ? undefined : (hashes[place] = HASHES[hash.kind](hash, identifier));
  };
  const answer: AnswerOf<PersonQuestion> = ({ asking, place, isOfId }) => {
    if (isOfId) dependsOnId = true;
    if (asking.kind === 'hash') {
      const value = hashOf(asking.hash, place);
      return value === undefined ? undefined : isWithin(asking.hash.kind, value, asking.share);
    }
    const known = found[place];
    if (known) return known === UNKNOWN ? undefined : known === YES;
    const answered = answerOf(asking, person, scope);
    found[place] = answered === undefined ? UNKNOWN : answered ? YES : NO;
    return answered;
  };
  return {
    answer,
    takeDependence: () => {
      const taken = dependsOnId;
      dependsOnId = false;
      return taken;
    },
  };
}

const [YES, NO, UNKNOWN] = [1, 2, 3];

const HASHES: Readonly<Record<HashName['kind'], (hash: HashName, identifier: string) => number>> = {
  rollout: ({ flagKey }, identifier) => rolloutHash(flagKey, identifier),
  variant: ({ flagKey }, identifier) => variantHash(flagKey, identifier),
  holdout: (_, identifier) => holdoutHash(identifier),
};

/** Matches evaluation: only the bound of a variant belongs to the next one. */
function isWithin(kind: HashName['kind'], value: number, share: number): boolean {
  return kind === 'variant' ? value < share : value <= share;
}

function identifierOf(name: string, { groups }: ListedPerson, distinctId: string): string | undefined {
  if (name === PERSON) return distinctId;
  const group = name.startsWith(GROUP) ? memberOf(groups, name.slice(GROUP.length)) : undefined;
  return group === undefined || group === 'none' ? undefined : group.key;
}

/** The key of a group that is not known; nothing asks for it. */
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
      return isKnown(asking, person, scope) ? findsMatch(asking.property, asking.aggregation, scope) : undefined;
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

interface Filter {
  readonly property: Property;
  readonly aggregation: number | null;
}

/** A filter without a type is about what its condition is about. */
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
