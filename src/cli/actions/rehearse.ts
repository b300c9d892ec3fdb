/** `flagwright rehearse KEY…`: makes the steps of rollouts in seconds, with the runs that CI would start, in a service in memory. */

import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isNode } from 'yaml';
import { startEmbedded } from '../../../service/src/index.ts';
import { FlagwrightError } from '../../base/errors.ts';
import { stringifyJson } from '../../base/json-text.ts';
import { isJsonObject, jsonEquals, memberOf, objectOrEmpty, type JsonObject } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { nearest } from '../../base/text.ts';
import { didYouMean, quoted, docsPage } from '../../base/wording.ts';
import { applySplices, type Splice } from '../../base/yaml/editing/splice.ts';
import { readSyntax, readYaml } from '../../base/yaml/read.ts';
import type { Config, ProjectConfig } from '../../config/config.ts';
import { selectProject } from '../../config/select.ts';
import { gitEnvironment, runGit } from '../../loop/git/run-git.ts';
import { shareOn } from '../../review/effects/share.ts';
import type { DesiredState } from '../../posthog/desired.ts';
import { namesBeside } from '../../posthog/live-selection.ts';
import { readManifests } from '../../posthog/manifests/manifests.ts';
import type { RehearsalMoment, ReportOf } from '../../report/report.ts';
import { DEFAULT_STEPS_EVERY } from '../../core/rollout/read-rollout.ts';
import type { PlannedRollout } from '../../core/rollout/rollout.ts';
import { isHeldByGuard } from '../../posthog/rollouts/rollouts.ts';
import type { ExitCode } from '../line/exit.ts';
import { withPlan } from '../plan/make-plan.ts';
import { nextRun, rehearsedGuards, verdictsText, type RehearsedGuards } from '../plan/rehearsed-guards.ts';
import { toDeclaration } from '../project/follow-manifests.ts';
import { chosenName, loadConfiguration, type LoadedProject } from '../project/load-project.ts';
import { readProjects } from '../project/resolve-projects.ts';
import type { Output } from '../session/context.ts';
import { type Session, createSession } from '../session/session.ts';
import { apply } from './apply.ts';

interface RehearseOptions {
  readonly keys: readonly string[];
  /** How late each run is, in ms. */
  readonly late?: number;
  /** A file of verdicts over time, for what guards look at. */
  readonly verdicts?: string;
  /** Decides what guards find. */
  readonly randomVerdicts?: number;
  readonly approvedBy?: readonly string[];
}

/** Exits with 4 if a policy or a limit refuses a run, and with 2 if a step is overdue that nothing lets through: the rehearsal ends there. */
export async function rehearse(session: Session, { keys, ...options }: RehearseOptions): Promise<ExitCode> {
  const config = await loadConfiguration(session, { offline: true });
  const chosen = selectProject(config, chosenName(session));
  const { projects } = await readProjects(session, config, [chosen]);
  const [{ project, resolution }] = projects as [(typeof projects)[number]];
  const begin = beginOf(resolution.desired, keys, project.name);
  const every = config.stepsEvery ?? DEFAULT_STEPS_EVERY;
  const others = namesBeside(resolution.desired, keys);
  const { cwd } = session.context;
  const guards = await rehearsedGuards(config.guards, { cwd, ...options });
  const { desired } = resolution;
  const setting = { config, project, desired, begin: begin - every, others, guards };
  const { moments, isRefused } = await withStage(session, setting, async (stage) =>
    runAll(stage, keys, { ...options, guards, every, print: async (text: string) => session.print(text) }),
  );
  const verdicts = isGuarded(resolution.desired, keys) ? guards.verdicts : undefined;
  await session.publish({ kind: 'rehearsal', project: project.name, moments, isRefused, ...defined({ verdicts }) });
  const last = new Map(moments.map((moment) => [moment.key, moment]));
  return isRefused ? 4 : [...last.values()].some(({ overdue }) => overdue === true) ? 2 : 0;
}

/** The time of the first step that nobody made yet: the rehearsal begins where the rollouts are. */
function beginOf({ flags }: DesiredState, keys: readonly string[], project: string): number {
  const times = keys.map((key) => {
    const flag = flags.find((one) => one.key === key);
    if (flag === undefined) {
      const declared = flags.map((one) => one.key);
      throw new FlagwrightError('usage', `No manifest declares a flag ${quoted(key)} for ${project}.`, {
        remedy: didYouMean(nearest(key, declared), 'Correct the key, or declare the flag.'),
      });
    }
    const rollouts = flag.kind === 'declared' ? (flag.rollouts ?? []) : [];
    const ahead = rollouts.flatMap(({ steps }) => steps.slice(steps.findLastIndex(({ done }) => done === true) + 1));
    const steps = ahead.length > 0 ? ahead : rollouts.flatMap((rollout) => rollout.steps.slice(-1));
    if (steps.length > 0) return Math.min(...steps.map(({ at }) => Date.parse(at)));
    throw new FlagwrightError('usage', `${quoted(key)} has no steps over time in ${project}.`, {
      remedy: `Declare \`steps\` instead of a percentage or of \`active\` (${docsPage('rollouts')}), or name another flag.`,
    });
  });
  return Math.min(...times);
}

function isGuarded({ flags }: DesiredState, keys: readonly string[]): boolean {
  return flags.some(
    (flag) => flag.kind === 'declared' && keys.includes(flag.key) && flag.rollouts?.some(({ guard }) => guard?.length),
  );
}

interface Running extends Pick<RehearseOptions, 'late' | 'approvedBy'>, Pick<Session, 'print'> {
  readonly every: number;
  readonly guards: RehearsedGuards;
}

/** A run takes place at each interval in which a step is due; in the others there is nothing to do. */
async function runAll(
  stage: Stage,
  keys: readonly string[],
  { every, late = 0, approvedBy, print, guards }: Running,
): Promise<Pick<ReportOf<'rehearsal'>, 'moments' | 'isRefused'>> {
  const { session, now, moveTo, takeOutput, verdicts } = stage;
  const begin = now();
  const first = await apply(session, { yes: true, journal: false, verdicts, ...(approvedBy && { approvedBy }) });
  if (first !== 0) {
    await print(takeOutput());
    throw new FlagwrightError('refused', 'The rollout cannot begin: apply refuses the manifests.', {
      remedy: 'Name who approves the steps with --approved-by, or change what is refused.',
    });
  }
  let seen = await observe(stage, keys);
  const moments: RehearsalMoment[] = [...seen.moments];
  for (;;) {
    const due = nextRun(seen.rollouts, guards, now());
    if (due === undefined) return { moments, isRefused: false };
    const intervals = Math.max(1, Math.ceil((Math.max(due, now() - late + 1) - begin) / every));
    await moveTo(begin + intervals * every + late);
    const code = await apply(session, { due: true, journal: false, verdicts });
    if (code !== 0) return { moments, isRefused: true };
    const former = seen;
    seen = await observe(stage, keys);
    moments.push(...seen.moments.filter((one, index) => textOf(one) !== textOf(former.moments[index])));
  }
}

/** What makes a moment worth telling: a step, or another reason to wait. */
function textOf(moment: RehearsalMoment | undefined): string {
  const { step = -2, overdue, guard_readings: readings = [] } = moment ?? {};
  return stringifyJson([step, overdue === true, readings.map(({ at: _at, ...reading }) => ({ ...reading }))]);
}

interface Seen {
  /** In the order of the keys. */
  readonly moments: readonly RehearsalMoment[];
  readonly rollouts: readonly PlannedRollout[];
}

/** The state that the next run would find. */
async function observe({ session, now, takeOutput, verdicts }: Stage, keys: readonly string[]): Promise<Seen> {
  return withPlan(session, { due: true, who: false, verdicts }, async ({ plan, live }) => {
    takeOutput();
    const rollouts = (plan.rollouts ?? []).filter(({ key }) => keys.includes(key));
    const moments = keys.map((key): RehearsalMoment => {
      const own = rollouts.filter((rollout) => rollout.key === key);
      const flag = live.flags.find((one) => one.key === key);
      const steps = own.reduce((sum, { steps: all }) => sum + all.length, 0);
      const step = own.reduce((sum, { applied }) => sum + (applied?.step ?? -1) + 1, 0);
      const moment = { at: new Date(now()).toISOString(), key, step, steps };
      const waiting = own.filter(isHeldByGuard);
      return {
        ...moment,
        share: shareOn(flag ?? { active: false }),
        ...(waiting.length > 0 && { guard_readings: waiting.flatMap(({ guard_readings: all = [] }) => all) }),
        ...(waiting.some(({ overdue }) => overdue === true) && { overdue: true }),
      };
    });
    return { moments, rollouts };
  });
}

interface Stage {
  /** The session of a run at the time of the service. */
  readonly session: Session;
  readonly now: () => number;
  /** Also gives the guards what they find then. */
  readonly moveTo: (time: number) => Promise<void>;
  /** The file of verdicts. */
  readonly verdicts: string;
  readonly takeOutput: () => string;
}

const KEY_VARIABLE = 'FLAGWRIGHT_REHEARSAL_KEY';

interface Staging extends LoadedProject {
  readonly begin: number;
  readonly desired: DesiredState;
  readonly others: readonly string[];
  readonly guards: RehearsedGuards;
}

async function withStage<Result>(
  session: Session,
  { config, project, begin, desired, others, guards }: Staging,
  use: (stage: Stage) => Promise<Result>,
): Promise<Result> {
  const { context, secrets } = session;
  // The rehearsal writes reports; its runs do not.
  const { output: _output, report: _report, ...options } = session.options;
  const root = await mkdtemp(path.join(tmpdir(), 'flagwright-rehearsal-'));
  const apiKey = context.randomUuid();
  secrets.add(apiKey);
  const service = await startEmbedded({
    data: ':memory:',
    profile: project.service === 'embedded' ? project.profile : 'posthog',
    projects: [{ id: '1', roles: project.roles, cohorts: project.cohorts }],
    apiKeys: [apiKey],
    ...(guards.alerts.length > 0 && { seed: { alerts: [...guards.alerts] } }),
    now: () => new Date(begin),
    randomUuid: context.randomUuid,
  });
  try {
    await copyFiles(config, root);
    const { members, text } = await configurationFor(config, project, service.url);
    const { policies: _policies, ...unjudged } = members;
    const file = path.basename(config.file ?? CONFIG_FILE);
    const configure = async (written: string): Promise<void> => {
      await writeFile(path.join(root, file), written);
      await commitAll(session, root);
    };
    const output: string[] = [];
    const sink: Output = { isTerminal: false, columns: 200, write: async (text) => void output.push(text) };
    const now = (): number => service.clock.now().getTime();
    // Where no manifest is looked for.
    const verdicts = path.join(root, '.git', 'verdicts.json');
    const tell = async (): Promise<void> => {
      await writeFile(verdicts, verdictsText(guards.at(now())));
      for (const check of guards.checksAt(now())) service.checkAlert(check);
    };
    const env = { ...context.env, [KEY_VARIABLE]: apiKey };
    const staged = createSession({
      ...session,
      places: { root },
      context: { ...context, cwd: root, env, stdout: sink, stderr: sink, now, isMoved: true },
      options: { ...options, config: file, project: project.name, format: 'text', quiet: true },
    });
    // The service is empty: without this, the policies would judge every other flag as a new one.
    await configure(stringifyJson(unjudged));
    await tell();
    // As they may be live, also with filters that the service would refuse today.
    service.declare(toDeclaration({ flags: desired.flags.filter(({ key }) => others.includes(key)) }, '1'));
    if (others.length > 0 && (await apply(staged, { yes: true, journal: false, target: others })) !== 0) {
      await session.print(output.join(''));
      throw new FlagwrightError('refused', 'The rollout cannot begin: the other flags cannot be created.');
    }
    output.length = 0;
    await configure(text);
    return await use({
      session: staged,
      now,
      verdicts,
      moveTo: async (time) => {
        service.clock.set(new Date(time));
        await tell();
      },
      takeOutput: () => output.splice(0).join(''),
    });
  } finally {
    await service.close();
    await rm(root, { recursive: true, force: true });
  }
}

async function copyFiles({ root, manifests, exceptions }: Config, folder: string): Promise<void> {
  const { files } = await readManifests({ root, patterns: manifests });
  const named = files.flatMap(({ declarations }) => declarations.flatMap((one) => one.named?.file ?? []));
  const excepting = existsSync(path.resolve(root, exceptions)) ? [exceptions] : [];
  for (const file of new Set([...files.map((one) => one.file), ...named, ...excepting])) {
    const target = path.resolve(folder, file);
    if (path.isAbsolute(file) || !target.startsWith(folder + path.sep)) {
      throw new FlagwrightError('usage', `${quoted(file)} is outside the folder of flagwright.yaml.`, {
        remedy: 'Move it there to rehearse its rollouts.',
      });
    }
    await mkdir(path.dirname(target), { recursive: true });
    await writeFile(target, await readFile(path.resolve(root, file)));
  }
}

interface WrittenConfiguration {
  readonly members: JsonObject;
  readonly text: string;
}

const CONFIG_FILE = 'flagwright.yaml';

/** The configuration as written, except that its project is the service of the stage, and that nothing is pushed. */
async function configurationFor(config: Config, project: ProjectConfig, host: string): Promise<WrittenConfiguration> {
  const text =
    config.file === undefined ? '' : await readFile(path.resolve(config.root, path.basename(config.file)), 'utf8');
  const written = objectOrEmpty(readYaml(CONFIG_FILE, text).documents[0]?.value);
  const { projects = null, base } = written;
  const {
    service: _service,
    data: _data,
    profile: _profile,
    ...own
  } = objectOrEmpty(memberOf(objectOrEmpty(projects), project.name));
  const staged: JsonObject = { ...own, host, project_id: '1', api_key_env: KEY_VARIABLE };
  const all = { ...objectOrEmpty(projects), [project.name]: staged };
  const members = { ...written, projects: all, ...(base !== undefined && { base: {} }) };
  const edited = replaceInPlace(text, [
    isJsonObject(projects) ? [['projects', project.name], staged] : [['projects'], all],
    ...(base === undefined ? [] : [[['base'], {}] as const]),
  ]);
  const { documents, diagnostics } = readYaml(CONFIG_FILE, edited);
  // An alias may need what was replaced.
  const isWhole = diagnostics.length === 0 && jsonEquals(documents[0]?.value ?? null, members);
  return { members, text: isWhole ? edited : stringifyJson(members) };
}

/** Writes each value in as many lines as the former one, since messages name the places of others. */
function replaceInPlace(
  text: string,
  values: readonly (readonly [path: readonly [string, ...string[]], value: JsonObject])[],
): string {
  const [document] = readSyntax(CONFIG_FILE, text, {}).documents;
  const splices = values.map(([name, value]): Splice => {
    const former = document?.syntax.getIn(name, true);
    const written = stringifyJson(value);
    if (!isNode(former) || !former.range)
      return { start: text.length, end: text.length, insert: `\n${name.join()}: ${written}\n` };
    const [start, end] = former.range;
    return { start, end, insert: ` ${written}${text.slice(start, end).replaceAll(/[^\n]/g, '')}` };
  });
  return applySplices(text, splices, [0, text.length]);
}

const IDENTITY = ['-c', 'user.name=flagwright', '-c', 'user.email=flagwright@localhost', '-c', 'commit.gpgsign=false'];

/** @throws {FlagwrightError} `usage` without git: what was applied is recorded in a repository. */
async function commitAll({ context, interrupts }: Session, folder: string): Promise<void> {
  const caller = { folder, env: gitEnvironment(context.env, [KEY_VARIABLE]), signal: interrupts.stop };
  for (const args of [
    ['init', '--quiet'],
    ['add', '--all'],
    [...IDENTITY, 'commit', '--quiet', '--allow-empty', '--message', 'Rehearse'],
  ]) {
    const run = await runGit(caller, { args });
    if (run.kind !== 'done') {
      throw new FlagwrightError('usage', `A rehearsal needs git, which does not work here: ${run.detail}.`, {
        remedy: 'Install git, and run the same command again.',
      });
    }
  }
}
