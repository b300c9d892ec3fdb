/** Decides whether a person is in a cohort: a list, or a definition that the person matches, which may name other cohorts. */

import { cyclicParts, reach, targetsFirst } from '../base/graph.ts';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';
import { UNKNOWN } from '../base/pattern/read-pattern.ts';
import { leavesOf } from '../posthog/flag/model/cohort-filters.ts';
import type { Property } from '../posthog/flag/model/flag.ts';
import type { EvaluationContext } from './input.ts';
import { matchesProperty, type FilterMatch } from './match-property.ts';
import { isProperty } from './parts.ts';
import type { EvaluationScope } from './scope.ts';
import { jsonText } from './values/scalars.ts';

/**
 * A filter of type `cohort`. Its operator is `in` unless it is `not_in`; other operators, which older cohort filters
 * have, are ignored. An unknown cohort, or one that contains itself, matches neither.
 */
export function matchesCohort(property: Property, scope: EvaluationScope): FilterMatch {
  return memberMatches(property, scope) ?? false;
}

// `undefined` for unknown membership, which neither `not_in` nor a negation turns into true.
function memberMatches(property: Property, scope: EvaluationScope): FilterMatch | undefined {
  return negateIf(property.operator === 'not_in', isMember(cohortIn(property), scope));
}

function negateIf(isNegated: boolean, match: FilterMatch | undefined): FilterMatch | undefined {
  return isNegated && typeof match === 'boolean' ? !match : match;
}

function isMember(id: string, scope: EvaluationScope): FilterMatch | undefined {
  const { membership, subject } = scope;
  const { cohorts } = scope.context;
  if (membership.has(id)) return membership.get(id);
  const cohort = Object.hasOwn(cohorts, id) ? cohorts[id] : undefined;
  if (cohort === undefined) return undefined;
  if (cohort.kind === 'static') return subject.cohortIds?.some((member) => String(member) === id) ?? false;
  if (membership.size > DEEPEST) findNested(id, scope);
  // Whoever asks for it before it is known is in a circle, and so is unknown too.
  membership.set(id, undefined);
  const member = matchesTree(cohort.properties, scope);
  membership.set(id, member);
  return member;
}

/** A cohort of a longer chain is found after those that it names, since each cohort that is not takes a part of the stack. */
const DEEPEST = 500;

function findNested(id: string, scope: EvaluationScope): void {
  const { membership, context } = scope;
  const unknown = (of: string): readonly string[] => {
    const named = leavesOfCohort(of, context.cohorts).filter(isOfCohort).map(cohortIn);
    return named.filter((one) => !membership.has(one));
  };
  const graph = new Map([...reach([id], unknown)].map((one) => [one, unknown(one)]));
  for (const inCircle of cyclicParts(graph).keys()) membership.set(inCircle, undefined);
  for (const one of targetsFirst(graph)) if (one !== id) isMember(one, scope);
}

/** The filters of a cohort's definition; none of one that is a list, or unknown. */
export function leavesOfCohort(id: string, cohorts: EvaluationContext['cohorts']): readonly Property[] {
  const cohort = Object.hasOwn(cohorts, id) ? cohorts[id] : undefined;
  return cohort?.kind === 'dynamic' ? leavesOf({ properties: cohort.properties }).map((leaf) => leaf as Property) : [];
}

export function isOfCohort({ type }: Property): boolean {
  return type === 'cohort';
}

/** The id of the cohort that a filter of type `cohort` names. */
export function cohortIn({ value = null }: Property): string {
  return jsonText(value);
}

// A node with `values` is a group of nodes; any other node is a filter.
function matchesTree(node: JsonValue, scope: EvaluationScope): FilterMatch | undefined {
  if (!isJsonObject(node)) return undefined;
  const values = node['values'];
  if (!isJsonArray(values)) return matchesLeaf(node, scope);
  const results = values.map((value) => matchesTree(value, scope));
  if (results.includes(undefined)) return undefined;
  const decisive = node['type'] === 'OR';
  if (results.includes(decisive)) return decisive;
  return results.includes(UNKNOWN) ? UNKNOWN : !decisive;
}

function matchesLeaf(node: JsonObject, scope: EvaluationScope): FilterMatch | undefined {
  if (node['key'] === undefined || !isProperty(node)) return undefined;
  return negateIf(node['negation'] === true, leafMatches(node, scope));
}

// Behavioral filters (`behavioral`) cannot be evaluated: they look at events, and only properties are known here.
function leafMatches(property: Property, scope: EvaluationScope): FilterMatch | undefined {
  if (property.type === 'cohort') return memberMatches(property, scope);
  const aboutPersons = property.type === undefined || property.type === 'person';
  return aboutPersons ? matchesProperty(property, scope.person, scope.context) : undefined;
}
