/** `flagwright test [FILE…]`: checks what the declared flags answer the people of the test files, without contacting the service. */

import { FlagwrightError } from '../../base/errors.ts';
import { nearest } from '../../base/text.ts';
import { didYouMean, quoted } from '../../base/wording.ts';
import type { Config, ProjectConfig } from '../../config/config.ts';
import { matchKeys, unmatchedPatterns } from '../../engine/scope.ts';
import type { Expectation, Suite, ExpectationCase } from '../../expectations/expectation.ts';
import { judge } from '../../expectations/judge.ts';
import { fromRoot } from '../../manifest/tree-source.ts';
import { resolveProject, type ManifestFile } from '../../posthog/manifests/manifests.ts';
import { overTime } from '../../posthog/manifests/manifests.ts';
import { generationOf } from '../../testing/generation-of.ts';
import type { ExitCode } from '../line/exit.ts';
import type { PlanningOptions } from '../line/options.ts';
import { noteAssumed } from '../plan/estimate-impact.ts';
import { checkTests, readTestFiles } from '../project/check-tests.ts';
import { loadConfiguration } from '../project/load-project.ts';
import { chooseProjects, readProjects, relativeToRoot, type ResolvedProject } from '../project/resolve-projects.ts';
import type { Session } from '../session/session.ts';

/** `target`: keys or globs of the flags whose expectations are judged. */
type TestOptions = Pick<PlanningOptions, 'target'> & { readonly files: readonly string[] };

interface LoadedTests {
  readonly manifests: readonly ManifestFile[];
  readonly files: readonly string[];
  readonly suite: Suite;
  readonly projects: readonly ResolvedProject[];
}

/** Exits with 2 if an answer is not the expected one, or unknown. */
export async function test(session: Session, { files, target: targets }: TestOptions): Promise<ExitCode> {
  const config = await loadConfiguration(session, { offline: true });
  const projects = await chooseProjects(session, config);
  const loaded = await loadTests(session, config, projects);
  const named = files.map((file) => fromRoot(config.root, relativeToRoot(session, config, file)));
  const ofFiles = chooseExpectations(loaded, new Set(named));
  const wanted = targets === undefined ? ofFiles : chooseFlags(ofFiles, targets);
  const cases = await judgeProjects(session, wanted, { ...loaded, config });
  await session.publish({
    kind: 'test',
    files: loaded.files.length,
    people: loaded.suite.people.size,
    projects: projects.map(({ name }) => name),
    cases,
  });
  return cases.every(({ verdict }) => verdict.outcome === 'passed') ? 0 : 2;
}

/** `named`: the files on the command line; none: all. */
function chooseExpectations(
  { files: known, suite }: Pick<LoadedTests, 'files' | 'suite'>,
  named: ReadonlySet<string>,
): readonly Expectation[] {
  if (named.size === 0) return suite.expectations;
  const unknown = [...named].find((file) => !known.includes(file));
  if (unknown !== undefined) {
    throw new FlagwrightError('usage', `${quoted(unknown)} is not a test file.`, {
      remedy: 'Name a file that matches `tests` of flagwright.yaml (default: tests/**/*.yaml).',
    });
  }
  return suite.expectations.filter(({ place }) => named.has(place.file));
}

/** A target that selects no expectation is an error: otherwise it would look like a passed test. */
function chooseFlags(expectations: readonly Expectation[], targets: readonly string[]): readonly Expectation[] {
  const flags = [...new Set(expectations.map(({ flag }) => flag))];
  const [unmatched] = unmatchedPatterns(targets, flags);
  if (unmatched !== undefined) {
    const suggestion = nearest(unmatched, flags);
    throw new FlagwrightError('usage', `No expectation is about a flag ${quoted(unmatched)}.`, {
      remedy: didYouMean(suggestion, 'Correct the key, or write a first expectation about the flag.'),
    });
  }
  const isChosen = matchKeys(targets);
  return expectations.filter(({ flag }) => isChosen(flag));
}

/** Judges one project after the other, so that Ctrl-C takes effect in between. */
async function judgeProjects(
  session: Session,
  expectations: readonly Expectation[],
  { config, projects, manifests }: Pick<LoadedTests, 'projects' | 'manifests'> & { readonly config: Config },
): Promise<ExpectationCase[]> {
  const { context, interrupts } = session;
  const allProjects = Object.keys(config.projects);
  const now = context.now();
  const cases: ExpectationCase[] = [];
  for (const { project, resolution } of projects) {
    await interrupts.breathe();
    const { flags, cohorts = [] } = resolution.desired;
    const declared = [...flags, ...cohorts].flatMap((one) => (one.kind === 'declared' ? [one.fields] : []));
    await noteAssumed(session, project, declared);
    const surroundings = { generation: generationOf(project), now };
    const desiredAt = overTime(manifests, (at) => {
      if (project.moment === undefined || at === now) return resolution.desired;
      const then = { ...project, moment: { ...project.moment, now: at } };
      return resolveProject({ files: manifests, project: then, allProjects }).desired;
    });
    cases.push(...judge(expectations, { project, desired: resolution.desired, surroundings, desiredAt }));
  }
  return cases;
}

/** @throws {FlagwrightError} `manifest_invalid` or `tests_invalid` with every diagnostic. */
async function loadTests(session: Session, config: Config, chosen: readonly ProjectConfig[]): Promise<LoadedTests> {
  const { files, projects } = await readProjects(session, config, chosen);
  const tests = await readTestFiles(session, config);
  const checked = checkTests(tests, config, { files, projects, isSound: true });
  const { diagnostics } = checked;
  if (diagnostics.length > 0) {
    const [{ summarizeWith }, { EXPECTATION_READING_WORDS }] = await Promise.all([
      import('../../base/wording.ts'),
      import('../../expectations/problems.ts'),
    ]);
    throw new FlagwrightError('tests_invalid', summarizeWith(EXPECTATION_READING_WORDS, diagnostics), { diagnostics });
  }
  return { manifests: files, files: tests.files, suite: checked.suite, projects };
}
