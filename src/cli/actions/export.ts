/** `flagwright export`: writes the live flags of a project as manifests. */

import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { FlagwrightError } from '../../base/errors.ts';
import { defined } from '../../base/optional.ts';
import { docsPage } from '../../base/wording.ts';
import type { ExportOptions as WritingOptions, NotExported } from '../../loop/export/export.ts';
import { writeManifests } from '../../loop/export/write-manifests.ts';
import { exists } from '../../loop/disk.ts';
import { FURTHER_FAMILIES } from '../../posthog/families.ts';
import type { FamilyTypes, FurtherFamily } from '../../posthog/kind-types.ts';
import { declaredKeys, readManifests, resolveManifests } from '../../posthog/manifests/manifests.ts';
import { withIds } from '../../posthog/reading/found-names.ts';
import type { OnUnlisted, UnlistedAccess } from '../../posthog/role-access/read.ts';
import { quoteShort, shellWord } from '../../report/escape.ts';
import {
  exportNoteTexts,
  exportedText,
  exportProblemText,
  notExportedText,
  mergeTexts,
  notMergedText,
  uncheckedTexts,
  unmanagedTexts,
} from '../../report/words/exported.ts';
import { atRecord } from '../applied/find-base.ts';
import { refuseAbsentOnDisk } from '../applied/find-manifest-commit.ts';
import type { ExitCode } from '../line/exit.ts';
import {
  type ExportInputs,
  type PreparedExport,
  readForExport,
  type ExportCommandOptions,
} from '../manifests/export-read.ts';
import { checkExport, findSchema, nameInConfiguration, save, noteNext } from '../manifests/save-edits.ts';
import { noteUnlisted } from '../plan/make-plan.ts';
import { loadDesiredState, loadProject, type LoadedProject } from '../project/load-project.ts';
import { withProject } from '../project/open-project.ts';
import type { FileWrite } from '../session/files.ts';
import { advise, type Session } from '../session/session.ts';
import { findExamples } from './init-templates.ts';

/** What `--merge` makes of an export: a row of the room that edits manifests. */
const MERGE: readonly ((session: Session, inputs: ExportInputs) => Promise<PreparedExport>)[] = [
  async (...given) => (await import('../editing/merge.ts')).mergeExport(...given),
];

export async function exportFlags(session: Session, options: ExportCommandOptions): Promise<ExitCode> {
  refuseTogether(options);
  const chosen = await loadProject(session);
  if (options.merge === true || options.unmanaged === true) await refuseAbsentOnDisk(session, chosen);
  // A step that is due is no difference to merge.
  const loaded = options.merge === true ? await atRecord(session, chosen, { reach: 'applied' }) : chosen;
  const writing = await toWriting(session, loaded, options);
  const make = options.merge === true ? MERGE[0] : undefined;
  let unlisted: UnlistedAccess | undefined;
  const onUnlisted: OnUnlisted = (one) => (unlisted = one);
  const { exported, writes, named, merged } = await (make ?? exportAnew)(session, {
    loaded,
    options,
    writing,
    onUnlisted,
  });
  const files = await save(session, [...writes, ...named.writes], options.dryRun === true);
  await session.publish({ ...exported, kind: 'export', files, ...defined({ merge: merged }) });
  const written = writes.map(({ file }) => path.resolve(session.context.cwd, file));
  const problems = options.dryRun === true ? [] : await checkExport({ config: named.config, written });
  const notes = [
    ...named.texts,
    ...(merged === undefined ? [] : mergeTexts(merged, loaded.project.name)),
    ...exportNoteTexts(exported.notes),
    ...uncheckedTexts(exported.unchecked),
    ...unmanagedTexts(exported.unmanaged, merged !== undefined),
    ...problems.map(exportProblemText),
  ];
  for (const text of notes) await advise(session, text);
  if (unlisted !== undefined) await noteUnlisted(session, unlisted);
  const missing = [
    ...exported.notExported.map((one) => ['not exported', notExportedText(one)] as const),
    ...(merged?.notMerged ?? []).map((one) => ['not merged', notMergedText(one)] as const),
  ];
  for (const [how, text] of missing) await session.print(`${session.palette.error(how)}  ${text}\n`);
  const { name } = loaded.project;
  const { target, unmanaged } = options;
  if (files.length === 0) {
    const nothing = `${quoteShort(name)} has no ${target === undefined ? 'flags' : 'such flag'}`;
    const none = unmanaged === true ? `manifests declare every flag of ${quoteShort(name)}` : nothing;
    const why = options.merge === true ? `the manifests already declare what ${quoteShort(name)} has` : none;
    const isEmpty = why === nothing && target === undefined;
    const next = isEmpty ? ` To write a first one by hand: ${docsPage('manifest')}` : '';
    await session.note(`Nothing to export: ${why}.${next}\n`);
  } else {
    const done = { files: writes.length, ...defined({ merged, dryRun: options.dryRun }) };
    await session.note(`${exportedText(exported, done)}\n`);
  }
  if (missing.length > 0) return 3;
  const isWhole = files.length > 0 && options.dryRun !== true && target === undefined && unmanaged !== true;
  if (isWhole && problems.length === 0) {
    const command = `flagwright apply -p ${shellWord(name)}`;
    const next = `Commit the files, then run ${command}: it finds everything in sync, and records the commit.`;
    await noteNext(session, named.config, { saved: { files }, next });
    const examples = await findExamples(named.config.root);
    const removal = `rm ${examples.join(' ')}`;
    if (examples.length > 0)
      await advise(session, `The examples of init are for trying flagwright. To remove them: ${removal}`);
  }
  return 0;
}

async function exportAnew(session: Session, inputs: ExportInputs): Promise<PreparedExport> {
  const { loaded, options, writing, onUnlisted } = inputs;
  const { project } = loaded;
  const desired = options.unmanaged === true ? await loadDesiredState(session, loaded) : undefined;
  const isPart = options.unmanaged === true || options.target !== undefined;
  const existing = isPart ? await findExisting(loaded) : undefined;
  const read = await withProject(session, { project }, async ({ client }) =>
    readForExport(
      {
        ...loaded,
        client,
        onUnlisted,
        ...defined({ desired, declared: existing?.desired, files: existing?.files, onMisses: session.onMisses }),
      },
      options,
    ),
  );
  const named = await nameInConfiguration(session, loaded, read);
  const exported = writeManifests(
    { ...read.input, names: withIds(named.project, read.input.names) },
    { ...writing, ...defined({ declared: existing?.declared }) },
  );
  const before = options.force === true ? {} : { before: null };
  const writes = exported.files.map(({ path: name, text }) => ({
    file: path.join(options.dir, name),
    text,
    ...before,
  }));
  if (options.force !== true) await refuseOverwrite(session, writes);
  // A flag that manifests declare for other projects is already declared, and a plan accepts no second declaration.
  const elsewhere = read.elsewhere.map(({ key, id }): NotExported => ({ key, id, reasons: ['declared-elsewhere'] }));
  const notExported = [...exported.notExported, ...elsewhere];
  return { exported: { ...exported, notExported }, writes, named };
}

/** Overwriting a file with some of its flags would drop the others. */
function refuseTogether({ force, target, unmanaged, merge: isMerge, minimal, full }: ExportCommandOptions): void {
  if (minimal === true && full === true) {
    throw new FlagwrightError('usage', '--minimal and --full cannot be used together.', {
      remedy: 'Without either, drift reports every edit, and nothing is written that means the same when it is absent.',
    });
  }
  const [first, second] = [
    ...(isMerge === true ? ['--merge'] : []),
    ...(unmanaged === true ? ['--unmanaged'] : []),
    ...(target === undefined || force !== true ? [] : ['--target']),
    ...(force === true ? ['--force'] : []),
  ];
  if (first === undefined || second === undefined) return;
  throw new FlagwrightError('usage', `${first} and ${second} cannot be used together.`, {
    remedy:
      second === '--force'
        ? `A file that is overwritten loses the flags that the export does not select. Omit --force; ${first} overwrites no file.`
        : '--merge also declares the flags that no manifest declares.',
  });
}

/** Flags of one project must not be created in the others by the next plan. */
async function toWriting(
  { context }: Session,
  { config, project }: LoadedProject,
  { dir, groupBy, minimal, full, target, unmanaged, merge: isMerge }: ExportCommandOptions,
): Promise<WritingOptions> {
  const folder = path.resolve(context.cwd, dir);
  const isShared = Object.values(config.projects).some((other) => other !== project && other.service === 'remote');
  const isPart = isMerge === true || unmanaged === true || target !== undefined;
  return {
    groupBy,
    minimal: minimal === true,
    full: full === true,
    schemaPath: await findSchema(config.root, folder),
    folder: path.relative(config.root, folder).split(path.sep).join('/'),
    ...(unmanaged === true && isShared ? { onlyIn: project.name } : {}),
    ...(isPart ? { taken: new Set(await readdir(folder).catch(() => [])) } : {}),
  };
}

/** Runs before the first file is written, so that no folder is partly overwritten. A file with its text is one of an export that was cut off. */
async function refuseOverwrite({ context }: Session, writes: readonly FileWrite[]): Promise<void> {
  const present: string[] = [];
  for (const { file, text } of writes) {
    const target = path.resolve(context.cwd, file);
    const held = (await exists(target)) ? await readFile(target, 'utf8').catch(() => undefined) : text;
    if (held !== text) present.push(file);
  }
  if (present.length === 0) return;
  throw new FlagwrightError('refused', `Nothing was exported because these files exist: ${present.join(', ')}.`, {
    remedy: 'Export to another folder with --dir, or overwrite them with --force.',
  });
}

type DesiredFurther = FamilyTypes[FurtherFamily]['desired'];

async function findExisting({ config, project }: LoadedProject) {
  const { files } = await readManifests({ root: config.root, patterns: config.manifests });
  const names = Object.keys(config.projects);
  const states = Object.values(config.projects).map((one) => resolveManifests(files, one, names).desired);
  const declared: NonNullable<WritingOptions['declared']> = Object.fromEntries(
    FURTHER_FAMILIES.map(({ section }) => {
      const resources = states.flatMap((state): readonly DesiredFurther[] => state[section] ?? []);
      return [section, { keys: declaredKeys(files, section), resources }];
    }),
  );
  return { files, declared, desired: resolveManifests(files, project, names).desired };
}
