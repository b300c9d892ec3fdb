/** `flagwright snapshot`: saves the live state of a project to a file, for plans without a key. */

import { defined } from '../../base/optional.ts';
import { selectionOf } from '../../posthog/live-selection.ts';
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
import { writePrivate } from '../session/ignore-file.ts';
import { advise, type Session } from '../session/session.ts';

/** @throws {FlagwrightError} `refused` where the flags contain the API key. */
export async function snapshot(session: Session, { out }: { readonly out: string }): Promise<ExitCode> {
  const loaded = await loadProject(session);
  const taken = await withProject(session, loaded, async (opened) => readAll(session, loaded, opened));
  const text = jsonText(snapshotDocument(taken));
  const message = 'The snapshot was not saved: it would contain the API key.';
  await writePrivate(session, out, { text, message, source: 'the live flags and cohorts' });
  await session.publish({ kind: 'files', files: [{ file: out, status: 'written' }] });
  const { flags, roleAccess, cohorts } = taken.live;
  const access = Object.keys(roleAccess).length;
  const content = [
    count(flags.length, 'flag'),
    ...(access === 0 ? [] : [`access to ${access} of them`]),
    ...(cohorts === undefined || cohorts.length === 0 ? [] : [count(cohorts.length, 'cohort')]),
  ];
  await session.note(`It contains ${content.join(', ')}.\n`);
  if (cohorts === undefined) {
    await advise(
      session,
      'It contains no cohorts: the API key lacks the scope cohort:read.',
      'Give the key that scope if manifests declare or use cohorts.',
    );
  }
  return 0;
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
