/** `flagwright catalog`: what every flag is, for people who do not read YAML, as a page and as a document. */

import { compareStrings } from '../../base/compare-strings.ts';
import { hasErrors } from '../../base/diagnostic.ts';
import { FlagwrightError } from '../../base/errors.ts';
import { canonicalText, isJsonArray } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import {
  MOST_CHANGES,
  type Catalog,
  type CatalogFlag,
  type CatalogGap,
  type FlagInProject,
  type GoneFlag,
  type PastAuthor,
  type PastChange,
  type PersonAnswer,
} from '../../catalog/catalog.ts';
import { maskAddresses } from '../../catalog/mask.ts';
import { gapsOfAll } from '../../code/references/use.ts';
import type { Config, ProjectConfig } from '../../config/config.ts';
import { matchScope } from '../../core/engine/scope.ts';
import type { ManifestSource } from '../../core/manifest/source.ts';
import { steadySource } from '../../core/manifest/tree-source.ts';
import type { Flag } from '../../posthog/flag/model/flag.ts';
import { flagReferences } from '../../posthog/flag/model/references.ts';
import { escapeLine } from '../../report/escape.ts';
import { createAnswers } from '../../review/expectations/answers.ts';
import { readPeople } from '../../review/expectations/resolve.ts';
import { generationOf } from '../../testing/generation-of.ts';
import { withCheckout, type Checkout } from '../applied/open-checkout.ts';
import {
  blameFlags,
  flagOfProjects,
  toLiveProject,
  type BlamedFlag,
  type FlagOfProjects,
  type LiveRead,
} from '../code/stale-evidence.ts';
import { fromTop } from '../code/refs.ts';
import { findFlags, finderOf, judgeFlag, type EvidenceReading } from '../code/stale.ts';
import { knowCode } from '../code/know-code.ts';
import type { ExitCode } from '../line/exit.ts';
import { readTestFiles } from '../project/check-tests.ts';
import { findOwners } from '../project/find-owners.ts';
import { loadConfiguration } from '../project/load-project.ts';
import { MOST_AT_ONCE, sharePaces } from '../project/open-project.ts';
import { jointProgress, namesOf } from '../project/over-projects.ts';
import { chooseRemoteProjects, readProjects, type ResolvedProject } from '../project/resolve-projects.ts';
import { sessionsOf, type Alone } from '../project/session-of-project.ts';
import { findPlanOrigin } from '../runs/record-run.ts';
import { toFlagwrightError } from '../session/failure.ts';
import { listenForInterrupts } from '../session/session-parts.ts';
import type { Session } from '../session/session.ts';
import { findForge } from './forge-address.ts';
import { readGitChanges, type GitChanges } from './git-changes.ts';
import { declaredProject, readProject, unreadProject, type ReadProject, type SnapshotToRead } from './read-project.ts';
import type { ServiceChange } from './service-changes.ts';

export interface CatalogOptions {
  /** Reads no service. */
  readonly declared?: boolean;
  /** Files to read in place of the services of their projects. */
  readonly against?: readonly string[];
  /** The file of verdicts that guarded rollouts look at. */
  readonly verdicts?: string;
  /** Shows addresses of people in conditions. */
  readonly addresses?: boolean;
}

/** A project that cannot be read is said to be unread, and the others are shown; fails only if none could be read. */
export async function catalog(given: Session, options: CatalogOptions): Promise<ExitCode> {
  const config = await loadConfiguration(given, { offline: options.declared === true });
  const source = steadySource(config.root);
  // Its warnings are said.
  const session = { ...given, configuration: { config, diagnostics: [] }, manifests: source };
  const asked = await chooseRemoteProjects(session, config);
  const snapshots = await readSnapshots(session, options, asked);
  const resolved = await readProjects(session, config, asked);
  const { read, failures } =
    options.declared === true
      ? { read: resolved.projects.map((one) => declaredProject(session, one)), failures: [] }
      : await readEach(session, resolved.projects, { snapshots, ...defined({ verdicts: options.verdicts }) });
  if (failures.length === asked.length && failures[0] !== undefined) throw failures[0];
  const made = await inTime(session, failures, async (making) =>
    withCheckout(making, config, async (checkout) =>
      assemble({ session: making, config, source, checkout, resolved, read }),
    ),
  );
  await session.publish({ kind: 'catalog', catalog: options.addresses === true ? made : maskAddresses(made) });
  return failures.length === 0 ? 0 : 1;
}

type Snapshots = ReadonlyMap<string, SnapshotToRead>;

/** By the name of the project. A file that no project uses would be left out without a word. */
async function readSnapshots(
  session: Session,
  { declared, against = [], verdicts }: CatalogOptions,
  asked: readonly ProjectConfig[],
): Promise<Snapshots> {
  if (declared === true && against.length > 0)
    throw new FlagwrightError('usage', '--declared and --against cannot be used together.', {
      remedy: 'Remove --declared to compare the manifests with the snapshot, or --against to show the manifests alone.',
    });
  if (declared === true && verdicts !== undefined)
    throw new FlagwrightError('usage', '--declared and --verdicts cannot be used together.', {
      remedy: 'Remove --declared to ask the guards of rollouts, or --verdicts.',
    });
  const snapshots = new Map<string, SnapshotToRead>();
  if (against.length === 0) return snapshots;
  const { readSnapshot } = await import('../plan/plan-against.ts');
  for (const path of against) {
    const read = await readSnapshot(session, path);
    const { name } = read.project;
    const other = snapshots.get(name);
    if (other !== undefined)
      throw new FlagwrightError(
        'usage',
        `--against names two snapshots of the project ${escapeLine(name)}: ${escapeLine(other.path)} and ${escapeLine(path)}.`,
        { remedy: 'Name one of them.' },
      );
    if (!asked.some((project) => project.name === name))
      throw new FlagwrightError(
        'usage',
        `--against ${escapeLine(path)} is a snapshot of the project ${escapeLine(name)}, which this run does not show (it shows ${namesOf(asked)}).`,
        { remedy: 'Remove the option, or name the project with --project.' },
      );
    snapshots.set(name, { path, read });
  }
  return snapshots;
}

async function readEach(
  session: Session,
  projects: readonly ResolvedProject[],
  { snapshots, verdicts }: Pick<CatalogOptions, 'verdicts'> & { readonly snapshots: Snapshots },
): Promise<{ readonly read: readonly ReadProject[]; readonly failures: readonly unknown[] }> {
  sharePaces(
    session,
    projects.map(({ project }) => project),
  );
  const progress = jointProgress(session, 'catalog', projects.length);
  const inSession = sessionsOf(session, { most: MOST_AT_ONCE, showLine: progress.show });
  const failures: unknown[] = [];
  const readOne = async (project: ProjectConfig, { session: alone, said }: Alone): Promise<ReadProject> => {
    try {
      session.interrupts.checkpoint();
      const found = await readProject(alone, defined({ snapshot: snapshots.get(project.name), verdicts }));
      for (const text of said()) await session.note(text);
      return found;
    } catch (error) {
      const known = toFlagwrightError(error);
      if (known.code === 'interrupted') throw error;
      failures.push(error);
      // The failure of the only project is that of the run.
      if (projects.length > 1)
        await session.note(`${project.name}: ${await session.textOf({ kind: 'failure', error: known })}`);
      return unreadProject(project, known.message);
    } finally {
      progress.done(project.name);
    }
  };
  const read = projects.map(async ({ project }) => inSession(project, async (alone) => readOne(project, alone)));
  return { read: await Promise.all(read), failures };
}

/** What was read before the deadline passed is worth a page, which may take as long again. */
async function inTime<Result>(
  session: Session,
  failures: readonly unknown[],
  make: (session: Session) => Promise<Result>,
): Promise<Result> {
  if (!failures.some((error) => toFlagwrightError(error).code === 'deadline')) return make(session);
  const interrupts = listenForInterrupts(session.context, {
    ...defined({ deadlineMs: session.options.deadline }),
    onDrain: () => undefined,
  });
  return make({ ...session, interrupts }).finally(() => interrupts.dispose());
}

interface Assembling {
  readonly session: Session;
  readonly config: Config;
  readonly source: ManifestSource;
  readonly checkout: Checkout;
  readonly resolved: Awaited<ReturnType<typeof readProjects>>;
  readonly read: readonly ReadProject[];
}

async function assemble({ session, config, source, checkout, resolved, read }: Assembling): Promise<Catalog> {
  const { projects, files } = resolved;
  const live: LiveRead = {
    projects: read.flatMap(({ config: project, live: flags }) =>
      flags.length === 0 ? [] : toLiveProject(project, flags),
    ),
    refused: [],
    requests: 0,
  };
  const flags = withRetired(findFlags(config, projects, { live, unmanaged: true }), read, config);
  const accessors = flags.flatMap(({ key, declared }) => (declared.size === 0 ? [] : [key]));
  const searched = await knowCode(
    { session, config, checkout },
    { keys: flags.flatMap(({ keys }) => keys), accessors },
  );
  const owners = await findOwners(config);
  const evidence: EvidenceReading = {
    session,
    config,
    checkout,
    live,
    options: { keys: [], days: STALE_DAYS },
    use: finderOf(searched.code),
    owners,
  };
  session.places.root = searched.top;
  const chosen = projects.map(({ project }) => project);
  const history = await readGitChanges({ session, config, projects: chosen, checkout, files, source });
  // git itself is asked about the few that the commits do not explain.
  const others = await blameFlags(
    evidence,
    flags.filter(({ key }) => !history.authors.has(key)),
  );
  const [origin, people, forge] = [
    await findPlanOrigin(session),
    await answersOf(session, config, projects),
    await findForge(session, checkout),
  ];
  const blamed = new Map([...others, ...history.authors]);
  const needs = needsIn(live);
  const known = { evidence, top: searched.top, blamed, history, answers: people.answers, read, needs };
  const described = flags.map((flag) => describeFlag(flag, known)).toSorted((a, b) => compareStrings(a.key, b.key));
  const code = gapsOfAll(searched.code).map((gap) => ({ what: 'code', gap }) as const);
  return {
    madeAt: new Date(session.context.now()).toISOString(),
    ...defined({ commit: origin.commit, branch: origin.branch, forge }),
    projects: read.map(({ project }) => project),
    flags: withDependents(described),
    gone: findGone(flags, { history, read, config }),
    freezes: (config.policies?.rules ?? []).flatMap((rule) => (rule.rule === 'freeze' ? [rule] : [])),
    gaps: [
      ...read.flatMap(({ gaps }) => gaps),
      ...history.gaps,
      ...(owners.isUnread === true ? [{ what: 'owners' } as const] : []),
      ...people.gaps,
      ...code,
    ],
  };
}

/** As `stale` by default. */
const STALE_DAYS = 30;

/**
 * With those of services that the manifests delete, or name as the former key of a flag that exists besides; and, as in plans, without
 * archived ones that they do not name.
 */
function withRetired(
  flags: readonly FlagOfProjects[],
  read: readonly ReadProject[],
  { scope }: Config,
): readonly FlagOfProjects[] {
  const inScope = matchScope(scope);
  const isListed = (key: string): boolean =>
    read.some(({ states }) => states.has(key) && states.get(key)?.isArchived !== true);
  const known = new Set(flags.map(({ key }) => key));
  const retired = read.flatMap(({ states }) =>
    [...states].flatMap(([key, { isUnmanaged, isArchived, differences }]) =>
      (isUnmanaged && !inScope(key)) || known.has(key) || (isArchived === true && differences.length === 0)
        ? []
        : [key],
    ),
  );
  const others = [...new Set(retired)].map((key) => flagOfProjects(key, new Map()));
  return [...flags.filter(({ key, declared }) => declared.size > 0 || isListed(key)), ...others];
}

interface Known {
  readonly evidence: EvidenceReading;
  /** The top of the repository. */
  readonly top: string;
  readonly blamed: ReadonlyMap<string, BlamedFlag>;
  readonly history: GitChanges;
  readonly answers: ReadonlyMap<string, readonly PersonAnswer[]>;
  readonly read: readonly ReadProject[];
  readonly needs: ReadonlyMap<string, readonly string[]>;
}

function describeFlag(
  flag: FlagOfProjects,
  { evidence, top, blamed, history, answers, read, needs }: Known,
): CatalogFlag {
  const { key, keys } = flag;
  const states = read.map(
    ({ states: known, project: { identity, source } }): FlagInProject =>
      keys.flatMap((name) => known.get(name) ?? [])[0] ?? {
        project: identity.name,
        word: source === 'unread' ? 'unknown' : 'missing',
        differences: [],
        isUnmanaged: false,
        rollouts: [],
        requests: [],
      },
  );
  const lives = states.flatMap(({ id }, index) => (id === undefined ? [] : (read[index]?.byId.get(id) ?? [])));
  const own = blamed.get(key);
  const stale = fromTop(judgeFlag(evidence, flag, own), evidence.config, top);
  const changes = joinChanges(
    history.changes.get(key) ?? [],
    states.flatMap(({ id, project }, index) =>
      (id === undefined ? [] : (read[index]?.changes.get(id) ?? [])).map((one) => ({ ...one, projects: [project] })),
    ),
  );
  const { owner, place, description } = stale;
  return {
    key,
    tags: tagsOf(flag, lives),
    states,
    stale,
    dependsOn: dependenciesOf(flag, lives, needs),
    dependents: stale.holders.flatMap(({ what, names }) => (what === 'flags' ? names : [])),
    answers: answers.get(key) ?? [],
    changes: changes.slice(0, MOST_CHANGES),
    ...defined({
      description,
      place,
      owner: owner?.by === 'tag' || owner?.by === 'code_owners' ? { name: owner.name, by: owner.by } : undefined,
      created: createdOf(lives, changes),
      changed: changedOf(key, history, changes),
    }),
  };
}

/** The newest first. What an apply wrote is told once, by its commit. */
function joinChanges(ofGit: readonly PastChange[], ofService: readonly ServiceChange[]): readonly PastChange[] {
  const formOf = ({ effects }: PastChange): string => canonicalText(effects as never);
  const timeOf = ({ at }: PastChange): number => Date.parse(at);
  const isTold = (one: ServiceChange): boolean =>
    one.isOfApply && ofGit.some((other) => timeOf(other) <= timeOf(one) && formOf(other) === formOf(one));
  const others = ofService.flatMap(({ isOfApply, ...one }) => (isTold({ ...one, isOfApply }) ? [] : [one]));
  return [...ofGit, ...others].toSorted((one, other) => timeOf(other) - timeOf(one));
}

function tagsOf({ declared }: FlagOfProjects, lives: readonly Flag[]): readonly string[] {
  const lists = [...[...declared.values()].map(({ fields }) => fields['tags']), ...lives.map((flag) => flag['tags'])];
  const tags = lists.flatMap((list) => (isJsonArray(list) ? list : [])).filter((tag) => typeof tag === 'string');
  return [...new Set(tags)];
}

/** The keys of the flags that conditions of a flag name in the service, by its key. */
function needsIn({ projects }: LiveRead): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const { flags, dependents } of projects) {
    const byId = new Map(dependents.size === 0 ? [] : flags.map(({ id, key }) => [id, key]));
    const pairs = [...dependents].flatMap(([id, keys]) => keys.map((key) => [key, byId.get(id)] as const));
    for (const [key, needed] of pairs) if (needed !== undefined) found.set(key, [...(found.get(key) ?? []), needed]);
  }
  return found;
}

function dependenciesOf(
  { declared }: FlagOfProjects,
  lives: readonly Flag[],
  needs: Known['needs'],
): readonly string[] {
  const ofLive = lives.flatMap(({ key }) => needs.get(key) ?? []);
  const ofManifests = [...declared.values()].flatMap(({ fields }) =>
    flagReferences(fields['filters'] as never).map(String),
  );
  return [...new Set([...ofLive, ...ofManifests])].toSorted(compareStrings);
}

/** Those that need a flag, in manifests and in the service. */
function withDependents(flags: readonly CatalogFlag[]): readonly CatalogFlag[] {
  const found = new Map<string, string[]>();
  for (const { key, dependsOn } of flags)
    for (const other of dependsOn) found.set(other, [...(found.get(other) ?? []), key]);
  return flags.map((flag) => {
    const all = new Set([...flag.dependents, ...(found.get(flag.key) ?? [])]);
    return { ...flag, dependents: [...all].toSorted(compareStrings) };
  });
}

/** What the commits or the service took away, and neither has any more. */
function findGone(
  flags: readonly FlagOfProjects[],
  {
    history,
    read,
    config,
  }: { readonly history: GitChanges; readonly read: readonly ReadProject[]; readonly config: Config },
): readonly GoneFlag[] {
  const listed = new Set(flags.flatMap(({ keys }) => keys));
  const inScope = matchScope(config.scope);
  const ofService = new Map<string, ServiceChange[]>();
  for (const { deletions, project } of read)
    for (const [key, one] of deletions)
      ofService.set(key, [...(ofService.get(key) ?? []), { ...one, projects: [project.identity.name] }]);
  const keys = [...history.changes.keys(), ...[...ofService.keys()].filter(inScope)];
  return [...new Set(keys)]
    .toSorted(compareStrings)
    .filter((key) => !listed.has(key))
    .map((key) => ({ key, changes: joinChanges(history.changes.get(key) ?? [], ofService.get(key) ?? []) }))
    .filter(({ changes }) => SOURCES.some((of) => isRemoval(changes.find(({ source }) => source === of))));
}

const SOURCES = ['git', 'service'] as const;

function isRemoval({ effects = [] }: Partial<PastChange> = {}): boolean {
  return effects === 'released' || effects.some(({ what }) => what === 'deleted');
}

/** When the service made it first, else the oldest commit that is known to have declared it. */
function createdOf(lives: readonly Flag[], changes: readonly PastChange[]): PastAuthor | undefined {
  const times = lives.flatMap(({ created_at: at }) => (typeof at === 'string' ? [at] : [])).toSorted();
  if (times[0] !== undefined) return { at: times[0], source: 'service' };
  const commit = changes.findLast(
    ({ effects, source }) =>
      source === 'git' && effects !== 'released' && effects.some(({ what }) => what === 'created'),
  );
  return commit && authorOf(commit);
}

function changedOf(key: string, { declared }: GitChanges, [newest]: readonly PastChange[]): PastAuthor | undefined {
  const own = declared.get(key);
  const isOlder = own === undefined && declared.has(key) && newest?.source === 'git';
  if (newest === undefined || isOlder) return own;
  return own !== undefined && Date.parse(own.at) > Date.parse(newest.at) ? own : authorOf(newest);
}

function authorOf({ at, by, source, commit }: PastAuthor): PastAuthor {
  return { at, source, ...defined({ by, commit }) };
}

interface Answers {
  /** By the key of the flag. */
  readonly answers: ReadonlyMap<string, readonly PersonAnswer[]>;
  readonly gaps: readonly CatalogGap[];
}

/** What the people of the test files get, by the manifests. */
async function answersOf(session: Session, config: Config, projects: readonly ResolvedProject[]): Promise<Answers> {
  const tests = await readTestFiles(session, config);
  const { people, diagnostics } = readPeople(tests.documents);
  const problems = [...tests.diagnostics, ...diagnostics].filter(({ code }) => code !== 'tests-none');
  const gaps: readonly CatalogGap[] = hasErrors(problems) ? [{ what: 'people' }] : [];
  const found = new Map<string, PersonAnswer[]>();
  const now = session.context.now();
  for (const { project, resolution } of people.size === 0 ? [] : projects) {
    const { desired } = resolution;
    const keys = new Set(desired.flags.flatMap(({ kind, key }) => (kind === 'declared' ? [key] : [])));
    const ask = createAnswers({ project, desired, surroundings: { generation: generationOf(project) } });
    for (const [person, named] of people) {
      await session.interrupts.breathe();
      const { of } = ask(named, now, keys);
      for (const key of keys) {
        const answer = of(key);
        const value = answer !== undefined && 'value' in answer ? answer.value : undefined;
        found.set(key, [...(found.get(key) ?? []), { person, project: project.name, value }]);
      }
    }
  }
  return { answers: found, gaps };
}
