/** Where the job of CI and the request of the change are, and who runs it, by the environment of the job. */

import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { valueAt } from '../../base/json-pointer.ts';
import { tryParseJson } from '../../base/json-text.ts';
import { memberOf } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import type { RunFacts } from '../../report/view.ts';
import type { Context } from './context.ts';

type Variable = (name: string) => string | undefined;

export function findRunFacts({ env, cwd, user }: Pick<Context, 'env' | 'cwd' | 'user'>): RunFacts {
  const variable: Variable = (name) => memberOf(env, name) || undefined;
  if (variable('GITHUB_ACTIONS') !== undefined) return factsOfGitHub(variable, cwd);
  if (variable('GITLAB_CI') !== undefined) return factsOfGitLab(variable);
  return defined({ actor: user?.name });
}

function factsOfGitHub(variable: Variable, cwd: string): RunFacts {
  const repository = address(variable('GITHUB_SERVER_URL'), variable('GITHUB_REPOSITORY'));
  // A merge names its request in the first line of its commit, of which only the number is taken.
  const subject = commitOf(variable('GITHUB_EVENT_PATH'), cwd).split('\n', 1)[0] ?? '';
  const merged = /\(#(\d{1,9})\)$/.exec(subject) ?? /^Merge pull request #(\d{1,9}) /.exec(subject);
  const number = /^refs\/pull\/(\d{1,9})\//.exec(variable('GITHUB_REF') ?? '') ?? merged;
  return facts({
    actor: variable('GITHUB_TRIGGERING_ACTOR') ?? variable('GITHUB_ACTOR'),
    page: address(repository, 'actions/runs', variable('GITHUB_RUN_ID')),
    request: [`Pull request #${number?.[1]}`, address(repository, 'pull', number?.[1])],
  });
}

function commitOf(file: string | undefined, cwd: string): string {
  try {
    const found = path.resolve(cwd, file ?? '');
    if (file === undefined || statSync(found).size > LARGEST_EVENT) return '';
    const text = valueAt(tryParseJson(readFileSync(found, 'utf8')) ?? null, '/head_commit/message');
    return typeof text === 'string' ? text : '';
  } catch {
    return '';
  }
}

const LARGEST_EVENT = 26 * 1024 * 1024;

function factsOfGitLab(variable: Variable): RunFacts {
  const merged = /^See merge request \S+!(\d{1,9})\s*$/m.exec(variable('CI_COMMIT_MESSAGE') ?? '')?.[1];
  const number = variable('CI_MERGE_REQUEST_IID') ?? merged;
  const project = variable('CI_MERGE_REQUEST_PROJECT_URL') ?? variable('CI_PROJECT_URL');
  return facts({
    actor: variable('GITLAB_USER_LOGIN'),
    page: address(variable('CI_JOB_URL')),
    request: [`Merge request !${number}`, address(project, '-/merge_requests', number)],
  });
}

function facts(found: {
  readonly actor: string | undefined;
  readonly page: string | undefined;
  readonly request: readonly [name: string, url: string | undefined];
}): RunFacts {
  const [name, url] = found.request;
  return defined({ actor: found.actor, page: found.page, request: url === undefined ? undefined : { name, url } });
}

/** `undefined` unless all parts are known and make an address of the web that a chat shows as one link. */
function address(...parts: readonly (string | undefined)[]): string | undefined {
  if (parts.includes(undefined)) return undefined;
  const text = parts.join('/');
  if (!/^https?:\/\/[\w.:/~-]+$/.test(text)) return undefined;
  return URL.canParse(text) ? text : undefined;
}
