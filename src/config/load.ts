/** Loads the configuration of a run from file and environment, checked and resolved. */

import { basename, dirname, resolve } from 'node:path';
import { hasErrors, sortDiagnostics } from '../base/diagnostic.ts';
import { FlagwrightError } from '../base/errors.ts';
import { defined } from '../base/optional.ts';
import type { Place } from '../base/place.ts';
import { readYaml } from '../base/yaml/read.ts';
import { DEFAULT_LIMITS } from '../engine/safety.ts';
import {
  DEFAULT_MANIFESTS,
  DEFAULT_REFS,
  DEFAULT_REQUESTS_PER_MINUTE,
  type Config,
  type Environment,
  type ProjectConfig,
} from './config.ts';
import { findConfig, readConfigText, type FoundConfig } from './find.ts';
import { checkHost, problemArgs, embeddedProject, given } from './projects.ts';
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

/** The names that PostHog's own tools use. */
const VARIABLES = ['POSTHOG_HOST', 'POSTHOG_PROJECT_ID', 'POSTHOG_API_KEY'] as const;

export async function loadConfig({ cwd, file, env, offline = false }: LoadConfigOptions): Promise<LoadedConfig> {
  const found = findConfig(cwd, file);
  const { config, diagnostics } =
    found === undefined ? withoutFile({ cwd, env, offline }) : await withFile(found, { env, offline });
  const sorted = sortDiagnostics(diagnostics);
  if (config === undefined || hasErrors(sorted)) {
    const [{ summarizeWith }, { CONFIG_READING_WORDS }] = await Promise.all([
      import('../base/wording.ts'),
      import('./problems.ts'),
    ]);
    throw new FlagwrightError('config_invalid', summarizeWith(CONFIG_READING_WORDS, sorted), { diagnostics: sorted });
  }
  return { config, diagnostics: sorted };
}

interface LoadAttempt {
  readonly config?: Config;
  readonly diagnostics: readonly ConfigDiagnostic[];
}

function withoutFile({ cwd, env, offline }: Required<Omit<LoadConfigOptions, 'file'>>): LoadAttempt {
  const root = resolve(cwd);
  const made = projectOfEnvironment(env, { root, offline });
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
  };
  return { config, diagnostics: [] };
}

/** Errors name the file as the user does. Once it is read, its places are named from its folder, as those of manifests are. */
async function withFile(
  found: FoundConfig | { problem: ConfigDiagnostic },
  environment: Pick<Required<LoadConfigOptions>, 'env' | 'offline'>,
): Promise<LoadAttempt> {
  if ('problem' in found) return { diagnostics: [found.problem] };
  const attempt = await readFound(found, environment);
  if (!hasErrors(attempt.diagnostics)) return attempt;
  const asNamed = (place: Place): Place => ({ ...place, file: found.file });
  return {
    diagnostics: attempt.diagnostics.map((one) =>
      one.place === undefined ? one : { ...one, place: asNamed(one.place) },
    ),
  };
}

async function readFound(
  found: FoundConfig,
  { env, offline }: Pick<Required<LoadConfigOptions>, 'env' | 'offline'>,
): Promise<LoadAttempt> {
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
  const resolved = resolveConfig(document ?? empty, { root: dirname(found.path), file: found.file, env, offline });
  return withExpressions(resolved, { file, text: read.text });
}

/** Adds the problems of own policies. Their language takes as long to load as the rest, and few have any. */
export async function withExpressions(
  { config, diagnostics }: LoadAttempt,
  source: { readonly file: string; readonly text: string },
): Promise<LoadAttempt> {
  const rules = config?.policies?.rules ?? [];
  if (config === undefined || !rules.some(({ rule }) => rule === 'own')) return { ...defined({ config }), diagnostics };
  const { findExpressionProblems } = await import('./expressions.ts');
  return { config, diagnostics: [...diagnostics, ...findExpressionProblems(rules, source)] };
}

/**
 * All three variables define the project `environment`; none means `local` on the embedded service. Only some of them are an
 * error, except for an `offline` run, which needs nothing but the project's name.
 */
function projectOfEnvironment(
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
