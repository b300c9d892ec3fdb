/** `flaghoist export`: writes manifests from what is live in a project. */

import { mkdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { FlaghoistError } from '../../base/errors.ts';
import type { ExportedFile } from '../../manifest/write/export.ts';
import { writeManifests } from '../../manifest/write/write.ts';
import type { Flag, RoleAccessEntry } from '../../model/flag.ts';
import type { LiveState } from '../../model/live.ts';
import type { ServiceClient } from '../../service/client.ts';
import type { ExitCode } from '../exit.ts';
import { exportNoteTexts } from '../export-notes.ts';
import { fileError } from '../files.ts';
import { filesDocument, filesText } from '../files-text.ts';
import { loadProject } from '../load-project.ts';
import { withProject } from '../open-project.ts';
import { createProgress } from '../progress.ts';
import type { Session } from '../session.ts';

export interface ExportCommandOptions {
  readonly dir: string;
  readonly groupBy: 'prefix' | 'flag' | 'single';
  readonly roleAccess?: boolean;
  readonly force?: boolean;
}

export async function exportFlags(session: Session, options: ExportCommandOptions): Promise<ExitCode> {
  const { project } = await loadProject(session);
  const progress = createProgress(session);
  const { flags, roleAccess } = await withProject(session, { project, onEvent: progress.onService }, async (opened) =>
    readAll(opened.client, options.roleAccess === true).finally(progress.clear),
  );
  const { files, notes } = writeManifests({ flags, roleAccess, names: project }, { groupBy: options.groupBy });
  if (options.force !== true) await refuseOverwrite(session, files, options.dir);
  await writeAll(session, files, options.dir);
  const outcomes = files.map((file) => ({ file: path.join(options.dir, file.path), status: 'written' as const }));
  await session.publish({ text: (palette) => filesText(outcomes, palette), json: () => filesDocument(outcomes) });
  for (const text of exportNoteTexts(notes)) await session.note(`${session.palette.warning('note')}  ${text}\n`);
  return 0;
}

interface Everything {
  readonly flags: readonly Flag[];
  readonly roleAccess: LiveState['roleAccess'] | undefined;
}

/** Role access costs one request for each flag, so it is read only on demand. */
async function readAll(client: ServiceClient, withRoleAccess: boolean): Promise<Everything> {
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

/** Before the first file is written: a half overwritten folder would be worse than either. */
async function refuseOverwrite({ context }: Session, files: readonly ExportedFile[], dir: string): Promise<void> {
  const present: string[] = [];
  for (const file of files) {
    const name = path.join(dir, file.path);
    if ((await stat(path.resolve(context.cwd, name)).catch(() => undefined)) !== undefined) present.push(name);
  }
  if (present.length === 0) return;
  throw new FlaghoistError('refused', `Files are there already and were left alone: ${present.join(', ')}.`, {
    remedy: 'Export into another folder with --dir, or overwrite them with --force.',
  });
}

async function writeAll({ context }: Session, files: readonly ExportedFile[], dir: string): Promise<void> {
  try {
    await mkdir(path.resolve(context.cwd, dir), { recursive: true });
    for (const file of files) await writeFile(path.resolve(context.cwd, dir, file.path), file.text);
  } catch (cause) {
    throw fileError('write', dir, cause);
  }
}
