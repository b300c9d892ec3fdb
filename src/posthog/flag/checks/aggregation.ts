/** Checks that the properties of a condition fit its aggregation: persons, or groups of one type. */

import type { Condition, Property } from '../flag.ts';
import { propertiesOf, type FiltersView, type Located } from '../view.ts';
import type { Soundness } from '../../../manifest/soundness.ts';
import type { FlagFinding } from './problems.ts';

export function checkAggregation({ filters, conditions }: FiltersView, sound: Soundness): FlagFinding[] {
  const flagLevel = sound.at(`/filters/${INDEX}`) ? (filters[INDEX] ?? null) : undefined;
  return conditions
    .filter(({ at }) => sound.at(`${at}/${INDEX}`))
    .flatMap((condition) => {
      const aggregation = indexOf(condition.part, flagLevel);
      const properties = propertiesOf(condition).filter(({ at }) =>
        ['type', 'group_type_index'].every((name) => sound.at(`${at}/${name}`)),
      );
      return [
        ...(flagLevel === undefined ? [] : checkMixed(flagLevel, condition)),
        ...(aggregation === undefined ? [] : properties.flatMap((property) => checkProperty(property, aggregation))),
      ];
    });
}

const INDEX = 'aggregation_group_type_index';

// A condition inherits the flag's group type. The service does not support a condition with a different one.
function checkMixed(flagLevel: number | null, { part, at }: Located<Condition>): FlagFinding[] {
  const condition = part.aggregation_group_type_index;
  if (flagLevel === null || condition === undefined || condition === flagLevel) return [];
  const where = `${at}/aggregation_group_type_index`;
  return [{ code: 'aggregation-mixed', severity: 'error', at: where, args: { flagLevel, condition } }];
}

// `undefined`: it is not known, because of a mistake.
function indexOf(condition: Condition, flagLevel: number | null | undefined): number | null | undefined {
  const own = condition.aggregation_group_type_index;
  return own === undefined ? flagLevel : own;
}

function checkProperty({ part, at }: Located<Property>, aggregation: number | null): FlagFinding[] {
  const type = part.type ?? 'person';
  if (aggregation === null) {
    if (type !== 'group') return [];
    return [{ code: 'property-type-unfit', severity: 'error', at, args: { type, aggregation: 'person' } }];
  }
  if (type !== 'group') {
    return [{ code: 'property-type-unfit', severity: 'error', at, args: { type, aggregation: 'group' } }];
  }
  const found = part['group_type_index'] ?? null;
  if (found === null) {
    return [{ code: 'property-missing', severity: 'error', at, args: { property: 'group_type_index' } }];
  }
  if (typeof found !== 'number' || found === aggregation) return [];
  const where = `${at}/group_type_index`;
  return [{ code: 'property-group-mismatch', severity: 'error', at: where, args: { found, expected: aggregation } }];
}
