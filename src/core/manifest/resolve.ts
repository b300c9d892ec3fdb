/** Resolves all manifests to the desired state of one project, section by section. */

import { comparing } from '../../base/compare-strings.ts';
import { distinct, sortDiagnostics, type Diagnostic } from '../../base/diagnostic.ts';
import { createSuggest } from '../../base/text.ts';
import { atMoment } from './at-moment.ts';
import { type ManifestFile, type Declaration, placeFinding } from './declaration.ts';
import { layerDeclarations, type LayeredDeclaration } from './layers.ts';
import type { ManifestSection, NamedProject, ResolveScope, SectionForm } from './section.ts';

export interface ResolveInput<Project extends NamedProject> {
  readonly files: readonly ManifestFile[];
  readonly project: Project;
  /** The names that overlays and `only_in` may use. */
  readonly allProjects: readonly string[];
  /** Called regularly; throws to abort the work. */
  readonly checkpoint?: () => void;
}

/** Each section adds to the desired state of the sections before it, beginning with `nothing`. Diagnostics are sorted. */
export function resolveSections<Desired, Project extends NamedProject>(
  sections: readonly ManifestSection<Desired, Project>[],
  nothing: Desired,
  { files, project, allProjects, checkpoint = () => undefined }: ResolveInput<Project>,
): { readonly desired: Desired; readonly diagnostics: readonly Diagnostic[] } {
  const { declarations, complete, diagnostics: duplicates } = collectDeclarations(files, sections);
  const diagnostics: Diagnostic[] = [...duplicates];
  const layers = new Map<string, readonly LayeredDeclaration[]>();
  // Of a value that changes over time, the checks see the value at the moment.
  const timed = new Map(
    [...declarations].map(([name, all]) => [
      name,
      all.map((one) => (one.rollouts === undefined ? one : atMoment(one, one.rollouts, project.moment))),
    ]),
  );
  const scope: ResolveScope<Project> = {
    project,
    allProjects,
    declared: (name) => timed.get(name) ?? [],
    layered: (name) => {
      const { layering } = sections.find((section) => section.name === name) ?? {};
      const known = layers.get(name) ?? layerDeclarations(timed.get(name) ?? [], project.name, layering);
      layers.set(name, known);
      return known;
    },
    complete,
    suggest: createSuggest(),
    checkpoint,
    // `push(...found)` would fail: there may be more diagnostics than a call can have arguments.
    report: (found) => {
      for (const diagnostic of found) diagnostics.push(diagnostic);
    },
  };
  // A section of which nothing is declared adds nothing.
  const isDeclared = ({ name, membersElsewhere }: ManifestSection<Desired, Project>): boolean => {
    if (membersElsewhere === undefined || scope.declared(name).length > 0) return scope.declared(name).length > 0;
    const { section, members } = membersElsewhere;
    return scope
      .layered(section)
      .some(({ layer: { value } }) => members.some((member) => Object.hasOwn(value, member)));
  };
  const desired = sections.filter(isDeclared).reduce((before, section) => section.resolve(scope, before), nothing);
  return { desired, diagnostics: sortDiagnostics(distinct(diagnostics)) };
}

/** By section. The result does not depend on the order of the files. */
function collectDeclarations(
  files: readonly ManifestFile[],
  sections: readonly SectionForm[],
): {
  readonly declarations: ReadonlyMap<string, readonly Declaration[]>;
  readonly complete: boolean;
  readonly diagnostics: readonly Diagnostic[];
} {
  const sorted = files.toSorted(comparing(({ file }) => file));
  const bySection = new Map<string, Declaration[]>(sections.map(({ name }) => [name, []]));
  for (const { declarations } of sorted) {
    for (const declaration of declarations) bySection.get(declaration.section)?.push(declaration);
  }
  const diagnostics: Diagnostic[] = [];
  for (const { name, duplicate } of sections) {
    if (duplicate === undefined) continue;
    const byKey = new Map<string, Declaration>();
    for (const declaration of bySection.get(name) ?? []) {
      const first = byKey.get(declaration.key);
      if (first === undefined) byKey.set(declaration.key, declaration);
      else diagnostics.push(placeFinding(declaration, { ...duplicate(declaration.key, first.places.place), at: '' }));
    }
    bySection.set(name, [...byKey.values()].sort(comparing(({ key }) => key)));
  }
  return { declarations: bySection, complete: sorted.every(({ complete }) => complete), diagnostics };
}
