/** `flagwright catalog`: what every flag is, for people who read no YAML, as a page and as a document. */

import pLimit from 'p-limit';
import { compareStrings } from '../../base/compare-strings.ts';
import { canonicalText, isJsonArray } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import {
  MOST_CHANGES,
  type Catalog,
  type CatalogFlag,
  type FlagInProject,
  type FrozenTime,
  type PastAuthor,
  type PastChange,
  type PersonAnswer,
} from '../../catalog/catalog.ts';
import { maskAddresses } from '../../catalog/mask.ts';
import { typeFlags } from '../../code/generate/typed-flag.ts';
import type { Config, ProjectConfig } from '../../config/config.ts';
import { dependencyIds } from '../../posthog/live-selection.ts';
import type { Flag } from '../../posthog/flag/model/flag.ts';
import { flagReferences } from '../../posthog/flag/model/references.ts';
import { parseSnapshot } from '../../posthog/snapshot-file/parse.ts';
import { createAnswers } from '../../review/expectations/answers.ts';
import { generationOf } from '../../testing/generation-of.ts';
import { withCheckout, type Checkout } from '../applied/open-checkout.ts';
import {
  blameFlags,
  keysOf,
  type BlamedFlag,
  type FlagOfProjects,
  type LiveProject,
  type LiveRead,
} from '../code/stale-evidence.ts';
import { fromTop } from '../code/refs.ts';
import { findFlags, finderOf, judgeFlag, type EvidenceReading } from '../code/stale.ts';
import { knowCode } from '../code/know-code.ts';
import type { ExitCode } from '../line/exit.ts';
import { checkTests, readTestFiles } from '../project/check-tests.ts';
import { findOwners } from '../project/find-owners.ts';
import { loadConfiguration } from '../project/load-project.ts';
import { sharePaces } from '../project/open-project.ts';
import { chooseProjects, readProjects, type ResolvedProject } from '../project/resolve-projects.ts';
import { sessionOf, type Holding } from '../project/session-of-project.ts';
import { findPlanOrigin } from '../runs/record-run.ts';
import { readUserFile } from '../session/files.ts';
import { toFlagwrightError } from '../session/failure.ts';
import type { Session } from '../session/session.ts';
import { findForge } from './forge-address.ts';
import { readGitChanges, type GitChanges } from './git-changes.ts';
import { declaredProject, readProject, unreadProject, type ReadProject } from './read-project.ts';

export interface CatalogOptions {
  /** Reads no service. */
  readonly declared?: boolean;
  /** Files to read in place of the services of their projects. */
  readonly against?: readonly string[];
  /** Shows addresses of people in conditions. */
  readonly addresses?: boolean;
}

/** A project that cannot be read is said to be unread, and the others are shown; fails only if none could be read. */
export async function catalog(session: Session, options: CatalogOptions): Promise<ExitCode> {
  const config = await loadConfiguration(session, { offline: options.declared === true });
  const chosen = await chooseProjects(session, config);
  // An embedded project beside remote ones is for trying things out.
  const isRemote = ({ service }: ProjectConfig): boolean => service === 'remote';
  const asked = session.options.project === undefined && chosen.some(isRemote) ? chosen.filter(isRemote) : chosen;
  const resolved = await readProjects(session, config, asked);
  const { read, failures } = await readEach(session, resolved.projects, options);
  if (failures.length === asked.length && failures[0] !== undefined) throw failures[0];
  const made = await withCheckout(session, config, async (checkout) =>
    assemble({ session, config, checkout, resolved, read }),
  );
  await session.publish({ kind: 'catalog', catalog: options.addresses === true ? made : maskAddresses(made) });
  return failures.length === 0 ? 0 : 1;
}

const MOST_AT_ONCE = 8;

async function readEach(
  session: Session,
  projects: readonly ResolvedProject[],
  { declared, against = [] }: CatalogOptions,
): Promise<{ readonly read: readonly ReadProject[]; readonly failures: readonly unknown[] }> {
  if (declared === true) {
    const read = projects.map(({ project, resolution }) => declaredProject(session, project, resolution.desired));
    return { read, failures: [] };
  }
  const snapshots = new Map<string, string>();
  for (const file of against) snapshots.set(parseSnapshot(await readUserFile(session, file)).project.name, file);
  sharePaces(
    session,
    projects.map(({ project }) => project),
  );
  const limit = pLimit(MOST_AT_ONCE);
  const holding: Holding = new Set();
  const failures: unknown[] = [];
  const readOne = async ({ project }: ResolvedProject): Promise<ReadProject> => {
    const { session: alone, said } = sessionOf(session, project.name, { holding, showLine: () => undefined });
    try {
      session.interrupts.checkpoint();
      const found = await readProject(alone, snapshots.get(project.name));
      for (const text of said()) await session.note(text);
      return found;
    } catch (error) {
      const known = toFlagwrightError(error);
      if (known.code === 'interrupted') throw error;
      failures.push(error);
      await session.note(`${project.name}: ${await session.textOf({ kind: 'failure', error: known })}`);
      return unreadProject(project, known.message);
    }
  };
  const read = await Promise.all(projects.map(async (one) => limit(async () => readOne(one))));
  return { read, failures };
}

interface Assembling {
  readonly session: Session;
  readonly config: Config;
  readonly checkout: Checkout;
  readonly resolved: Awaited<ReturnType<typeof readProjects>>;
  readonly read: readonly ReadProject[];
}

async function assemble({ session, config, checkout, resolved, read }: Assembling): Promise<Catalog> {
  const { projects } = resolved;
  const live: LiveRead = {
    projects: read.filter(({ live: flags }) => flags.length > 0).map(toLiveProject),
    refused: [],
    requests: 0,
  };
  const flags = withRetired(findFlags(config, projects, { live, unmanaged: true }), read);
  const typed = typeFlags(projects.map(({ project: { name }, resolution: { desired } }) => ({ name, desired })));
  const searched = await knowCode(
    { session, config, checkout },
    { keys: flags.flatMap(keysOf), accessors: typed.map(({ key }) => key) },
  );
  const evidence: EvidenceReading = {
    session,
    config,
    checkout,
    live,
    options: { keys: [], days: STALE_DAYS },
    use: finderOf(searched.code),
    owners: await findOwners(config),
  };
  session.places.root = searched.top;
  const declared = projects.reduce((sum, { resolution }) => sum + resolution.desired.flags.length, 0);
  const [blamed, history, origin, answers, forge] = [
    await blameFlags(evidence, flags),
    await readGitChanges({
      session,
      config,
      projects: projects.map(({ project }) => project),
      checkout,
      budget: 2 * declared + LEAST_READ,
    }),
    await findPlanOrigin(session),
    await answersOf(session, config, resolved),
    await findForge(session, checkout),
  ];
  const known = { evidence, top: searched.top, blamed, history, answers, read };
  return {
    madeAt: new Date(session.context.now()).toISOString(),
    ...defined({ commit: origin.commit, branch: origin.branch, forge }),
    projects: read.map(({ project }) => project),
    flags: flags.map((flag) => describeFlag(flag, known)).toSorted((a, b) => compareStrings(a.key, b.key)),
    freezes: freezesOf(config),
    history: history.history,
  };
}

/** With those that the manifests delete and that a service still has. */
function withRetired(flags: readonly FlagOfProjects[], read: readonly ReadProject[]): readonly FlagOfProjects[] {
  const known = new Set(flags.map(({ key }) => key));
  const named = read.flatMap(({ states }) => [...states].flatMap(([key, one]) => (one.isUnmanaged ? [] : [key])));
  const others = [...new Set(named)].filter((key) => !known.has(key));
  return [...flags, ...others.map((key) => ({ key, declared: new Map() }))];
}

/** As `stale` by default. */
const STALE_DAYS = 30;
const LEAST_READ = 2000;

function toLiveProject({ config: project, live: flags }: ReadProject): LiveProject {
  const dependents = new Map<number, string[]>();
  for (const flag of flags)
    for (const id of new Set(dependencyIds(flag))) dependents.set(id, [...(dependents.get(id) ?? []), flag.key]);
  return { project, flags, dependents };
}

interface Known {
  readonly evidence: EvidenceReading;
  /** The top of the repository. */
  readonly top: string;
  readonly blamed: ReadonlyMap<string, BlamedFlag>;
  readonly history: GitChanges;
  readonly answers: ReadonlyMap<string, readonly PersonAnswer[]>;
  readonly read: readonly ReadProject[];
}

function describeFlag(flag: FlagOfProjects, { evidence, top, blamed, history, answers, read }: Known): CatalogFlag {
  const { key } = flag;
  const keys = keysOf(flag);
  const states = read.map(
    ({ states: known, project: { identity, source } }): FlagInProject =>
      keys.flatMap((name) => known.get(name) ?? [])[0] ?? {
        project: identity.name,
        word: source === 'unread' ? 'unknown' : 'missing',
        differences: [],
        isUnmanaged: false,
        rollouts: [],
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
    dependsOn: dependenciesOf(flag, states, read),
    dependents: [...new Set(stale.holders.flatMap(({ what, names }) => (what === 'flags' ? names : [])))].toSorted(
      compareStrings,
    ),
    answers: answers.get(key) ?? [],
    changes: changes.slice(0, MOST_CHANGES),
    ...defined({
      description,
      place,
      owner: owner?.by === 'tag' || owner?.by === 'code_owners' ? { name: owner.name, by: owner.by } : undefined,
      created: createdOf(lives, changes),
      changed: changedOf(own, changes),
    }),
  };
}

/** The newest first. What an apply wrote is told once, by its commit. */
function joinChanges(ofGit: readonly PastChange[], ofService: readonly PastChange[]): readonly PastChange[] {
  const formOf = ({ effects }: PastChange): string => canonicalText(effects as never);
  const told = new Set(ofGit.map(formOf));
  return [...ofGit, ...ofService.filter((one) => !told.has(formOf(one)))].toSorted(
    (one, other) => Date.parse(other.at) - Date.parse(one.at),
  );
}

function tagsOf({ declared }: FlagOfProjects, lives: readonly Flag[]): readonly string[] {
  const lists = [...[...declared.values()].map(({ fields }) => fields['tags']), ...lives.map((flag) => flag['tags'])];
  const tags = lists.flatMap((list) => (isJsonArray(list) ? list : [])).filter((tag) => typeof tag === 'string');
  return [...new Set(tags)];
}

function dependenciesOf(
  { declared }: FlagOfProjects,
  states: readonly FlagInProject[],
  read: readonly ReadProject[],
): readonly string[] {
  const ofLive = states.flatMap(({ id }, index) => {
    const byId = read[index]?.byId;
    const flag = id === undefined ? undefined : byId?.get(id);
    return flag === undefined ? [] : dependencyIds(flag).flatMap((other) => byId?.get(other)?.key ?? []);
  });
  const ofManifests = [...declared.values()].flatMap(({ fields }) =>
    flagReferences(fields['filters'] as never).map(String),
  );
  return [...new Set([...ofLive, ...ofManifests])].toSorted(compareStrings);
}

/** When the service made it first, else the oldest commit that is known to have declared it. */
function createdOf(lives: readonly Flag[], changes: readonly PastChange[]): PastAuthor | undefined {
  const times = lives.flatMap(({ created_at: at }) => (typeof at === 'string' ? [at] : [])).toSorted();
  const commit = changes.findLast(
    ({ effects, source }) => source === 'git' && effects.some(({ what }) => what === 'created'),
  );
  if (times[0] !== undefined) return { at: times[0], source: 'service' };
  return commit && authorOf(commit);
}

function changedOf(blamed: BlamedFlag | undefined, [newest]: readonly PastChange[]): PastAuthor | undefined {
  const lines =
    blamed?.at === undefined
      ? undefined
      : ({ at: blamed.at, source: 'git', ...defined({ by: blamed.author }) } as const);
  if (newest === undefined) return lines;
  return lines !== undefined && Date.parse(lines.at) > Date.parse(newest.at) ? lines : authorOf(newest);
}

function authorOf({ at, by, source, commit }: PastAuthor): PastAuthor {
  return { at, source, ...defined({ by, commit }) };
}

/** What the people of the test files get, by the key of the flag; nothing where the files have mistakes. */
async function answersOf(
  session: Session,
  config: Config,
  resolved: Assembling['resolved'],
): Promise<ReadonlyMap<string, readonly PersonAnswer[]>> {
  const found = new Map<string, PersonAnswer[]>();
  const tests = await readTestFiles(session, config);
  const { suite } = checkTests(tests, config, { ...resolved, isSound: true });
  const people = [...suite.people.entries()];
  if (people.length === 0) return found;
  const now = session.context.now();
  for (const { project, resolution } of resolved.projects) {
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
  return found;
}

function freezesOf({ policies }: Config): readonly FrozenTime[] {
  const denied = (policies?.rules ?? []).flatMap((rule) => (rule.rule === 'freeze' ? rule.deny : []));
  return denied.flatMap((window) =>
    window.kind === 'dates' ? [{ from: window.from, to: window.to, zone: window.zone }] : [],
  );
}
