/** The session of one project in a run over several: its reports and its notes are kept, so that the run reports all projects as one. */

import pLimit from 'p-limit';
import type { ProjectConfig } from '../../config/config.ts';
import type { Report } from '../../report/report.ts';
import { createSession, type Session } from '../session/session.ts';
import type { TargetMiss } from '../session/session-parts.ts';

export interface Alone {
  readonly session: Session;
  /** The last report. */
  readonly reported: () => Report | undefined;
  /** The same, or the failure of a run that has none. */
  readonly report: () => Report | undefined;
  /** What a run of this project alone prints to stderr, besides its failure. */
  readonly said: () => readonly string[];
  /** The targets that select nothing in the project; `undefined` if the run did not come to its check. */
  readonly misses: () => readonly TargetMiss[] | undefined;
}

/** Runs of projects that must not be cut off while they write, of all sessions of one run. */
type Holding = Set<symbol>;

/** `showLine`: shows the progress of a project, which is of the moment and is not kept. */
interface Sharing {
  readonly most: number;
  readonly showLine?: (project: string, text: string) => void;
}

/** Returns what runs in the session of a project, `most` of them at the same time. */
export function sessionsOf(
  session: Session,
  { most, showLine = () => undefined }: Sharing,
): <Result>(project: ProjectConfig, run: (alone: Alone) => Promise<Result>) => Promise<Result> {
  const limit = pLimit(most);
  const holding: Holding = new Set();
  return async ({ name }, run) =>
    limit(async () => run(sessionOf(session, name, { holding, showLine: (text) => showLine(name, text) })));
}

function sessionOf(
  session: Session,
  project: string,
  { holding, showLine }: { readonly holding: Holding; readonly showLine: (text: string) => void },
): Alone {
  const { context, interrupts, places } = session;
  const own = Symbol(project);
  const texts: string[] = [];
  let report: Report | undefined;
  let failure: Report | undefined;
  let misses: readonly TargetMiss[] | undefined;
  const keep = async (one: Report): Promise<void> => void (report = one);
  const alone = createSession({
    ...session,
    options: { ...session.options, project },
    places: { ...places },
    context: {
      ...context,
      stderr: {
        ...context.stderr,
        isTerminal: false,
        write: async (text) => void (text === '' ? 0 : texts.push(text)),
      },
    },
    interrupts: {
      ...interrupts,
      drain: (holds) => {
        if (holds) holding.add(own);
        else holding.delete(own);
        interrupts.drain(holding.size > 0);
      },
    },
  });
  return {
    session: {
      ...alone,
      palette: session.palette,
      showLine,
      publish: keep,
      publishFiles: keep,
      publishFailure: async (one) => void (failure = one),
      // The files are those of the whole run, which has checked them.
      checkFiles: async () => undefined,
      outputFailures: () => [],
      // A run may plan twice.
      onMisses: (found) => {
        const known = new Set(misses?.map(({ name }) => name));
        misses = [...(misses ?? []), ...found.filter(({ name }) => !known.has(name))];
      },
    },
    reported: () => report,
    report: () => report ?? failure,
    said: () => texts,
    misses: () => misses,
  };
}
