/** Finds what recorded runs wrote to a project, to recognise flagwright's own writes in the activity log. */

import { FlagwrightError } from '../../base/errors.ts';
import type { ProjectIdentity } from '../../engine/project.ts';
import { ownWrites } from '../../journal/recorded.ts';
import type { OwnWrite } from '../../posthog/authors/own-writes.ts';
import type { Session } from '../session/session.ts';
import { belongsTo, readRunOrder, readRuns } from './find-runs.ts';

/** Runs that are read at most, the newest first: a journal grows without end. */
const MOST_RUNS = 50;

/** A journal that cannot be used is skipped: its writes then look like those of another machine. */
export async function findOwnWrites(session: Session, project: ProjectIdentity): Promise<readonly OwnWrite[]> {
  const writes: OwnWrite[] = [];
  let read = 0;
  try {
    for await (const entry of readRuns(session, await readRunOrder(session))) {
      if (read === MOST_RUNS) break;
      read += 1;
      if ('run' in entry && belongsTo(entry.run, project)) writes.push(...ownWrites(entry.run));
    }
  } catch (error) {
    if (!(error instanceof FlagwrightError)) throw error;
  }
  return writes;
}
