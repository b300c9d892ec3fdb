/** The CI systems whose jobs are recognised, by the variables that they set. */

import type { Actor } from '../../apply/origin.ts';
import { defined } from '../../base/optional.ts';

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
    event: 'GITHUB_EVENT_NAME',
    base: 'GITHUB_BASE_REF',
    permission: 'The token of the job needs `permissions: { contents: write }` in the workflow.',
  },
  {
    name: GITLAB,
    marker: 'GITLAB_CI',
    actor: (env) => actorOf(GITLAB, env('GITLAB_USER_LOGIN'), env('CI_JOB_URL')),
    commit: 'CI_COMMIT_SHA',
    event: 'CI_PIPELINE_SOURCE',
    base: 'CI_MERGE_REQUEST_TARGET_BRANCH_NAME',
    permission:
      'The job needs a token with the scope write_repository, or the project setting "Allow Git push requests to the repository" for job tokens.',
  },
];

function actorOf(ci: string, name: string | undefined, url: string | undefined): Actor | undefined {
  return name === undefined ? undefined : { name, ci, ...defined({ url }) };
}
