/** Selects and declares unmanaged flags, cohorts and early access features: where new files go, and for which projects they are. */

import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { FlagwrightError } from '../../base/errors.ts';
import { memberOf } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { nearest } from '../../base/text.ts';
import { didYouMean, quoted } from '../../base/wording.ts';
import type { ProjectConfig } from '../../config/config.ts';
import { declareUnmanaged, type DeclaredUnmanaged } from '../../editing/actions/declare-unmanaged.ts';
import type { EditingInput } from '../../editing/context.ts';
import type { DeclareInput } from '../../editing/facet.ts';
import { withEdited, type ManifestText } from '../../editing/texts.ts';
import { matchKeys } from '../../engine/scope.ts';
import type { ResourceId } from '../../engine/snapshot.ts';
import type { ExportInput } from '../../export/export.ts';
import type { DesiredState } from '../../posthog/desired.ts';
import { ARCHIVED } from '../../posthog/early-access/feature.ts';
import { lookupNames } from '../../posthog/flag/model/references.ts';
import type { FurtherFamily } from '../../posthog/kind-types.ts';
import type { LiveState } from '../../posthog/live.ts';
import { nameResource, readName } from '../../posthog/names/resource-name.ts';
import type { Project } from '../../posthog/project.ts';
import type { LoadedProject } from '../project/load-project.ts';
import { advise, type Session } from '../session/session.ts';
import { findAliases, type ExportSource } from './export-read.ts';
import { findSchema, nameInConfiguration } from './save-edits.ts';

/** Each kind is declared in the texts that have those before it. `keys`: of flags; of the further families the ids. */
export async function declareAllUnmanaged(
  loaded: LoadedProject,
  {
    keys,
    cohorts,
    early_access: features,
    ...input
  }: Pick<EditingInput, 'live' | 'project' | 'projects' | 'manifests'> &
    Readonly<Record<'keys' | FurtherFamily, ReadonlySet<string>>>,
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
    const chosen = { manifests, withRoleAccess: false, resource, keys: names };
    const declared = declareUnmanaged({ ...input, ...writing, ...chosen });
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

/**
 * Gives the cohorts that the flags use names in the configuration, as an export does. `before`, `named`: the configuration as it is and with
 * the new names; neither without a new name.
 */
export async function nameUsed(
  session: Session,
  source: ExportSource,
  { flags, keys }: Pick<ExportInput, 'flags' | 'keys'>,
): Promise<{ readonly project: ProjectConfig } & Record<'before' | 'named', readonly ManifestText[]>> {
  const input = { flags, names: source.project, roleAccess: undefined, ...defined({ keys }) };
  const found = await findAliases(source, input, { aliases: true });
  const { project, writes, texts } = await nameInConfiguration(session, source, found);
  for (const text of texts) await advise(session, text);
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
  // The folder with most of the manifests, empty for that of the configuration; `flags` without any.
  const counts = new Map<string, number>();
  for (const { file } of manifests) {
    const name = path.posix.dirname(file);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const [[most] = ['flags']] = [...counts].toSorted(([, a], [, b]) => b - a);
  const folder = most === '.' ? '' : most;
  const absolute = path.join(config.root, folder);
  const taken = new Set(await readdir(absolute).catch(() => []));
  const schemaPath = await findSchema(config.root, absolute);
  const onlyIn = isShared ? project.name : undefined;
  return { folder, writing: { taken, ...defined({ onlyIn, schemaPath }) } };
}

export interface Selectable {
  /** Includes the ids of the declared cohorts. */
  readonly project: Project;
  readonly desired: DesiredState;
  readonly live: LiveState;
}

interface Nameable {
  readonly id: ResourceId;
  readonly names: readonly string[];
}

interface SelectableFamily {
  readonly noun: string;
  readonly remedy: string;
  readonly unmanaged: (selectable: Selectable) => readonly Nameable[];
}

const SELECTABLE: Readonly<Record<FurtherFamily, SelectableFamily>> = {
  cohorts: {
    noun: 'cohort',
    remedy: 'Name it by its id or its name; flagwright cohorts list shows both.',
    unmanaged: unmanagedCohorts,
  },
  early_access: {
    noun: 'early access feature',
    remedy: 'Name it by the key of its flag or its name; flagwright early-access list shows both.',
    unmanaged: unmanagedFeatures,
  },
};

/**
 * The ids, by family. `targets`: of further families.
 * @throws {FlagwrightError} `usage` for an argument that names none.
 */
export function selectUnmanaged(
  targets: readonly string[],
  selectable: Selectable,
): Readonly<Record<FurtherFamily, ReadonlySet<string>>> {
  const select = (section: FurtherFamily): ReadonlySet<string> => {
    const own = targets.filter((target) => readName(target).section === section);
    return own.length === 0 ? new Set() : selectOf(own, selectable, SELECTABLE[section]);
  };
  return { cohorts: select('cohorts'), early_access: select('early_access') };
}

function selectOf(
  targets: readonly string[],
  selectable: Selectable,
  { noun, remedy, unmanaged: find }: SelectableFamily,
): ReadonlySet<string> {
  const unmanaged = find(selectable);
  return new Set(
    targets.flatMap((target) => {
      const exact = unmanaged.filter(({ names }) => names.includes(target));
      const isMatch = exact.length > 0 ? undefined : matchKeys([target]);
      const found = isMatch === undefined ? exact : unmanaged.filter(({ names }) => names.some(isMatch));
      if (found.length > 0) return found.map(({ id }) => String(id));
      const among = `of the project ${quoted(selectable.project.name)} that no manifest declares`;
      const known = unmanaged.flatMap(({ names }) => names);
      throw new FlagwrightError('usage', `${quoted(target)} matches no ${noun} ${among}.`, {
        remedy: didYouMean(nearest(target, known), remedy),
      });
    }),
  );
}

function unmanagedCohorts({ project, desired, live }: Selectable): readonly Nameable[] {
  const managed = new Set((desired.cohorts ?? []).map(({ key }) => memberOf(project.cohorts, key)));
  const { cohort: aliasOf } = lookupNames([], project);
  return (live.cohorts ?? [])
    .filter(({ id, deleted }) => deleted !== true && !managed.has(id))
    .map(({ id, name }) => {
      const alias = aliasOf(id);
      const names = [String(id), ...(name?.trim() ? [name.trim()] : []), ...(alias === undefined ? [] : [alias])];
      return { id, names: names.map((one) => nameResource('cohort', one)) };
    });
}

/** An archived feature offers nothing: a manifest declares it as deleted or not at all. */
function unmanagedFeatures({ desired, live }: Selectable): readonly Nameable[] {
  const managed = new Set((desired.early_access ?? []).map(({ flag }) => flag));
  const keys = new Map(live.flags.map(({ id, key }) => [id, key]));
  return (live.early_access ?? []).flatMap(({ id, name, stage }) => {
    const flag = keys.get(id);
    if (flag === undefined || managed.has(flag) || stage === ARCHIVED) return [];
    return [{ id, names: [flag, name].map((one) => nameResource('early_access', one)) }];
  });
}
