/** Whether the person is in a cohort: by the list of a static one, by the properties of a dynamic one. */

import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';
import type { Property } from '../posthog/flag/flag.ts';
import { matchesProperty } from './match-property.ts';
import { isProperty } from './parts.ts';
import type { Scope } from './scope.ts';
import { jsonText } from './values/text.ts';

/**
 * A filter of type `cohort`. Its operator is `in` unless it is `not_in`; other operators, which older cohort filters
 * have, are ignored. An unknown cohort, or one that contains itself, matches neither.
 */
export function matchesCohort(property: Property, scope: Scope): boolean {
  return memberMatches(property, scope, new Set()) ?? false;
}

// `undefined` for unknown membership, which neither `not_in` nor a negation turns into true.
function memberMatches(property: Property, scope: Scope, entered: ReadonlySet<string>): boolean | undefined {
  const member = isMember(jsonText(property.value ?? null), scope, entered);
  if (member === undefined) return undefined;
  return property.operator === 'not_in' ? !member : member;
}

function isMember(id: string, scope: Scope, entered: ReadonlySet<string>): boolean | undefined {
  const { cohorts } = scope.context;
  const cohort = Object.hasOwn(cohorts, id) ? cohorts[id] : undefined;
  if (cohort === undefined || entered.has(id)) return undefined;
  if (cohort.kind === 'static') return scope.subject.cohortIds?.some((member) => String(member) === id) ?? false;
  return matchesTree(cohort.properties, scope, new Set([...entered, id]));
}

// A node with `values` is a group of nodes; any other node is a filter.
function matchesTree(node: JsonValue, scope: Scope, entered: ReadonlySet<string>): boolean | undefined {
  if (!isJsonObject(node)) return undefined;
  const values = node['values'];
  if (!isJsonArray(values)) return matchesLeaf(node, scope, entered);
  const results = values.map((value) => matchesTree(value, scope, entered));
  if (results.includes(undefined)) return undefined;
  return node['type'] === 'OR' ? results.includes(true) : results.every((result) => result === true);
}

function matchesLeaf(node: JsonObject, scope: Scope, entered: ReadonlySet<string>): boolean | undefined {
  if (node['key'] === undefined || !isProperty(node)) return undefined;
  const matches = leafMatches(node, scope, entered);
  if (matches === undefined) return undefined;
  return node['negation'] === true ? !matches : matches;
}

// Behavioral filters (`behavioral`) cannot be evaluated: they look at events, and only properties are known here.
function leafMatches(property: Property, scope: Scope, entered: ReadonlySet<string>): boolean | undefined {
  if (property.type === 'cohort') return memberMatches(property, scope, entered);
  const aboutPersons = property.type === undefined || property.type === 'person';
  return aboutPersons ? matchesProperty(property, scope.person, scope.context) : undefined;
}
