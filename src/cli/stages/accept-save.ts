/** Writes what `accept` takes over, and reports it. */

import type { AcceptReport } from '../../report/report.ts';
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
    for (const flag of outcome.left) await session.say(`${session.palette.error('left')}  ${leftText(flag)}\n`);
  }
  return outcome.left.length === 0 ? 0 : 3;
}
