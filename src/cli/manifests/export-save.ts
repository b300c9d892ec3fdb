/** Saves what an export writes: manifests, and names for ids in the configuration. */

import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { ifGiven } from '../../base/optional.ts';
import { addAliases } from '../../config/add-aliases.ts';
import type { Config, ProjectConfig } from '../../config/config.ts';
import { exists } from '../../journal/disk.ts';
import type { ServiceError } from '../../posthog/client/service-error.ts';
import { FURTHER_FAMILIES } from '../../posthog/families.ts';
import type { FurtherFamily } from '../../posthog/kind-types.ts';
import type { ProjectNames } from '../../posthog/project.ts';
import type { FileOutcome } from '../../report/report.ts';
import { aliasesText, unreadText } from '../../report/words/exported.ts';
import type { LoadedProject } from '../project/load-project.ts';
import type { Session } from '../session/session.ts';
import { type FileWrite, writeAll } from '../session/write-all.ts';
import { toOutcome } from './save-edits.ts';

export interface NewAliases {
  readonly aliases: ProjectNames;
  readonly unread: UnreadFamilies;
}

/** The error of reading each family that could not be read. */
export type UnreadFamilies = Readonly<Partial<Record<FurtherFamily, ServiceError>>>;

export interface NamedExport {
  readonly project: ProjectConfig;
  readonly config: Config;
  readonly writes: readonly FileWrite[];
  readonly texts: readonly string[];
}

/** Adds names to the configuration. Where that is impossible, the manifests contain ids, which notes name. */
export async function nameInConfiguration(
  { context }: Session,
  { config, project }: LoadedProject,
  { aliases, unread }: NewAliases,
): Promise<NamedExport> {
  const texts = FURTHER_FAMILIES.flatMap(({ section }) =>
    ifGiven(unread[section], ({ failure }) => unreadText(section, failure.kind)),
  );
  const count = Object.keys({ ...aliases.cohorts, ...aliases.roles }).length;
  if (config.file === undefined || count === 0) return { project, config, writes: [], texts };
  const before = await readFile(path.resolve(context.cwd, config.file), 'utf8');
  const text = addAliases(before, project.name, aliases);
  const added = aliasesText({ project: project.name, ...aliases, added: text !== undefined });
  if (text === undefined) return { project, config, writes: [], texts: [...texts, added] };
  const named: ProjectConfig = {
    ...project,
    roles: { ...project.roles, ...aliases.roles },
    cohorts: { ...project.cohorts, ...aliases.cohorts },
  };
  return {
    project: named,
    config: { ...config, projects: { ...config.projects, [project.name]: named } },
    writes: [{ file: config.file, text, before }],
    texts: [...texts, added],
  };
}

export async function save(session: Session, writes: readonly FileWrite[], dryRun: boolean): Promise<FileOutcome[]> {
  for (const { file, text } of writes) {
    session.secrets.refuse(text, {
      message: `Nothing was exported: ${file} would contain the API key.`,
      source: 'the live flags',
    });
  }
  // The configuration is last, and written first: manifests that use names before it has them are invalid, also for the next export.
  if (!dryRun) await writeAll(session, writes.toReversed());
  return writes.map((write) => toOutcome(write, dryRun));
}

const SCHEMA = 'node_modules/flagwright/schemas/manifest.schema.json';

/** Relative to the folder of the manifests. The package may be installed in a folder above the configuration. */
export async function findSchema(root: string, folder: string): Promise<string> {
  for (let above = root; ; above = path.dirname(above)) {
    const isInstalled = await exists(path.join(above, SCHEMA));
    if (!isInstalled && above !== path.dirname(above)) continue;
    const way = path
      .relative(folder, path.join(isInstalled ? above : root, SCHEMA))
      .split(path.sep)
      .join('/');
    return way.startsWith('.') ? way : `./${way}`;
  }
}
