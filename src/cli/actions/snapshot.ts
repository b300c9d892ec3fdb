/** `flagwright snapshot`: saves the live state of a project to a file, for plans without a key. */

import type { LiveState } from '../../posthog/live.ts';
import { count } from '../../report/words/amounts.ts';
import type { ExitCode } from '../line/exit.ts';
import type { Session } from '../session/session.ts';
import { saveSnapshot, takeSnapshot } from '../plan/take-snapshot.ts';

export interface SnapshotOptions {
  readonly out: string;
}

export async function snapshot(session: Session, { out }: SnapshotOptions): Promise<ExitCode> {
  const taken = await takeSnapshot(session);
  await saveSnapshot(session, taken, out);
  await session.publish({ kind: 'files', files: [{ file: out, status: 'written' }] });
  await session.note(`It contains ${contentText(taken.live)}.\n`);
  if (taken.live.cohorts === undefined) {
    await session.note(
      `${session.palette.warning('note')}  It contains no cohorts: the API key lacks the scope cohort:read.\n  ${session.palette.dim('→')} Give the key that scope if manifests declare or use cohorts.\n`,
    );
  }
  return 0;
}

function contentText({ flags, roleAccess, cohorts = [] }: LiveState): string {
  const access = Object.keys(roleAccess).length;
  return [
    count(flags.length, 'flag'),
    ...(access === 0 ? [] : [`access to ${access} of them`]),
    ...(cohorts.length === 0 ? [] : [count(cohorts.length, 'cohort')]),
  ].join(', ');
}
