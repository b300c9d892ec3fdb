/** The project of a run and its API key. */

import { describe } from '../base/diagnostic-info.ts';
import type { Diagnostic } from '../base/diagnostic.ts';
import { FlaghoistError } from '../base/errors.ts';
import { nearest } from '../base/text.ts';
import type { Config, Environment, ProjectConfig, RemoteProject } from './config.ts';
import { given } from './projects.ts';

/** The project `name`, or the default one; throws `config_invalid` when there is no such project. */
export function selectProject(config: Config, name: string | undefined): ProjectConfig {
  const available = Object.keys(config.projects);
  const chosen = name ?? config.defaultProject;
  if (chosen === undefined) throw invalid({ code: 'config-project-missing', severity: 'error', args: { available } });
  const project = Object.hasOwn(config.projects, chosen) ? config.projects[chosen] : undefined;
  if (project !== undefined) return project;
  const suggestion = nearest(chosen, available);
  const args = suggestion === undefined ? { project: chosen } : { project: chosen, suggestion };
  throw invalid({ code: 'project-unknown', severity: 'error', args });
}

/** The key from the environment; throws `config_invalid` when it is not set. */
export function apiKeyOf(project: RemoteProject, env: Environment): string {
  const key = given(env[project.apiKeyVariable]);
  if (key !== undefined) return key;
  throw invalid({ code: 'config-key-missing', severity: 'error', args: { variable: project.apiKeyVariable } });
}

function invalid(diagnostic: Diagnostic): FlaghoistError {
  const { message, remedy } = describe(diagnostic);
  return new FlaghoistError('config_invalid', message, { diagnostics: [diagnostic], remedy });
}
