/** Loads the configuration of a run from file and environment, checked and resolved. */

import { basename, dirname, resolve } from 'node:path';
import { hasErrors, sortDiagnostics } from '../base/diagnostic.ts';
import { FlagwrightError } from '../base/errors.ts';
import { readYaml } from '../base/yaml/read.ts';
import { DEFAULT_LIMITS } from '../core/engine/safety.ts';
import {
  DEFAULT_API_KEY_VARIABLE,
  DEFAULT_EXCEPTIONS,
  DEFAULT_MANIFESTS,
  DEFAULT_REFS,
  DEFAULT_REQUESTS_PER_MINUTE,
  type Config,
  type Environment,
  type ProjectConfig,
} from './config.ts';
import { findConfig, readConfigText, type FoundConfig } from './find.ts';
import { checkHost, embeddedProject, given } from './projects.ts';
import type { ConfigDiagnostic } from './problems.ts';
import { resolveConfig } from './resolve.ts';

export interface LoadConfigOptions {
  /** Absolute working directory. */
  readonly cwd: string;
  /** The configuration file to use instead of searching for one. */
  readonly file?: string;
  readonly env: Environment;
  /** The run sends no requests, so missing variables do not matter. */
  readonly offline?: boolean;
}

export interface LoadedConfig {
  readonly config: Config;
  /** Warnings only: an error throws `config_invalid` with all diagnostics. */
  readonly diagnostics: readonly ConfigDiagnostic[];
}

export async function loadConfig({ cwd, file, env, offline = false }: LoadConfigOptions): Promise<LoadedConfig> {
  const found = findConfig(cwd, file);
  const { config, diagnostics } =
    found === undefined ? withoutFile(resolve(cwd), env, offline) : await withFile(found, env, offline);
  const sorted = sortDiagnostics(diagnostics);
  if (config !== undefined && !hasErrors(sorted)) return { config, diagnostics: sorted };
  const [{ summarizeWith }, { CONFIG_READING_WORDS }] = await Promise.all([
    import('../base/wording.ts'),
    import('./problems.ts'),
  ]);
  throw new FlagwrightError('config_invalid', summarizeWith(CONFIG_READING_WORDS, sorted), { diagnostics: sorted });
}

interface LoadAttempt {
  readonly config?: Config;
  readonly diagnostics: readonly ConfigDiagnostic[];
}

function withoutFile(root: string, env: Environment, offline: boolean): LoadAttempt {
  const made = projectOfEnvironment(root, env, offline);
  if ('problem' in made) return { diagnostics: [made.problem] };
  const { project } = made;
  const config: Config = {
    root,
    manifests: DEFAULT_MANIFESTS,
    defaultProject: project.name,
    projects: { [project.name]: project },
    scope: { include: ['*'], exclude: [] },
    limits: DEFAULT_LIMITS,
    protected: [],
    origins: { limits: {}, protected: new Map() },
    drift: 'revert',
    base: {},
    refs: DEFAULT_REFS,
    guards: [],
    exceptions: DEFAULT_EXCEPTIONS,
  };
  return { config, diagnostics: [] };
}

/** The names that PostHog's own tools use. */
const VARIABLES = ['POSTHOG_HOST', 'POSTHOG_PROJECT_ID', 'POSTHOG_API_KEY'] as const;

/**
 * All three variables define the project `environment`; none means `local` on the embedded service. Only some of them are an
 * error, except for an `offline` run, which needs nothing but the project's name.
 */
function projectOfEnvironment(
  root: string,
  env: Environment,
  offline: boolean,
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
  if ('problem' in checked) return { problem: { code: checked.problem, severity: 'error', args: checked.args } };
  if (!/^([0-9]+|@current)$/.test(projectId)) {
    const args = { found: projectId, pattern: '^([0-9]+|@current)$' };
    return { problem: { code: 'value-pattern', severity: 'error', args } };
  }
  const project = { service: 'remote', name: 'environment', host: checked.host, projectId } as const;
  const budget = { apiKeyVariable: DEFAULT_API_KEY_VARIABLE, requestsPerMinute: DEFAULT_REQUESTS_PER_MINUTE };
  return { project: { ...project, ...budget, roles: {}, cohorts: {} } };
}

/** Errors name the file as the user does. Once it is read, its places are named from its folder, as those of manifests are. */
async function withFile(
  found: FoundConfig | { readonly problem: ConfigDiagnostic },
  env: Environment,
  offline: boolean,
): Promise<LoadAttempt> {
  if ('problem' in found) return { diagnostics: [found.problem] };
  const attempt = await readFound(found, env, offline);
  if (!hasErrors(attempt.diagnostics)) return attempt;
  const diagnostics = attempt.diagnostics.map((one) =>
    one.place === undefined ? one : { ...one, place: { ...one.place, file: found.file } },
  );
  return { diagnostics };
}

async function readFound(found: FoundConfig, env: Environment, offline: boolean): Promise<LoadAttempt> {
  const read = await readConfigText(found);
  if ('problem' in read) return { diagnostics: [read.problem] };
  const file = basename(found.path);
  const yaml = readYaml(file, read.text);
  const unread = [...yaml.diagnostics, ...yaml.missing];
  if (unread.length > 0) return { diagnostics: unread };
  const [document, second] = yaml.documents;
  if (second !== undefined) {
    const { place } = second.places;
    return { diagnostics: [{ code: 'config-several-documents', severity: 'error', place, args: {} }] };
  }
  const empty = { value: null, places: { place: { file, line: 1, column: 1 } } };
  const resolved = await resolveConfig(document ?? empty, {
    root: dirname(found.path),
    file: found.file,
    env,
    offline,
  });
  return withExpressions(resolved, { file, text: read.text });
}

/** Adds the problems of own policies. Their language takes as long to load as the rest, and few have any. */
export async function withExpressions(
  attempt: LoadAttempt,
  source: { readonly file: string; readonly text: string },
): Promise<LoadAttempt> {
  const { config, diagnostics } = attempt;
  const rules = config?.policies?.rules ?? [];
  if (config === undefined || !rules.some(({ rule }) => rule === 'own')) return attempt;
  const { findExpressionProblems } = await import('./expressions.ts');
  return { config, diagnostics: [...diagnostics, ...findExpressionProblems(rules, source)] };
}
