/** Decides whether the filters of one release condition match, before its rollout is considered. */

import { UNKNOWN } from '../base/pattern/read-pattern.ts';
import type { Condition, Flag, Property } from '../posthog/flag/model/flag.ts';
import { matchesCohort } from './cohort.ts';
import type { FlagValue, EvaluationInput } from './input.ts';
import { matchesAll, matchesProperty, type FilterMatch } from './match-property.ts';
import { aggregationOf, propertiesOf } from './parts.ts';
import { groupProperties, createScope, type EvaluationScope } from './scope.ts';

/**
 * Whether the subject matches a condition's filters, regardless of its rollout. The blast radius counts this. Filters
 * on other flags never match here, since no flag is evaluated.
 */
export function matchesCondition(
  condition: Condition,
  input: Pick<EvaluationInput, 'context' | 'subject'>,
  aggregation: number | null = aggregationOf(condition),
): FilterMatch {
  return matchesFilters(
    condition,
    aggregation,
    createScope(input, () => undefined),
  );
}

/** A condition without filters matches. A condition whose filters cannot be read does not. */
export function matchesFilters(condition: Condition, aggregation: number | null, scope: EvaluationScope): FilterMatch {
  const properties = propertiesOf(condition);
  if (properties === undefined) return false;
  const assumed = scope.context.assumptions?.filters?.(properties, aggregation);
  if (assumed === undefined) return matchesAll(properties, (property) => matchesFilter(property, aggregation, scope));
  return assumed && matchesAll(properties, (property) => property.type !== 'flag' || matchesFlag(property, scope));
}

/**
 * The condition's own group type index, or the flag's where the condition has none. Null means persons, also in a
 * condition.
 */
export function findAggregation(flag: Flag, condition: Condition): number | null {
  const { aggregation_group_type_index: own } = condition;
  return aggregationOf(own === undefined ? (flag.filters ?? {}) : condition);
}

function matchesFilter(property: Property, aggregation: number | null, scope: EvaluationScope): FilterMatch {
  const { assumptions } = scope.context;
  const match = assumptions?.filter?.(property, aggregation) ?? findsMatch(property, aggregation, scope);
  return match === UNKNOWN ? (assumptions?.undecided?.(property, aggregation) ?? UNKNOWN) : match;
}

/** Ignores assumptions. `aggregation`: the group type of the condition that has the filter. */
export function findsMatch(property: Property, aggregation: number | null, scope: EvaluationScope): FilterMatch {
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

function matchesGroup(property: Property, aggregation: number | null, scope: EvaluationScope): FilterMatch {
  const own = property['group_type_index'];
  const index = typeof own === 'number' ? own : aggregation;
  return matchesProperty(property, index === null ? {} : groupProperties(index, scope), scope.context);
}

function matchesFlag(property: Property, scope: EvaluationScope): FilterMatch {
  if (property.operator !== 'flag_evaluates_to') return false;
  const flag = scope.findFlag(String(property.key));
  if (flag?.reason === 'unknown_pattern') return UNKNOWN;
  return flag !== undefined && isEvaluatedTo(property, flag.value);
}

// `true` matches any variant; a string matches one variant.
function isEvaluatedTo({ value: wanted }: Property, value: FlagValue): boolean {
  if (typeof wanted === 'boolean') return wanted === (value !== false);
  return wanted === value;
}
