/**
 * Documents of the declared flags, without contacting the service: `flagwright generate LANGUAGE` writes types and accessors, `export --format
 * openfeature` a manifest of the OpenFeature CLI.
 */

import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { FlagwrightError, systemCode } from '../../base/errors.ts';
import { unifiedDiff } from '../../base/unified-diff.ts';
import { writeFlagManifest } from '../../code/generate/openfeature.ts';
import type { Sdk } from '../../code/generate/sdks.ts';
import { typeFlags, type TypedFlag } from '../../code/generate/typed-flag.ts';
import { MARK, writeTypeScript } from '../../code/generate/typescript.ts';
import { escapeWholeLine } from '../../report/escape.ts';
import { generationNoteText, manifestNoteText } from '../../report/words/code.ts';
import type { ExitCode } from '../line/exit.ts';
import { loadConfiguration } from '../project/load-project.ts';
import { chooseProjects, readProjects } from '../project/resolve-projects.ts';
import { fileError, writeAll } from '../session/files.ts';
import { advise, type Session } from '../session/session.ts';

export interface GenerateOptions {
  readonly out: string;
  readonly sdk: Sdk;
  readonly check?: boolean;
}

/** Exits with 2 if `check` finds the file missing or different. */
export async function generate(session: Session, { out, sdk, check = false }: GenerateOptions): Promise<ExitCode> {
  const { text, notes } = writeTypeScript(await loadTypedFlags(session), sdk);
  session.secrets.refuse(text, {
    message: `Nothing was written: ${out} would contain the API key.`,
    source: 'the manifests',
  });
  const before = await readGenerated(session, out);
  const isCurrent = before?.replaceAll('\r\n', '\n') === text;
  if (!isCurrent && !check) await writeAll(session, [{ file: out, text }]);
  const isNew = before === undefined;
  const missing = isNew ? (check ? 'to_write' : 'written') : check ? 'to_edit' : 'edited';
  await session.publish({ kind: 'files', files: [{ file: out, status: isCurrent ? 'current' : missing }] });
  for (const note of notes) await advise(session, generationNoteText(note));
  if (isCurrent || !check) return 0;
  const change = { file: out, before: before?.replaceAll('\r\n', '\n'), after: text };
  const lines = unifiedDiff([change]).trimEnd().split('\n').map(escapeWholeLine);
  const hidden = lines.length - MOST_LINES;
  const shown = hidden > 0 ? [...lines.slice(0, MOST_LINES), `… and ${hidden} more lines`] : lines;
  await session.print(`${shown.join('\n')}\n`);
  await session.note(`${escapeWholeLine(out)} is not current. Run the command without --check.\n`);
  return 2;
}

/** The changes of a release may touch every flag. */
const MOST_LINES = 200;

/**
 * The text of an earlier run; `undefined` without a file.
 * @throws {FlagwrightError} `refused` for a file that flagwright did not write.
 */
async function readGenerated({ context }: Session, file: string): Promise<string | undefined> {
  const text = await readFile(path.resolve(context.cwd, file), 'utf8').catch((cause: unknown) => {
    if (systemCode(cause) === 'ENOENT') return undefined;
    throw fileError('read', file, cause);
  });
  if (text === undefined || text === '' || text.startsWith(MARK)) return text;
  throw new FlagwrightError('refused', `Nothing was written: flagwright did not write ${file}.`, {
    remedy: 'Name another file with --out, or remove this one.',
  });
}

/** Options of `export` about live flags and the files of an export. */
const OF_LIVE_FLAGS = ['roleAccess', 'target', 'unmanaged', 'merge', 'dryRun', 'minimal', 'full', 'force'] as const;

export async function exportOpenFeature(
  session: Session,
  options: { readonly [Name in (typeof OF_LIVE_FLAGS)[number]]?: unknown },
): Promise<ExitCode> {
  const { format, report = [] } = session.options;
  // No run makes both the manifest and a report about an export.
  if ([format, ...report.map((one) => one.format)].some((one) => one !== 'openfeature')) {
    throw new FlagwrightError('usage', 'The format openfeature cannot be used together with another format.', {
      remedy: 'Run the command once with --format openfeature, and once without.',
    });
  }
  const name = OF_LIVE_FLAGS.find((one) => options[one] !== undefined);
  if (name !== undefined) {
    const option = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    throw new FlagwrightError('usage', `${option} and --format openfeature cannot be used together.`, {
      remedy: `Remove ${option}: the manifests declare the flags of this document.`,
    });
  }
  const { manifest, notes } = writeFlagManifest(await loadTypedFlags(session));
  await session.publish({ kind: 'flag-manifest', manifest });
  for (const note of notes) await advise(session, manifestNoteText(note));
  return 0;
}

/** @throws {FlagwrightError} `manifest_invalid` with every diagnostic. */
export async function loadTypedFlags(session: Session): Promise<readonly TypedFlag[]> {
  const config = await loadConfiguration(session, { offline: true });
  const { projects } = await readProjects(session, config, await chooseProjects(session, config));
  return typeFlags(projects.map(({ project: { name }, resolution: { desired } }) => ({ name, desired })));
}
