/** Finds recorded runs: by name, the newest of a project, or all of them. */

import { FlaghoistError } from '../base/errors.ts';
import { jsonEquals } from '../base/json.ts';
import { isHeld } from '../journal/lock.ts';
import { isComplete, listRuns, readRun, type Run } from '../journal/read.ts';
import { lockClaims } from '../journal/write.ts';
import type { ProjectIdentity } from '../model/project.ts';
import { escapeLine } from '../report/escape.ts';
import { toFlaghoistError } from './failure.ts';
import { checkJournalFile, journalFolder } from './journal-folder.ts';
import type { Session } from './session.ts';
import { thisProcess } from './this-process.ts';

/** A recorded run, or why its journal cannot be used. */
export type RunEntry =
  { readonly name: string; readonly run: Run } | { readonly name: string; readonly problem: FlaghoistError };

/** The newest first; each is read when its turn comes. */
export async function* recordedRuns(session: Session): AsyncGenerator<RunEntry> {
  for (const name of await listRuns(journalFolder(session))) yield await readEntry(session, name);
}

async function readEntry(session: Session, name: string): Promise<RunEntry> {
  try {
    await checkJournalFile(session, name);
    return { name, run: await readRun(journalFolder(session), name) };
  } catch (error) {
    return { name, problem: toFlaghoistError(error) };
  }
}

/** @throws {FlaghoistError} when there is no such run, or its journal cannot be used. */
export async function namedRun(session: Session, name: string): Promise<Run> {
  if (!(await listRuns(journalFolder(session))).includes(name)) {
    throw new FlaghoistError('file', `There is no run ${name}.`, { remedy: '`flaghoist history` lists the runs.' });
  }
  await checkJournalFile(session, name);
  return readRun(journalFolder(session), name);
}

/** @throws {FlaghoistError} when a journal on the way cannot be used: its run could be the one that is meant. */
export async function newestRun(
  session: Session,
  project: ProjectIdentity,
  accept: (run: Run) => boolean = () => true,
): Promise<Run | undefined> {
  for await (const entry of recordedRuns(session)) {
    if ('problem' in entry) throw entry.problem;
    if (isOf(entry.run, project) && accept(entry.run)) return entry.run;
  }
  return undefined;
}

/** A project's runs that broke off are told once, so that nobody starts over without knowing. */
export async function mentionUnfinished(session: Session, project: ProjectIdentity): Promise<void> {
  const note = (text: string): Promise<void> => session.note(`${session.palette.warning('note')}  ${text}\n`);
  try {
    const run = await newestRun(session, project);
    if (run === undefined || !brokeOff(run)) return;
    if (await isRunning(session, run)) {
      await note(`The run ${run.name} of this project is going on in another process.`);
      return;
    }
    await note(`The run ${run.name} of this project was not finished; \`flaghoist apply --resume\` finishes it.`);
  } catch (error) {
    await note(escapeLine(toFlaghoistError(error).message));
  }
}

/** @throws {FlaghoistError} `refused` while another process carries the run out. */
export async function refuseRunning(session: Session, run: Run): Promise<void> {
  if (!(await isRunning(session, run))) return;
  throw new FlaghoistError(
    'refused',
    `The run ${run.name} is being carried out by another process; nothing was sent.`,
    {
      remedy: 'Wait until it has ended.',
    },
  );
}

function isRunning(session: Session, { name }: Run): Promise<boolean> {
  return isHeld(lockClaims(journalFolder(session), name), thisProcess());
}

/** Whether a run sent something and was stopped before it had tried everything; failures were told when they happened. */
function brokeOff(run: Run): boolean {
  if (isComplete(run) || run.applied.size + run.sent.size === 0) return false;
  return run.plan.changes.some(({ ref }) => {
    const outcome = run.outcomes.get(ref);
    if (outcome === undefined || outcome.outcome === 'unknown') return true;
    return (
      outcome.outcome === 'skipped' && (outcome.reason.code === 'interrupted' || outcome.reason.code === 'deadline')
    );
  });
}

function isOf(run: Run, project: ProjectIdentity): boolean {
  return jsonEquals({ ...run.plan.project }, { ...project });
}
