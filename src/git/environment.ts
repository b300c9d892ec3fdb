/**
 * The environment and the options of every git process: no keys, no variables that redirect git, and options that a repository cannot
 * change.
 */

import { memberOf, setMember } from '../base/json.ts';
import { delimiter, isAbsolute } from 'node:path';
import { looksLikeKey } from '../base/api-key.ts';

export type GitEnvironment = Readonly<Record<string, string | undefined>>;

/**
 * The variables of a run, as git may have them. Credential helpers may need any variable, so only two sorts are left out: those
 * with a key of the service, and those that point git at another repository or at other programs.
 * @param keys The names of variables that hold keys.
 */
export function gitEnvironment(env: GitEnvironment, keys: readonly string[]): Record<string, string> {
  const secrets = new Set(
    keys.map((name) => memberOf(env, name)).filter((value) => value !== undefined && value !== ''),
  );
  const passed: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || secrets.has(value) || looksLikeKey(value)) continue;
    if (/^GIT_/i.test(name) ? MAY_STAY.test(name) : !CHOOSES_LANGUAGE.test(name)) setMember(passed, name, value);
  }
  return { ...passed, ...searchPath(passed), ...FIXED };
}

/** The variables of git that stay: the user's configuration, and how remotes are reached. */
const MAY_STAY =
  /^GIT_(?:CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM|COUNT|KEY_\d+|VALUE_\d+)|ASKPASS|SSH(?:_COMMAND|_VARIANT)?|SSL_\w+|HTTP_\w+|PROXY_\w+)$/;

const CHOOSES_LANGUAGE = /^(?:LC_\w+|LANG|LANGUAGE|PAGER)$/;

const FIXED = {
  LC_ALL: 'C',
  GIT_TERMINAL_PROMPT: '0',
  GCM_INTERACTIVE: 'never',
  GIT_NO_REPLACE_OBJECTS: '1',
} as const;

/** Omits relative folders, in which a repository could put a program named git. */
function searchPath({ PATH }: Record<string, string>): { PATH?: string } {
  return PATH === undefined ? {} : { PATH: PATH.split(delimiter).filter(isAbsolute).join(delimiter) };
}

/** Options for every call; a repository's own configuration cannot override them. */
export const FIXED_OPTIONS: readonly string[] = [
  '--no-pager',
  '--no-optional-locks',
  '--literal-pathspecs',
  ...Object.entries({
    'safe.bareRepository': 'explicit',
    'core.hooksPath': '/dev/null',
    'core.fsmonitor': 'false',
    'core.askPass': '',
    // An empty command would still be started.
    'core.alternateRefsCommand': 'true',
    'core.pager': 'cat',
    'diff.external': '',
    'gc.auto': '0',
    'maintenance.auto': 'false',
    'log.showSignature': 'false',
    'protocol.ext.allow': 'never',
    'fetch.recurseSubmodules': 'false',
    'push.recurseSubmodules': 'no',
    'push.followTags': 'false',
    'push.gpgSign': 'false',
    'color.ui': 'false',
  }).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
];
