/** The values of each declared resource in one project, in a form that can be compared with other projects: names in place of ids. */

import type { DesiredState } from '../desired.ts';
import { FAMILIES } from '../families.ts';
import type { LiveState } from '../live.ts';
import type { Project } from '../project.ts';
import { nameResource } from '../names/resource-name.ts';
import type { ComparableValues, ComparableProject } from './parity-values.ts';

/** The declared values of a project. */
export function declaredValues({
  project,
  desired,
}: {
  readonly project: Project;
  readonly desired: DesiredState;
}): ComparableProject {
  const declared = FAMILIES.flatMap(({ kind, section, comparable }) => {
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

/**
 * `declared`: by this project, then by all that are compared. What the service of a project holds, without what the service computes and
 * what its other products own.
 */
export function liveValues(
  { project, live }: { readonly project: Project; readonly live: LiveState },
  declared: readonly DesiredState[],
): ComparableProject {
  const values = FAMILIES.flatMap(({ kind, section, comparable }) => {
    const own = declared.map((desired) => desired[section] ?? []);
    return comparable.live(live, project, own).map(([key, values]) => [nameResource(kind, key), values] as const);
  });
  return { resources: new Map(values), elsewhere: [] };
}
