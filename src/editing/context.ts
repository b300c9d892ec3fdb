/** The input of editing, live state of one project and manifests as texts and parsed; and the edits that change which projects have a resource. */

import { isDeclaredIn, type Declaration, membersIn } from '../core/manifest/declaration.ts';
import type { LiveState } from '../posthog/live.ts';
import type { Project } from '../posthog/project.ts';
import { takeSnapshot, type ProjectSnapshot } from '../posthog/snapshot.ts';
import type { Editing } from './choose-layer.ts';
import type { LayerChoice, FileEdit, ManifestText } from './edit.ts';
import { readTexts, type DeclaredIn, type ReadTexts } from './texts.ts';
import { arrayOrEmpty } from '../base/json.ts';
import type { MemberEdit } from '../base/yaml/editing/edits.ts';

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
  /**
   * The projects whose desired state an edit may not change. The embedded one is none beside a remote one: it is for trying what people share,
   * and an overlay for its sake would be read in every review.
   */
  readonly guarded: readonly string[];
  readonly read: ReadTexts;
  readonly snapshot: ProjectSnapshot;
}

export function toEditingContext(input: EditingInput): EditingContext {
  const { live, project, manifests } = input;
  const projects = input.projects.map((one) => (one.name === project.name ? project : one));
  const allProjects = projects.map(({ name }) => name);
  const others = projects.filter(({ name }) => name !== project.name);
  const isSandbox = ({ service }: Project): boolean => service === 'embedded' && project.service === 'remote';
  return {
    live,
    project,
    projects,
    manifests,
    allProjects,
    guarded: others.filter((one) => !isSandbox(one)).map(({ name }) => name),
    read: readTexts(manifests, allProjects, project.moment),
    snapshot: takeSnapshot(live),
  };
}

export interface EditingIn extends Editing {
  readonly declaration: DeclaredIn;
}

/** The declaration to edit; `undefined` if no manifest declares the key for the project. */
export function editingOf(
  { read, project: { name }, guarded }: EditingContext,
  key: string,
  layer: LayerChoice,
): EditingIn | undefined {
  const declaration = read.declarations.get(key);
  if (declaration === undefined || !isDeclaredIn(declaration, name)) return undefined;
  const others = guarded.filter((other) => isDeclaredIn(declaration, other));
  return { declaration, project: name, others, layer };
}

/** Declares the resource for every project that has it now except `project`; `undefined` if no project would be left. */
export function limitEdit(
  declaration: Declaration,
  project: string,
  allProjects: readonly string[],
): MemberEdit | undefined {
  const left = allProjects.filter((name) => name !== project && isDeclaredIn(declaration, name));
  return left.length === 0 ? undefined : onlyIn(declaration, left);
}

/** Declares it for `project` too. */
export function extendEdit(declaration: Declaration, project: string): MemberEdit {
  const written = membersIn(declaration)['only_in'];
  const names = arrayOrEmpty(written).filter((name) => typeof name === 'string');
  return onlyIn(declaration, [...names, project]);
}

/** The same edits of the declarations with these names, in their files. */
export function extendEdits(
  names: readonly string[],
  { read, project }: Pick<EditingContext, 'read' | 'project'>,
): readonly FileEdit[] {
  return names.flatMap((name) => {
    const declaration = read.declarations.get(name);
    return declaration === undefined ? [] : [{ file: declaration.file, edit: extendEdit(declaration, project.name) }];
  });
}

function onlyIn({ section, key }: Declaration, projects: readonly string[]): MemberEdit {
  return { path: [section, key, 'only_in'], value: projects };
}
