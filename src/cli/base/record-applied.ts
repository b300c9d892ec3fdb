/** Records in git which commit was applied last to a project, and shares the record where the configuration says so. */

import { memberOf } from '../../base/json.ts';
import type { NotRecordedReason } from '../../engine/base.ts';
import { GitError } from '../../git/objects.ts';
import { pushRef, writeCommit, writeRef } from '../../git/refs.ts';
import type { Plan } from '../../posthog/plan.ts';
import { escapeLine, quoteShort } from '../../report/escape.ts';
import { notRecordedRemedy, notRecordedText, recordedText } from '../../report/words/base.ts';
import type { Session } from '../session/session.ts';
import { recordText } from './applied-record.ts';
import { appliedRef } from './applied-ref.ts';
import { withCheckout } from './checkout.ts';
import type { ManifestCommit } from './find-manifest-commit.ts';
import type { InRepository } from './find-record.ts';
import type { LoadedProject } from '../project/load-project.ts';
import { CI_SYSTEMS } from '../runs/ci-systems.ts';
import { mayRecord, type Recordable } from './may-record.ts';

export interface AppliedPlan {
  readonly loaded: LoadedProject;
  readonly plan: Pick<Plan, 'commit' | 'base' | 'left' | 'unrecorded' | 'undoes'>;
  /** The commit of the manifests on disk; absent for a plan that was made earlier. */
  readonly manifests?: ManifestCommit;
  /** Record the commit also where it does not contain the one that was applied last. */
  readonly moves: boolean;
}

/** Call it when the whole plan is live. A failure is reported and does not change the result of the apply. */
export async function recordApplied(session: Session, applied: AppliedPlan): Promise<void> {
  const { loaded, plan, manifests } = applied;
  const { commit } = plan;
  if (manifests?.kind === 'not_committed') return printNotRecorded(session, loaded, manifests.reason);
  // A run with targets is no apply of a commit, and neither is an undo.
  if (plan.undoes !== undefined || (commit === undefined && manifests !== undefined)) return;
  await withCheckout(session, loaded.config, async (checkout) => {
    const opened = await checkout.opened;
    if (opened.kind !== 'open') return;
    const { repository } = opened;
    const ref = appliedRef(loaded.config, loaded.project, repository);
    if (ref === undefined) return;
    const result = await write(session, { checkout, repository, ref, ...applied }).catch(toReason);
    if (result.kind === 'not_recorded') return printNotRecorded(session, loaded, result.reason);
    if (result.isNew) await noteRecorded(session, loaded, plan);
    if (result.push !== undefined) await push(session, { checkout, repository }, { ...result.push, ref });
  });
}

/** `push`: the remote whose ref differs, and its commit. */
type RecordOutcome =
  | { readonly kind: 'recorded'; readonly isNew: boolean; readonly push: Pushed | undefined }
  | { readonly kind: 'not_recorded'; readonly reason: NotRecordedReason };

interface Pushed {
  readonly remote: string;
  readonly former: string | undefined;
}

function not(reason: NotRecordedReason): RecordOutcome {
  return { kind: 'not_recorded', reason };
}

function toReason(error: unknown): RecordOutcome {
  if (!(error instanceof GitError)) throw error;
  return not({ code: 'git_failed', detail: error.message });
}

async function write(
  session: Session,
  { ref, loaded, plan, moves, ...within }: AppliedPlan & InRepository & { readonly ref: string },
): Promise<RecordOutcome> {
  const { commit, left = [], unrecorded: earlier = [] } = plan;
  if (commit === undefined) return not({ code: 'plan_without_commit' });
  const object = await within.checkout.objectsOf(within.repository).read(`${commit}^{commit}`);
  if (object === undefined) return not({ code: 'commit_unknown', commit });
  const remote = loaded.project.service === 'remote' ? loaded.config.base.push : undefined;
  const leaves = left.length + earlier.length > 0;
  const recordable: Recordable = { commit, earlier, leaves, base: plan.base, ref, remote, moves };
  const permission = await mayRecord(recordable, within);
  if (permission.kind === 'refused') return not(permission.reason);
  const { local, shared, isSame } = permission;
  const push = remote === undefined || (isSame && shared !== undefined) ? undefined : { remote, former: shared };
  if (isSame && local !== undefined) return { kind: 'recorded', isNew: false, push };
  const seconds = Math.floor(session.context.now() / 1000);
  const text = recordText(object, earlier, { project: loaded.project.name, seconds });
  const id = text === undefined ? commit : await store(text, within);
  const run = await writeRef(within.repository, ref, { commit: id, former: local });
  if (run.kind === 'done') return { kind: 'recorded', isNew: true, push };
  return not({ code: 'git_failed', detail: run.detail });
}

async function store(text: string, { repository }: InRepository): Promise<string> {
  const run = await writeCommit(repository, text);
  if (run.kind !== 'done') throw new GitError(run.detail);
  return run.stdout.toString().trim();
}

async function noteRecorded(session: Session, { project }: LoadedProject, plan: AppliedPlan['plan']): Promise<void> {
  const { commit = '', unrecorded = [] } = plan;
  const keys = [...new Set(unrecorded.map(({ key }) => key))];
  await session.note(`${session.palette.dim(recordedText({ commit, project: project.name, keys }))}\n`);
}

async function printNotRecorded(
  session: Session,
  { project }: LoadedProject,
  reason: NotRecordedReason,
): Promise<void> {
  const words = `No commit is recorded as applied to ${project.name}: ${notRecordedText(reason)}.`;
  const remedy = notRecordedRemedy(reason);
  const way = remedy === undefined ? '' : `\n  ${session.palette.dim('→')} ${remedy}`;
  await session.note(`${session.palette.warning('note')}  ${words}${way}\n`);
}

async function push(
  session: Session,
  { repository }: InRepository,
  { remote, ref, former }: Pushed & { readonly ref: string },
): Promise<void> {
  const run = await pushRef(repository, remote, { ref, former });
  if (run.kind === 'done') return;
  const { context, palette } = session;
  const permission = CI_SYSTEMS.find(({ marker }) => memberOf(context.env, marker))?.permission ?? PERMISSION;
  await session.print(
    `${palette.warning('warning')}  ${escapeLine(ref)} was not pushed to ${quoteShort(remote)}, so other clones do not know what was applied: ${quoteShort(run.detail, LONG)}\n  ${palette.dim('→')} ${permission}\n`,
  );
}

/** Long enough for the words of git. */
const LONG = 400;

const PERMISSION = 'Pushing needs the right to write to the repository.';
