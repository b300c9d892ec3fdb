/** The input of editing: live state of one project, and manifests as texts and parsed. */

import { isDeclaredIn } from '../manifest/declaration.ts';
import type { LiveState } from '../posthog/live.ts';
import type { Project } from '../posthog/project.ts';
import { takeSnapshot, type ProjectSnapshot } from '../posthog/snapshot.ts';
import type { Editing } from './choose-layer.ts';
import type { LayerChoice } from './edit.ts';
import { readTexts, type DeclaredIn, type ManifestText, type ReadTexts } from './texts.ts';

export interface EditingInput {
  readonly live: LiveState;
  /** The project whose live state is written, with the names that manifests may use. */
  readonly project: Project;
  /** Every project of the configuration; the one above counts for that of its name. */
  readonly projects: readonly Project[];
  readonly manifests: readonly ManifestText[];
}

export interface EditingContext extends EditingInput {
  readonly allProjects: readonly string[];
  readonly read: ReadTexts;
  readonly snapshot: ProjectSnapshot;
}

export function toEditingContext(input: EditingInput): EditingContext {
  const { live, project, manifests } = input;
  const projects = input.projects.map((one) => (one.name === project.name ? project : one));
  const allProjects = projects.map(({ name }) => name);
  return {
    live,
    project,
    projects,
    manifests,
    allProjects,
    read: readTexts(manifests, allProjects, project.moment),
    snapshot: takeSnapshot(live),
  };
}

export interface EditingIn extends Editing {
  readonly declaration: DeclaredIn;
}

/** The declaration to edit; `undefined` if no manifest declares the key for the project. */
export function editingOf(
  { read, project: { name }, allProjects }: EditingContext,
  key: string,
  layer: LayerChoice,
): EditingIn | undefined {
  const declaration = read.declarations.get(key);
  if (declaration === undefined || !isDeclaredIn(declaration, name)) return undefined;
  const others = allProjects.filter((other) => other !== name && isDeclaredIn(declaration, other));
  return { declaration, project: name, others, layer };
}
