/** Merges a further project into the manifests of the configuration: reads both, and returns the texts to write. */

import { hasErrors } from '../../base/diagnostic.ts';
import { FlagwrightError } from '../../base/errors.ts';
import { defined } from '../../base/optional.ts';
import { summarizeWith } from '../../base/wording.ts';
import type { Config, ProjectConfig } from '../../config/config.ts';
import { lendAllNames } from '../../config/embedded-names.ts';
import type { ManifestText } from '../../editing/texts.ts';
import { namedFilesOf } from '../../manifest/named-files.ts';
import type { ServiceClient } from '../../posthog/service-client.ts';
import { readLiveState, type ReadingOptions } from '../../posthog/reading/live-state.ts';
import type { FurtherFamily } from '../../posthog/kind-types.ts';
import type { LiveState } from '../../posthog/live.ts';
import {
  declaredCohorts,
  readManifests,
  resolveManifests,
  type ManifestFile,
} from '../../posthog/manifests/manifests.ts';
import { type ManifestDiagnostic, ALL_MANIFEST_WORDS } from '../../posthog/manifests/problems.ts';
import type { OnUnlisted } from '../../posthog/role-access/read.ts';
import { validateManifests } from '../../posthog/manifests/load.ts';
import type { ExportCommandOptions } from './export-read.ts';
import { declaredFamilies, joinSelections, listing, selectionOf } from '../../posthog/live-selection.ts';

export interface ReadManifestTexts {
  readonly files: readonly ManifestFile[];
  readonly texts: readonly ManifestText[];
  /** The configuration with the names that embedded projects have of others. */
  readonly config: Config;
}

/**
 * The texts as they are on disk. A merge may add the aliases that a project lacks, so these are no problem yet.
 * @throws {FlagwrightError} `manifest_invalid` with every other error.
 */
export async function readManifestTexts(written: Config): Promise<ReadManifestTexts> {
  const { root, manifests, projects } = written;
  const read = new Map<string, Uint8Array>();
  const { files, diagnostics } = await readManifests({
    root,
    patterns: manifests,
    onRead: ({ parsed, bytes }) => bytes && read.set(parsed.file.file, bytes),
  });
  const problems = [...diagnostics, ...validateManifests(files, Object.values(projects))].filter(isObstacle);
  if (hasErrors(problems)) {
    throw new FlagwrightError('manifest_invalid', summarizeWith(ALL_MANIFEST_WORDS, problems), {
      diagnostics: problems,
    });
  }
  const texts = files.map((one) => ({ file: one.file, text: textOf(read, one), named: namedFilesOf(one) }));
  return { files, texts, config: lendAllNames(written, (project) => declaredCohorts(files, project)) };
}

function textOf(read: ReadonlyMap<string, Uint8Array>, { file }: ManifestFile): string {
  const bytes = read.get(file);
  if (bytes === undefined) throw new TypeError(`${file} was not read from disk.`);
  return Buffer.from(bytes).toString('utf8');
}

function isObstacle({ severity, code }: ManifestDiagnostic): boolean {
  return severity === 'error' && code !== 'cohort-unknown' && code !== 'role-unknown';
}

export interface ReadToMerge {
  readonly files: readonly ManifestFile[];
  readonly config: Config;
  readonly project: ProjectConfig;
  readonly onUnlisted?: OnUnlisted;
  readonly findRecorded?: ReadingOptions['findRecorded'];
}

type PartsToRead = Pick<ExportCommandOptions, 'roleAccess' | FurtherFamily>;

/** Live state as a plan reads it, for what manifests declare for any project. */
export async function readToMerge(
  client: ServiceClient,
  { files, config, project, onUnlisted, findRecorded }: ReadToMerge,
  { roleAccess: withRoleAccess = false, ...isMerged }: PartsToRead,
): Promise<LiveState> {
  const all = Object.keys(config.projects);
  const states = Object.values(config.projects).map((each) => resolveManifests(files, each, all).desired);
  const own = selectionOf(resolveManifests(files, project, all).desired);
  const { roleAccess } = joinSelections(states.map(selectionOf));
  const families = states.flatMap(declaredFamilies).filter((section) => isMerged[section]);
  const declared = Object.fromEntries(families.map((section) => [section, own[section] ?? {}]));
  const selection = {
    ...joinSelections([declared, listing(families)]),
    flags: own.flags,
    roleAccess: withRoleAccess ? ({ inventory: 'all', organization: true } as const) : { ...roleAccess },
  };
  return readLiveState(client, selection, defined({ onUnlistedAccess: onUnlisted, findRecorded }));
}
