/**
 * Starts git for a change of refs, without hooks. The fixed options switch off those in the folder of hooks; git 2.54 and newer
 * also have hooks that the configuration defines, and only their names switch them all off.
 */

import { runGit, type GitCall, type GitCaller, type GitRun } from './run-git.ts';

export async function runWithoutHooks(caller: GitCaller, call: GitCall): Promise<GitRun> {
  const listed = await runGit(caller, { args: ['config', '--null', '--name-only', '--get-regexp', '^hook[.]'] });
  if (listed.kind === 'failed' && listed.exit === NOTHING_FOUND) return runGit(caller, call);
  if (listed.kind !== 'done') return listed;
  const variables = listed.stdout.toString().split('\0');
  return runGit(caller, { ...call, env: switchOff(namesIn(variables), caller) });
}

const NOTHING_FOUND = 1;

/** A variable is `hook.NAME.enabled` and the like, where the name may contain anything. */
function namesIn(variables: readonly string[]): ReadonlySet<string> {
  return new Set(variables.flatMap((variable) => /^hook\.(.+)\.[^.]+$/s.exec(variable)?.[1] ?? []));
}

/** Uses environment variables, after those of the user: an option could not name a hook with `=` in its name. */
function switchOff(hooks: ReadonlySet<string>, { env }: GitCaller): Readonly<Record<string, string>> {
  const first = Number(env['GIT_CONFIG_COUNT'] ?? 0);
  const settings = [...hooks].map((name, index) => [
    [`GIT_CONFIG_KEY_${first + index}`, `hook.${name}.enabled`],
    [`GIT_CONFIG_VALUE_${first + index}`, 'false'],
  ]);
  return { GIT_CONFIG_COUNT: String(first + hooks.size), ...Object.fromEntries(settings.flat()) };
}
