/** Reads recorded runs, one, the newest ones of a project, or all of them, from the folder of the configuration or the one that the user names. */

import type { Stats } from 'node:fs';
import { lstat, mkdir, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { FlagwrightError } from '../../base/errors.ts';
import { jsonEquals } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { isSameHost } from '../../base/service-host.ts';
import type { ProjectIdentity } from '../../core/engine/project.ts';
import { heldClaim, refusal } from '../../loop/journal/lock.ts';
import { isComplete, NoRunError, readRun as readJournal, type Run } from '../../loop/journal/read.ts';
import { readOrder, type RunOrder, runOfFile } from '../../loop/journal/run-order.ts';
import { lockClaims, journalFile } from '../../loop/journal/write.ts';
import { escapeLine, quoteShort, shellWord } from '../../report/escape.ts';
import { wasStopped, type RecordedRun } from '../../report/run-record.ts';
import { count, timeText } from '../../report/words/amounts.ts';
import { toFlagwrightError } from '../session/failure.ts';
import { DATA_FOLDER, fileError, writeNewFile } from '../session/files.ts';
import { advise, type Session } from '../session/session.ts';
import { thisProcess } from '../session/this-process.ts';

export interface FoundRun extends Run {
  /** Names the process that holds the lock of the run; absent if none does. */
  readonly claim?: string;
}

/** A recorded run, or why its journal cannot be used. */
export type RunEntry =
  { readonly name: string; readonly run: FoundRun } | { readonly name: string; readonly problem: FlagwrightError };

/** Newest first; each journal is read when the iteration reaches it. `skips`: runs to ignore. */
export async function* readRuns(
  session: Session,
  { names }: Pick<RunOrder, 'names'>,
  skips: (name: string) => boolean = () => false,
): AsyncGenerator<RunEntry> {
  for (const name of names) {
    if (skips(name)) continue;
    yield await readRun(session, name).then(
      (run) => ({ name, run }),
      (error: unknown) => ({ name, problem: toFlagwrightError(error) }),
    );
  }
}

export function readRunOrder(session: Session): Promise<RunOrder> {
  return readOrder(journalFolder(session));
}

/**
 * Checks the lock first: a run that ends in between must not look interrupted.
 * @throws {FlagwrightError} if the journal cannot be used.
 */
async function readRun(session: Session, name: string): Promise<FoundRun> {
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
export async function* readUsableRuns(
  session: Session,
  order: RunOrder,
  skips?: (name: string) => boolean,
): AsyncGenerator<FoundRun> {
  for await (const entry of readRuns(session, order, skips)) {
    if ('run' in entry) yield entry.run;
    else if (entry.problem instanceof NoRunError) await advise(session, escapeLine(entry.problem.message));
    else throw entry.problem;
  }
}

/**
 * The newest run of the project that is accepted. Several where none of them followed another: on machines of their own, or at
 * the same time.
 * @throws {FlagwrightError} as `readUsableRuns`.
 */
export async function findNewestRuns(
  session: Session,
  project: ProjectIdentity,
  accept: (run: Run) => boolean = () => true,
): Promise<readonly FoundRun[]> {
  const order = await readRunOrder(session);
  const found: FoundRun[] = [];
  const isOlder = (name: string): boolean => found.some((run) => order.follows(run.name, name));
  for await (const run of readUsableRuns(session, order, isOlder)) {
    if (belongsTo(run, project) && accept(run)) found.push(run);
  }
  return found;
}

/**
 * Notes that a newest run of the project is unfinished, so that the user can resume it instead of starting over, and returns whether one is.
 * `commit`: the one that has the manifests; a run of other ones would write what git may have taken back.
 */
export async function noteUnfinished(session: Session, project: ProjectIdentity, commit?: string): Promise<boolean> {
  try {
    const runs = await findNewestRuns(session, project);
    const unfinished = runs.filter(brokeOff);
    for (const run of unfinished) {
      const command = runs.length > 1 ? `apply --resume ${run.name}` : 'apply --resume';
      const finish = `\`${runCommand(session, command, run.plan.project.name)}\` finishes it`;
      const isOther = commit !== undefined && run.plan.commit !== undefined && run.plan.commit !== commit;
      const state =
        run.claim !== undefined
          ? 'still in progress in another process. Wait for its end before you apply'
          : `unfinished${isOther ? ', and the manifests are of another commit now: an apply supersedes it' : `; ${finish}`}`;
      await advise(session, `Run ${run.name} of this project is ${state}.`);
    }
    return unfinished.length > 0;
  } catch (error) {
    await advise(session, escapeLine(toFlagwrightError(error).message));
    return false;
  }
}

/** @throws {FlagwrightError} `refused` while another process executes the run. */
export function refuseRunning({ claim }: FoundRun): void {
  if (claim !== undefined) throw refusal(claim);
}

/**
 * Watches the journal from here on: what is read of the project while another process writes to it is a state between two. The result checks
 * whether one did meanwhile.
 * @throws {FlagwrightError} `run_under_way` if one writes now.
 */
export async function watchRuns(session: Session, project: ProjectIdentity): Promise<() => Promise<void>> {
  const before = await writtenRuns(session);
  const check = async (): Promise<void> => {
    for (const [name, { written, isLocked }] of await writtenRuns(session)) {
      const hasWritten = before.get(name)?.written !== written;
      // A journal that cannot be used is told of where its content counts.
      const run = hasWritten || isLocked ? await readRun(session, name).catch(() => undefined) : undefined;
      if (run === undefined || !belongsTo(run, project)) continue;
      if (hasWritten || (run.claim !== undefined && run.endedAt === undefined)) throw underWay(run);
    }
  };
  await check();
  return check;
}

function underWay({ name, plan, startedAt, endedAt, claim }: FoundRun): FlagwrightError {
  const { name: project } = plan.project;
  const isRunning = claim !== undefined && endedAt === undefined;
  const since = timeText(startedAt);
  const words = isRunning
    ? `Run ${name} writes to ${project} since ${since}, in another process: what is live is between two states.`
    : `Run ${name} wrote to ${project} while it was read (it began at ${since}): what was read is between two states.`;
  return new FlagwrightError('run_under_way', words, {
    remedy: isRunning
      ? `Run this again when it has ended. If its process no longer exists, remove ${claim}.`
      : 'Run this again.',
    run: { name, started_at: startedAt, ...defined({ ended_at: endedAt }) },
  });
}

/** When the journal of each run was written last, in a form that is only compared, and whether a process claims the run or did. */
async function writtenRuns(
  session: Session,
): Promise<ReadonlyMap<string, { readonly written: string; readonly isLocked: boolean }>> {
  const folder = journalFolder(session);
  const entries = await readdir(folder).catch(() => []);
  const locked = new Set(entries.map((entry) => entry.replace(/\.lock\.\d+$/, '')));
  const found = entries
    .flatMap((entry) => runOfFile(entry) ?? [])
    .map(async (name) => {
      const stats = await lstat(journalFile(folder, name)).catch(() => undefined);
      return [name, { written: `${stats?.mtimeMs} ${stats?.size}`, isLocked: locked.has(name) }] as const;
    });
  return new Map(await Promise.all(found));
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

/**
 * Whether the ids of the run mean the same resources in the project, also where a change renamed the project or wrote its host or number in
 * another way. A service numbers its flags across its projects; each embedded project has a database of its own.
 */
export function sharesIds(run: Run, project: ProjectIdentity): boolean {
  return belongsTo(run, project) || (project.host !== 'embedded' && isSameHost(run.plan.project.host, project.host));
}

/** Converts a run of the journal into the form that reports read. */
export function toRecordedRun(run: FoundRun): RecordedRun {
  const { name, startedAt, endedAt, follows, plan, origin, outcomes, sent, claim } = run;
  return {
    name,
    startedAt,
    ...defined({ endedAt }),
    running: claim !== undefined && endedAt === undefined,
    project: plan.project,
    ...defined({ follows, undoes: plan.undoes, off: plan.off, actor: origin?.actor, commit: origin?.commit }),
    changes: plan.changes.map((change) => {
      const result = outcomes.get(change.ref);
      if (result !== undefined) return { change, result };
      return { change, open: sent.has(change.ref) ? 'unanswered' : 'not_started' };
    }),
  };
}

const MOST_CANDIDATES = 5;

/**
 * `counts`: the runs that `last` counts.
 * @throws {FlagwrightError} if no run, or more than one, matches, or if its journal cannot be used.
 */
export async function findRun(
  session: Session,
  reference: string,
  counts: (run: Run) => boolean = () => true,
): Promise<FoundRun> {
  const place = /^last(?:-(\d{1,6}))?$/.exec(reference);
  if (place !== null) return findLast(session, Number(place[1] ?? 1), counts);
  const { names } = await readRunOrder(session);
  const found = reference === '' ? [] : names.filter((name) => name.startsWith(reference));
  const [name, ...others] = found;
  if (name === undefined) throw unknownRun(session, `Run ${quoteShort(reference)} does not exist`, names);
  if (others.length > 0) {
    throw new FlagwrightError('usage', `${quoteShort(reference)} is the beginning of ${found.length} runs.`, {
      remedy: `Name one of them: ${shownNames(found)}.`,
    });
  }
  return readRun(session, name);
}

/** A place among runs that did not follow each other has several of them. */
async function findLast(session: Session, number: number, counts: (run: Run) => boolean): Promise<FoundRun> {
  const order = await readRunOrder(session);
  const names: string[] = [];
  let found: FoundRun | undefined;
  const isOlder = (name: string): boolean => found !== undefined && order.follows(found.name, name);
  for await (const run of readUsableRuns(session, order, isOlder)) {
    if (!counts(run)) continue;
    names.push(run.name);
    if (names.length === number) found = run;
  }
  if (found !== undefined) {
    const { name } = found;
    const others = names.filter((other) => other !== name && !order.follows(other, name));
    if (others.length > 0) throw apart([name, ...others]);
    return found;
  }
  const words = `Run last-${number} does not exist among ${count(names.length, 'run')}`;
  throw unknownRun(session, names.length === 0 ? 'No such run is recorded' : words, names);
}

/** The error for runs that do not follow one another: made on different machines, or at the same time. */
export function apart(names: readonly string[]): FlagwrightError {
  const words = `It is unknown which run you mean: ${shownNames(names)} were recorded independently, and none of them follows another.`;
  return new FlagwrightError('refused', words, {
    remedy: 'Name the run that you mean. `flagwright history RUN` shows what a run did.',
  });
}

function unknownRun(session: Session, words: string, names: readonly string[]): FlagwrightError {
  const newest = names.slice(0, MOST_CANDIDATES);
  return new FlagwrightError('file', `${words} in ${journalFolder(session)}.`, {
    remedy:
      newest.length === 0
        ? 'A run is recorded where it was applied. Name the journal of another machine or CI job with --journal PATH.'
        : `The newest runs are ${newest.join(', ')}; \`flagwright history\` lists all.`,
  });
}

function shownNames(names: readonly string[]): string {
  const more = names.length > MOST_CANDIDATES ? ` and ${names.length - MOST_CANDIDATES} more` : '';
  return `${names.slice(0, MOST_CANDIDATES).join(', ')}${more}`;
}

const WITHOUT = 'To apply without a journal, and so without resume and undo, use --no-journal.';

export function journalFolder({ places }: Session): string {
  return places.journal?.runs ?? ownFolder(places.root);
}

function ownFolder(root: string): string {
  return path.join(root, DATA_FOLDER, 'journal');
}

/**
 * Uses the folder or the file of `--journal` from here on. Returns the name of the run in a file.
 * @throws {FlagwrightError} `file` if it does not exist, or is no journal.
 */
export async function useJournal(session: Session, given: string): Promise<string | undefined> {
  const { context, places } = session;
  const target = path.resolve(context.cwd, given);
  const found = await stat(target).catch((cause: unknown) => {
    throw fileError('read', given, cause);
  });
  if (found.isDirectory()) {
    places.journal = { runs: target, newRuns: target };
    return undefined;
  }
  const run = runOfFile(target);
  if (run === undefined) {
    throw new FlagwrightError('file', `${given} is not a journal: the file of a run is named RUN.jsonl.`, {
      remedy: 'Pass the folder of the journal, or one of its files under its own name.',
    });
  }
  places.journal = { runs: path.dirname(target) };
  return run;
}

/** Records new runs in the folder of `--journal`, which is created if needed. */
export function recordIn({ context, places }: Session, given: string): void {
  const folder = path.resolve(context.cwd, given);
  places.journal = { runs: folder, newRuns: folder };
}

/** Creates the folder if needed. Its files must not get into a repository, so git ignores it. */
export async function makeJournalFolder(session: Session): Promise<string> {
  const { root, journal } = session.places;
  const folder = journal?.newRuns ?? ownFolder(root);
  if (journal?.newRuns === undefined) await checkFolders(session, folder);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeNewFile(session, path.join(journal?.newRuns ?? path.dirname(folder), '.gitignore'), '*\n');
  } catch (error) {
    const { message } = error instanceof FlagwrightError ? error : fileError('write', folder, error);
    throw new FlagwrightError('file', `The run cannot be recorded, so nothing was applied. ${message}`, {
      remedy: `Free disk space or make the folder writable. ${WITHOUT}`,
      cause: error,
    });
  }
  return folder;
}

/**
 * A journal that the user names is trusted like a saved plan.
 * @throws {NoRunError} for a folder, which no run creates.
 * @throws {FlagwrightError} `file` if the journal may not be our own; it is then not read.
 */
export async function checkJournalFile(session: Session, run: string): Promise<void> {
  const folder = journalFolder(session);
  const isNamed = session.places.journal !== undefined;
  if (!isNamed) await checkFolders(session, folder);
  const file = journalFile(folder, run);
  const found = await lstat(file).catch(() => undefined);
  if (found === undefined) return;
  if (found.isDirectory()) throw new NoRunError('file', `Skipped the journal ${file}: it is a folder.`);
  if (!found.isFile()) throw foreign(file, 'it is a link or not a regular file');
  if (isNamed || session.context.userId === undefined) return;
  if (!isOwn(session, found)) throw foreign(file, 'it belongs to another user');
  // A journal from a checkout or an archive has the usual permissions of files.
  if ((found.mode & 0o077) !== 0) throw foreign(file, 'other users may read or write it');
}

/** A link in a repository could point anywhere. */
async function checkFolders(session: Session, folder: string): Promise<void> {
  for (const part of [path.dirname(folder), folder]) {
    const found = await lstat(part).catch(() => undefined);
    if (found === undefined) return;
    if (!found.isDirectory()) throw foreign(part, 'it is a link or not a folder');
    if (!isOwn(session, found)) throw foreign(part, 'it belongs to another user');
  }
}

function isOwn({ context: { userId } }: Session, { uid }: Stats): boolean {
  return userId === undefined || uid === userId;
}

function foreign(file: string, why: string): FlagwrightError {
  return new FlagwrightError('file', `The journal ${file} was not used: ${why}.`, {
    remedy: `If flagwright wrote it for you, make it private (chmod 600); otherwise remove it. ${WITHOUT}`,
  });
}

/** `flagwright undo -p staging`. */
export function runCommand(
  { context, places }: Pick<Session, 'context' | 'places'>,
  command: string,
  project: string,
): string {
  const folder = places.journal?.newRuns;
  const journal = folder === undefined ? [] : ['--journal', path.relative(context.cwd, folder) || '.'];
  return [`flagwright ${command}`, ...['-p', project, ...journal].map(shellWord)].join(' ');
}
