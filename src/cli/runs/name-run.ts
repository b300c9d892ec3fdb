/** Finds the run that a user names: by its name, by a beginning of it, or as `last`, `last-2` … */

import { FlagwrightError } from '../../base/errors.ts';
import type { Run } from '../../journal/read.ts';
import { count } from '../../report/words/amounts.ts';
import { quoteShort } from '../../report/escape.ts';
import { readRun, readRunOrder, readUsableRuns, type FoundRun } from './find-runs.ts';
import { journalFolder } from './journal-folder.ts';
import type { Session } from '../session/session.ts';

/** The most candidates that an error names. */
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
  throw unknownRun(
    session,
    names.length === 0
      ? 'No such run is recorded'
      : `Run last-${number} does not exist among ${count(names.length, 'run')}`,
    names,
  );
}

/** The error for runs that do not follow one another: made on different machines, or at the same time. */
export function apart(names: readonly string[]): FlagwrightError {
  return new FlagwrightError(
    'refused',
    `It is unknown which run you mean: ${shownNames(names)} were recorded independently, and none of them follows another.`,
    { remedy: 'Name the run that you mean. `flagwright history RUN` shows what a run did.' },
  );
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
