/** Loads the test files of a configuration and the desired states that they are about, offline. */

import { hasErrors, sortDiagnostics } from '../../base/diagnostic.ts';
import { FlagwrightError } from '../../base/errors.ts';
import { defined } from '../../base/optional.ts';
import { createSuggest } from '../../base/suggest.ts';
import type { Config, ProjectConfig } from '../../config/config.ts';
import { checkFlags } from '../../expectations/check-flags.ts';
import type { Suite } from '../../expectations/expectation.ts';
import type { ExpectationDiagnostic } from '../../expectations/problems.ts';
import { readTests } from '../../expectations/read.ts';
import { resolveSuite } from '../../expectations/resolve.ts';
import { diskSource } from '../../manifest/tree-source.ts';
import { cohortAliasesOf, readManifests } from '../../posthog/manifests/manifests.ts';
import type { ManifestDiagnostic } from '../../posthog/manifests/problems.ts';
import { unite } from '../../posthog/manifests/validate.ts';
import type { Session } from '../session/session.ts';
import { resolveProjects, type ResolvedProject } from './resolve-projects.ts';

export interface LoadedTests {
  readonly files: readonly string[];
  readonly suite: Suite;
  readonly projects: readonly ResolvedProject[];
}

/** @throws {FlagwrightError} `manifest_invalid` or `tests_invalid` with every diagnostic. */
export async function loadTests(
  session: Session,
  config: Config,
  chosen: readonly ProjectConfig[],
): Promise<LoadedTests> {
  const { checkpoint } = session.interrupts;
  const { root, manifests: patterns } = config;
  const read = await readManifests({ root, patterns, checkpoint });
  const projects = await resolveProjects(session, config, { files: read.files, projects: chosen });
  await refuseManifests([...read.diagnostics, ...unite(projects.map(({ resolution }) => resolution))]);
  const tests = await readTests({ source: diskSource(root), checkpoint, ...defined({ patterns: config.tests }) });
  const suite = resolveSuite(tests.documents, {
    allProjects: Object.keys(config.projects),
    aliases: [
      ...Object.values(config.projects).flatMap(({ cohorts }) => Object.keys(cohorts)),
      ...read.files.flatMap(cohortAliasesOf),
    ],
  });
  const states = new Map(projects.map(({ project, resolution }) => [project.name, resolution.desired]));
  const found = [
    ...tests.diagnostics,
    ...suite.diagnostics,
    ...checkFlags(suite.expectations, states, createSuggest()),
  ];
  await refuseTests(found);
  return { files: tests.files, suite, projects };
}

async function refuseManifests(found: readonly ManifestDiagnostic[]): Promise<void> {
  if (!hasErrors(found)) return;
  const diagnostics = sortDiagnostics(found);
  const [{ summarizeWith }, { ALL_MANIFEST_WORDS }] = await Promise.all([
    import('../../base/wording.ts'),
    import('../../posthog/manifests/words.ts'),
  ]);
  throw new FlagwrightError('manifest_invalid', summarizeWith(ALL_MANIFEST_WORDS, diagnostics), { diagnostics });
}

async function refuseTests(found: readonly ExpectationDiagnostic[]): Promise<void> {
  if (found.length === 0) return;
  const diagnostics = sortDiagnostics(found);
  const [{ summarizeWith }, { EXPECTATION_READING_WORDS }] = await Promise.all([
    import('../../base/wording.ts'),
    import('../../expectations/reading-words.ts'),
  ]);
  throw new FlagwrightError('tests_invalid', summarizeWith(EXPECTATION_READING_WORDS, diagnostics), { diagnostics });
}
