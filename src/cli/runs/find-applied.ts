/** Finds in the journal the commit that was last applied to a project. */

import { isDeepStrictEqual } from 'node:util';
import { FlagwrightError } from '../../base/errors.ts';
import type { EarlierBase } from '../../engine/base.ts';
import type { ProjectIdentity } from '../../engine/project.ts';
import { isComplete, NoRunError } from '../../journal/read.ts';
import type { Session } from '../session/session.ts';
import { belongsTo, readRunOrder, readRuns, type RunEntry } from './find-runs.ts';

export type AppliedCommit =
  | { readonly kind: 'found'; readonly commit: string; readonly earlier: readonly EarlierBase[] }
  | { readonly kind: 'none' }
  /** The newest run could be in a journal that cannot be used, or is one of several that did not follow each other. */
  | { readonly kind: 'unreadable'; readonly detail: string };

/** The commit of the newest run that applied a whole plan of committed manifests. */
export async function findApplied(session: Session, project: ProjectIdentity): Promise<AppliedCommit> {
  const found: FoundRun[] = [];
  try {
    const order = await readRunOrder(session);
    const isOlder = (name: string): boolean => found.some((run) => order.follows(run.name, name));
    for await (const entry of readRuns(session, order, isOlder)) {
      const examined = examine(entry, project);
      if (examined.kind === 'unreadable') return examined;
      if (examined.kind === 'found') found.push({ name: entry.name, applied: examined });
    }
  } catch (error) {
    if (!(error instanceof FlagwrightError)) throw error;
    return { kind: 'unreadable', detail: error.message };
  }
  const [newest, other] = found.filter((run, index) => index === found.findIndex((one) => isSameBase(one, run)));
  if (newest === undefined) return { kind: 'none' };
  if (other === undefined) return newest.applied;
  const detail = `Runs ${newest.name} and ${other.name} applied different commits, and neither followed the other.`;
  return { kind: 'unreadable', detail };
}

interface FoundRun {
  readonly name: string;
  readonly applied: Extract<AppliedCommit, { readonly kind: 'found' }>;
}

function isSameBase({ applied: one }: FoundRun, { applied: other }: FoundRun): boolean {
  return one.commit === other.commit && isDeepStrictEqual(one.earlier, other.earlier);
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
