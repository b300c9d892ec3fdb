/** The conditions and properties of a flag's filters, each with its pointer: what most checks walk over. */

import type { Condition, Filters, Property, Variant } from '../../model/flag.ts';

export interface Located<Part> {
  readonly part: Part;
  readonly at: string;
}

export function conditionsOf(filters: Filters): Located<Condition>[] {
  return (filters.groups ?? []).map((part, index) => ({ part, at: `/filters/groups/${index}` }));
}

export function propertiesOf({ part, at }: Located<Condition>): Located<Property>[] {
  return (part.properties ?? []).map((property, index) => ({ part: property, at: `${at}/properties/${index}` }));
}

export function variantsOf(filters: Filters): Located<Variant>[] {
  return (filters.multivariate?.variants ?? []).map((part, index) => ({
    part,
    at: `/filters/multivariate/variants/${index}`,
  }));
}
