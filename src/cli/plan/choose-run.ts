/** Chooses a recorded run and its project: the run that the user names, or the newest one that fits. */

import { FlagwrightError } from '../../base/errors.ts';
import type { Config, ProjectConfig } from '../../config/config.ts';
import type { ProjectIdentity } from '../../engine/project.ts';
import type { Run } from '../../journal/read.ts';
import { belongsTo, findNewestRuns, refuseRunning, type FoundRun } from '../runs/find-runs.ts';
import { journalFolder, useJournal } from '../runs/journal-folder.ts';
import { apart, findRun } from '../runs/name-run.ts';
import type { Session } from '../session/session.ts';
import { checkIdentity } from './confirmation.ts';
import { chooseProject } from '../project/load-project.ts';
import { identityOf } from '../project/open-project.ts';

export interface RunChoice {
  /** The name of a run, a beginning of it, or `last`. */
  readonly reference?: string;
  /** The folder of a journal, or the file of one run. */
  readonly journal?: string;
  /** Decides whether a run can be the default: the newest fitting one is chosen without a reference. */
  readonly fits: (run: Run) => boolean;
  /** What no recorded run is, for the error. */
  readonly lacking: string;
}

export interface ChosenRun {
  readonly run: FoundRun;
  readonly project: ProjectConfig;
  readonly identity: ProjectIdentity;
}

/** @throws {FlagwrightError} if there is no such run or which one is unknown, or if another process executes it. */
export async function chooseRun(session: Session, config: Config, choice: RunChoice): Promise<ChosenRun> {
  const reference = await findReference(session, choice);
  const named = reference === undefined ? undefined : await findNamed(session, config, reference);
  const project = chooseProject(session, config, named?.plan.project.name);
  const identity = identityOf(project);
  if (named !== undefined) checkIdentity(named.plan, identity);
  const [run, ...others] = named === undefined ? await findNewestRuns(session, identity, choice.fits) : [named];
  if (run === undefined) throw noRun(session, identity, choice);
  if (others.length > 0) throw apart([run, ...others].map(({ name }) => name));
  refuseRunning(run);
  return { run, project, identity };
}

/** The file of a run names it. */
async function findReference(session: Session, { reference, journal }: RunChoice): Promise<string | undefined> {
  const inFile = journal === undefined ? undefined : await useJournal(session, journal);
  if (inFile !== undefined && reference !== undefined) {
    throw new FlagwrightError('usage', 'A run and --journal with the file of one run cannot be used together.', {
      remedy: 'Leave out the run, or pass the folder of the journal.',
    });
  }
  return reference ?? inFile;
}

/** `last` counts the runs of the project that is chosen without the run. */
async function findNamed(session: Session, config: Config, reference: string): Promise<FoundRun> {
  return findRun(session, reference, (run) => belongsTo(run, identityOf(chooseProject(session, config))));
}

function noRun(session: Session, { name }: ProjectIdentity, { lacking }: RunChoice): FlagwrightError {
  return new FlagwrightError('file', `No run of the project ${name} ${lacking} in ${journalFolder(session)}.`, {
    remedy:
      'A run is recorded where it was applied. Name the journal of another machine or CI job with --journal PATH.',
  });
}
