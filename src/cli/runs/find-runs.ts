/** Reads recorded runs: one, the newest of a project, or all of them. */

import type { FlagwrightError } from '../../base/errors.ts';
import { jsonEquals } from '../../base/json.ts';
import type { ProjectIdentity } from '../../engine/project.ts';
import { heldClaim, refusal } from '../../journal/lock.ts';
import { isComplete, listRuns, NoRunError, readRun as readJournal, type Run } from '../../journal/read.ts';
import { lockClaims } from '../../journal/write.ts';
import { escapeLine } from '../../report/escape.ts';
import { wasStopped } from '../../report/outcome.ts';
import { toFlagwrightError } from '../session/failure.ts';
import type { Session } from '../session/session.ts';
import { checkJournalFile, journalFolder } from './journal-folder.ts';
import { runCommand } from './run-command.ts';
import { thisProcess } from './this-process.ts';

export interface FoundRun extends Run {
  /** Names the process that holds the lock of the run; absent if none does. */
  readonly claim?: string;
}

/** A recorded run, or why its journal cannot be used. */
export type RunEntry =
  { readonly name: string; readonly run: FoundRun } | { readonly name: string; readonly problem: FlagwrightError };

/** Newest first; each journal is read when the iteration reaches it. */
export async function* readRuns(session: Session): AsyncGenerator<RunEntry> {
  for (const name of await listRuns(journalFolder(session))) yield await readEntry(session, name);
}

async function readEntry(session: Session, name: string): Promise<RunEntry> {
  try {
    return { name, run: await readRun(session, name) };
  } catch (error) {
    return { name, problem: toFlagwrightError(error) };
  }
}

/**
 * Checks the lock first: a run that ends in between must not look interrupted.
 * @throws {FlagwrightError} if the journal cannot be used.
 */
export async function readRun(session: Session, name: string): Promise<FoundRun> {
  const folder = journalFolder(session);
  await checkJournalFile(session, name);
  const claim = await heldClaim(lockClaims(folder, name), thisProcess());
  const run = await readJournal(folder, name);
  return claim === undefined ? run : { ...run, claim };
}

/**
 * Newest first. Skips journals in which no run was begun, and names them.
 * @throws {FlagwrightError} if another journal on the way cannot be used: its run could be the one that is looked for.
 */
export async function* readUsableRuns(session: Session): AsyncGenerator<FoundRun> {
  for await (const entry of readRuns(session)) {
    if ('run' in entry) yield entry.run;
    else if (entry.problem instanceof NoRunError) await note(session, escapeLine(entry.problem.message));
    else throw entry.problem;
  }
}

/** @throws {FlagwrightError} as `readUsableRuns`. */
export async function findNewestRun(
  session: Session,
  project: ProjectIdentity,
  accept: (run: Run) => boolean = () => true,
): Promise<FoundRun | undefined> {
  for await (const run of readUsableRuns(session)) {
    if (belongsTo(run, project) && accept(run)) return run;
  }
  return undefined;
}

/** Notes that the newest run of the project is unfinished, so that the user can resume it instead of starting over. */
export async function noteUnfinished(session: Session, project: ProjectIdentity): Promise<void> {
  try {
    const run = await findNewestRun(session, project);
    if (run === undefined || !brokeOff(run)) return;
    if (run.claim !== undefined) {
      await note(session, `Run ${run.name} of this project is still in progress in another process.`);
      return;
    }
    await note(
      session,
      `Run ${run.name} of this project is unfinished; \`${runCommand(session, 'apply --resume', project.name)}\` finishes it.`,
    );
  } catch (error) {
    await note(session, escapeLine(toFlagwrightError(error).message));
  }
}

async function note(session: Session, text: string): Promise<void> {
  await session.note(`${session.palette.warning('note')}  ${text}\n`);
}

/** @throws {FlagwrightError} `refused` while another process executes the run. */
export function refuseRunning({ claim }: FoundRun): void {
  if (claim !== undefined) throw refusal(claim);
}

/** Whether a run sent something and stopped before it tried every change. Failures were reported when they happened. */
function brokeOff(run: Run): boolean {
  if (isComplete(run) || run.applied.size + run.sent.size === 0) return false;
  return run.plan.changes.some(({ ref }) => {
    const outcome = run.outcomes.get(ref);
    return outcome === undefined || wasStopped(outcome);
  });
}

export function belongsTo(run: Run, project: ProjectIdentity): boolean {
  return jsonEquals({ ...run.plan.project }, { ...project });
}
