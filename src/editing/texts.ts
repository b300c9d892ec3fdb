/** The texts of manifests: edited in place, and read for every project. */

import { objectOrEmpty, type JsonObject } from '../base/json.ts';
import type { Place } from '../base/place.ts';
import { renameKeyAt } from '../base/yaml/editing/rename-key.ts';
import { editYaml } from '../base/yaml/editing/edit.ts';
import type { LayOut, RefusedEdit, YamlEdit, YamlPath } from '../base/yaml/editing/edits.ts';
import type { Declaration } from '../core/manifest/declaration.ts';
import { atMoment } from '../core/manifest/at-moment.ts';
import { layOutMembers } from '../core/manifest/write/layout.ts';
import { inOrder, orderAt } from '../core/manifest/write/group-files.ts';
import {
  type ManifestFile,
  parseManifest,
  readManifestYaml,
  resolveManifests,
  type Resolution,
} from '../posthog/manifests/manifests.ts';
import { FORMS } from '../posthog/flag/manifest/fields.ts';
import type { Project } from '../posthog/project.ts';
import type { Moment } from '../core/rollout/rollout.ts';
import { ROLE_ACCESS_SECTION } from '../posthog/role-access/manifest.ts';
import type { FileEdit, KeyRename, ManifestText, UnwrittenEdit } from './edit.ts';
import { BLOCKS, EDITED_KINDS, nameOfDeclaration, ORDER } from './kinds.ts';
import { setIn } from './members.ts';

/** The name of a file in a folder. The folder of the configuration itself is ''. */
export function fileIn(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}

export interface DeclaredIn extends Declaration {
  readonly file: string;
}

export interface ReadTexts {
  /** The first declaration of each resource, by its name in options. */
  readonly declarations: ReadonlyMap<string, DeclaredIn>;
  /** The lists of flags that roles have access to. */
  readonly roleLists: readonly DeclaredIn[];
  readonly resolve: (project: Project) => Resolution;
}

/** `moment`: decides the values that change over time. */
export function readTexts(texts: readonly ManifestText[], allProjects: readonly string[], moment?: Moment): ReadTexts {
  const parsed = texts.map(({ file, text, named }) => parseManifest(file, text, named));
  const files = parsed.map(({ file }) => file);
  let declared: readonly DeclaredIn[] | undefined;
  const inSection = (name: string): readonly DeclaredIn[] =>
    (declared ??= declaredIn(files, moment)).filter(({ section }) => section === name);
  let byName: ReadTexts['declarations'] | undefined;
  const resolved = new Map<string, Resolution>();
  return {
    // Computed when first used: most texts are only resolved.
    get declarations() {
      byName ??= new Map(
        EDITED_KINDS.flatMap(({ section }) => inSection(section))
          .map((one) => [nameOfDeclaration(one), one] as const)
          .toReversed(),
      );
      return byName;
    },
    get roleLists() {
      return inSection(ROLE_ACCESS_SECTION.name);
    },
    resolve: (project) => {
      const known = resolved.get(project.name);
      if (known !== undefined) return known;
      const { diagnostics, ...resolution } = resolveManifests(files, project, allProjects);
      const all = { ...resolution, diagnostics: [...parsed.flatMap((one) => one.diagnostics), ...diagnostics] };
      resolved.set(project.name, all);
      return all;
    },
  };
}

function declaredIn(files: readonly ManifestFile[], moment: Moment | undefined): DeclaredIn[] {
  return files.flatMap(({ file, declarations }) =>
    declarations.map((one): DeclaredIn => {
      const { rollouts } = one;
      return { ...(rollouts === undefined ? one : atMoment(one, rollouts, moment)), file };
    }),
  );
}

/** The place where manifests write a value of a resource for a project. */
export interface WrittenAt {
  /** Absent if no manifest writes it. */
  readonly place?: Place;
  /** `project`: in the project's overlay. Absent for access, which has no single place. */
  readonly layer?: 'base' | 'project';
}

/** `origin`: JSON pointer of the value in its file. */
export function layerAt(origin: string, { path }: DeclaredIn): 'base' | 'project' {
  return origin.startsWith(`${path}/projects/`) ? 'project' : 'base';
}

interface RefusedFileEdit extends RefusedEdit {
  readonly file: string;
}

/** `refused`: edits that the texts cannot take without changing something else. */
export function editTexts(
  texts: readonly ManifestText[],
  edits: readonly FileEdit[],
): { readonly texts: readonly ManifestText[]; readonly refused: readonly RefusedFileEdit[] } {
  const byFile = new Map<string, YamlEdit[]>();
  for (const { file, edit } of edits) byFile.set(file, [...(byFile.get(file) ?? []), edit]);
  const refused: RefusedFileEdit[] = [];
  const edited = texts.map((one): ManifestText => {
    const own = byFile.get(one.file);
    if (own === undefined) return one;
    const { text, refused: left } = editYaml(one.text, own, {
      layOut: layOutEdit,
      read: (text) => readManifestYaml(one.file, text),
    });
    refused.push(...left.map((each) => ({ ...each, file: one.file })));
    return { ...one, text };
  });
  return { texts: edited, refused };
}

/** Replaces manifests by their edited texts. */
export function withEdited(before: readonly ManifestText[], edited: readonly ManifestText[]): ManifestText[] {
  const texts = new Map(edited.map(({ file, text }) => [file, text]));
  return before.map((one) => ({ ...one, text: texts.get(one.file) ?? one.text }));
}

/** A declaration of the file that occurs most often; of several such files, of the first by name. */
export function commonestHome(neighbors: readonly DeclaredIn[]): DeclaredIn | undefined {
  const counts = new Map<string, number>();
  for (const { file } of neighbors) counts.set(file, (counts.get(file) ?? 0) + 1);
  const [home] = [...counts].toSorted(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))[0] ?? [];
  return neighbors.find(({ file }) => file === home);
}

/** The texts that were changed. */
export function changedTexts(before: readonly ManifestText[], after: readonly ManifestText[]): ManifestText[] {
  const texts = new Map(before.map(({ file, text }) => [file, text]));
  return after.filter(({ file, text }) => texts.has(file) && texts.get(file) !== text);
}

/** The layout of members in a manifest; what a user is told to add has it too. */
const layOutEdit: LayOut = Object.assign(
  (...[members, path, style]: Parameters<LayOut>) =>
    layOutMembers(members, path.map(String), { blocks: BLOCKS, style }),
  { order: (path: YamlPath) => orderAt(path, ORDER)?.names, forms: FORMS },
);

/** The same edit with the members of a new mapping in their usual order. */
export function orderedEdit({ value, ...edit }: YamlEdit): YamlEdit {
  return { ...edit, value: value === undefined ? undefined : inOrder(value, orderAt(edit.path, ORDER)) };
}

/** The YAML for a user to write by hand where an edit is refused; `undefined` if there is nothing to add. */
export function suggestMembers(edits: readonly FileEdit[]): string | undefined {
  const whole = edits.reduce<JsonObject>((all, { edit: { path, value } }) => {
    return value === undefined ? all : objectOrEmpty(setIn(all, path.map(String), value));
  }, {});
  return Object.keys(whole).length === 0 ? undefined : layOutEdit(whole, []).trimEnd();
}

/** Gives declarations other keys. */
export function renameKeys(
  texts: readonly ManifestText[],
  renames: readonly KeyRename[],
): { readonly texts: readonly ManifestText[]; readonly failed: readonly UnwrittenEdit[] } {
  const failed: UnwrittenEdit[] = [];
  const renamed = texts.map((one): ManifestText => {
    const { file, text } = one;
    const own = renames.filter((rename) => rename.file === file);
    const result = own.reduce((current, rename) => {
      const { declarations } = parseManifest(file, current).file;
      const declaration = declarations.find(({ section, key }) => section === rename.section && key === rename.from);
      const next = declaration && renameKeyAt(current, { ...rename, place: declaration.places.place });
      if (next === undefined) failed.push({ key: rename.from, reason: { code: 'reads-differently' } });
      return next ?? current;
    }, text);
    return { ...one, text: result };
  });
  return { texts: renamed, failed };
}
