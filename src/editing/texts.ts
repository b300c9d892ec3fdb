/** The texts of manifests: edited in place, and read for every project. */

import { editYaml } from '../base/yaml/editing/edit.ts';
import type { LayOut, RefusedEdit, YamlEdit, YamlPath } from '../base/yaml/editing/edits.ts';
import type { Declaration } from '../manifest/declaration.ts';
import { layOutMembers } from '../manifest/write/layout.ts';
import { inOrder, orderAt } from '../manifest/write/order.ts';
import { COHORT_SECTION } from '../posthog/cohort/manifest.ts';
import { FLAG_SECTION } from '../posthog/flag/manifest/section.ts';
import { ROLE_ACCESS_SECTION } from '../posthog/role-access/manifest.ts';
import { parseManifest, resolveManifests, type Resolution } from '../posthog/manifests/manifests.ts';
import type { Project } from '../posthog/project.ts';
import { nameOfDeclaration } from './declared.ts';
import { BLOCKS, ORDER } from './sections.ts';

export interface ManifestText {
  /** As in diagnostics: relative to the configuration's folder. */
  readonly file: string;
  readonly text: string;
}

export interface DeclaredIn extends Declaration {
  readonly file: string;
}

export interface ReadTexts {
  /** The declared flags by key and cohorts as `cohort:ALIAS`; the first declaration of each. */
  readonly declarations: ReadonlyMap<string, DeclaredIn>;
  /** The lists of flags that roles have access to. */
  readonly roleLists: readonly DeclaredIn[];
  readonly resolve: (project: Project) => Resolution;
}

export function readTexts(texts: readonly ManifestText[], allProjects: readonly string[]): ReadTexts {
  const parsed = texts.map(({ file, text }) => parseManifest(file, text));
  const files = parsed.map(({ file }) => file);
  const all = files.flatMap(({ file, declarations }) => declarations.map((one): DeclaredIn => ({ ...one, file })));
  const inSection = (name: string): DeclaredIn[] => all.filter(({ section }) => section === name);
  const resolved = new Map<string, Resolution>();
  return {
    declarations: new Map(
      [FLAG_SECTION.name, COHORT_SECTION.name]
        .flatMap(inSection)
        .map((one) => [nameOfDeclaration(one), one] as const)
        .toReversed(),
    ),
    roleLists: inSection(ROLE_ACCESS_SECTION.name),
    resolve: (project) => {
      const known = resolved.get(project.name) ?? resolveManifests(files, project, allProjects);
      resolved.set(project.name, known);
      return { ...known, diagnostics: [...parsed.flatMap((one) => one.diagnostics), ...known.diagnostics] };
    },
  };
}

export interface FileEdit {
  readonly file: string;
  readonly edit: YamlEdit;
}

export interface EditedTexts {
  readonly texts: readonly ManifestText[];
  /** Edits that the texts cannot take without changing something else. */
  readonly refused: readonly RefusedFileEdit[];
}

export interface RefusedFileEdit extends RefusedEdit {
  readonly file: string;
}

export function editTexts(texts: readonly ManifestText[], edits: readonly FileEdit[]): EditedTexts {
  const byFile = new Map<string, YamlEdit[]>();
  for (const { file, edit } of edits) byFile.set(file, [...(byFile.get(file) ?? []), edit]);
  const refused: RefusedFileEdit[] = [];
  const edited = texts.map((one): ManifestText => {
    const own = byFile.get(one.file);
    if (own === undefined) return one;
    const { text, refused: left } = editYaml(one.text, own, layOutEdit);
    refused.push(...left.map((each) => ({ ...each, file: one.file })));
    return { file: one.file, text };
  });
  return { texts: edited, refused };
}

/** All manifests, with the edited ones in place of those of before. */
export function withEdited(before: readonly ManifestText[], edited: readonly ManifestText[]): ManifestText[] {
  const texts = new Map(edited.map(({ file, text }) => [file, text]));
  return before.map(({ file, text }) => ({ file, text: texts.get(file) ?? text }));
}

/** The texts that differ from those of before. */
export function changedTexts(before: readonly ManifestText[], after: readonly ManifestText[]): ManifestText[] {
  const texts = new Map(before.map(({ file, text }) => [file, text]));
  return after.filter(({ file, text }) => texts.has(file) && texts.get(file) !== text);
}

/** How a manifest writes members: also for what a user is told to add. */
export const layOutEdit: LayOut = Object.assign(
  (...[members, path, style]: Parameters<LayOut>) =>
    layOutMembers(members, path.map(String), { blocks: BLOCKS, style }),
  { order: (path: YamlPath) => orderAt(path, ORDER)?.names },
);

/** The same edit with the members of a new mapping in their usual order. */
export function orderedEdit({ value, ...edit }: YamlEdit): YamlEdit {
  return { ...edit, value: value === undefined ? undefined : inOrder(value, orderAt(edit.path, ORDER)) };
}
