/** `flagwright export`: writes the live flags of a project as manifests. */

import { lstat, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { FlagwrightError } from '../../base/errors.ts';
import { addAliases } from '../../config/add-aliases.ts';
import type { Config } from '../../config/config.ts';
import type { LeftOutFlag } from '../../export/export.ts';
import { writeManifests } from '../../export/write-manifests.ts';
import type { Flag } from '../../posthog/flag/flag.ts';
import type { FileOutcome } from '../../report/report.ts';
import {
  aliasesText,
  cohortsUnreadText,
  exportNoteTexts,
  exportProblemText,
  leftOutText,
  uncheckedTexts,
  unmanagedTexts,
} from '../../report/words/exported.ts';
import type { ExportOptions } from '../line/commands.ts';
import type { ExitCode } from '../line/exit.ts';
import { createProgress } from '../session/progress.ts';
import type { Session } from '../session/session.ts';
import { writeAll, type FileWrite } from '../session/write-all.ts';
import { findSchema } from '../stages/editor-line.ts';
import { checkExport } from '../stages/export-check.ts';
import { readForExport, withAliases, type ExportRead } from '../stages/export-read.ts';
import { loadDesiredState, loadProject, type LoadedProject } from '../stages/load-project.ts';
import { withProject } from '../stages/open-project.ts';

export async function exportFlags(session: Session, options: ExportOptions): Promise<ExitCode> {
  refuseTogether(options);
  const loaded = await loadProject(session);
  const desired = options.unmanaged === true ? await loadDesiredState(session, loaded) : undefined;
  const progress = createProgress(session);
  const read = await withProject(
    session,
    { project: loaded.project, onEvent: progress.onService },
    async ({ client }) =>
      readForExport({ ...loaded, client, ...(desired === undefined ? {} : { desired }) }, options).finally(
        progress.clear,
      ),
  );
  const named = await nameInConfiguration(session, loaded, read);
  const made = writeManifests(named.input, await toWriting(session, loaded, options));
  const writes = made.files.map((file): FileWrite => ({ ...file, file: path.join(options.dir, file.path) }));
  const leftOut = [...made.leftOut, ...read.elsewhere.map(isElsewhere)];
  if (options.force !== true) await refuseOverwrite(session, writes);
  const files = await save(session, [...writes, ...named.writes], options);
  await session.publish({ ...made, kind: 'export', files, leftOut });
  const written = writes.map(({ file }) => path.resolve(session.context.cwd, file));
  const problems = options.dryRun === true ? [] : await checkExport({ config: named.config, written });
  const notes = [
    ...named.texts,
    ...exportNoteTexts(made.notes),
    ...uncheckedTexts(made.unchecked),
    ...unmanagedTexts(made.unmanaged),
    ...problems.map(exportProblemText),
  ];
  for (const text of notes) await session.note(`${session.palette.warning('note')}  ${text}\n`);
  for (const flag of leftOut) await session.say(`${session.palette.error('left out')}  ${leftOutText(flag)}\n`);
  return leftOut.length === 0 ? 0 : 3;
}

/** Overwriting a file with some of its flags would drop the others. */
function refuseTogether({ force, target, unmanaged }: ExportOptions): void {
  const other = target === undefined ? (unmanaged === true ? '--unmanaged' : undefined) : '--target';
  if (force !== true || other === undefined) return;
  throw new FlagwrightError('usage', `--force and ${other} cannot be used together.`, {
    remedy: `A file that is overwritten loses the flags that the export does not select. Omit --force; ${other} writes new files.`,
  });
}

/** Flags of one project must not be created in the others by the next plan. */
async function toWriting(
  { context }: Session,
  { config, project }: LoadedProject,
  { dir, groupBy, minimal, target, unmanaged }: ExportOptions,
): Promise<Parameters<typeof writeManifests>[1]> {
  const folder = path.resolve(context.cwd, dir);
  const isShared = Object.values(config.projects).some((other) => other !== project && other.service === 'remote');
  const isPart = unmanaged === true || target !== undefined;
  return {
    groupBy,
    minimal: minimal === true,
    schemaPath: await findSchema(config.root, folder),
    ...(unmanaged === true && isShared ? { onlyIn: project.name } : {}),
    ...(isPart ? { taken: new Set(await readdir(folder).catch(() => [])) } : {}),
  };
}

/** A flag that manifests declare for other projects has a declaration, and a plan accepts no second one. */
function isElsewhere({ key, id }: Flag): LeftOutFlag {
  return { key, id, reasons: ['declared-elsewhere'] };
}

interface Named {
  readonly input: ExportRead['input'];
  readonly config: Config;
  readonly writes: readonly FileWrite[];
  readonly texts: readonly string[];
}

/** Adds names to the configuration. Where that is impossible, the manifests contain ids, which notes name. */
async function nameInConfiguration(
  { context }: Session,
  { config, project }: LoadedProject,
  { input, aliases, cohortsUnread }: ExportRead,
): Promise<Named> {
  const texts = cohortsUnread === undefined ? [] : [cohortsUnreadText(cohortsUnread.failure.kind)];
  const count = Object.keys({ ...aliases.cohorts, ...aliases.roles }).length;
  if (config.file === undefined || count === 0) return { input, config, writes: [], texts };
  const before = await readFile(path.resolve(context.cwd, config.file), 'utf8');
  const text = addAliases(before, project.name, aliases);
  if (text === undefined) {
    return {
      input,
      config,
      writes: [],
      texts: [...texts, aliasesText({ project: project.name, ...aliases, added: false })],
    };
  }
  const named = withAliases(input, aliases);
  const withNames = { ...config, projects: { ...config.projects, [project.name]: { ...project, ...named.names } } };
  return {
    input: named,
    config: withNames,
    writes: [{ file: config.file, text, before }],
    texts: [...texts, aliasesText({ project: project.name, ...aliases, added: true })],
  };
}

/** Runs before the first file is written, so that no folder is partly overwritten. */
async function refuseOverwrite({ context }: Session, writes: readonly FileWrite[]): Promise<void> {
  const present: string[] = [];
  for (const { file } of writes) {
    if ((await lstat(path.resolve(context.cwd, file)).catch(() => undefined)) !== undefined) present.push(file);
  }
  if (present.length === 0) return;
  throw new FlagwrightError('refused', `Nothing was exported because these files exist: ${present.join(', ')}.`, {
    remedy: 'Export to another folder with --dir, or overwrite them with --force.',
  });
}

async function save(
  session: Session,
  writes: readonly FileWrite[],
  { dryRun = false }: ExportOptions,
): Promise<FileOutcome[]> {
  for (const { file, text } of writes) {
    session.secrets.refuse(text, {
      message: `Nothing was exported: ${file} would contain the API key.`,
      source: 'the live flags',
    });
  }
  if (!dryRun) await writeAll(session, writes);
  return writes.map(({ file, before }): FileOutcome => {
    if (dryRun) return { file, status: before === undefined ? 'to_write' : 'to_edit' };
    return { file, status: before === undefined ? 'written' : 'edited' };
  });
}
