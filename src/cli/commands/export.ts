/** `flagwright export`: writes the live flags of a project as manifests. */

import { lstat, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { FlagwrightError } from '../../base/errors.ts';
import type { ExportedFile } from '../../export/export.ts';
import { writeManifests } from '../../export/write-manifests.ts';
import type { ServiceClient } from '../../posthog/client/client.ts';
import type { Flag } from '../../posthog/flag/flag.ts';
import type { LiveState } from '../../posthog/live.ts';
import type { RoleAccessEntry } from '../../posthog/role-access/entry.ts';
import {
  exportNoteTexts,
  exportProblemText,
  leftOutText,
  uncheckedTexts,
  unmanagedTexts,
} from '../../report/words/exported.ts';
import type { ExportOptions } from '../line/commands.ts';
import type { ExitCode } from '../line/exit.ts';
import { fileError, writeDocument } from '../session/files.ts';
import { refuseLinkOut } from '../session/links.ts';
import { createProgress } from '../session/progress.ts';
import type { Session } from '../session/session.ts';
import { checkExport } from '../stages/export-check.ts';
import { loadProject } from '../stages/load-project.ts';
import { withProject } from '../stages/open-project.ts';

export async function exportFlags(session: Session, options: ExportOptions): Promise<ExitCode> {
  const { config, project } = await loadProject(session);
  const progress = createProgress(session);
  const { flags, roleAccess } = await withProject(session, { project, onEvent: progress.onService }, async (opened) =>
    readLiveFlags(opened.client, options.roleAccess === true).finally(progress.clear),
  );
  const input = { flags, roleAccess, names: project };
  const { files, notes, unchecked, leftOut, unmanaged } = writeManifests(input, options);
  for (const { path: file, text } of files) {
    session.secrets.refuse(text, {
      message: `Nothing was exported: ${file} would contain the API key.`,
      source: 'the live flags',
    });
  }
  if (options.force !== true) await refuseOverwrite(session, files, options.dir);
  for (const file of files) await writeManifest(session, path.join(options.dir, file.path), file.text);
  const outcomes = files.map((file) => ({ file: path.join(options.dir, file.path), status: 'written' as const }));
  await session.publish({ kind: 'export', files: outcomes, unchecked, leftOut, unmanaged });
  const written = outcomes.map(({ file }) => path.resolve(session.context.cwd, file));
  const problems = await checkExport({ config, written });
  const texts = [
    ...exportNoteTexts(notes),
    ...uncheckedTexts(unchecked),
    ...unmanagedTexts(unmanaged),
    ...problems.map(exportProblemText),
  ];
  for (const text of texts) await session.note(`${session.palette.warning('note')}  ${text}\n`);
  for (const flag of leftOut) await session.say(`${session.palette.error('left out')}  ${leftOutText(flag)}\n`);
  return leftOut.length === 0 ? 0 : 3;
}

interface Everything {
  readonly flags: readonly Flag[];
  readonly roleAccess: LiveState['roleAccess'] | undefined;
}

/** Role access costs one request per flag, so it is read only on demand. */
async function readLiveFlags(client: ServiceClient, withRoleAccess: boolean): Promise<Everything> {
  const flags = await client.listFlags();
  if (!withRoleAccess) return { flags, roleAccess: undefined };
  const entries = await Promise.all(
    flags.map(async (flag): Promise<[string, readonly RoleAccessEntry[]]> => [
      String(flag.id),
      await client.listRoleAccess(flag.id),
    ]),
  );
  return { flags, roleAccess: Object.fromEntries(entries) };
}

/** Runs before the first file is written, so that no folder is partly overwritten. */
async function refuseOverwrite({ context }: Session, files: readonly ExportedFile[], dir: string): Promise<void> {
  const present: string[] = [];
  for (const file of files) {
    const name = path.join(dir, file.path);
    if ((await lstat(path.resolve(context.cwd, name)).catch(() => undefined)) !== undefined) present.push(name);
  }
  if (present.length === 0) return;
  throw new FlagwrightError('refused', `Nothing was exported because these files exist: ${present.join(', ')}.`, {
    remedy: 'Export to another folder with --dir, or overwrite them with --force.',
  });
}

async function writeManifest(session: Session, file: string, text: string): Promise<void> {
  const folder = path.resolve(session.context.cwd, path.dirname(file));
  await refuseLinkOut(session.places.root, folder);
  await mkdir(folder, { recursive: true }).catch((cause: unknown) => {
    throw fileError('write', file, cause);
  });
  await writeDocument(session, file, { text });
}
