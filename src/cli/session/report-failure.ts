/** How a run that failed as a whole ends: words on stderr, in JSON mode a document, and the exit code. */

import { describe } from '../../report/words/diagnostics.ts';
import type { FlagwrightError } from '../../base/errors.ts';
import { diagnosticsText } from '../../report/formats/text/diagnostics.ts';
import { errorDocument, type RefusalDetails } from '../../report/formats/json/documents.ts';
import { escapeLine } from '../../report/escape.ts';
import { hazardLines } from '../../report/formats/text/hazards.ts';
import { refusedLines } from '../../report/formats/text/undo.ts';
import { exitCodeOfError, type ExitCode } from '../line/exit.ts';
import type { Session } from './session.ts';
import { sourceLines } from './source-lines.ts';

export async function reportFailure(
  session: Session,
  error: FlagwrightError,
  details: RefusalDetails = {},
): Promise<ExitCode> {
  await session.say(failureText(session, error, details));
  if (session.options.format === 'json') {
    await session.publish({ text: () => '', json: () => errorDocument(error, details) });
  }
  return exitCodeOfError(error.code);
}

function failureText(
  { palette, places, options }: Session,
  error: FlagwrightError,
  { hazards = [], refused = [] }: RefusalDetails,
): string {
  const { diagnostics, remedy, message } = error;
  const parts: string[] = [];
  if (diagnostics.length > 0) {
    parts.push(`${diagnosticsText(diagnostics, { palette, sourceLine: sourceLines(places.root) })}\n`);
  }
  if (hazards.length > 0) parts.push(`${hazardLines({ hazards }, palette).join('\n')}\n`);
  if (refused.length > 0) parts.push(`${refusedLines(refused, { palette, verbose: options.verbose }).join('\n')}\n`);
  parts.push(`${palette.error('error')}  ${escapeLine(message)}\n`);
  if (remedy !== undefined) parts.push(`  ${palette.dim('→')} ${escapeLine(remedy)}\n`);
  // One problem that says it all needs no second line that says the same.
  const [only] = diagnostics;
  if (only !== undefined && diagnostics.length === 1 && describe(only).message === message) parts.splice(1);
  if (options.verbose && error.code === 'internal' && error.cause instanceof Error) {
    parts.push(`${(error.cause.stack ?? '').split('\n').map(escapeLine).join('\n')}\n`);
  }
  return parts.join('');
}
