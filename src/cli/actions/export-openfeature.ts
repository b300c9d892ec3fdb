/**
 * `flagwright export --format openfeature`: prints the declared flags as a manifest of the OpenFeature CLI, without contacting the service.
 */

import { FlagwrightError } from '../../base/errors.ts';
import { writeFlagManifest } from '../../generate/openfeature.ts';
import { manifestNoteText } from '../../report/words/generated.ts';
import type { ExitCode } from '../line/exit.ts';
import type { ExportCommandOptions } from '../manifests/export-read.ts';
import { loadTypedFlags } from '../project/typed-flags.ts';
import type { Session } from '../session/session.ts';

export async function exportOpenFeature(session: Session, options: ExportCommandOptions): Promise<ExitCode> {
  refuseOtherReports(session);
  refuseOptions(options);
  const { manifest, notes } = writeFlagManifest(await loadTypedFlags(session));
  await session.publish({ kind: 'flag-manifest', manifest });
  for (const note of notes) await session.note(`${session.palette.warning('note')}  ${manifestNoteText(note)}\n`);
  return 0;
}

/** No run makes both the manifest and a report about an export. */
function refuseOtherReports({ options: { format, report = [] } }: Session): void {
  if ([format, ...report.map((one) => one.format)].every((one) => one === 'openfeature')) return;
  throw new FlagwrightError('usage', 'The format openfeature cannot be used together with another format.', {
    remedy: 'Run the command once with --format openfeature, and once without.',
  });
}

/** They are about live flags and the files of an export. */
function refuseOptions(options: ExportCommandOptions): void {
  const { roleAccess, target, unmanaged, merge, dryRun, minimal, full, force } = options;
  const given = Object.entries({ roleAccess, target, unmanaged, merge, dryRun, minimal, full, force });
  const [name] = given.find(([, value]) => value !== undefined) ?? [];
  if (name === undefined) return;
  const option = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  throw new FlagwrightError('usage', `${option} and --format openfeature cannot be used together.`, {
    remedy: `Remove ${option}: the manifests declare the flags of this document.`,
  });
}
