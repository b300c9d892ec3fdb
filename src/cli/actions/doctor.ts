/**
 * `flagwright doctor`: checks what a run needs, and says how to fix each problem. The program, the configuration and the manifests are checked
 * here, with their places and where each value comes from.
 */

import path from 'node:path';
import { loadSqlite } from '../../../service/src/index.ts';
import { hasErrors, type Diagnostic } from '../../base/diagnostic.ts';
import type { FlagwrightError } from '../../base/errors.ts';
import { toPointer, valueAt } from '../../base/json-pointer.ts';
import type { JsonValue } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { placeAt } from '../../base/place.ts';
import { readYaml } from '../../base/yaml/read.ts';
import type { Config, ProjectConfig } from '../../config/config.ts';
import { findConfig, readConfigText } from '../../config/find.ts';
import {
  countStatus,
  resultOf,
  type CheckResult,
  type CheckSection,
  type CheckSubject,
  type ConfigurationValue,
  type ValueOrigin,
} from '../../report/check-result.ts';
import { checkGuards } from '../doctor/check-guards.ts';
import { type Purpose, checkProjects, checkService } from '../doctor/check-projects.ts';
import { checkCi, checkGit, checkJournal, checkRollouts } from '../doctor/check-repository.ts';
import {
  findConfiguration,
  surroundingsOf,
  type Configuration,
  type Surroundings,
  type UsableConfiguration,
} from '../doctor/surroundings.ts';
import type { ExitCode } from '../line/exit.ts';
import { neededNode, version } from '../line/version.ts';
import { toFlagwrightError } from '../session/failure.ts';
import type { Session } from '../session/session.ts';

/** Writes nothing to the service. Without `--project`, every project of the configuration is checked. */
export async function doctor(session: Session, purpose: Purpose | undefined): Promise<ExitCode> {
  const configuration = await findConfiguration(session);
  const results = await runChecks(session, configuration, purpose);
  const values = configuration.kind === 'usable' ? await configurationValues(session, configuration) : [];
  await session.publish({ kind: 'doctor', results, values });
  return countStatus(results, 'problem') > 0 ? 1 : 0;
}

type Found = readonly CheckResult[] | Promise<readonly CheckResult[]>;

type Check = { readonly section: CheckSection } & (
  | { readonly needs: 'nothing'; readonly run: (session: Session, configuration: Configuration) => Found }
  /** Skipped where the configuration cannot be used. */
  | { readonly needs: 'configuration'; readonly run: (given: Surroundings, purpose: Purpose | undefined) => Found }
);

const CHECKS: readonly Check[] = [
  { section: 'program', needs: 'nothing', run: checkProgram },
  { section: 'configuration', needs: 'nothing', run: (_, configuration) => checkConfiguration(configuration) },
  { section: 'manifests', needs: 'configuration', run: checkManifests },
  { section: 'service', needs: 'configuration', run: checkService },
  {
    section: 'project',
    needs: 'configuration',
    run: async (given, purpose) => [...(await checkProjects(given, purpose)), ...(await checkGuards(given))],
  },
  { section: 'git', needs: 'configuration', run: checkGit },
  { section: 'journal', needs: 'configuration', run: checkJournal },
  { section: 'ci', needs: 'nothing', run: checkCi },
  { section: 'ci', needs: 'configuration', run: checkRollouts },
];

export async function runChecks(
  session: Session,
  configuration: Configuration,
  purpose: Purpose | undefined,
): Promise<CheckResult[]> {
  const surroundings = configuration.kind === 'usable' ? surroundingsOf(session, configuration) : undefined;
  const results: CheckResult[] = [];
  for (const check of CHECKS) {
    await session.interrupts.breathe();
    const subject = { section: check.section };
    try {
      if (check.needs === 'nothing') results.push(...(await check.run(session, configuration)));
      else if (surroundings !== undefined) results.push(...(await check.run(surroundings, purpose)));
      else results.push(resultOf(subject, 'skipped', ['not_checked', { because: 'configuration_unusable' }]));
    } catch (error) {
      const known = toFlagwrightError(error);
      if (known.code === 'interrupted' || known.code === 'deadline') throw error;
      results.push(...errorResults(subject, known));
    }
  }
  return results;
}

const SUBJECT = { section: 'configuration' } as const;

export function checkConfiguration(configuration: Configuration): CheckResult[] {
  if (configuration.kind === 'unusable') return errorResults(SUBJECT, configuration.error);
  const { config, projects, warnings } = configuration;
  // A run without a file and variables uses the embedded service, which is easily mistaken for a real project.
  const isNamed = projects.every((project) => project.service === 'remote');
  const found =
    config.file === undefined
      ? resultOf(SUBJECT, isNamed ? 'ok' : 'warning', ['no_configuration', { environment: isNamed }])
      : resultOf(SUBJECT, 'ok', ['configuration', { file: config.file, projects: projects.map(({ name }) => name) }]);
  return [found, ...diagnosticResults(SUBJECT, warnings)];
}

export async function checkManifests({ manifests }: Surroundings): Promise<CheckResult[]> {
  const subject = { section: 'manifests' } as const;
  const { files, flags, diagnostics } = await manifests();
  return [
    ...(hasErrors(diagnostics) ? [] : [resultOf(subject, 'ok', ['manifests', { files, flags }])]),
    ...diagnosticResults(subject, diagnostics),
  ];
}

/** Stands for the result of a check that failed by an error of the program. */
export function errorResults(subject: CheckSubject, error: FlagwrightError): CheckResult[] {
  const { code, message, remedy, diagnostics } = error;
  if (diagnostics.length > 0) return diagnosticResults(subject, diagnostics);
  return [resultOf(subject, 'problem', ['check_failed', { error: code, message, ...defined({ remedy }) }])];
}

/** The most that a reader fixes at once; `validate` has all. */
const MOST = 10;

/** The errors first. */
function diagnosticResults(subject: CheckSubject, diagnostics: readonly Diagnostic[]): CheckResult[] {
  const sorted = diagnostics.toSorted((a, b) => Number(b.severity === 'error') - Number(a.severity === 'error'));
  const shown = sorted
    .slice(0, MOST)
    .map((diagnostic) =>
      resultOf(
        { ...subject, ...defined({ place: diagnostic.place }) },
        diagnostic.severity === 'error' ? 'problem' : 'warning',
        ['diagnostic', diagnostic],
      ),
    );
  const rest = sorted.slice(MOST);
  if (rest.length === 0) return shown;
  return [
    ...shown,
    resultOf(subject, hasErrors(rest) ? 'problem' : 'warning', ['more_diagnostics', { count: rest.length }]),
  ];
}

const PROGRAM = { section: 'program' } as const;

export async function checkProgram({ context }: Session, configuration: Configuration): Promise<CheckResult[]> {
  const { node, platform: system } = context.system;
  const needs = neededNode();
  const facts = { version: version(), node, needs, system };
  const needed =
    configuration.kind === 'usable' && configuration.projects.some((project) => project.service === 'embedded');
  const reason = await loadSqlite().then(
    () => undefined,
    (error: unknown) => toFlagwrightError(error).message,
  );
  return [
    resultOf(PROGRAM, isAtLeast(node, needs) ? 'ok' : 'problem', ['node_version', facts]),
    sqliteResult(needed, reason),
  ];
}

/** `needs`: `>=20.19`. */
export function isAtLeast(node: string, needs: string): boolean {
  const numbers = (text: string): number[] => (text.match(/\d+/g) ?? []).map(Number);
  const [own, least] = [numbers(node), numbers(needs)];
  const index = least.findIndex((number, at) => number !== (own[at] ?? 0));
  return index === -1 || (own[index] ?? 0) > (least[index] ?? 0);
}

/** `reason`: why it cannot be loaded. Exported for its table of cases. */
export function sqliteResult(needed: boolean, reason: string | undefined): CheckResult {
  const status = needed && reason !== undefined ? 'problem' : 'ok';
  return resultOf(PROGRAM, status, ['sqlite', { installed: reason === undefined, needed, ...defined({ reason }) }]);
}

/** The reader of each pointer; `undefined`: no value counts. */
const VALUES: readonly (readonly [pointer: string, read: (config: Config) => JsonValue | undefined])[] = [
  ['/manifests', ({ manifests }) => manifests],
  ['/tests', ({ tests }) => tests],
  ['/scope/include', ({ scope }) => scope.include],
  ['/scope/exclude', ({ scope }) => scope.exclude],
  ['/limits/deletes', ({ limits }) => limits.deletes],
  ['/limits/deletes_percent', ({ limits }) => limits.deletes_percent],
  ['/limits/updates', ({ limits }) => limits.updates],
  ['/limits/updates_percent', ({ limits }) => limits.updates_percent],
  ['/limits/disables', ({ limits }) => limits.disables],
  ['/protected', (config) => config.protected],
  ['/drift', ({ drift }) => drift],
  ['/base/push', ({ base }) => base.push],
];

/** The values of a project by name below its pointer, with the variable that replaces an omitted one. */
const OF_PROJECT: readonly (readonly [
  name: string,
  read: (project: ProjectConfig) => JsonValue | undefined,
  variable?: string,
])[] = [
  ['service', ({ service }) => service],
  ['host', (project) => (project.service === 'remote' ? project.host : undefined), 'POSTHOG_HOST'],
  ['project_id', (project) => (project.service === 'remote' ? project.projectId : undefined), 'POSTHOG_PROJECT_ID'],
  ['api_key_env', (project) => (project.service === 'remote' ? project.apiKeyVariable : undefined)],
  ['requests_per_minute', (project) => (project.service === 'remote' ? project.requestsPerMinute : undefined)],
  ['profile', (project) => (project.service === 'embedded' ? project.profile : undefined)],
];

export async function configurationValues(
  session: Session,
  { config, projects }: UsableConfiguration,
): Promise<ConfigurationValue[]> {
  // The file was read before without an error.
  const found = findConfig(session.context.cwd, session.options.config);
  const file = found === undefined || 'problem' in found ? undefined : found;
  const read = file && (await readConfigText(file));
  const [document] = file && read && 'text' in read ? readYaml(path.basename(file.path), read.text).documents : [];
  const originOf = (pointer: string, variable?: string): ValueOrigin => {
    if (document !== undefined && valueAt(document.value, pointer) !== undefined) {
      return { kind: 'file', place: placeAt(document.places, pointer) };
    }
    return variable === undefined ? { kind: 'default' } : { kind: 'environment', variable };
  };
  const chosen = chosenProject(session, config, originOf);
  const own = VALUES.map(([name, read]) => ({ name, value: read(config), from: originOf(name) }));
  const ofProjects = projects.flatMap((project) =>
    OF_PROJECT.map(([member, read, variable]) => {
      const name = toPointer(['projects', project.name, member]);
      return { name, value: read(project), from: originOf(name, variable) };
    }),
  );
  return [chosen, ...own, ...ofProjects].flatMap(({ name, value, from }) =>
    value === undefined ? [] : [{ name, value, from }],
  );
}

function chosenProject(
  { context, options }: Session,
  config: Config,
  originOf: (pointer: string) => ValueOrigin,
): Omit<ConfigurationValue, 'value'> & { readonly value: JsonValue | undefined } {
  const name = '/default_project';
  const variable = 'FLAGWRIGHT_PROJECT';
  if (options.project !== undefined)
    return { name, value: options.project, from: { kind: 'option', option: '--project' } };
  const named = context.env[variable];
  if (named) return { name, value: named, from: { kind: 'environment', variable } };
  return { name, value: config.defaultProject, from: originOf(name) };
}
