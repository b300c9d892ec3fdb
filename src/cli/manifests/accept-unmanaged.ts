/** Declares unmanaged flags, cohorts and early access features: where new files go, and for which projects they are. */

import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { defined } from '../../base/optional.ts';
import type { ProjectConfig } from '../../config/config.ts';
import { declareUnmanaged, type DeclaredUnmanaged } from '../../editing/accept/declare-unmanaged.ts';
import type { DeclareInput } from '../../editing/facet.ts';
import type { EditingInput } from '../../editing/context.ts';
import { withEdited, type ManifestText } from '../../editing/texts.ts';
import type { ExportInput } from '../../export/export.ts';
import { findSchema, nameInConfiguration } from './export-save.ts';
import { findAliases, type ExportSource } from './export-read.ts';
import type { Session } from '../session/session.ts';
import type { FurtherFamily } from '../../posthog/kind-types.ts';
import type { LoadedProject } from '../project/load-project.ts';

export interface Unmanaged
  extends
    Pick<EditingInput, 'live' | 'project' | 'projects' | 'manifests'>,
    Record<FurtherFamily, ReadonlySet<string>> {
  /** The keys of flags; of the further families the ids. */
  readonly keys: ReadonlySet<string>;
}

/** Each kind is declared in the texts that have those before it. */
export async function declareAllUnmanaged(
  loaded: LoadedProject,
  { keys, cohorts, early_access: features, ...input }: Unmanaged,
): Promise<DeclaredUnmanaged> {
  const writing = await findWriting(loaded, input.manifests);
  const wanted = [
    ['flag', keys],
    ['cohort', cohorts],
    ['early_access', features],
  ] as const;
  let manifests = input.manifests;
  const made = wanted.flatMap(([resource, names]) => {
    if (resource !== 'flag' && names.size === 0) return [];
    const declared = declareUnmanaged({
      ...input,
      ...writing,
      manifests,
      withRoleAccess: false,
      resource,
      keys: names,
    });
    manifests = [...withEdited(manifests, declared.edited), ...declared.files];
    return [declared];
  });
  const before = new Map(input.manifests.map(({ file, text }) => [file, text]));
  return {
    edited: manifests.filter(({ file, text }) => before.has(file) && before.get(file) !== text),
    files: manifests.filter(({ file }) => !before.has(file)),
    added: made.flatMap(({ added }) => added),
    left: made.flatMap(({ left }) => left),
  };
}

export interface NamedUse {
  readonly project: ProjectConfig;
  /** The configuration as it is and with the new names; neither without a new name. */
  readonly before: readonly ManifestText[];
  readonly named: readonly ManifestText[];
}

/** Gives the cohorts that the flags use names in the configuration, as an export does. */
export async function nameUsed(
  session: Session,
  source: ExportSource,
  { flags, keys }: Pick<ExportInput, 'flags' | 'keys'>,
): Promise<NamedUse> {
  const input = { flags, names: source.project, roleAccess: undefined, ...defined({ keys }) };
  const found = await findAliases(source, input, { aliases: true });
  const { project, writes, texts } = await nameInConfiguration(session, source, found);
  for (const text of texts) await session.note(`${session.palette.warning('note')}  ${text}\n`);
  const configuration = writes.map((write) => ({ ...write, file: path.basename(write.file) }));
  return {
    project,
    before: configuration.map(({ file, before }) => ({ file, text: before ?? '' })),
    named: configuration.map(({ file, text }) => ({ file, text })),
  };
}

/** The next plan must not create in other projects what only one project has. */
async function findWriting(
  { config, project }: LoadedProject,
  manifests: readonly ManifestText[],
): Promise<Pick<DeclareInput, 'folder' | 'writing'>> {
  const isShared = Object.values(config.projects).some(
    ({ name, service }) => name !== project.name && service === 'remote',
  );
  const folder = usualFolder(manifests);
  const absolute = path.join(config.root, folder);
  const taken = new Set(await readdir(absolute).catch(() => []));
  const schemaPath = await findSchema(config.root, absolute);
  const onlyIn = isShared ? project.name : undefined;
  return { folder, writing: { taken, ...defined({ onlyIn, schemaPath }) } };
}

/** The folder with most of the manifests, empty for that of the configuration; `flags` without any. */
function usualFolder(manifests: readonly ManifestText[]): string {
  const counts = new Map<string, number>();
  for (const { file } of manifests) {
    const folder = path.posix.dirname(file);
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  const [first] = [...counts].toSorted(([, a], [, b]) => b - a);
  const [folder = 'flags'] = first ?? [];
  return folder === '.' ? '' : folder;
}
