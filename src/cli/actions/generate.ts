/** `flagwright generate LANGUAGE`: writes types and accessors of the declared flags, without contacting the service. */

import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { FlagwrightError, systemCode } from '../../base/errors.ts';
import { unifiedDiff } from '../../base/unified-diff.ts';
import type { Sdk } from '../../generate/sdks.ts';
import { MARK, writeTypeScript } from '../../generate/typescript.ts';
import { escapeWholeLine } from '../../report/escape.ts';
import type { FileOutcome } from '../../report/report.ts';
import { generationNoteText } from '../../report/words/generated.ts';
import type { ExitCode } from '../line/exit.ts';
import { loadTypedFlags } from '../project/typed-flags.ts';
import { fileError } from '../session/files.ts';
import type { Session } from '../session/session.ts';
import { writeAll } from '../session/write-all.ts';

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
  const status = isCurrent ? 'current' : STATUSES[check ? 'check' : 'write'][before === undefined ? 'new' : 'known'];
  await session.publish({ kind: 'files', files: [{ file: out, status }] });
  for (const note of notes) await session.note(`${session.palette.warning('note')}  ${generationNoteText(note)}\n`);
  if (isCurrent || !check) return 0;
  await showDifference(session, { file: out, before: before?.replaceAll('\r\n', '\n'), after: text });
  return 2;
}

const STATUSES: Readonly<Record<'check' | 'write', Readonly<Record<'new' | 'known', FileOutcome['status']>>>> = {
  check: { new: 'to_write', known: 'to_edit' },
  write: { new: 'written', known: 'edited' },
};

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

/** The changes of a release may touch every flag. */
const MOST_LINES = 200;

async function showDifference(session: Session, change: Parameters<typeof unifiedDiff>[0][number]): Promise<void> {
  const lines = unifiedDiff([change]).trimEnd().split('\n').map(escapeWholeLine);
  const hidden = lines.length - MOST_LINES;
  const shown = hidden > 0 ? [...lines.slice(0, MOST_LINES), `… and ${hidden} more lines`] : lines;
  await session.print(`${shown.join('\n')}\n`);
  await session.note(`${escapeWholeLine(change.file)} is not current. Run the command without --check.\n`);
}
