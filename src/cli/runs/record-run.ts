/** Records the current run: begins before the first request, reports if the record is incomplete, and says who executes it, also in CI. */

import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { RunOrigin, Actor } from '../../loop/apply/origin.ts';
import type { ApplyRecorder } from '../../loop/apply/recorder.ts';
import type { Outcome, OutcomeCounts } from '../../loop/apply/result.ts';
import { FlagwrightError } from '../../base/errors.ts';
import { valueAt } from '../../base/json-pointer.ts';
import { parseJson, stringifyJson, tryParseJson } from '../../base/json-text.ts';
import { memberOf } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { readBranch, readCommit } from '../../loop/git/repository.ts';
import { isWhole, readRun, type Run } from '../../loop/journal/read.ts';
import { beginJournal, continueJournal, type Journal, type JournalOptions } from '../../loop/journal/write.ts';
import type { Plan } from '../../posthog/plan.ts';
import type { PlanOrigin } from '../../report/report.ts';
import type { Context } from '../session/context.ts';
import { toFlagwrightError } from '../session/failure.ts';
import type { Session } from '../session/session.ts';
import { thisProcess } from '../session/this-process.ts';
import { journalFolder, makeJournalFolder } from './find-runs.ts';

export interface RunRecord {
  readonly run: string;
  readonly recorder: ApplyRecorder;
  /** The resumed run as far as it got. Its lock is held, so no other process adds to it. */
  readonly earlier?: Run;
  /** Returns why the record is incomplete, or `undefined` if it is complete. */
  end(outcomes: OutcomeCounts): Promise<FlagwrightError | undefined>;
  /** Ends the record of a run that wrote nothing. */
  abandon(): Promise<void>;
}

/** @throws {FlagwrightError} if the run cannot be recorded; nothing has been sent yet. */
export async function beginRecord(session: Session, plan: Plan): Promise<RunRecord> {
  const inspect = (text: string): void =>
    session.secrets.refuse(text, {
      message: 'Nothing was applied: the journal of the run would contain the API key.',
      source: 'the manifests and of the live flags',
    });
  const folder = await makeJournalFolder(session);
  const options = { ...journalOptions(session, folder), origin: await findOrigin(session), inspect };
  return createRecord(session, await beginJournal(plan, options), folder);
}

/** @throws {FlagwrightError} if the journal cannot be written or used; nothing has been sent yet. */
export async function continueRecord(session: Session, name: string): Promise<RunRecord> {
  const folder = journalFolder(session);
  const journal = await continueJournal(name, journalOptions(session, folder));
  try {
    // Read again under the lock: another process may have finished the run in between.
    return { ...createRecord(session, journal, folder), earlier: await readRun(folder, name) };
  } catch (error) {
    await journal.end(undefined);
    throw error;
  }
}

function journalOptions({ context }: Session, folder: string): JournalOptions {
  return {
    folder,
    now: () => new Date(context.now()),
    lock: thisProcess(),
    random: () => Number.parseInt(context.randomUuid().slice(0, 4), 16) / 0x10000,
  };
}

function createRecord(session: Session, journal: Journal, folder: string): RunRecord {
  let failure: FlagwrightError | undefined;
  return {
    run: journal.run,
    recorder: {
      sending: (change) =>
        journal.sending(change).catch((error: unknown) => {
          const { message, cause } = toFlagwrightError(error);
          failure ??= new FlagwrightError('file', `${message} Nothing more was sent to the service.`, {
            remedy: 'Free disk space, then run `flagwright apply --resume` to finish the run.',
            cause,
          });
          throw error;
        }),
      // The service's own description of a failure may repeat the key.
      settled: (change, result) =>
        journal.settled(
          change,
          result.outcome === 'applied' ? result : (parseJson(session.secrets.redact(stringifyJson(result))) as Outcome),
        ),
    },
    end: async (outcomes) => {
      await journal.end(outcomes);
      // Outcomes are written without waiting, so what is on the disk is looked at.
      if (failure !== undefined || (await isWhole(folder, journal.run).catch(() => false))) return failure;
      return new FlagwrightError('file', `The journal of run ${journal.run} is incomplete.`, {
        remedy:
          'Free disk space, then run `flagwright apply --resume`: it reads the live flags and completes the journal.',
      });
    },
    abandon: () => journal.end(undefined),
  };
}

/**
 * Who executes this run, and the commit of the manifests: from the CI system, or from the host and the repository. The environment may hold
 * anything, so the API key is removed from the result.
 */
async function findOrigin({ context, places, secrets }: Session): Promise<RunOrigin> {
  const env: CiVariable = (name) => {
    const value = memberOf(context.env, name);
    return value === undefined || value === '' ? undefined : secrets.redact(value);
  };
  const system = CI_SYSTEMS.find(({ marker }) => env(marker) !== undefined);
  const actor = system?.actor(env) ?? context.user;
  const commit = (await readCommit(places.root)) ?? (system === undefined ? undefined : env(system.commit));
  return defined({ actor, commit });
}

/**
 * The commit and the branch of the manifests. A job of CI may check out the merge of a branch under review and its target, which nobody
 * knows by its name: the report names the commit under review.
 */
export async function findPlanOrigin({ context, places }: Session): Promise<PlanOrigin> {
  const env: CiVariable = (name) => memberOf(context.env, name) || undefined;
  const system = CI_SYSTEMS.find(({ marker }) => env(marker) !== undefined);
  const ofJob = system && env(system.commit);
  const commit = (await readCommit(places.root)) ?? ofJob;
  const reviewed = commit === ofJob ? await system?.reviewed(env, context) : undefined;
  const branch = (await readBranch(places.root)) ?? system?.branch(env);
  // A run that looks ahead or back is made now, and not at its time.
  const at = context.isMoved === true ? undefined : new Date(context.now()).toISOString();
  return defined({ commit: reviewed ?? commit, branch, at });
}

/** A member of the event that started a job of GitHub Actions. */
export async function eventMember(
  env: CiVariable,
  { cwd }: Pick<Context, 'cwd'>,
  pointer: string,
): Promise<string | undefined> {
  const file = env('GITHUB_EVENT_PATH');
  const event = file && tryParseJson(await readFile(path.resolve(cwd, file), 'utf8').catch(() => ''));
  const member = event ? valueAt(event, pointer) : undefined;
  return typeof member === 'string' ? member : undefined;
}

/** The value of a variable; `undefined` for an empty one. */
export type CiVariable = (name: string) => string | undefined;

interface CiSystem {
  readonly name: string;
  /** The variable that the system sets in every job. */
  readonly marker: string;
  /** `undefined` if the system does not name the user. */
  readonly actor: (env: CiVariable) => Actor | undefined;
  /** The variable with the commit. */
  readonly commit: string;
  /** The branch that the job is for, and the head commit of a change under review. */
  readonly branch: (env: CiVariable) => string | undefined;
  readonly reviewed: (env: CiVariable, context: Context) => Promise<string | undefined>;
  /** The variables that say what started the job, and into which branch its change goes. */
  readonly event: string;
  readonly base: string;
  /** The way to allow a job to push. */
  readonly permission: string;
}

const GITHUB = 'GitHub Actions';
const GITLAB = 'GitLab CI';

export const CI_SYSTEMS: readonly CiSystem[] = [
  {
    name: GITHUB,
    marker: 'GITHUB_ACTIONS',
    actor: (env) => {
      const [server, repository, run] = [env('GITHUB_SERVER_URL'), env('GITHUB_REPOSITORY'), env('GITHUB_RUN_ID')];
      const url = server && repository && run ? `${server}/${repository}/actions/runs/${run}` : undefined;
      return actorOf(GITHUB, env('GITHUB_TRIGGERING_ACTOR') ?? env('GITHUB_ACTOR'), url);
    },
    commit: 'GITHUB_SHA',
    branch: (env) =>
      env('GITHUB_HEAD_REF') ?? (env('GITHUB_REF_TYPE') === 'branch' ? env('GITHUB_REF_NAME') : undefined),
    reviewed: async (env, context) => eventMember(env, context, '/pull_request/head/sha'),
    event: 'GITHUB_EVENT_NAME',
    base: 'GITHUB_BASE_REF',
    permission: 'The token of the job needs `permissions: { contents: write }` in the workflow.',
  },
  {
    name: GITLAB,
    marker: 'GITLAB_CI',
    actor: (env) => actorOf(GITLAB, env('GITLAB_USER_LOGIN'), env('CI_JOB_URL')),
    commit: 'CI_COMMIT_SHA',
    branch: (env) => env('CI_MERGE_REQUEST_SOURCE_BRANCH_NAME') ?? env('CI_COMMIT_BRANCH'),
    reviewed: async (env) => env('CI_MERGE_REQUEST_SOURCE_BRANCH_SHA'),
    event: 'CI_PIPELINE_SOURCE',
    base: 'CI_MERGE_REQUEST_TARGET_BRANCH_NAME',
    permission:
      'The job needs a token with the scope write_repository, or the project setting "Allow Git push requests to the repository" for job tokens.',
  },
];

function actorOf(ci: string, name: string | undefined, url: string | undefined): Actor | undefined {
  return name === undefined ? undefined : { name, ci, ...defined({ url }) };
}
