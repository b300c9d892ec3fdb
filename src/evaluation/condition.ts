/** Decides whether the filters of one release condition match, before its rollout is considered. */

import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';
import type { Condition, Flag, Property } from '../posthog/flag/flag.ts';
import type { FlagValue } from './evaluation.ts';
import type { EvaluationInput } from './input.ts';
import { matchesProperty } from './match-property.ts';
import { aggregationOf, propertiesOf, isProperty } from './parts.ts';
import { groupProperties, createScope, type EvaluationScope } from './scope.ts';
import { jsonText } from './values/scalars.ts';

/**
 * Whether the subject matches a condition's filters, regardless of its rollout. The blast radius counts this. Filters
 * on other flags never match here, since no flag is evaluated.
 */
export function matchesCondition(
  condition: Condition,
  input: Pick<EvaluationInput, 'context' | 'subject'>,
  aggregation: number | null = aggregationOf(condition),
): boolean {
  return matchesFilters(
    condition,
    aggregation,
    createScope(input, () => undefined),
  );
}

/** A condition without filters matches. A condition whose filters cannot be read does not. */
export function matchesFilters(condition: Condition, aggregation: number | null, scope: EvaluationScope): boolean {
  const properties = propertiesOf(condition);
  if (properties === undefined) return false;
  const assumed = scope.context.assumptions?.filters?.(properties, aggregation);
  if (assumed === undefined) return properties.every((property) => matchesFilter(property, aggregation, scope));
  return assumed && properties.every((property) => property.type !== 'flag' || matchesFlag(property, scope));
}

/**
 * The condition's own group type index, or the flag's where the condition has none. Null means persons, also in a
 * condition.
 */
export function findAggregation(flag: Flag, condition: Condition): number | null {
  const { aggregation_group_type_index: own } = condition;
  return aggregationOf(own === undefined ? (flag.filters ?? {}) : condition);
}

function matchesFilter(property: Property, aggregation: number | null, scope: EvaluationScope): boolean {
  return scope.context.assumptions?.filter?.(property, aggregation) ?? findsMatch(property, aggregation, scope);
}

/** Ignores assumptions. `aggregation`: the group type of the condition that has the filter. */
export function findsMatch(property: Property, aggregation: number | null, scope: EvaluationScope): boolean {
  switch (property.type ?? undefined) {
    case 'cohort':
      return matchesCohort(property, scope);
    case 'flag':
      return matchesFlag(property, scope);
    case 'group':
      return matchesGroup(property, aggregation, scope);
    case 'person':
      return matchesProperty(property, scope.person, scope.context);
    case undefined:
      // Filters of old flags have no type and apply to what the condition is about.
      return aggregation === null
        ? matchesProperty(property, scope.person, scope.context)
        : matchesGroup(property, aggregation, scope);
    default:
      return false; // a type newer than this release
  }
}

function matchesGroup(property: Property, aggregation: number | null, scope: EvaluationScope): boolean {
  const own = property['group_type_index'];
  const index = typeof own === 'number' ? own : aggregation;
  return matchesProperty(property, index === null ? {} : groupProperties(index, scope), scope.context);
}

function matchesFlag(property: Property, scope: EvaluationScope): boolean {
  if (property.operator !== 'flag_evaluates_to') return false;
  const value = scope.flagValue(String(property.key));
  return value !== undefined && isEvaluatedTo(property, value);
}

// `true` matches any variant; a string matches one variant.
function isEvaluatedTo({ value: wanted }: Property, value: FlagValue): boolean {
  if (typeof wanted === 'boolean') return wanted === (value !== false);
  return wanted === value;
}

/**
 * A filter of type `cohort`. Its operator is `in` unless it is `not_in`; other operators, which older cohort filters
 * have, are ignored. An unknown cohort, or one that contains itself, matches neither.
 */
function matchesCohort(property: Property, scope: EvaluationScope): boolean {
  return memberMatches(property, scope) ?? false;
}

// `undefined` for unknown membership, which neither `not_in` nor a negation turns into true.
function memberMatches(property: Property, scope: EvaluationScope): boolean | undefined {
  const member = isMember(jsonText(property.value ?? null), scope);
  if (member === undefined) return undefined;
  return property.operator === 'not_in' ? !member : member;
}

function isMember(id: string, scope: EvaluationScope): boolean | undefined {
  const { membership, subject } = scope;
  const { cohorts } = scope.context;
  if (membership.has(id)) return membership.get(id);
  const cohort = Object.hasOwn(cohorts, id) ? cohorts[id] : undefined;
  if (cohort === undefined) return undefined;
  if (cohort.kind === 'static') return subject.cohortIds?.some((member) => String(member) === id) ?? false;
  // Whoever asks for it before it is known is in a circle, and so is unknown too.
  membership.set(id, undefined);
  const member = matchesTree(cohort.properties, scope);
  membership.set(id, member);
  return member;
}

// A node with `values` is a group of nodes; any other node is a filter.
function matchesTree(node: JsonValue, scope: EvaluationScope): boolean | undefined {
  if (!isJsonObject(node)) return undefined;
  const values = node['values'];
  if (!isJsonArray(values)) return matchesLeaf(node, scope);
  const results = values.map((value) => matchesTree(value, scope));
  if (results.includes(undefined)) return undefined;
  return node['type'] === 'OR' ? results.includes(true) : results.every((result) => result === true);
}

function matchesLeaf(node: JsonObject, scope: EvaluationScope): boolean | undefined {
  if (node['key'] === undefined || !isProperty(node)) return undefined;
  const matches = leafMatches(node, scope);
  if (matches === undefined) return undefined;
  return node['negation'] === true ? !matches : matches;
}

// Behavioral filters (`behavioral`) cannot be evaluated: they look at events, and only properties are known here.
function leafMatches(property: Property, scope: EvaluationScope): boolean | undefined {
  if (property.type === 'cohort') return memberMatches(property, scope);
  const aboutPersons = property.type === undefined || property.type === 'person';
  return aboutPersons ? matchesProperty(property, scope.person, scope.context) : undefined;
}
