/** Records in git which commit was applied last to a project, and shares the record where the configuration says so. */

import type { BaseFacts, NotRecordedReason } from '../../engine/base.ts';
import { isAncestor } from '../../git/ancestry.ts';
import { GitError } from '../../git/objects.ts';
import { pushRef, readRemoteRef, resolveName, writeRef } from '../../git/refs.ts';
import type { Repository } from '../../git/repository.ts';
import type { Plan } from '../../posthog/plan.ts';
import { escapeLine, quoteShort } from '../../report/escape.ts';
import { notRecordedText, shortCommit } from '../../report/words/base.ts';
import type { Session } from '../session/session.ts';
import { appliedRef } from './applied-ref.ts';
import { withCheckout, type Checkout } from './checkout.ts';
import type { ManifestCommit } from './find-manifest-commit.ts';
import type { LoadedProject } from './load-project.ts';

export interface Applied {
  readonly loaded: LoadedProject;
  readonly plan: Pick<Plan, 'commit' | 'base' | 'undoes'>;
  /** What is known of the manifests on disk; absent for a plan that was made earlier. */
  readonly manifests?: ManifestCommit;
}

/** To be called when everything of the plan is live. A failure is told and changes nothing about the result of the apply. */
export async function recordApplied(session: Session, applied: Applied): Promise<void> {
  const { loaded, plan, manifests } = applied;
  const { commit } = plan;
  if (manifests?.kind === 'not_committed') return sayNotRecorded(session, loaded, manifests.reason);
  // A run with targets is no apply of a commit, and neither is an undo.
  if (plan.undoes !== undefined || (commit === undefined && manifests !== undefined)) return;
  await withCheckout(session, loaded.config, async (checkout) => {
    const opened = await checkout.opened;
    if (opened.kind !== 'open') return;
    const { repository } = opened;
    const ref = appliedRef(loaded.config, loaded.project, repository);
    if (ref === undefined) return;
    const result = await write(checkout, { repository, ref, ...applied }).catch(toReason);
    if (result.kind === 'not_recorded') return sayNotRecorded(session, loaded, result.reason);
    if (result.kind === 'recorded') await noteRecorded(session, loaded, result.commit);
    if (result.push !== undefined) await push(session, repository, { remote: result.push, ref });
  });
}

/** `push`: the remote whose ref differs. */
type Recorded =
  | { readonly kind: 'recorded'; readonly commit: string; readonly push: string | undefined }
  /** The ref names the commit already. */
  | { readonly kind: 'unchanged'; readonly push: string | undefined }
  | { readonly kind: 'not_recorded'; readonly reason: NotRecordedReason };

function not(reason: NotRecordedReason): Recorded {
  return { kind: 'not_recorded', reason };
}

function toReason(error: unknown): Recorded {
  if (!(error instanceof GitError)) throw error;
  return not({ code: 'git_failed', detail: error.message });
}

async function write(
  checkout: Checkout,
  { repository, ref, loaded, plan }: Applied & { readonly repository: Repository; readonly ref: string },
): Promise<Recorded> {
  const { commit } = plan;
  if (commit === undefined) return not({ code: 'plan_without_commit' });
  if ((await checkout.objectsOf(repository).read(`${commit}^{commit}`)) === undefined) {
    return not({ code: 'commit_unknown', commit });
  }
  const remote = loaded.project.service === 'remote' ? loaded.config.base.push : undefined;
  const shared = remote === undefined ? undefined : await readRemoteRef(repository, remote, ref);
  const local = await resolveName(repository, ref);
  const current = shared?.kind === 'found' ? shared.commit : local;
  const moved = current !== undefined && current !== commit && movedSince(plan.base, current);
  // What was applied in between is a part of the commit where its pipeline only waited for that of an earlier one.
  if (moved && !(await isAncestor(repository, current, commit))) {
    return not({ code: 'newer_applied', commit: current });
  }
  const push = shared?.kind === 'found' && shared.commit === commit ? undefined : remote;
  if (local === commit) return { kind: 'unchanged', push };
  const run = await writeRef(repository, ref, commit);
  if (run.kind === 'done') return { kind: 'recorded', commit, push };
  return not({ code: 'git_failed', detail: run.detail });
}

/** Whether somebody applied another commit after the plan was made. A plan that does not know the ref has no say. */
function movedSince(base: BaseFacts | undefined, current: string): boolean {
  if (base?.kind === 'commit') return base.from === 'ref' && base.commit !== current;
  return base?.reason.code === 'not_recorded';
}

async function noteRecorded(session: Session, { project }: LoadedProject, commit: string): Promise<void> {
  const words = `Recorded commit ${shortCommit(commit)} as the last one applied to ${project.name}.`;
  await session.note(`${session.palette.dim(words)}\n`);
}

async function sayNotRecorded(session: Session, { project }: LoadedProject, reason: NotRecordedReason): Promise<void> {
  const words = `No commit is recorded as applied to ${project.name}: ${notRecordedText(reason)}.`;
  await session.note(`${session.palette.warning('note')}  ${words}\n`);
}

async function push(
  session: Session,
  repository: Repository,
  { remote, ref }: { readonly remote: string; readonly ref: string },
): Promise<void> {
  const run = await pushRef(repository, remote, ref);
  if (run.kind === 'done') return;
  const { context, palette } = session;
  const permission = PERMISSIONS.find(({ marker }) => context.env[marker])?.permission ?? PERMISSION;
  await session.say(
    `${palette.warning('warning')}  ${escapeLine(ref)} was not pushed to ${quoteShort(remote)}, so other clones do not know what was applied: ${quoteShort(run.detail, LONG)}\n  ${palette.dim('→')} ${permission}\n`,
  );
}

/** Long enough for the words of git. */
const LONG = 400;

const PERMISSION = 'Pushing needs the right to write to the repository.';

/** How a job gets the right to push, by the variable that the CI system sets in every job. */
const PERMISSIONS = [
  {
    marker: 'GITHUB_ACTIONS',
    permission: 'The token of the job needs `permissions: { contents: write }` in the workflow.',
  },
  {
    marker: 'GITLAB_CI',
    permission:
      'The job needs a token with the scope write_repository, or the project setting "Allow Git push requests to the repository" for job tokens.',
  },
] as const;
