/** Resolves all manifests to the desired state of one project, section by section. */

import { distinct, sortDiagnostics, type Diagnostic } from '../base/diagnostic.ts';
import { createSuggest } from '../base/suggest.ts';
import { collectDeclarations } from './collect.ts';
import type { ManifestFile } from './declaration.ts';
import { layerDeclarations, type LayeredDeclaration } from './layers.ts';
import type { ManifestSection, NamedProject, ResolveScope } from './section.ts';

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
  const scope: ResolveScope<Project> = {
    project,
    allProjects,
    declared: (name) => declarations.get(name) ?? [],
    layered: (name) => {
      const { prepareLayers } = sections.find((section) => section.name === name) ?? {};
      const known = layers.get(name) ?? layerDeclarations(declarations.get(name) ?? [], project.name, prepareLayers);
      layers.set(name, known);
      return known;
    },
    complete,
    suggest: createSuggest(),
    checkpoint,
    // Not `push(...found)`: there may be more diagnostics than a call can have arguments.
    report: (found) => {
      for (const diagnostic of found) diagnostics.push(diagnostic);
    },
  };
  const desired = sections.reduce((before, section) => section.resolve(scope, before), nothing);
  return { desired, diagnostics: sortDiagnostics(distinct(diagnostics)) };
}
