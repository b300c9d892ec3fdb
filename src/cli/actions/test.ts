/** `flagwright test [FILE…]`: checks what the declared flags answer the people of the test files, without contacting the service. */

import { FlagwrightError } from '../../base/errors.ts';
import { nearest } from '../../base/text.ts';
import { didYouMean, quoted } from '../../base/wording.ts';
import type { Config } from '../../config/config.ts';
import { matchKeys, unmatchedPatterns } from '../../core/engine/scope.ts';
import type { Expectation, Suite, ExpectationCase } from '../../review/expectations/expectation.ts';
import { judge } from '../../review/expectations/judge.ts';
import { fromRoot } from '../../core/manifest/tree-source.ts';
import { resolveProject } from '../../posthog/manifests/manifests.ts';
import { overTime } from '../../posthog/manifests/manifests.ts';
import { generationOf } from '../../testing/generation-of.ts';
import type { ExitCode } from '../line/exit.ts';
import type { PlanningOptions } from '../line/options.ts';
import { noteAssumed } from '../plan/forecast.ts';
import { checkTests, readTestFiles } from '../project/check-tests.ts';
import { loadConfiguration } from '../project/load-project.ts';
import { chooseProjects, readProjects, relativeToRoot } from '../project/resolve-projects.ts';
import type { Session } from '../session/session.ts';

/** `target`: keys or globs of the flags whose expectations are judged. */
type TestOptions = Pick<PlanningOptions, 'target'> & { readonly files: readonly string[] };

/**
 * Exits with 2 if an answer is not the expected one, or unknown.
 * @throws {FlagwrightError} `manifest_invalid` or `tests_invalid` with every diagnostic.
 */
export async function test(session: Session, { files, target: targets }: TestOptions): Promise<ExitCode> {
  const config = await loadConfiguration(session, { offline: true });
  const projects = await chooseProjects(session, config);
  const read = await readProjects(session, config, projects);
  const tests = await readTestFiles(session, config);
  const { suite, diagnostics } = checkTests(tests, config, { ...read, isSound: true });
  if (diagnostics.length > 0) {
    const [{ summarizeWith }, { EXPECTATION_READING_WORDS }] = await Promise.all([
      import('../../base/wording.ts'),
      import('../../review/expectations/problems.ts'),
    ]);
    throw new FlagwrightError('tests_invalid', summarizeWith(EXPECTATION_READING_WORDS, diagnostics), { diagnostics });
  }
  const named = files.map((file) => fromRoot(config.root, relativeToRoot(session, config, file)));
  const ofFiles = chooseExpectations(tests.files, suite, new Set(named));
  const wanted = targets === undefined ? ofFiles : chooseFlags(ofFiles, targets);
  const cases = await judgeProjects(session, wanted, { config, ...read });
  const people = suite.people.size;
  const names = projects.map(({ name }) => name);
  await session.publish({ kind: 'test', files: tests.files.length, people, projects: names, cases });
  return cases.every(({ verdict }) => verdict.outcome === 'passed') ? 0 : 2;
}

/** `named`: the files on the command line; none: all. */
function chooseExpectations(
  known: readonly string[],
  suite: Suite,
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
  { config, projects, files }: Awaited<ReturnType<typeof readProjects>> & { readonly config: Config },
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
    const desiredAt = overTime(files, (at) => {
      if (project.moment === undefined || at === now) return resolution.desired;
      const then = { ...project, moment: { ...project.moment, now: at } };
      return resolveProject({ files, project: then, allProjects }).desired;
    });
    cases.push(...judge(expectations, { project, desired: resolution.desired, surroundings, desiredAt }));
  }
  return cases;
}
