/** The project that environment variables define when there is no configuration file. */

import { DEFAULT_REQUESTS_PER_MINUTE, type Environment, type ProjectConfig } from './config.ts';
import { checkHost, problemArgs } from './host.ts';
import type { ConfigDiagnostic } from './problems.ts';
import { embeddedProject, given } from './projects.ts';

/** The names that PostHog's own tools use. */
const VARIABLES = ['POSTHOG_HOST', 'POSTHOG_PROJECT_ID', 'POSTHOG_API_KEY'] as const;

/**
 * All three variables define the project `environment`; none means `local` on the embedded service. Only some of them are an
 * error, except for an `offline` run, which needs nothing but the project's name.
 */
export function projectOfEnvironment(
  env: Environment,
  { root, offline }: { readonly root: string; readonly offline: boolean },
): { readonly project: ProjectConfig } | { readonly problem: ConfigDiagnostic } {
  const present = VARIABLES.filter((name) => given(env[name]) !== undefined);
  if (present.length === 0) return { project: embeddedProject('local', root) };
  const host = given(env['POSTHOG_HOST']);
  const projectId = given(env['POSTHOG_PROJECT_ID']);
  if (host === undefined || projectId === undefined || present.length < VARIABLES.length) {
    if (offline) return { project: embeddedProject('environment', root) };
    const missing = VARIABLES.filter((name) => !present.includes(name));
    return { problem: { code: 'config-environment-partial', severity: 'error', args: { present, missing } } };
  }
  const checked = checkHost(host);
  if ('problem' in checked) {
    return { problem: { code: checked.problem, severity: 'error', args: problemArgs(checked) } };
  }
  if (!/^([0-9]+|@current)$/.test(projectId)) {
    const args = { found: projectId, pattern: '^([0-9]+|@current)$' };
    return { problem: { code: 'value-pattern', severity: 'error', args } };
  }
  return {
    project: {
      service: 'remote',
      name: 'environment',
      host: checked.host,
      projectId,
      apiKeyVariable: 'POSTHOG_API_KEY',
      requestsPerMinute: DEFAULT_REQUESTS_PER_MINUTE,
      roles: {},
      cohorts: {},
    },
  };
}
