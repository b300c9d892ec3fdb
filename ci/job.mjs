// What the environment of a CI job says, read once: which system, which project, for which change, with which rights.

import { readFileSync } from 'node:fs';
import { Failure } from './failure.mjs';
import { createGithub } from './forge/github.mjs';
import { createGitlab } from './forge/gitlab.mjs';
import { openRepository } from './repository.mjs';
import { sayWarning } from './say.mjs';

/** Secrets of the forge, and the keys before they are apart. No program that the steps start gets them. */
const TOKENS = [
  'GITHUB_TOKEN',
  'GH_TOKEN',
  'FLAG_NOTES_TOKEN',
  'FLAG_DRIFT_TOKEN',
  'FLAG_REMOTE',
  'CI_JOB_TOKEN',
  'FLAG_API_KEYS',
];
/** How long one answer of the forge may take. */
const DEFAULT_SECONDS = 30;

/** What a step needs that neither reads a project nor calls the forge. `none`: it runs outside of a job. */
export function readSystem(env) {
  const system = env['GITHUB_ACTIONS'] === 'true' ? 'github' : env['GITLAB_CI'] ? 'gitlab' : 'none';
  return { system, env: without(env, TOKENS) };
}

/** For a step that calls the service: without a key it would fail with the name of a variable that no workflow has. */
export function readKeyedJob(env) {
  const job = readJob(env);
  if (!job.isFork) needKeys(env, job);
  return job;
}

export function readJob(env) {
  const { system, env: ownEnv } = readSystem(env);
  const job = system === 'github' ? readGithub(env) : readGitlab(env);
  const projects = need(env, 'PROJECT')
    .split(/[\s,]+/)
    .filter(Boolean);
  const keys = readKeys(env['FLAG_API_KEYS']);
  const exceptions = env['FLAG_EXCEPTIONS'] || 'exceptions.yaml';
  const paths = (env['FLAG_PATHS'] || 'flags flagwright.yaml').split(/\s+/).filter(Boolean);
  const folder = folderOf(env['FLAG_FOLDER']);
  const keylessEnv = without(ownEnv, ['POSTHOG_API_KEY', ...keys.keys()]);
  const usable = [...keys].filter(([, key]) => !isMissing(key));
  return {
    ...job,
    system,
    // As the option takes them; also what the job's comment and files are named by.
    project: projects.join(','),
    projects: projects.map((name) => {
      const refName = nameOfRef(`${folder}${name}`);
      return {
        name,
        ref: `refs/flagwright/applied/${refName}`,
        snapshotRef: `refs/flagwright/snapshot/${refName}`,
      };
    }),
    keys,
    snapshot: {
      isPublished: env['FLAG_PUBLISH_SNAPSHOT'] === 'true',
      maxAge: env['FLAG_SNAPSHOT_MAX_AGE'] ? ['--max-age', env['FLAG_SNAPSHOT_MAX_AGE']] : [],
    },
    exceptions,
    paths,
    // What paths of the forge and of artifacts begin with.
    folder,
    // Whatever a merge of changes what is applied, or whether it may be.
    deciding: [...paths, exceptions],
    impact: env['FLAG_IMPACT'] === 'false' ? [] : ['--impact'],
    inputs: job.takesInputs ? readInputs(env) : [],
    // Who runs the job by hand, as the forge knows them: no input may name somebody else.
    approver: job.approver,
    approval: job.approver ? ['--approved-by', job.approver] : [],
    // Of a fork, everything may be made up: no key is used for it, even where there is one.
    requiresReview: env['FLAG_REQUIRE_REVIEWED'] !== 'false',
    // The digest of the plan that somebody read who runs the job by hand.
    reviewed: (job.takesInputs && env['REVIEWED_PLAN']?.trim()) || undefined,
    env: job.isFork ? keylessEnv : { ...ownEnv, ...Object.fromEntries(usable) },
    repository: openRepository({
      ...job.remote,
      env: keylessEnv,
      secrets: TOKENS.map((name) => env[name]).filter(Boolean),
    }),
  };
}

/** The keys of several projects, one a line, each after the variable that flagwright.yaml names for it. */
function readKeys(text = '') {
  const lines = text.split('\n').map((line) => line.trim());
  return new Map(
    lines.filter(Boolean).map((line) => {
      const [, name, key] = /^([A-Za-z_]\w*)=(.*)$/.exec(line) ?? [];
      // The line may be a key.
      if (name === undefined)
        throw new Failure('A line of the API keys has no variable. Write each as VARIABLE=KEY, on a line of its own.');
      return [name, key];
    }),
  );
}

function folderOf(text = '') {
  const names = text.split('/').filter((name) => name !== '' && name !== '.');
  return names.map((name) => `${name}/`).join('');
}

/** As flagwright names the ref of a project: see src/cli/applied/applied-record.ts. */
function nameOfRef(name) {
  const bytes = (text) => Buffer.from(text).toString('hex').toUpperCase().replaceAll(/../g, '%$&');
  return name.replaceAll(/[^\w.-]|\.(?=\.|$|lock$)|^[.-]/gu, bytes);
}

function readGithub(env) {
  const repository = need(env, 'GITHUB_REPOSITORY');
  const server = env['GITHUB_SERVER_URL'] || 'https://github.com';
  const event = readEvent(env['GITHUB_EVENT_PATH']);
  const { pull_request: request } = event;
  const token = env['GITHUB_TOKEN'] ?? '';
  // A fork that was deleted has no repository.
  const isFork = request !== undefined && request.head?.repo?.full_name !== repository;
  return {
    isFork,
    change: githubChange(request, env),
    // The branch that a request is for.
    target: request?.base?.ref ?? env['GITHUB_BASE_REF'],
    forkRun: forkRunOf(event, repository),
    isReview: env['GITHUB_EVENT_NAME'] === 'pull_request_review',
    reviewHint: 'run the workflow by hand on this branch, with the input `reviewed`:',
    files: { output: env['GITHUB_OUTPUT'], summary: env['GITHUB_STEP_SUMMARY'] },
    takesInputs: true,
    approver: env['GITHUB_EVENT_NAME'] === 'workflow_dispatch' ? env['GITHUB_TRIGGERING_ACTOR'] : undefined,
    // The token of a fork's job may not write.
    request: env['FLAG_COMMENT'] === 'false' || isFork ? undefined : request?.number,
    // What a review of the request is compared with.
    base: request?.base?.sha,
    branch: env['GITHUB_REF_NAME'] ?? 'main',
    commit: request?.head?.sha ?? env['GITHUB_SHA'] ?? '',
    url: `${server}/${repository}/actions/runs/${env['GITHUB_RUN_ID'] ?? ''}`,
    email: 'flagwright@users.noreply.github.com',
    documentLimit: 60_000,
    remote: {
      address: env['FLAG_REMOTE'] || withToken(`${server}/${repository}.git`, 'x-access-token', token),
      mayPush: true,
    },
    forge: createGithub({
      api: env['GITHUB_API_URL'] || 'https://api.github.com',
      repository,
      token,
      author: env['FLAG_COMMENT_AUTHOR'] || 'github-actions[bot]',
      workflow: env['GITHUB_WORKFLOW_REF']?.split('@')[0],
      seconds: Number(env['FLAG_FORGE_SECONDS'] || DEFAULT_SECONDS),
    }),
  };
}

/** The commit of a fork whose jobs have ended. All of it is from GitHub, nothing from those jobs. */
function forkRunOf({ workflow_run: run }, repository) {
  const from = run?.head_repository;
  if (run?.event !== 'pull_request' || !from || from.full_name === repository) return undefined;
  return { head: run.head_sha, branch: run.head_branch, owner: from.owner.login, repository: from.id };
}

function githubChange(request, env) {
  if (request !== undefined) return { kind: 'request', number: request.number };
  return env['GITHUB_EVENT_NAME'] === 'push' ? { kind: 'merge', commit: env['GITHUB_SHA'] } : { kind: 'hand' };
}

function readEvent(file) {
  if (file === undefined) return {};
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    throw new Failure(
      `${file} (GITHUB_EVENT_PATH) is not the JSON of an event. Run this in a workflow of GitHub Actions.`,
    );
  }
}

function readGitlab(env) {
  const source = env['CI_PIPELINE_SOURCE'];
  const request = env['CI_MERGE_REQUEST_IID'] || undefined;
  const drift = env['FLAG_DRIFT_TOKEN'] || undefined;
  const isFork = env['CI_MERGE_REQUEST_SOURCE_PROJECT_ID'] !== env['CI_MERGE_REQUEST_PROJECT_ID'];
  return {
    isFork,
    change: gitlabChange(env),
    target: env['CI_MERGE_REQUEST_TARGET_BRANCH_NAME'],
    reviewHint: 'run the pipeline by hand on this branch, with the variable `REVIEWED_PLAN`:',
    files: { dotenv: 'plan.env', quality: 'gl-code-quality-plan.json' },
    takesInputs: source === 'web',
    approver: source === 'web' ? env['GITLAB_USER_LOGIN'] : undefined,
    request: env['FLAG_NOTES_TOKEN'] && !isFork ? request : undefined,
    branch: env['CI_DEFAULT_BRANCH'] || 'main',
    // Where GitLab makes the merge, the commit of the pipeline is that of the merge.
    commit: env['CI_MERGE_REQUEST_SOURCE_BRANCH_SHA'] || env['CI_COMMIT_SHA'] || '',
    url: env['CI_JOB_URL'] ?? '',
    email: `flagwright@${env['CI_SERVER_HOST'] ?? 'localhost'}`,
    documentLimit: 900_000,
    remote: isFork ? gitlabParent(env) : gitlabRemote(env, drift),
    forge: createGitlab({
      api: need(env, 'CI_API_V4_URL'),
      project: need(env, 'CI_PROJECT_ID'),
      notesToken: env['FLAG_NOTES_TOKEN'],
      requestsToken: drift,
      seconds: Number(env['FLAG_FORGE_SECONDS'] || DEFAULT_SECONDS),
    }),
  };
}

function gitlabChange(env) {
  const request = env['CI_MERGE_REQUEST_IID'];
  if (request) return { kind: 'request', number: request };
  if (env['CI_PIPELINE_SOURCE'] !== 'push') return { kind: 'hand' };
  return { kind: 'merge', commit: env['CI_COMMIT_SHA'], job: env['CI_JOB_NAME'] };
}

function gitlabRemote(env, token) {
  if (token === undefined) return { readFrom: 'origin', mayPush: false };
  const address = `${env['CI_SERVER_URL']}/${env['CI_PROJECT_PATH']}.git`;
  return { readFrom: 'origin', address: env['FLAG_REMOTE'] || withToken(address, 'flagwright', token), mayPush: true };
}

/** The pipeline of a fork runs in the fork, whose clone has no refs of the project that the change is for. */
function gitlabParent(env) {
  const address = `${need(env, 'CI_MERGE_REQUEST_PROJECT_URL')}.git`;
  const token = env['CI_JOB_TOKEN'];
  return {
    address: env['FLAG_REMOTE'] || (token ? withToken(address, 'gitlab-ci-token', token) : address),
    mayPush: false,
  };
}

function withToken(address, user, token) {
  return address.replace('://', `://${user}:${encodeURIComponent(token)}@`);
}

/** Permissions that a person gave to this run by hand: names and values are words, never part of a script. */
function readInputs(env) {
  const options = ['deletes', 'updates', 'disables', 'protected', 'risky'].map((kind) => [
    `--allow-${kind}`,
    env[`ALLOW_${kind.toUpperCase()}`],
  ]);
  options.push(['--override', env['OVERRIDE_EDITS']]);
  return options.flatMap(([option, text = '']) => {
    const values = text.split(/\s+/).filter(Boolean);
    return values.length === 0 ? [] : [option, ...values];
  });
}

function without(env, names) {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !names.includes(name)));
}

function need(env, name) {
  const value = env[name];
  if (value) return value;
  throw new Failure(`${name} is not set. Set it in the job, or run this in GitHub Actions or GitLab CI/CD.`);
}

/** A key that is missing is a failure of its project alone, unless all are. */
function needKeys(env, { system, env: ownEnv, keys }) {
  const name = env['FLAG_KEY_NAME'];
  const wanted = keys.size > 0 ? [...keys] : name ? [[name, env['POSTHOG_API_KEY'] ?? '']] : [];
  const missing = wanted.filter(([, key]) => isMissing(key));
  const texts = missing.map(
    ([of]) =>
      `${of} is empty, or this job may not read it. ${EMPTY_KEY[system === 'github' ? system : 'gitlab'](of, env)}`,
  );
  if (texts.length > 0 && texts.length === wanted.length) throw new Failure(texts[0]);
  for (const text of texts) sayWarning(ownEnv, text);
}

/** GitLab leaves the reference to a variable that does not exist as it is. */
function isMissing(key) {
  return key === '' || key.startsWith('$');
}

const EMPTY_KEY = {
  github: (name, { GITHUB_ACTOR: actor, PROJECT: project }) =>
    actor === 'dependabot[bot]'
      ? `Pull requests of Dependabot have secrets of their own: gh secret set ${name} --app dependabot`
      : `Set the secret: gh secret set ${name}, or with --env ${project.includes(',') ? 'flags' : project} if the job names that environment.`,
  gitlab: (name) =>
    `Set the variable ${name} in Settings > CI/CD > Variables. A protected one is for protected branches only, and one of an environment for its jobs.`,
};
