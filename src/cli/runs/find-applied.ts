/** Finds in the journal the commit that was last applied to a project. */

import { FlagwrightError } from '../../base/errors.ts';
import type { EarlierBase } from '../../engine/base.ts';
import type { ProjectIdentity } from '../../engine/project.ts';
import { isComplete, NoRunError } from '../../journal/read.ts';
import type { Session } from '../session/session.ts';
import { belongsTo, readRuns, type RunEntry } from './find-runs.ts';

export type AppliedCommit =
  | { readonly kind: 'found'; readonly commit: string; readonly earlier: readonly EarlierBase[] }
  | { readonly kind: 'none' }
  /** The newest run could be in a journal that cannot be used. */
  | { readonly kind: 'unreadable'; readonly detail: string };

/** The commit of the newest run that applied a whole plan of committed manifests. */
export async function findApplied(session: Session, project: ProjectIdentity): Promise<AppliedCommit> {
  try {
    for await (const entry of readRuns(session)) {
      const found = examine(entry, project);
      if (found.kind !== 'none') return found;
    }
    return { kind: 'none' };
  } catch (error) {
    if (!(error instanceof FlagwrightError)) throw error;
    return { kind: 'unreadable', detail: error.message };
  }
}

function examine(entry: RunEntry, project: ProjectIdentity): AppliedCommit {
  if ('problem' in entry) {
    if (entry.problem instanceof NoRunError) return { kind: 'none' };
    return { kind: 'unreadable', detail: entry.problem.message };
  }
  const { commit, unrecorded: earlier = [] } = entry.run.plan;
  if (commit === undefined || !belongsTo(entry.run, project) || !isComplete(entry.run)) return { kind: 'none' };
  return { kind: 'found', commit, earlier };
}
