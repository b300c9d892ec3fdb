/** `flagwright snapshot`: saves the live state of a project to a file, for plans without a key. */

import { defined } from '../../base/optional.ts';
import { selectionOf } from '../../posthog/live-selection.ts';
import type { LiveState } from '../../posthog/live.ts';
import { readWholeState } from '../../posthog/reading/live-state.ts';
import { findRoleIds } from '../../posthog/role-access/read.ts';
import { disclose, snapshotDocument } from '../../posthog/snapshot-file/document.ts';
import type { SavedSnapshot } from '../../posthog/snapshot-file/snapshot-file.ts';
import { jsonText } from '../../report/formats/json/seal.ts';
import { count } from '../../report/words/amounts.ts';
import { findBase } from '../applied/find-base.ts';
import { refuseUnproved } from '../applied/find-judge.ts';
import { withCheckout } from '../applied/open-checkout.ts';
import type { ExitCode } from '../line/exit.ts';
import { createKnownFiles } from '../project/known-files.ts';
import { loadDesiredState, loadProject, type LoadedProject } from '../project/load-project.ts';
import { withProject, type OpenProject } from '../project/open-project.ts';
import { findRecorded } from '../runs/find-recorded.ts';
import { PRIVATE_MODE, writeDocument } from '../session/files.ts';
import { ignoreFile } from '../session/ignore-file.ts';
import { createProgress } from '../session/progress.ts';
import type { Session } from '../session/session.ts';

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

/** Takes a snapshot of a project, and saves it as a file that only its owner may read until somebody publishes it. */
async function takeSnapshot(session: Session): Promise<SavedSnapshot> {
  const loaded = await loadProject(session);
  const progress = createProgress(session);
  return withProject(session, { project: loaded.project, progress }, async (opened) =>
    readAll(session, loaded, opened).finally(progress.clear),
  );
}

async function readAll(session: Session, loaded: LoadedProject, opened: OpenProject): Promise<SavedSnapshot> {
  const { client, identity } = opened;
  return withCheckout(session, loaded.config, async (checkout) => {
    const known = createKnownFiles();
    const findRoles = async (): Promise<Readonly<Record<string, string>>> => findRoleIds(client);
    const desired = await loadDesiredState(session, loaded, { findRoles, onRead: known.remember });
    const base = await findBase(session, { loaded, checkout, known, findRoles });
    // A plan against the snapshot is judged by what was applied last, which it reads from the snapshot.
    if (base?.facts.kind === 'none') await refuseUnproved(base.facts.reason, loaded);
    // A change during the reading may be missing, so the snapshot is as old as its first answer.
    const takenAt = new Date(session.context.now()).toISOString();
    const { live, roles } = await readWholeState(client, selectionOf(desired), {
      findRecorded: (keys) => findRecorded(session, identity, keys),
    });
    const { commit, earlier, rollouts } = base?.facts.kind === 'commit' ? base.facts : {};
    return {
      project: identity,
      takenAt,
      ...defined({ base: commit, earlier, rollouts }),
      roles,
      live: disclose(live, desired),
    };
  });
}

/** @throws {FlagwrightError} `refused` where the flags contain the API key. */
async function saveSnapshot(session: Session, snapshot: SavedSnapshot, file: string): Promise<void> {
  const text = jsonText(snapshotDocument(snapshot));
  session.secrets.refuse(text, {
    message: 'The snapshot was not saved: it would contain the API key.',
    source: 'the live flags and cohorts',
  });
  await writeDocument(session, file, { text, mode: PRIVATE_MODE });
  await ignoreFile(session, file);
}
