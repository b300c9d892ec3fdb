/** One run of a command over several projects: each as it would run alone, most of them at the same time, and all in one report. */

import type { FlagwrightError } from '../../base/errors.ts';
import { groupBy } from '../../base/group.ts';
import { stringifyJson } from '../../base/json-text.ts';
import type { JsonValue } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import type { ProjectConfig } from '../../config/config.ts';
import { steadySource } from '../../core/manifest/tree-source.ts';
import { escapeLine } from '../../report/escape.ts';
import { PROJECT_STATES, stateOfProject } from '../../report/model/project-states.ts';
import type { ProjectOutcome, Report, ReportOf } from '../../report/report.ts';
import { count, keysText } from '../../report/words/amounts.ts';
import { exitCodeOfError, exitCodeOfReads, exitCodeOfWrites, type ExitCode } from '../line/exit.ts';
import { readConfiguration, refuseManifestsAsReports } from './load-project.ts';
import { MOST_AT_ONCE, sharePaces } from './open-project.ts';
import { chooseRemoteProjects } from './resolve-projects.ts';
import { missedByAll, missError } from './check-targets.ts';
import { toFlagwrightError } from '../session/failure.ts';
import { statusLine } from '../session/progress.ts';
import { labeled, type Execute, type Session } from '../session/session.ts';
import type { TargetMiss } from '../session/session-parts.ts';
import { sessionsOf, type Alone } from './session-of-project.ts';

export interface Running {
  readonly command: ReportOf<'projects'>['command'];
  /** The projects one after the other, in the order of the configuration. */
  readonly oneByOne?: true;
  /** A project waits for those that it comes after, and is held unless they are in sync. */
  readonly inOrder?: true;
}

/** Several projects, which a run over them works on. */
export interface Several {
  readonly projects: readonly ProjectConfig[];
  /** Runs in each project, and resolves to what that did. */
  run(execute: (session: Session, project: ProjectConfig) => Promise<ExitCode>, how: Running): Promise<Ran>;
}

export interface Ran {
  readonly outcomes: readonly ProjectOutcome[];
  /** What the projects said on stderr, one after the other. */
  readonly said: readonly { readonly project: string; readonly text: string }[];
}

/** Runs the command in each project of the command line, and reports all of them as one. */
export async function overProjects(session: Session, execute: Execute, how: Running): Promise<ExitCode> {
  const several = await openSeveral(session);
  const ran = await several.run(execute, how);
  return reportAll(session, ran, how);
}

export async function openSeveral(session: Session): Promise<Several> {
  const configuration = await readConfiguration(session, {});
  const { config } = configuration;
  session.places.root = config.root;
  await refuseManifestsAsReports(session, config);
  const projects = await chooseRemoteProjects(session, config);
  sharePaces(session, projects);
  return { projects, run: async (run, how) => runEach({ ...session, configuration }, projects, { run, how }) };
}

async function runEach(
  session: Session,
  projects: readonly ProjectConfig[],
  {
    run,
    how,
  }: { readonly run: (session: Session, project: ProjectConfig) => Promise<ExitCode>; readonly how: Running },
): Promise<Ran> {
  const started = new Map<string, Promise<ProjectOutcome>>();
  const said: { readonly project: string; readonly text: string }[] = [];
  const checks = new Map<string, readonly TargetMiss[] | undefined>();
  const progress = jointProgress(session, how.command, projects.length);
  // An export writes manifests, which the next project reads.
  const steady = how.oneByOne === true ? session : { ...session, manifests: steadySource(session.places.root) };
  const inSession = sessionsOf(steady, { most: how.oneByOne === true ? 1 : MOST_AT_ONCE, showLine: progress.show });
  const runAlone = async (project: ProjectConfig, alone: Alone): Promise<ProjectOutcome> => {
    const outcome = await outcomeOf(project, alone, async () => run(alone.session, project));
    progress.done(project.name);
    checks.set(project.name, alone.misses());
    said.push(...alone.said().map((text) => ({ project: project.name, text })));
    return outcome;
  };
  const start = async (project: ProjectConfig): Promise<ProjectOutcome> => {
    const known = started.get(project.name);
    if (known !== undefined) return known;
    const before = how.inOrder === true ? projects.filter(({ name }) => project.after?.includes(name)) : [];
    const running = Promise.all(before.map(start)).then((earlier) => {
      const unready = earlier.find((one) => !isInSync(one));
      return unready === undefined
        ? inSession(project, async (alone) => runAlone(project, alone))
        : ({ kind: 'held', project: project.name, by: unready.project } as const);
    });
    started.set(project.name, running);
    return running;
  };
  const ran = await Promise.all(projects.map(start));
  // Plans that were shown have passed this check.
  const outcomes = how.inOrder === true ? ran : refuseMisses(session, ran, { checks, said });
  return { outcomes, said: projects.flatMap(({ name }) => said.filter(({ project }) => project === name)) };
}

/** A target that no project has fails those that miss it; one that some have leaves the others nothing to do. */
function refuseMisses(
  session: Session,
  outcomes: readonly ProjectOutcome[],
  {
    checks,
    said,
  }: {
    readonly checks: ReadonlyMap<string, readonly TargetMiss[] | undefined>;
    readonly said: { readonly project: string; readonly text: string }[];
  },
): readonly ProjectOutcome[] {
  const missed = missedByAll(checks);
  return outcomes.map((outcome) => {
    if (outcome.kind === 'held' || outcome.report.kind === 'failure') return outcome;
    const { project } = outcome;
    const own = missed.get(project) ?? [];
    if (own.length === 0) {
      const notes = session.options.quiet ? [] : (checks.get(project) ?? []);
      said.push(...notes.map(({ why }) => ({ project, text: labeled(session, 'note', why) })));
      return outcome;
    }
    const error = missError(own);
    const exit = exitCodeOfError(error.code);
    // What an export wrote for other targets stays reported.
    if (outcome.report.kind !== 'export' || outcome.report.files.length === 0)
      return { ...outcome, exit, report: { kind: 'failure', error } };
    said.push({ project, text: labeled(session, 'error', error.message, error.remedy) });
    return { ...outcome, exit };
  });
}

/** One line for all: how many projects are done, and what the others do. */
export function jointProgress(
  session: Session,
  command: string,
  amount: number,
): { readonly show: (project: string, text: string) => void; readonly done: (project: string) => void } {
  const line = statusLine(session);
  const running = new Map<string, string>();
  let done = 0;
  const showAll = (): void => {
    const others = [...running].map(([project, text]) => ` · ${project}: ${text}`);
    line.show(`${command} · ${done} of ${count(amount, 'project')} done${others.join('')}`);
  };
  return {
    show: (project, text) => {
      running.set(project, text);
      showAll();
    },
    done: (project) => {
      running.delete(project);
      done += 1;
      showAll();
    },
  };
}

/** A failure is that of the project alone. One after its report does not hide what the report says was done. */
async function outcomeOf(
  { name }: ProjectConfig,
  { session, report, reported }: Alone,
  run: () => Promise<ExitCode>,
): Promise<ProjectOutcome> {
  try {
    session.interrupts.checkpoint();
    const exit = await run();
    const made = report();
    if (made === undefined) throw new Error(`the run over ${name} reported nothing`);
    return { kind: 'ran', project: name, exit, report: made };
  } catch (error) {
    const known = toFlagwrightError(error);
    const failure = { kind: 'failure', error: known } as const;
    const exit = exitCodeOfError(known.code);
    const made = reported();
    if (made === undefined) return { kind: 'ran', project: name, exit, report: failure };
    await session.print(await session.textOf(failure));
    return { kind: 'ran', project: name, exit: mayHaveWritten(made) ? 3 : exit, report: made };
  }
}

/** Nothing is left that the run was to write, as far as it could read that back. */
function isInSync(outcome: ProjectOutcome): boolean {
  if (outcome.kind === 'held' || outcome.exit !== 0) return false;
  const { report } = outcome;
  if (report.kind === 'nothing') return true;
  if (report.kind !== 'result') return false;
  const { changes, outcomes, remainder, verified, left = [], unwritable = [] } = report.result;
  const isWhole = outcomes.applied === changes.length && remainder.length + left.length + unwritable.length === 0;
  return isWhole && (verified || changes.length === 0);
}

/** Publishes the report of all projects, and says on stderr what they said. `before`: what they said already. */
export async function reportAll(
  session: Session,
  ran: Ran,
  {
    command,
    before,
    refusal,
  }: Pick<Running, 'command'> & Pick<ReportOf<'projects'>, 'refusal'> & { readonly before?: Ran['said'] },
): Promise<ExitCode> {
  const { outcomes } = ran;
  await sayAll(session, ran, before);
  await session.publish({ kind: 'projects', command, projects: outcomes, ...defined({ refusal }) });
  const { format, output = '-' } = session.options;
  const isShown = format === 'text' && output === '-';
  for (const outcome of outcomes) {
    const words = failureOf(outcome, outcomes, isShown);
    if (words !== undefined) await session.print(labeled(session, 'error', `${outcome.project}: ${words}`));
  }
  return exitOf(outcomes);
}

/**
 * Says on stderr what the projects said, of which `--quiet` has left what a person has to see.
 * @throws {FlagwrightError} the failure of all, if they failed alike.
 */
export async function sayAll(session: Session, { outcomes, said }: Ran, before: Ran['said'] = []): Promise<void> {
  const shared = failureOfAll(outcomes);
  if (shared !== undefined) throw shared;
  const isNew = (one: Ran['said'][number]): boolean =>
    !before.some(({ project, text }) => project === one.project && text === one.text);
  // A log keeps its order.
  const groups = session.options.verbose ? apart : alike;
  for (const [names, texts] of groups(said.filter(isNew))) {
    const head = names.length === outcomes.length ? '' : `${session.palette.dim(`${names.join(', ')}:`)}\n`;
    await session.print(`${head}${texts.map((text) => (text.endsWith('\n') ? text : `${text}\n`)).join('')}`);
  }
}

/** Mistakes in the manifests are those of all projects, and are told once. */
function failureOfAll(outcomes: readonly ProjectOutcome[]): FlagwrightError | undefined {
  const failures = outcomes.flatMap((one) =>
    one.kind === 'ran' && one.report.kind === 'failure' && one.report.hazards === undefined ? [one.report.error] : [],
  );
  const [first] = failures;
  const textOf = ({ code, message, diagnostics }: FlagwrightError): string =>
    stringifyJson([code, message, diagnostics as unknown as JsonValue]);
  const isShared =
    first !== undefined && first.code !== 'refused' && failures.every((one) => textOf(one) === textOf(first));
  return isShared && failures.length === outcomes.length ? first : undefined;
}

type SaidBy = readonly (readonly [projects: readonly string[], texts: readonly string[]])[];

function apart(said: Ran['said']): SaidBy {
  const byProject = groupBy(said, ({ project }) => project);
  return [...byProject].map(([project, own]) => [[project], own.map(({ text }) => text)]);
}

/** What several projects say alike is said once, with their names. */
function alike(said: Ran['said']): SaidBy {
  const projectsOf = new Map<string, Set<string>>();
  for (const { project, text } of said) projectsOf.set(text, (projectsOf.get(text) ?? new Set()).add(project));
  const textsOf = new Map<string, string[]>();
  for (const [text, projects] of projectsOf) {
    const names = [...projects].join('\n');
    textsOf.set(names, [...(textsOf.get(names) ?? []), text]);
  }
  return [...textsOf].map(([names, texts]) => [names.split('\n'), texts]);
}

/** `isShown`: the document is text on stdout, which has all of it but what still differs in a project that holds others. */
function failureOf(outcome: ProjectOutcome, outcomes: readonly ProjectOutcome[], isShown: boolean): string | undefined {
  if (outcome.kind === 'ran')
    return outcome.report.kind === 'failure' && !isShown ? escapeLine(outcome.report.error.message) : undefined;
  const by = outcomes.find(({ project }) => project === outcome.by);
  const differs = by && differing(by);
  if (isShown && differs === undefined) return undefined;
  const why = by === undefined ? '' : ` (${differs ?? PROJECT_STATES[stateOfProject(by)].words})`;
  return `held, since ${outcome.by} is not in sync${why}; nothing was applied.`;
}

/** What still differs in a project where the run did all that it was to do. */
function differing(outcome: ProjectOutcome): string | undefined {
  if (outcome.kind === 'held' || outcome.exit !== 0 || outcome.report.kind !== 'result') return undefined;
  const { changes, remainder, left = [], unwritable = [], verified } = outcome.report.result;
  if (!verified && changes.length > 0) return 'its changes could not be read back';
  const keys = new Set([...remainder, ...left, ...unwritable].map(({ key }) => key));
  return keys.size === 0 ? undefined : `it still differs in ${keysText([...keys])}`;
}

export function exitOf(outcomes: readonly ProjectOutcome[]): ExitCode {
  const codes = outcomes.map((one) => (one.kind === 'held' ? 3 : (one.exit as ExitCode)));
  const isOfWrites = outcomes.some((one) => one.kind === 'held' || ['result', 'nothing'].includes(one.report.kind));
  if (!isOfWrites) return exitCodeOfReads(codes);
  return exitCodeOfWrites(
    outcomes.map((one, index) => ({
      code: codes[index] ?? 0,
      hasWritten: one.kind === 'ran' && mayHaveWritten(one.report),
    })),
  );
}

/** A write without an answer, and one that waits for an approval of the service, may still be made. */
function mayHaveWritten(report: Report): boolean {
  if (report.kind !== 'result') return false;
  const { outcomes, changes } = report.result;
  const isPartial = changes.some(
    ({ result }) => result.outcome !== 'applied' && (result.parts?.written.length ?? 0) > 0,
  );
  return outcomes.applied + outcomes.unknown + outcomes.pending > 0 || isPartial;
}

export function namesOf(projects: readonly Pick<ProjectConfig, 'name'>[]): string {
  return keysText(projects.map(({ name }) => name));
}
