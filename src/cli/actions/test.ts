/** `flagwright test [FILE…]`: what the declared flags answer the people of the test files, without contacting the service. */

import { fromRoot } from '../../manifest/tree-source.ts';
import { FlagwrightError } from '../../base/errors.ts';
import { nearest } from '../../base/text.ts';
import { didYouMean, quoted } from '../../base/wording.ts';
import type { Config } from '../../config/config.ts';
import { searchRegex } from '../../evaluation/search-regex.ts';
import type { Expectation } from '../../expectations/expectation.ts';
import { judge } from '../../expectations/judge.ts';
import type { Case } from '../../expectations/verdict.ts';
import { matchKeys, unmatchedPatterns } from '../../engine/scope.ts';
import type { ExitCode } from '../line/exit.ts';
import type { PlanningOptions } from '../line/options.ts';
import type { Session } from '../session/session.ts';
import { generationOf } from '../project/generation-of.ts';
import { loadConfiguration } from '../project/load-project.ts';
import { loadTests } from '../project/load-tests.ts';
import { chooseProjects, relativeToRoot, type ResolvedProject } from '../project/resolve-projects.ts';

/** `target`: keys or globs of the flags whose expectations are judged. */
export type TestOptions = Pick<PlanningOptions, 'target'>;

/** Exits with 2 if an answer is not the expected one, or unknown. */
export async function test(
  session: Session,
  files: readonly string[],
  { target: targets }: TestOptions,
): Promise<ExitCode> {
  const config = await loadConfiguration(session, { offline: true });
  const projects = await chooseProjects(session, config);
  const loaded = await loadTests(session, config, projects);
  const ofFiles = chooseExpectations(loaded, { session, config, files });
  const wanted = targets === undefined ? ofFiles : chooseFlags(ofFiles, targets);
  const cases = await judgeProjects(session, wanted, loaded.projects);
  await session.publish({
    kind: 'test',
    files: loaded.files.length,
    people: loaded.suite.people.size,
    projects: projects.map(({ name }) => name),
    cases,
  });
  return cases.every(({ verdict }) => verdict.outcome === 'passed') ? 0 : 2;
}

interface Choice {
  readonly session: Session;
  readonly config: Config;
  /** As the command line names them; none: all. */
  readonly files: readonly string[];
}

function chooseExpectations(
  { files: known, suite }: Awaited<ReturnType<typeof loadTests>>,
  { session, config, files }: Choice,
): readonly Expectation[] {
  if (files.length === 0) return suite.expectations;
  const named = new Set(files.map((file) => fromRoot(config.root, relativeToRoot(session, config, file))));
  const unknown = [...named].find((file) => !known.includes(file));
  if (unknown !== undefined) {
    throw new FlagwrightError('usage', `${quoted(unknown)} is no test file.`, {
      remedy: 'Name a file that matches `tests` of flagwright.yaml (default: tests/**/*.yaml).',
    });
  }
  return suite.expectations.filter(({ place }) => named.has(place.file));
}

/** A target that selects nothing would pass for a test that holds. */
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

/** One project after the other, so that Ctrl-C takes effect in between. */
async function judgeProjects(
  { context, interrupts }: Session,
  expectations: readonly Expectation[],
  projects: readonly ResolvedProject[],
): Promise<Case[]> {
  const cases: Case[] = [];
  for (const { project, resolution } of projects) {
    await interrupts.breathe();
    const surroundings = { generation: generationOf(project), searchRegex, now: context.now() };
    cases.push(...judge(expectations, { project, desired: resolution.desired, surroundings }));
  }
  return cases;
}
