/** What one project says of each declared resource, in a form that can be compared with other projects: names in place of ids. */

import { COMPARABLE_COHORTS } from '../cohort/comparable.ts';
import type { DesiredState } from '../desired.ts';
import { COMPARABLE_FEATURES } from '../early-access/comparable.ts';
import { FAMILIES } from '../families.ts';
import { COMPARABLE_FLAGS } from '../flag/comparable.ts';
import type { FamilyName } from '../kind-types.ts';
import type { LiveState } from '../live.ts';
import type { Project } from '../project.ts';
import { nameResource } from '../resource-name.ts';
import type { ComparableValues, ComparableFamily, ComparableProject } from './comparable.ts';

const COMPARABLES: { readonly [Name in FamilyName]: ComparableFamily<Name> } = {
  flags: COMPARABLE_FLAGS,
  cohorts: COMPARABLE_COHORTS,
  early_access: COMPARABLE_FEATURES,
};

/** What manifests declare for a project. */
export function declaredValues({
  project,
  desired,
}: {
  readonly project: Project;
  readonly desired: DesiredState;
}): ComparableProject {
  const declared = FAMILIES.flatMap(({ kind, section }) => {
    const comparable: ComparableFamily<FamilyName> = COMPARABLES[section];
    return (desired[section] ?? []).map((resource) => ({
      name: nameResource(kind, resource.key),
      values: comparable.declared(resource, project),
      elsewhere: comparable.elsewhere(resource).map((key) => nameResource(kind, key)),
    }));
  });
  return {
    resources: new Map(
      declared.flatMap(({ name, values }): [string, ComparableValues][] =>
        values === undefined ? [] : [[name, values]],
      ),
    ),
    elsewhere: [...(desired.namedElsewhere?.flags ?? []), ...declared.flatMap(({ elsewhere }) => elsewhere)],
  };
}

/** `declared`: by this project, then by all that are compared. What the service of a project holds, without what the service computes and what its other products own. */
export function liveValues(
  { project, live }: { readonly project: Project; readonly live: LiveState },
  declared: readonly DesiredState[],
): ComparableProject {
  const comparable = FAMILIES.flatMap(({ kind, section }) => {
    const ofFamily: ComparableFamily<FamilyName> = COMPARABLES[section];
    const own = declared.map((desired) => desired[section] ?? []);
    return ofFamily.live(live, project, own).map(([key, values]) => [nameResource(kind, key), values] as const);
  });
  return { resources: new Map(comparable), elsewhere: [] };
}
