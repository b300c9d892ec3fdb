/** Finds the run that a user names: by its name, by a beginning of it, or as `last`, `last-2` … */

import { FlagwrightError } from '../../base/errors.ts';
import { listRuns, type Run } from '../../journal/read.ts';
import { count } from '../../report/words/count.ts';
import { quoteShort } from '../../report/escape.ts';
import { readRun, readUsableRuns, type FoundRun } from './find-runs.ts';
import { journalFolder } from './journal-folder.ts';
import type { Session } from '../session/session.ts';

/** How many candidates an error names. */
const MOST_CANDIDATES = 5;

/**
 * `counts`: which runs `last` counts.
 * @throws {FlagwrightError} if no run, or more than one, is meant, or if its journal cannot be used.
 */
export async function findRun(
  session: Session,
  reference: string,
  counts: (run: Run) => boolean = () => true,
): Promise<FoundRun> {
  const place = /^last(?:-(\d{1,6}))?$/.exec(reference);
  if (place !== null) return findLast(session, Number(place[1] ?? 1), counts);
  const names = await listRuns(journalFolder(session));
  const found = reference === '' ? [] : names.filter((name) => name.startsWith(reference));
  const [name, ...others] = found;
  if (name === undefined) throw unknownRun(session, `Run ${quoteShort(reference)} does not exist`, names);
  if (others.length > 0) throw ambiguousRun(reference, found);
  return readRun(session, name);
}

async function findLast(session: Session, number: number, counts: (run: Run) => boolean): Promise<FoundRun> {
  const names: string[] = [];
  for await (const run of readUsableRuns(session)) {
    if (!counts(run)) continue;
    names.push(run.name);
    if (names.length === number) return run;
  }
  throw unknownRun(
    session,
    names.length === 0
      ? 'No such run is recorded'
      : `Run last-${number} does not exist among ${count(names.length, 'run')}`,
    names,
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

function ambiguousRun(reference: string, found: readonly string[]): FlagwrightError {
  const shown = found.slice(0, MOST_CANDIDATES).join(', ');
  const more = found.length > MOST_CANDIDATES ? ` and ${found.length - MOST_CANDIDATES} more` : '';
  return new FlagwrightError('usage', `${quoteShort(reference)} is the beginning of ${found.length} runs.`, {
    remedy: `Name one of them: ${shown}${more}.`,
  });
}
