/** Treats declared state as live state, to compare two versions of the manifests without the service. */

import type { DeclaredFlag, DesiredState } from './desired.ts';
import { FAMILIES } from './families.ts';
import type { FamilyName, FamilyTypes } from './kind-types.ts';
import type { LiveState } from './live.ts';
import { EDITOR, type AccessRule } from './role-access/access.ts';

/** The live form that declared resources of a family would have. */
export interface AsLive<Name extends FamilyName> {
  /** The ids that the former declarations would have, by key. */
  idsOf(
    former: readonly DeclaredOf<Name>[],
    desired: readonly FamilyTypes[Name]['desired'][],
  ): ReadonlyMap<string, number>;
  /** Omits facts that only the service has. */
  known(
    desired: readonly FamilyTypes[Name]['desired'][],
    former: readonly DeclaredOf<Name>[],
    ids: ReadonlyMap<string, number>,
  ): readonly FamilyTypes[Name]['desired'][];
  toLive(declared: DeclaredOf<Name>, ids: IdsByFamily): FamilyTypes[Name]['live'];
}

type DeclaredOf<Name extends FamilyName> = Extract<FamilyTypes[Name]['desired'], { readonly kind: 'declared' }>;

export type IdsByFamily = { readonly [Name in FamilyName]?: ReadonlyMap<string, number> };

/**
 * Both states without what only the service knows: values that the former manifests did not declare of what existed before, and cohorts
 * that the configuration names by an id and the former manifests did not declare. `former`: taken as live.
 */
export function asLive(
  desired: DesiredState,
  former: DesiredState,
): { readonly desired: DesiredState; readonly live: LiveState } {
  const families = FAMILIES.map(({ section, asLive: of }) => {
    const wanted = desired[section];
    const declared = (former[section] ?? []).filter(isDeclared);
    return { section, of, wanted, declared, ids: of.idsOf(declared, wanted ?? []) };
  });
  const ids: IdsByFamily = Object.fromEntries(families.map((family) => [family.section, family.ids]));
  const present = families.filter(({ wanted }) => wanted !== undefined);
  const flags = former.flags.filter(isDeclared);
  return {
    desired: {
      ...desired,
      ...Object.fromEntries(
        present.map(({ section, of, wanted = [], declared, ids: own }) => [section, of.known(wanted, declared, own)]),
      ),
    },
    live: {
      flags: [],
      roleAccess: Object.fromEntries(flags.map((flag) => [String(ids.flags?.get(flag.key)), toAccess(flag)])),
      ...Object.fromEntries(
        present.map(({ section, of, declared }) => [section, declared.map((one) => of.toLive(one, ids))]),
      ),
    },
  };
}

function isDeclared<One extends { readonly kind: string }>(
  one: One,
): one is Extract<One, { readonly kind: 'declared' }> {
  return one.kind === 'declared';
}

function toAccess({ roleAccess = [], everyone }: DeclaredFlag): LiveState['roleAccess'][string] {
  const rule = (role: string | null, level: string): AccessRule => ({
    access_level: level,
    role,
    organization_member: null,
  });
  const forEveryone = everyone === undefined || everyone.level === null ? [] : [rule(null, everyone.level)];
  return { access_controls: [...roleAccess.map(({ id, level = EDITOR }) => rule(id, level)), ...forEveryone] };
}
