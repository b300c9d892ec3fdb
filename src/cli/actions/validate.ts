/** `flagwright validate [FILE…]`: checks the configuration, the manifests and the test files without contacting the service. */

import { existsSync } from 'node:fs';
import path from 'node:path';
import { hasErrors, sortDiagnostics, type Diagnostic } from '../../base/diagnostic.ts';
import { FlagwrightError } from '../../base/errors.ts';
import { defined } from '../../base/optional.ts';
import type { Config } from '../../config/config.ts';
import type { ExpectationDiagnostic } from '../../review/expectations/problems.ts';
import { DEFAULT_TESTS } from '../../review/expectations/expectation.ts';
import type { TestFiles } from '../../review/expectations/read.ts';
import { diskSource } from '../../core/manifest/tree-source.ts';
import { hasPassed } from '../../core/rollout/position.ts';
import { unite } from '../../posthog/manifests/load.ts';
import { declaredKeys, readManifests, type ManifestFile } from '../../posthog/manifests/manifests.ts';
import type { ManifestDiagnostic } from '../../posthog/manifests/problems.ts';
import { standingOfValidation } from '../../report/report-status.ts';
import type { ReportOf } from '../../report/report.ts';
import { exitCodeOfValidation, type ExitCode } from '../line/exit.ts';
import type { PlanningOptions } from '../line/options.ts';
import type { ComparedManifests, ManifestsToJudge, ProjectJudgement } from '../plan/judge-manifests.ts';
import { createKnownFiles, type KnownFiles } from '../project/known-files.ts';
import { refuseManifestsAsReports, readConfiguration } from '../project/load-project.ts';
import { chooseProjects, relativeToRoot, resolveProjects } from '../project/resolve-projects.ts';
import type { Session } from '../session/session.ts';

type ValidateOptions = Pick<PlanningOptions, 'base' | 'approvedBy'> & { readonly files: readonly string[] };

interface Sources {
  readonly checked: readonly ManifestFile[];
  /** The other manifests, to which they may refer. */
  readonly others: readonly ManifestFile[];
  /** Whether the other manifests have no errors of their own. */
  readonly othersSound: boolean;
  readonly diagnostics: readonly ManifestDiagnostic[];
  /** All test files; absent if none is checked. */
  readonly tests?: TestFiles;
  readonly names: ReadonlySet<string>;
}

interface TestFileSearch {
  readonly config: Config;
  /** The files on the command line; none: all. */
  readonly files: readonly string[];
  readonly onRead: KnownFiles['remember'];
}

export async function validate(session: Session, options: ValidateOptions): Promise<ExitCode> {
  const result = await check(session, options);
  await session.publish({ kind: 'validation', ...result });
  return exitCodeOfValidation(standingOfValidation(result));
}

async function check(session: Session, options: ValidateOptions): Promise<Omit<ReportOf<'validation'>, 'kind'>> {
  const { files } = options;
  const loaded = await load(session);
  if (loaded.config === undefined)
    return { files: 0, flags: 0, cohorts: 0, tests: 0, diagnostics: sortDiagnostics(loaded.diagnostics) };
  const { config } = loaded;
  session.places.root = config.root;
  await refuseManifestsAsReports(session, config);
  const known = createKnownFiles();
  const sources = await (files.length === 0 ? readAll : readNamed)(session, { config, files, onRead: known.remember });
  const { checked } = sources;
  const manifests = [...checked, ...sources.others];
  const projects = await resolveProjects(session, config, {
    files: manifests,
    projects: await chooseProjects(session, config),
  });
  const found = unite(projects.map(({ resolution }) => resolution));
  const ofExceptions = await checkExceptions(config);
  const isSound =
    sources.othersSound && !hasErrors([...loaded.diagnostics, ...ofExceptions, ...sources.diagnostics, ...found]);
  const compared = isSound ? await judge(session, { config, projects, files: manifests, known }, options) : undefined;
  // The test checker is loaded only if there are test files.
  const ofTests =
    sources.tests === undefined
      ? []
      : (await import('../project/check-tests.ts')).checkTests(sources.tests, config, {
          files: manifests,
          projects,
          isSound,
        }).diagnostics;
  const isNamed = files.length > 0;
  const problems = [...found, ...ofTests, ...(compared?.diagnostics ?? [])];
  const judged = compared?.judged;
  return {
    files: checked.length,
    flags: declaredKeys(checked, 'flags').size,
    cohorts: declaredKeys(checked, 'cohorts').size,
    tests: sources.tests?.files.filter((file) => sources.names.has(file)).length ?? 0,
    diagnostics: sortDiagnostics([
      ...loaded.diagnostics,
      ...ofExceptions,
      ...sources.diagnostics,
      ...(isNamed ? problems.filter(concernsFiles(sources)) : problems),
    ]),
    ...defined({ policies: isNamed ? judged?.map(onlyIn(sources.names)) : judged }),
  };
}

/** Most repositories have no exceptions, and then no further module is loaded. */
async function checkExceptions(config: Config): Promise<readonly Diagnostic[]> {
  if (!existsSync(path.resolve(config.root, config.exceptions))) return [];
  try {
    await (await import('../applied/find-exceptions.ts')).readOwn(config);
    return [];
  } catch (error) {
    if (error instanceof FlagwrightError && error.diagnostics.length > 0) return error.diagnostics;
    throw error;
  }
}

/** Starts git only for policies, `--base` and rollouts with steps in the past: most runs come from an editor. */
async function judge(
  session: Session,
  given: Pick<ManifestsToJudge, 'config' | 'projects' | 'files' | 'known'>,
  { base: option, approvedBy = [] }: ValidateOptions,
): Promise<ComparedManifests | undefined> {
  const isJudged = given.config.policies !== undefined || option !== undefined;
  const hasPassedSteps = given.projects.some(({ project: { moment }, resolution: { desired } }) => {
    const isOver = moment === undefined ? () => false : hasPassed(moment.now);
    return desired.flags.some((flag) => flag.kind === 'declared' && flag.rollouts?.some(isOver) === true);
  });
  if (!isJudged && !hasPassedSteps) return undefined;
  const { judgeManifests } = await import('../plan/judge-manifests.ts');
  return judgeManifests(session, { ...given, approvedBy, isJudged, ...defined({ option }) });
}

function onlyIn(names: ReadonlySet<string>): (judged: ProjectJudgement) => ProjectJudgement {
  return ({ project, judgement }) => {
    const findings = judgement.findings.filter(({ place }) => place !== undefined && names.has(place.file));
    return { project, judgement: { ...judgement, findings } };
  };
}

/** A diagnostic about two places concerns the named files if one of the places is in them. */
function concernsFiles({
  checked,
  names,
}: Sources): (diagnostic: ManifestDiagnostic | ExpectationDiagnostic) => boolean {
  const flags = declaredKeys(checked, 'flags');
  return ({ code, place, args }) =>
    (place !== undefined && names.has(place.file)) ||
    ('other' in args && typeof args.other !== 'string' && names.has(args.other.file)) ||
    (code === 'flag-depends-on-itself' && args.cycle.some((key) => flags.has(key)));
}

/** Diagnostics of the configuration join the report; other failures end the run. */
async function load(session: Session): Promise<{ config?: Config; diagnostics: readonly Diagnostic[] }> {
  try {
    return await readConfiguration(session, { offline: true });
  } catch (error) {
    if (error instanceof FlagwrightError && error.diagnostics.length > 0) return { diagnostics: error.diagnostics };
    throw error;
  }
}

async function readAll(session: Session, { config, onRead }: TestFileSearch): Promise<Sources> {
  const { root, manifests: patterns } = config;
  const { checkpoint } = session.interrupts;
  const { files, diagnostics } = await readManifests({ root, patterns, reportUnmatched: true, checkpoint, onRead });
  const tests = await findTests(session, config);
  const names = new Set([...files.map(({ file }) => file), ...(tests?.files ?? [])]);
  return { checked: files, others: [], othersSound: true, diagnostics, ...defined({ tests }), names };
}

async function readNamed(session: Session, { config, files, onRead }: TestFileSearch): Promise<Sources> {
  const { root, manifests } = config;
  const { checkpoint } = session.interrupts;
  const patterns = files.map((file) => relativeToRoot(session, config, file));
  const named = await readManifests({ root, patterns, checkpoint, onRead });
  const configured = await readManifests({ root, patterns: manifests, checkpoint });
  const known = new Set(configured.files.map(({ file }) => file));
  const strange = named.files.filter(({ file }) => !known.has(file)).map(({ file }) => file);
  const tests = strange.length === 0 ? undefined : await findTests(session, config);
  const isTest = new Set(strange.filter((file) => tests?.files.includes(file)));
  const names = new Set(named.files.map(({ file }) => file));
  return {
    checked: named.files.filter(({ file }) => !isTest.has(file)),
    others: configured.files.filter(({ file }) => !names.has(file)),
    othersSound: !hasErrors(configured.diagnostics.filter(({ place }) => !names.has(place?.file ?? ''))),
    diagnostics: [
      ...named.diagnostics.filter(({ place }) => place === undefined || !isTest.has(place.file)),
      ...strange.filter((file) => !isTest.has(file)).map((file) => unmatched(file, manifests)),
    ],
    ...(isTest.size === 0 ? {} : defined({ tests })),
    names,
  };
}

/** Most repositories have no test files, and then no further module is loaded. */
async function findTests(session: Session, config: Config): Promise<TestFiles | undefined> {
  const found = await diskSource(config.root).find(config.tests ?? DEFAULT_TESTS);
  if (found.diagnostics.every(({ code }) => code === 'manifests-none') && found.files.length === 0) return undefined;
  const { readTestFiles } = await import('../project/check-tests.ts');
  const tests = await readTestFiles(session, config);
  return tests.diagnostics.some(({ code }) => code === 'tests-none') ? undefined : tests;
}

/** A named file that no pattern matches would pass here and then be ignored by every other command. */
function unmatched(file: string, patterns: readonly string[]): ManifestDiagnostic {
  return { code: 'file-unmatched', severity: 'error', place: { file, line: 1, column: 1 }, args: { patterns } };
}
