/** Records in git which commit was applied last to a project, and pushes the record if the configuration says so. */

import { isDeepStrictEqual } from 'node:util';
import type { ApplyResult } from '../../loop/apply/result.ts';
import { jsonEquals, type JsonObject, type JsonValue, memberOf } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import type { BaseFacts, NotRecordedReason } from '../../core/engine/base.ts';
import { GitError } from '../../loop/git/objects.ts';
import { pushRef, writeCommit, writeRef } from '../../loop/git/refs.ts';
import type { Judgement } from '../../review/policy/finding.ts';
import type { Plan } from '../../posthog/plan.ts';
import { escapeLine, quoteShort } from '../../report/escape.ts';
import { notRecordedRemedy, notRecordedText, recordedText } from '../../report/words/base.ts';
import { neverBack, progressAfterRun } from '../../core/rollout/record.ts';
import type { Approval } from '../../core/rollout/rollout.ts';
import type { LoadedProject } from '../project/load-project.ts';
import { CI_SYSTEMS } from '../runs/record-run.ts';
import { advise, labeled, type Session } from '../session/session.ts';
import {
  appliedRef,
  recordText,
  idsAfter,
  identifiedBy,
  type IdentifiedIn,
  findRef,
  idOf,
  type InRepository,
  readAt,
  isContained,
} from './applied-record.ts';
import type { ManifestCommit } from './find-manifest-commit.ts';
import { withCheckout, type Recorded, type RecordedSince } from './open-checkout.ts';
import { sinceAfter } from './soak.ts';

export interface AppliedPlan {
  readonly loaded: LoadedProject;
  readonly plan: Pick<
    Plan,
    'changes' | 'commit' | 'base' | 'left' | 'unrecorded' | 'rollouts' | 'undoes' | 'identified'
  >;
  /** What the run made; absent if it is not known: the next apply records the ids. */
  readonly result?: Pick<ApplyResult, 'changes'>;
  readonly judgement?: Judgement;
  /** The commit of the manifests on disk; absent for a plan that was made earlier. */
  readonly manifests?: ManifestCommit;
  /** The keys of flags whose due steps the run did not make: their records stay. */
  readonly unmade?: readonly string[];
  /** Whether to record the commit even if it does not contain the one that was applied last. */
  readonly moves: boolean;
  /** The time of the service: steps are recorded as made then. */
  readonly now: () => number;
}

/** Call this once all of the plan is live, except for steps of rollouts. A failure is reported, and the apply still succeeds. */
export async function recordApplied(session: Session, applied: AppliedPlan): Promise<void> {
  const { loaded, plan, manifests } = applied;
  const { commit } = plan;
  if (manifests?.kind === 'not_committed') return printNotRecorded(session, loaded, manifests.reason);
  // A run with targets applies only a part of a commit, and an undo none.
  if (plan.undoes !== undefined || (commit === undefined && manifests !== undefined)) return;
  await withCheckout(session, loaded.config, async (checkout) => {
    const opened = await checkout.opened;
    if (opened.kind !== 'open') return;
    const { repository } = opened;
    const ref = appliedRef(loaded.config, loaded.project, repository);
    if (ref === undefined) return;
    const result = await write(session, { checkout, repository, ref, ...applied }).catch((error: unknown) => {
      if (!(error instanceof GitError)) throw error;
      return notRecorded({ code: 'git_failed', detail: error.message });
    });
    if (result.kind === 'not_recorded') return printNotRecorded(session, loaded, result.reason);
    if (result.isNew) {
      const keys = [...new Set((plan.unrecorded ?? []).map(({ key }) => key))];
      const words = recordedText({ commit: commit ?? '', project: loaded.project.name, keys });
      await session.note(`${session.palette.dim(words)}\n`);
    }
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

function notRecorded(reason: NotRecordedReason): RecordOutcome {
  return { kind: 'not_recorded', reason };
}

async function write(
  session: Session,
  {
    ref,
    loaded,
    plan,
    judgement,
    result,
    unmade = [],
    moves,
    now,
    ...within
  }: AppliedPlan & InRepository & { readonly ref: string },
): Promise<RecordOutcome> {
  const { commit, left = [], unrecorded: earlier = [] } = plan;
  if (commit === undefined) return notRecorded({ code: 'plan_without_commit' });
  const object = await within.checkout.objectsOf(within.repository).read(`${commit}^{commit}`);
  if (object === undefined) return notRecorded({ code: 'commit_unknown', commit });
  const remote = loaded.project.service === 'remote' ? loaded.config.base.push : undefined;
  const leaves = left.length + earlier.length + unmade.length > 0;
  const pending = (result?.changes ?? []).filter((one) => one.result.outcome === 'pending');
  const rollouts = progressAfterRun(plan, {
    ...{ unmade, asked: pending.map(({ change }) => change.key), now: now() },
    approvalsOf: (key) => approvalsOf(judgement, key),
  });
  const identified = identifiedBy(loaded, plan, result);
  const recordable: Recordable = { commit, earlier, rollouts, leaves, base: plan.base, ref, remote, moves, identified };
  const permission = await mayRecord(recordable, within);
  if (permission.kind === 'refused') return notRecorded(permission.reason);
  const { local, shared, former } = permission;
  const since = await sinceAfter(
    session,
    { ...within, loaded },
    { commit, recorded: permission.recorded, former, now: now() },
  );
  const isSame = permission.isSame && isDeepStrictEqual(since, former);
  const recorded = { ...permission.recorded, ...defined({ since }) };
  const push = remote === undefined || (isSame && shared !== undefined) ? undefined : { remote, former: shared };
  if (isSame && local !== undefined) return { kind: 'recorded', isNew: false, push };
  const seconds = Math.floor(session.context.now() / 1000);
  const text = recordText(object, recorded, { project: loaded.project.name, seconds });
  const stored = text === undefined ? undefined : await writeCommit(within.repository, text);
  if (stored !== undefined && stored.kind !== 'done') throw new GitError(stored.detail);
  const id = stored === undefined ? commit : stored.stdout.toString().trim();
  const run = await writeRef(within.repository, ref, { commit: id, former: local });
  if (run.kind === 'done') return { kind: 'recorded', isNew: true, push };
  return notRecorded({ code: 'git_failed', detail: run.detail });
}

/** The approvals of a flag's steps, one for each finding that requires one. */
export function approvalsOf(judgement: Judgement | undefined, flag: string): readonly Approval[] {
  return (judgement?.findings ?? []).flatMap(({ key, rule, step, facts, jump_since: since, lifted }): Approval[] => {
    if (key !== flag || step === undefined || lifted?.by !== 'approval') return [];
    const jumps = since === undefined ? {} : { jumps: true as const };
    return [{ rule, by: lifted.approver, step, facts: facts as unknown as JsonObject, ...jumps }];
  });
}

async function printNotRecorded(
  session: Session,
  { project }: LoadedProject,
  reason: NotRecordedReason,
): Promise<void> {
  const words = `No commit is recorded as applied to ${project.name}: ${notRecordedText(reason)}.`;
  await advise(session, words, notRecordedRemedy(reason));
}

async function push(
  session: Session,
  { repository }: InRepository,
  { remote, ref, former }: Pushed & { readonly ref: string },
): Promise<void> {
  const run = await pushRef(repository, remote, { ref, former });
  if (run.kind === 'done') return;
  const permission = CI_SYSTEMS.find(({ marker }) => memberOf(session.context.env, marker))?.permission;
  const words = `${escapeLine(ref)} was not pushed to ${quoteShort(remote)}, so other clones do not know what was applied: ${quoteShort(run.detail, LONG)}`;
  await session.print(labeled(session, 'warning', words, permission ?? PERMISSION));
}

/** Long enough for what git says. */
const LONG = 400;

const PERMISSION = 'Pushing needs the right to write to the repository.';

interface Recordable extends Recorded {
  readonly identified: IdentifiedIn;
  readonly commit: string;
  /** The plan leaves something, as drift or as pending. */
  readonly leaves: boolean;
  readonly base: BaseFacts | undefined;
  readonly ref: string;
  readonly remote: string | undefined;
  readonly moves: boolean;
}

type Permission =
  | {
      readonly kind: 'allowed';
      /** The commits that the ref names in this clone, and in the remote. */
      readonly local: string | undefined;
      readonly shared: string | undefined;
      readonly isSame: boolean;
      readonly recorded: Recorded;
      /** Since when the record says that parts of flags were applied. */
      readonly former?: RecordedSince;
    }
  | { readonly kind: 'refused'; readonly reason: NotRecordedReason };

/** Decides whether an apply may record its commit: a record only moves forward, unless the run asks for more. */
async function mayRecord(recordable: Recordable, within: InRepository): Promise<Permission> {
  const { commit, ref, remote, moves, earlier, rollouts, identified } = recordable;
  const former = await idOf(ref, within);
  const found = await findRef(ref, { remotes: remote === undefined ? [] : [remote], local: former }, within);
  const unread = found.kind === 'none' ? undefined : found.unread;
  if (unread !== undefined) return refused({ code: 'remote_unreachable', ...unread });
  const local = remote === undefined ? former : await idOf(ref, within);
  const shared = found.kind === 'found' && found.remote !== undefined ? found.id : undefined;
  const recorded = { earlier, rollouts, ...defined({ ids: idsAfter(identified) }) };
  const allowed = { kind: 'allowed', local, shared, isSame: false, recorded } as const;
  if (found.kind !== 'found') return allowed;
  const record = await readAt(found.id, within);
  if (record.kind === 'nothing') return allowed;
  if (record.kind !== 'commit') return moves ? allowed : refused({ code: 'record_unreadable', name: ref });
  const ids = idsAfter(identified, record.ids);
  const further = { earlier, rollouts: neverBack(rollouts, record.rollouts), ...defined({ ids }) };
  const isSame = record.commit === commit && isSameBeside(record, further);
  const reason = isSame ? undefined : await whyNot({ ...recordable, ...further }, record, within);
  const hasSameIds = isDeepStrictEqual(record.ids, ids);
  return reason === undefined
    ? { ...allowed, isSame: isSame && hasSameIds, recorded: further, ...defined({ former: record.since }) }
    : refused(reason);
}

function refused(reason: NotRecordedReason): Permission {
  return { kind: 'refused', reason };
}

async function whyNot(
  { commit, leaves, base, remote, moves }: Recordable,
  current: Recorded & { readonly commit: string },
  within: InRepository,
): Promise<NotRecordedReason | undefined> {
  const isKnown =
    base?.kind === 'commit' &&
    base.from !== 'option' &&
    base.commit === current.commit &&
    isSameBeside({ earlier: base.earlier ?? [], rollouts: base.rollouts ?? [] }, current);
  const contained = moves ? 'yes' : await isContained({ earlier: current.commit, later: commit, remote }, within);
  if (contained === 'yes') {
    // What the plan left depends on its base: compared with another one, other differences are drift.
    return !leaves || isKnown ? undefined : { code: 'compared_otherwise', commit: current.commit };
  }
  if (contained === 'unknown') return { code: 'history_missing', commit: current.commit };
  // Whether the plan knew what had been applied last when it was made.
  const wasRecorded = base?.kind === 'commit' ? base.from === 'ref' : base?.reason.code === 'not_recorded';
  return { code: !isKnown && wasRecorded ? 'newer_applied' : 'not_contained', commit: current.commit };
}

function isSameBeside(...records: readonly [Recorded, Recorded]): boolean {
  const [one, other] = records.map(({ earlier, rollouts }) => ({ earlier, rollouts }) as unknown as JsonValue);
  return jsonEquals(one, other);
}
