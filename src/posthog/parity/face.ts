/** What one project says of each declared resource, in a form that can be compared with other projects: names in place of ids. */

import { COHORT_FACES } from '../cohort/face.ts';
import type { DesiredState } from '../desired.ts';
import { FEATURE_FACES } from '../early-access/face.ts';
import { FAMILIES } from '../families.ts';
import { FLAG_FACES } from '../flag/face.ts';
import type { FamilyName } from '../kind-types.ts';
import type { LiveState } from '../live.ts';
import type { Project } from '../project.ts';
import { nameResource } from '../resource-name.ts';
import type { Face, FaceOf, Faces } from './faces.ts';

const FACES: { readonly [Name in FamilyName]: FaceOf<Name> } = {
  flags: FLAG_FACES,
  cohorts: COHORT_FACES,
  early_access: FEATURE_FACES,
};

/** What manifests declare for a project. */
export function declaredFaces({
  project,
  desired,
}: {
  readonly project: Project;
  readonly desired: DesiredState;
}): Faces {
  const declared = FAMILIES.flatMap(({ kind, section }) => {
    const faces: FaceOf<FamilyName> = FACES[section];
    return (desired[section] ?? []).map((resource) => ({
      name: nameResource(kind, resource.key),
      face: faces.declared(resource, project),
      elsewhere: faces.elsewhere(resource).map((key) => nameResource(kind, key)),
    }));
  });
  return {
    faces: new Map(declared.flatMap(({ name, face }): [string, Face][] => (face === undefined ? [] : [[name, face]]))),
    elsewhere: [...(desired.namedElsewhere?.flags ?? []), ...declared.flatMap(({ elsewhere }) => elsewhere)],
  };
}

/** `declared`: by this project, then by all that are compared. What the service of a project holds, without what the service computes and what its other products own. */
export function liveFaces(
  { project, live }: { readonly project: Project; readonly live: LiveState },
  declared: readonly DesiredState[],
): Faces {
  const faces = FAMILIES.flatMap(({ kind, section }) => {
    const ofFamily: FaceOf<FamilyName> = FACES[section];
    const own = declared.map((desired) => desired[section] ?? []);
    return ofFamily.live(live, project, own).map(([key, face]) => [nameResource(kind, key), face] as const);
  });
  return { faces: new Map(faces), elsewhere: [] };
}
