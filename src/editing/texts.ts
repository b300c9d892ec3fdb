/** The texts of manifests: edited in place, and read for every project. */

import type { MemberEdit } from '../base/yaml/edit.ts';
import { editYaml } from '../base/yaml/edit.ts';
import type { Declaration } from '../manifest/declaration.ts';
import { layOutMembers } from '../manifest/write/layout.ts';
import type { DesiredFlag } from '../posthog/desired.ts';
import { FLAG_BLOCK } from '../posthog/flag/layout/block.ts';
import { FLAG_SECTION } from '../posthog/flag/manifest/section.ts';
import { parseManifest, resolveManifests, type Resolution } from '../posthog/manifests/manifests.ts';
import type { Project } from '../posthog/project.ts';

export interface ManifestText {
  /** As in diagnostics: relative to the configuration's folder. */
  readonly file: string;
  readonly text: string;
}

export interface ReadTexts {
  /** By key; the first declaration of each. */
  readonly declarations: ReadonlyMap<string, Declaration & { readonly file: string }>;
  readonly resolve: (project: Project) => Resolution;
}

export function readTexts(texts: readonly ManifestText[], allProjects: readonly string[]): ReadTexts {
  const parsed = texts.map(({ file, text }) => parseManifest(file, text));
  const files = parsed.map(({ file }) => file);
  const flags = files.flatMap(({ file, declarations }) =>
    declarations
      .filter(({ section }) => section === FLAG_SECTION.name)
      .map((declaration) => [declaration.key, { ...declaration, file }] as const),
  );
  const resolved = new Map<string, Resolution>();
  return {
    declarations: new Map(flags.toReversed()),
    resolve: (project) => {
      const known = resolved.get(project.name) ?? resolveManifests(files, project, allProjects);
      resolved.set(project.name, known);
      return { ...known, diagnostics: [...parsed.flatMap((one) => one.diagnostics), ...known.diagnostics] };
    },
  };
}

export interface EditedTexts {
  readonly texts: readonly ManifestText[];
  /** Keys of declarations that could not be edited without changing something else. */
  readonly refused: ReadonlySet<string>;
}

export function editTexts(
  texts: readonly ManifestText[],
  edits: readonly MemberEdit[],
  { declarations }: Pick<ReadTexts, 'declarations'>,
): EditedTexts {
  const byFile = new Map<string, MemberEdit[]>();
  for (const edit of edits) {
    const file = declarations.get(edit.path[1] ?? '')?.file ?? '';
    byFile.set(file, [...(byFile.get(file) ?? []), edit]);
  }
  const refused = new Set<string>();
  const edited = texts.map((one): ManifestText => {
    const own = byFile.get(one.file);
    if (own === undefined) return one;
    const result = editYaml(one.text, own, layOutEdit);
    for (const { edit } of result.refused) refused.add(edit.path[1] ?? '');
    return { file: one.file, text: result.text };
  });
  return { texts: edited, refused };
}

/** How a manifest writes members: also for what a user is told to add. */
export function layOutEdit(members: Parameters<typeof layOutMembers>[0], path: readonly (string | number)[]): string {
  return layOutMembers(members, path.map(String), { [FLAG_SECTION.name]: FLAG_BLOCK });
}

/** What a declaration means, without its places. */
export function meaningOf(flag: DesiredFlag): unknown {
  if (flag.kind === 'retired') return { key: flag.key, retired: true };
  const { key, previousKeys, fields, roleAccess } = flag;
  return { key, previousKeys, fields, roleAccess: roleAccess?.map(({ id }) => id) };
}
