/** Writes what `accept` takes over, and reports it. */

import type { AcceptReport } from '../../report/report.ts';
import { unwrittenLines } from '../../report/formats/text/unwritten.ts';
import { leftText } from '../../report/words/accepted.ts';
import type { ExitCode } from '../line/exit.ts';
import type { Session } from '../session/session.ts';
import { saveEdits, type Edits } from './save-edits.ts';

export interface Saving extends Edits {
  readonly outcome: Omit<AcceptReport, 'kind' | 'files' | 'patch'>;
}

export async function saveAccepted(session: Session, { outcome, ...edits }: Saving): Promise<ExitCode> {
  const saved = await saveEdits(session, edits);
  await session.publish({ ...outcome, kind: 'accept', ...saved });
  if (saved.patch !== undefined) {
    const lines = outcome.left.flatMap((flag) => unwrittenLines(leftText(flag), flag.suggestion, session));
    for (const line of lines) await session.say(`${line}\n`);
  }
  return outcome.left.length === 0 ? 0 : 3;
}
