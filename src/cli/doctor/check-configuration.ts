/** Checks the configuration and the manifests: what is wrong with them, with its place. */

import { hasErrors, type Diagnostic } from '../../base/diagnostic.ts';
import type { FlagwrightError } from '../../base/errors.ts';
import { defined } from '../../base/optional.ts';
import { resultOf, type CheckResult, type CheckSubject } from '../../report/check-result.ts';
import type { Configuration, Surroundings } from './surroundings.ts';

const SUBJECT = { section: 'configuration' } as const;

export function checkConfiguration(configuration: Configuration): CheckResult[] {
  if (configuration.kind === 'unusable') return errorResults(SUBJECT, configuration.error);
  const { config, projects, warnings } = configuration;
  const found =
    config.file === undefined
      ? noFile(projects.every((project) => project.service === 'remote'))
      : resultOf(SUBJECT, 'ok', ['configuration', { file: config.file, projects: projects.map(({ name }) => name) }]);
  return [found, ...diagnosticResults(SUBJECT, warnings)];
}

/** A run without a file and variables uses the embedded service, which is easily mistaken for a real project. */
function noFile(environment: boolean): CheckResult {
  return resultOf(SUBJECT, environment ? 'ok' : 'warning', ['no_configuration', { environment }]);
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
