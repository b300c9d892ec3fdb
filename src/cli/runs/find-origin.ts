/** Finds who executes this run, and the commit of the manifests: from the CI system, or from the host and the repository. */

import { memberOf } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import type { Actor, RunOrigin } from '../../apply/origin.ts';
import { readCommit } from '../../git/read-head.ts';
import type { Session } from '../session/session.ts';

/** The environment may hold anything, so the API key is removed from what is recorded. */
export async function findOrigin({ context, places, secrets }: Session): Promise<RunOrigin> {
  const env: Variable = (name) => {
    const value = memberOf(context.env, name);
    return value === undefined || value === '' ? undefined : secrets.redact(value);
  };
  const system = CI_SYSTEMS.find(({ marker }) => env(marker) !== undefined);
  const actor = system?.actor(env) ?? context.user;
  const commit = (await readCommit(places.root)) ?? (system === undefined ? undefined : env(system.commit));
  return defined({ actor, commit });
}

type Variable = (name: string) => string | undefined;

interface CiSystem {
  readonly name: string;
  /** The variable that the system sets in every job. */
  readonly marker: string;
  /** `undefined` where the system does not name the user. */
  readonly actor: (env: Variable) => Actor | undefined;
  /** The variable with the commit. */
  readonly commit: string;
  /** The variables that say what started the job, and into which branch its change goes. */
  readonly event: string;
  readonly base: string;
}

/** The systems whose jobs are recognised. */
export const CI_SYSTEMS: readonly CiSystem[] = [
  {
    name: 'GitHub Actions',
    marker: 'GITHUB_ACTIONS',
    actor: (env) => actorOf('GitHub Actions', env('GITHUB_TRIGGERING_ACTOR') ?? env('GITHUB_ACTOR'), githubJob(env)),
    commit: 'GITHUB_SHA',
    event: 'GITHUB_EVENT_NAME',
    base: 'GITHUB_BASE_REF',
  },
  {
    name: 'GitLab CI',
    marker: 'GITLAB_CI',
    actor: (env) => actorOf('GitLab CI', env('GITLAB_USER_LOGIN'), env('CI_JOB_URL')),
    commit: 'CI_COMMIT_SHA',
    event: 'CI_PIPELINE_SOURCE',
    base: 'CI_MERGE_REQUEST_TARGET_BRANCH_NAME',
  },
];

function actorOf(ci: string, name: string | undefined, url: string | undefined): Actor | undefined {
  return name === undefined ? undefined : { name, ci, ...defined({ url }) };
}

function githubJob(env: Variable): string | undefined {
  const [server, repository, run] = [env('GITHUB_SERVER_URL'), env('GITHUB_REPOSITORY'), env('GITHUB_RUN_ID')];
  return server && repository && run ? `${server}/${repository}/actions/runs/${run}` : undefined;
}
