/** Loads the test files of a configuration and the desired states that they are about, offline. */

import { hasErrors, sortDiagnostics } from '../../base/diagnostic.ts';
import { FlagwrightError } from '../../base/errors.ts';
import type { Config, ProjectConfig } from '../../config/config.ts';
import type { Suite } from '../../expectations/expectation.ts';
import type { ExpectationDiagnostic } from '../../expectations/problems.ts';
import { readManifests } from '../../posthog/manifests/manifests.ts';
import type { ManifestDiagnostic } from '../../posthog/manifests/problems.ts';
import { unite } from '../../posthog/manifests/validate.ts';
import type { Session } from '../session/session.ts';
import { checkTests, readTestFiles } from './check-tests.ts';
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
  const tests = await readTestFiles(session, config);
  const checked = checkTests(tests, config, { files: read.files, projects, isSound: true });
  await refuseTests(checked.diagnostics);
  return { files: tests.files, suite: checked.suite, projects };
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

async function refuseTests(diagnostics: readonly ExpectationDiagnostic[]): Promise<void> {
  if (diagnostics.length === 0) return;
  const [{ summarizeWith }, { EXPECTATION_READING_WORDS }] = await Promise.all([
    import('../../base/wording.ts'),
    import('../../expectations/reading-words.ts'),
  ]);
  throw new FlagwrightError('tests_invalid', summarizeWith(EXPECTATION_READING_WORDS, diagnostics), { diagnostics });
}
