/** Reads the test files of a configuration, and checks them against manifests that were read, offline. */

import { sortDiagnostics } from '../../base/diagnostic.ts';
import { defined } from '../../base/optional.ts';
import { createSuggest } from '../../base/text.ts';
import type { Config } from '../../config/config.ts';
import { checkFlags, resolveSuite } from '../../review/expectations/resolve.ts';
import type { Suite } from '../../review/expectations/expectation.ts';
import type { ExpectationDiagnostic } from '../../review/expectations/problems.ts';
import { readTests, type TestFiles } from '../../review/expectations/read.ts';
import { diskSource } from '../../core/manifest/tree-source.ts';
import { declaredKeys, type ManifestFile } from '../../posthog/manifests/manifests.ts';
import type { Session } from '../session/session.ts';
import type { ResolvedProject } from './resolve-projects.ts';

export interface ReadProjects {
  readonly files: readonly ManifestFile[];
  readonly projects: readonly ResolvedProject[];
  readonly isSound: boolean;
}

/** A folder without test files has the problem `tests-none`. */
export function readTestFiles({ interrupts: { checkpoint } }: Session, { root, tests }: Config): Promise<TestFiles> {
  return readTests({ source: diskSource(root), checkpoint, ...defined({ patterns: tests }) });
}

export interface CheckedTests {
  readonly suite: Suite;
  readonly diagnostics: readonly ExpectationDiagnostic[];
}

/** Flags and cohorts are not looked up in manifests with errors: those with an error would be missing. */
export function checkTests(tests: TestFiles, config: Config, { files, projects, isSound }: ReadProjects): CheckedTests {
  const { arePeopleComplete } = tests;
  const suggest = createSuggest();
  const allProjects = Object.keys(config.projects);
  const aliases = isSound ? knownAliases(config, files) : undefined;
  const suite = resolveSuite(tests.documents, { allProjects, arePeopleComplete, suggest, ...defined({ aliases }) });
  const states = new Map(projects.map(({ project, resolution }) => [project.name, resolution.desired]));
  const wrong = isSound ? checkFlags(suite.expectations, states, suggest) : [];
  return { suite, diagnostics: sortDiagnostics([...tests.diagnostics, ...suite.diagnostics, ...wrong]) };
}

function knownAliases({ projects }: Config, files: readonly ManifestFile[]): ReadonlySet<string> {
  const configured = Object.values(projects).flatMap(({ cohorts }) => Object.keys(cohorts));
  return new Set([...configured, ...declaredKeys(files, 'cohorts')]);
}
