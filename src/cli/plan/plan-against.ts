/** Makes a plan against a snapshot: without a key, and without asking the service or a remote of git. */

import { FlagwrightError } from '../../base/errors.ts';
import { jsonEquals } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import type { ProjectIdentity } from '../../core/engine/project.ts';
import { declaredFamilies, joinSelections, listing, selectionOf } from '../../posthog/live-selection.ts';
import type { LoadOptions } from '../../posthog/manifests/load.ts';
import type { ManifestFile } from '../../posthog/manifests/manifests.ts';
import { findMissingRetired } from '../../posthog/planning/base.ts';
import { parseSnapshot, type ReadSnapshot, selectLive, selectRetired } from '../../posthog/snapshot-file/parse.ts';
import type { Against } from '../../posthog/snapshot-file/snapshot-file.ts';
import { escapeLine } from '../../report/escape.ts';
import { ageText, isInFuture, timeText } from '../../report/words/amounts.ts';
import { consultGit } from '../applied/find-base.ts';
import { findExceptions } from '../applied/find-exceptions.ts';
import { findJudge } from '../applied/find-judge.ts';
import { refuseAbsent } from '../applied/find-manifest-commit.ts';
import { withCheckout } from '../applied/open-checkout.ts';
import { createKnownFiles } from '../project/known-files.ts';
import { loadDesiredState, loadProject, type LoadedProject } from '../project/load-project.ts';
import { identityOf } from '../project/open-project.ts';
import { findLastWrites } from '../runs/find-recorded.ts';
import { readUserFile } from '../session/files.ts';
import { atTime, type Session } from '../session/session.ts';
import { askGuards } from './ask-guards.ts';
import { desiredNow } from './desired-now.ts';
import { prepareJudging } from './judge-plan.ts';
import { planStates, type MadePlan, type MakingOptions, type PlanStates } from './plan-states.ts';

export interface SnapshotFile {
  /** Relative to the working directory. */
  readonly path: string;
  /** The oldest that it may be; absent: any age. */
  readonly maxAgeMs?: number;
  /** Its content, if that was read already. */
  readonly read?: ReadSnapshot;
}

export async function planAgainst(
  session: Session,
  file: SnapshotFile,
  options: MakingOptions,
): Promise<MadePlan & { readonly against: Against }> {
  const loaded = await loadProject(session);
  const snapshot = file.read ?? (await readSnapshot(session, file.path));
  const chosen = identityOf(loaded.project);
  if (!jsonEquals({ ...snapshot.project }, { ...chosen })) {
    const text = ({ name, host, project_id: id }: ProjectIdentity): string =>
      escapeLine(`${name} (${host}, project ${id})`);
    const words = `The snapshot was taken of ${text(snapshot.project)}, but this run is for ${text(chosen)}.`;
    throw new FlagwrightError('snapshot_invalid', words, {
      remedy: 'Select its project with --project, or name the snapshot of this one.',
    });
  }
  const { takenAt, fingerprint } = snapshot;
  const age = Math.floor((session.context.now() - Date.parse(takenAt)) / 1000);
  const against = { taken_at: takenAt, age_seconds: age, fingerprint };
  if (file.maxAgeMs !== undefined && (isInFuture(age) || age * 1000 > file.maxAgeMs)) {
    const when = `The snapshot of ${timeText(takenAt)} is ${ageText(age)}`;
    const words = isInFuture(age) ? `${when}, so its age cannot be checked.` : `${when}, and --max-age allows less.`;
    throw new FlagwrightError('snapshot_stale', words, {
      remedy: 'Take a new one with `flagwright snapshot --out FILE`, or allow an older one.',
    });
  }
  const states = await selectStates(session, options, { loaded, snapshot });
  const made = await planStates(atTime(session, options.at), { states, options });
  return { ...made, against };
}

/** `file`: relative to the working directory. */
export async function readSnapshot(session: Session, file: string): Promise<ReadSnapshot> {
  return parseSnapshot(await readUserFile(session, file));
}

async function selectStates(
  session: Session,
  options: MakingOptions,
  { loaded, snapshot }: { readonly loaded: LoadedProject; readonly snapshot: ReadSnapshot },
): Promise<PlanStates> {
  const { live: whole, base: commit, earlier, rollouts, roles } = snapshot;
  return withCheckout(session, loaded.config, async (checkout) => {
    const known = createKnownFiles();
    const findRoles = async (): Promise<Readonly<Record<string, string>>> => roles;
    const files: ManifestFile[] = [];
    const onRead: LoadOptions['onRead'] = (read) => {
      files.push(read.parsed.file);
      known.remember(read);
    };
    const declared = await loadDesiredState(session, loaded, { findRoles, onRead });
    const search = { loaded, checkout, known, findRoles, snapshot: defined({ commit, earlier, rollouts }) };
    const git = await consultGit(session, { ...search, ...defined({ option: options.base }) });
    if (options.prune === true) refuseAbsent(git.manifests);
    const { at: now = session.context.now() } = options;
    const moment = { now, reach: options.at === undefined ? 'due' : 'planned' } as const;
    const timed = await desiredNow({
      ...{ loaded, desired: declared, files, live: whole, git, moment, findRoles },
      override: options.override,
      findWrites: async (values) => findLastWrites(session, identityOf(loaded.project), values),
      findApproved: async () => [],
    });
    const facts = git.base?.facts;
    const judge = options.approvedBy && (await findJudge(session, search, facts));
    const desired = await askGuards(session, timed.desired, {
      ...{ loaded, search, base: git.base, moment },
      ...defined({ judge, verdicts: options.verdicts }),
    });
    const exceptions = judge && (await findExceptions(loaded, { ...options, judge }));
    const judging = judge && (await prepareJudging(session, search, { judge, exceptions: exceptions ?? [] }));
    const former = git.base !== undefined && 'desired' in git.base ? git.base.desired : undefined;
    // Resources that only the base declared are named if the snapshot has their family.
    const released = declaredFamilies(former).filter((section) => whole[section] !== undefined);
    const selected = selectLive(whole, joinSelections([selectionOf(desired), listing(released)]));
    const live = selectRetired(selected, whole, findMissingRetired(desired, git.base, selected));
    return { loaded: timed.loaded, desired, live, git, ...defined({ judge, judging, exceptions }) };
  });
}
