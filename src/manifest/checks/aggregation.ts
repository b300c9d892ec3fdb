/** Whom a condition counts, persons or the groups of one type, and whether its properties are about those. */

import type { Condition, Filters, Property } from '../../model/flag.ts';
import { conditionsOf, propertiesOf, type Located } from './conditions.ts';
import type { Finding } from './finding.ts';

export function checkAggregation(filters: Filters): Finding[] {
  const flagLevel = filters.aggregation_group_type_index ?? null;
  return conditionsOf(filters).flatMap((condition) => [
    ...checkMixed(flagLevel, condition),
    ...propertiesOf(condition).flatMap((property) => checkProperty(property, indexOf(condition.part, flagLevel))),
  ]);
}

// A condition inherits the flag's group type; the service has no flag with one type and a condition with another.
function checkMixed(flagLevel: number | null, { part, at }: Located<Condition>): Finding[] {
  const condition = part.aggregation_group_type_index;
  if (flagLevel === null || condition === undefined || condition === flagLevel) return [];
  const where = `${at}/aggregation_group_type_index`;
  return [{ code: 'aggregation-mixed', severity: 'error', at: where, args: { flagLevel, condition } }];
}

function indexOf(condition: Condition, flagLevel: number | null): number | null {
  const own = condition.aggregation_group_type_index;
  return own === undefined ? flagLevel : own;
}

function checkProperty({ part, at }: Located<Property>, aggregation: number | null): Finding[] {
  const type = part.type ?? 'person';
  if (aggregation === null) {
    if (type !== 'group') return [];
    return [{ code: 'property-type-unfit', severity: 'error', at, args: { type, aggregation: 'person' } }];
  }
  if (type !== 'group') {
    return [{ code: 'property-type-unfit', severity: 'error', at, args: { type, aggregation: 'group' } }];
  }
  const found = part['group_type_index'];
  if (typeof found !== 'number' || found === aggregation) return [];
  const where = `${at}/group_type_index`;
  return [{ code: 'property-group-mismatch', severity: 'error', at: where, args: { found, expected: aggregation } }];
}
