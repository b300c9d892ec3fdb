/** The section of one PostHog kind: its result, its project, and what all sections share. */

import type { Diagnostic } from '../../base/diagnostic.ts';
import { placeAt } from '../../base/place.ts';
import { placeFinding, type ManifestFinding } from '../../core/manifest/declaration.ts';
import type { Layer } from '../../core/manifest/layers.ts';
import { checkProjects } from '../../core/manifest/members.ts';
import type { ManifestSection, ResolveScope } from '../../core/manifest/section.ts';
import type { DesiredState } from '../desired.ts';
import type { FamilyName } from '../kind-types.ts';
import type { Project } from '../project.ts';

export type Section = ManifestSection<DesiredState, Project>;
export type SectionScope = ResolveScope<Project>;

/** Reports projects that do not exist. */
export function reportProjects(scope: SectionScope, section: FamilyName): void {
  for (const declaration of scope.declared(section)) {
    scope.checkpoint();
    scope.report(checkProjects(declaration, scope.allProjects).map((finding) => placeFinding(declaration, finding)));
  }
}

/** The desired state with the names of what is declared for other projects only. */
export function withNamedElsewhere(scope: SectionScope, desired: DesiredState, section: FamilyName): DesiredState {
  const here = new Set(scope.layered(section).map(({ layer }) => layer.key));
  const elsewhere = scope.declared(section).flatMap(({ key }) => (here.has(key) ? [] : [key]));
  if (elsewhere.length === 0) return desired;
  return { ...desired, namedElsewhere: { ...desired.namedElsewhere, [section]: elsewhere.toSorted() } };
}

/** Places findings whose pointers are in the API's field names. */
export function placeInLayer({ places, pathOf }: Layer, findings: readonly ManifestFinding[]): Diagnostic[] {
  return findings.map(({ at, ...finding }) => ({ ...finding, place: placeAt(places, at), path: pathOf(at) }));
}
