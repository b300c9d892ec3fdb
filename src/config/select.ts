/** Selects the project of a run and its API key, and the files that globs of the configuration name. */

import { memberOf } from '../base/json.ts';
import type { DiagnosticOf } from '../base/diagnostic.ts';
import { FlagwrightError } from '../base/errors.ts';
import { defined } from '../base/optional.ts';
import { nearest } from '../base/text.ts';
import { describeWith, type WordsFor } from '../base/wording.ts';
import { PROJECT_WORDS, type ProjectProblems } from '../core/engine/project.ts';
import type { Config, Environment, ProjectConfig, RemoteProject } from './config.ts';
import { checkHost, given } from './projects.ts';
import { type ConfigProblems, CONFIG_WORDS } from './problems.ts';
import picomatch from 'picomatch';

/** The project `name`, or the default one. `mayTakeAll`: the run could be over all. Throws `config_invalid` if it does not exist. */
export function selectProject(
  config: Config,
  name: string | undefined,
  { mayTakeAll }: { readonly mayTakeAll?: true } = {},
): ProjectConfig {
  const available = Object.keys(config.projects);
  const chosen = name ?? config.defaultProject;
  const missing = { available, ...defined({ mayTakeAll }) };
  if (chosen === undefined) throw invalid({ code: 'config-project-missing', severity: 'error', args: missing });
  const project = Object.hasOwn(config.projects, chosen) ? config.projects[chosen] : undefined;
  if (project !== undefined) return project;
  if (config.file === undefined)
    throw invalid({ code: 'config-file-missing', severity: 'error', args: { project: chosen } });
  const suggestion = nearest(chosen, available);
  const args = { project: chosen, available, ...defined({ suggestion }) };
  throw invalid({ code: 'project-unknown', severity: 'error', args });
}

/** The API key from the environment. Throws `config_invalid` if it is not set, or must not be sent to the host. */
export function apiKeyOf(project: RemoteProject, env: Environment): string {
  const { host } = project;
  if (!mayHaveKey(host, env)) throw invalid({ code: 'config-host-not-allowed', severity: 'error', args: { host } });
  const key = given(memberOf(env, project.apiKeyVariable));
  const args = { variable: project.apiKeyVariable };
  if (key === undefined) throw invalid({ code: 'config-key-missing', severity: 'error', args });
  if (key.startsWith('phc_')) throw invalid({ code: 'config-key-of-project', severity: 'error', args });
  return key;
}

/** A configuration by another user could name any host and variable, so the environment can restrict the hosts. */
function mayHaveKey(host: string, env: Environment): boolean {
  const allowed = given(env['FLAGWRIGHT_HOSTS']);
  if (allowed === undefined) return true;
  return allowed.split(/[\s,]+/).some((entry) => {
    const checked = checkHost(entry.includes('://') ? entry : `https://${entry}`);
    return 'host' in checked && checked.host === host;
  });
}

function invalid(diagnostic: DiagnosticOf<SelectionProblems>): FlagwrightError {
  const { message, remedy } = describeWith(SELECTION_WORDS, diagnostic);
  return new FlagwrightError('config_invalid', message, { diagnostics: [diagnostic], remedy });
}

type SelectionProblems = ConfigProblems & ProjectProblems;
const SELECTION_WORDS: WordsFor<SelectionProblems> = { ...CONFIG_WORDS, ...PROJECT_WORDS };

/** Names are relative to the folder of the configuration, with `/` between folders. */
export function matchFiles(globs: readonly string[]): (name: string) => boolean {
  const isExcluded = (glob: string): boolean => glob.startsWith('!');
  return picomatch(
    globs.filter((glob) => !isExcluded(glob)),
    { ignore: globs.filter(isExcluded).map((glob) => glob.slice(1)) },
  );
}
