/** The families of PostHog resources: what their kinds say of them. */

import type { DesiredState } from './desired.ts';
import type { ExportedFamily } from './exported.ts';
import type { Family } from './family.ts';
import type { FamilyName, FurtherFamily, OwnKind } from './kind-types.ts';
import { KINDS } from './kinds.ts';
import { nameResource } from './names/resource-name.ts';

/** Sorted as the kinds. */
export const FAMILIES: readonly OwnFamily[] = KINDS.flatMap(({ name, family }) =>
  family === undefined ? [] : [{ kind: name as OwnKind, ...family }],
);

/** Each after those to which its resources refer. */
export const RESOLVABLE_FAMILIES: readonly OwnFamily[] = inOrder(FAMILIES);

/** The families other than the main one, in the same order. */
export const FURTHER_FAMILIES: readonly OwnFurtherFamily[] = RESOLVABLE_FAMILIES.flatMap((family) => {
  const { section, exported } = family;
  return section === 'flags' || exported === undefined ? [] : [{ ...family, section, exported }];
});

/** A family with its main kind. */
export interface OwnFamily extends Family {
  readonly kind: OwnKind;
}

interface OwnFurtherFamily extends OwnFamily {
  readonly section: FurtherFamily;
  readonly exported: ExportedFamily;
}

function inOrder(families: readonly OwnFamily[]): readonly OwnFamily[] {
  const ordered = new Set<OwnFamily>();
  const add = (family: OwnFamily): void => {
    for (const section of family.refersTo) families.filter((one) => one.section === section).forEach(add);
    ordered.add(family);
  };
  families.forEach(add);
  return [...ordered];
}

/** Makes a value for each family. `make` gets the values of those to which the resources of the family refer. */
export function mapFamilies<Made extends Readonly<Record<FamilyName, unknown>>>(
  make: (family: OwnFamily, earlier: Partial<Made>) => Made[FamilyName],
): Made {
  let made: Partial<Made> = {};
  for (const family of RESOLVABLE_FAMILIES) made = { ...made, [family.section]: make(family, made) };
  return made as Made;
}

/** The names of declared resources, as options have them. */
export function declaredNames(desired: DesiredState): readonly string[] {
  return FAMILIES.flatMap(({ kind, section }) => (desired[section] ?? []).map(({ key }) => nameResource(kind, key)));
}

export function familyIn(section: FamilyName): OwnFamily {
  return findIn(FAMILIES, section);
}

export function furtherFamily(section: FamilyName): OwnFurtherFamily {
  return findIn(FURTHER_FAMILIES, section);
}

function findIn<One extends OwnFamily>(families: readonly One[], section: FamilyName): One {
  const found = families.find((family) => family.section === section);
  if (found === undefined) throw new TypeError(`No family is in the section ${section}.`);
  return found;
}
