/** The interface between manifests and a kind of resource: one top-level member of a manifest, as a value in the kind's folder. */

import type { Diagnostic } from '../../base/diagnostic.ts';
import type { JsonValue } from '../../base/json.ts';
import type { Place, PlaceTree } from '../../base/place.ts';
import type { ShapeDiagnostic } from '../../base/shape/problems.ts';
import type { Suggest } from '../../base/text.ts';
import type { Moment } from '../rollout/rollout.ts';
import type { Declaration, ManifestFinding } from './declaration.ts';
import type { LayeredDeclaration, Layering } from './layers.ts';

/** How the entries of a section are read. */
export interface SectionForm {
  /** The member at the top of a manifest, `flags`. */
  readonly name: string;
  /** The problem of declaring a key again, if it may be declared only once. Otherwise every declaration counts. */
  readonly duplicate?: (key: string, first: Place) => Omit<ManifestFinding, 'at'>;
  /** The members that may change over time, also within an overlay, as pointers in which `*` is any segment. */
  readonly stepped?: readonly string[];
  /** Rewords a problem that the schema reports at the key of a declaration; `undefined` when it is about the value. */
  readonly keyProblem?: (problem: ShapeDiagnostic, key: string) => Diagnostic | undefined;
  /** The member of a declaration that names a JSON file, by its path relative to the manifest. */
  readonly naming?: string;
  /** Adds what the user probably meant to a problem that the schema reports in a declaration. */
  readonly explainProblem?: (problem: ShapeDiagnostic) => ShapeDiagnostic;
}

/** How one kind of resource is declared. `Desired` is the desired state that the sections build one after the other. */
export interface ManifestSection<Desired, Project extends NamedProject> extends SectionForm {
  /** Changes what all projects share and the overlay of a project before they are merged. */
  readonly layering?: Layering;
  /** The members of another section's declarations that it resolves, too. */
  readonly membersElsewhere?: { readonly section: string; readonly members: readonly string[] };
  /** Adds to the desired state what the section declares for the project. */
  readonly resolve: (scope: ResolveScope<Project>, desired: Desired) => Desired;
}

/** The form of manifests: the schema of a document, and the sections that it may have. */
export interface ManifestForm {
  readonly checkShape: (document: JsonValue, places: PlaceTree) => readonly ShapeDiagnostic[];
  readonly sections: readonly SectionForm[];
}

export interface NamedProject {
  readonly name: string;
  /** Absent: nothing that is declared may change over time. */
  readonly moment?: Moment;
}

/** The context in which a section is resolved. */
export interface ResolveScope<Project extends NamedProject> {
  readonly project: Project;
  /** The names that overlays and `only_in` may use. */
  readonly allProjects: readonly string[];
  /** The declarations of a section for any project, sorted by key where each key is declared once. */
  readonly declared: (section: string) => readonly Declaration[];
  /** The declarations of a section for the project, with its overlay merged in. */
  readonly layered: (section: string) => readonly LayeredDeclaration[];
  /** Whether every file could be read. If not, what seems undeclared may be in an unread file. */
  readonly complete: boolean;
  readonly suggest: Suggest;
  /** Called regularly; throws to abort the work. */
  readonly checkpoint: () => void;
  readonly report: (diagnostics: readonly Diagnostic[]) => void;
}
