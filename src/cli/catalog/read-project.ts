/** What one project says of its flags: what is live, how that differs from the manifests, and what comes next. */

import type { ProjectConfig } from '../../config/config.ts';
import { defined } from '../../base/optional.ts';
import { memberOf, type JsonObject } from '../../base/json.ts';
import { groupBy } from '../../base/group.ts';
import { once } from '../../base/once.ts';
import type {
  CatalogGap,
  CatalogProject,
  FlagDifference,
  FlagInProject,
  FlagRequest,
  RolloutInProject,
} from '../../catalog/catalog.ts';
import { createWords } from '../../catalog/word.ts';
import { timesToCome } from '../../core/rollout/position.ts';
import { DEFAULT_STEPS_EVERY } from '../../core/rollout/read-rollout.ts';
import type { PlannedRollout } from '../../core/rollout/rollout.ts';
import { asLive } from '../../posthog/as-live.ts';
import type { Attribution, Attributions } from '../../posthog/authors/attribution.ts';
import { cohortNamesBeside, cohortNamesIn, withCohortNames, type CohortNames } from '../../posthog/cohort/names.ts';
import type { DesiredFlag, DesiredState } from '../../posthog/desired.ts';
import { type Flag, isListed, viewFilters } from '../../posthog/flag/model/flag.ts';
import { mapReferencesIn } from '../../posthog/flag/model/references.ts';
import type { LiveState } from '../../posthog/live.ts';
import type { Change } from '../../posthog/plan.ts';
import { snapshotOf } from '../../posthog/planning/build-plan.ts';
import { findUnwritable } from '../../posthog/planning/drift-groups.ts';
import { listRequests, type ReadRequests, withArchived } from '../../posthog/reading/live-state.ts';
import { makesOnlySteps, waitingFlags } from '../../posthog/rollouts/rollouts.ts';
import type { ReadSnapshot } from '../../posthog/snapshot-file/parse.ts';
import type { Effect, ResourceEffects } from '../../review/effects/effect.ts';
import { findDriftEffects, findEffects } from '../../review/effects/find-effects.ts';
import { generationOf } from '../../testing/generation-of.ts';
import { findScheduledOf } from '../plan/forecast.ts';
import { withPlan } from '../plan/make-plan.ts';
import type { MadePlan } from '../plan/plan-states.ts';
import { identityOf } from '../project/open-project.ts';
import type { ResolvedProject } from '../project/resolve-projects.ts';
import type { Session } from '../session/session.ts';
import { NO_CHANGES, readServiceChanges, requestsOf, shortName, type ServiceChanges } from './service-changes.ts';

export interface ReadProject {
  readonly project: CatalogProject;
  readonly config: ProjectConfig;
  /** The flags of the service, with archived and without deleted ones, by the keys of `states`: one that was renamed there is that of the manifests. */
  readonly live: readonly Flag[];
  readonly byId: ReadonlyMap<number, Flag>;
  /** By the key that the manifests give the flag, or that it has in the service. */
  readonly states: ReadonlyMap<string, FlagInProject>;
  readonly changes: ServiceChanges['changes'];
  readonly deletions: ServiceChanges['deletions'];
  readonly gaps: readonly CatalogGap[];
}

export interface SnapshotToRead {
  readonly path: string;
  readonly read: ReadSnapshot;
}

interface ReadingOptions {
  /** What to read in place of the service. */
  readonly snapshot?: SnapshotToRead;
  /** The file of verdicts that guards look at. */
  readonly verdicts?: string;
}

export async function readProject(session: Session, options: ReadingOptions): Promise<ReadProject> {
  const { snapshot, ...asking } = options;
  if (snapshot !== undefined) {
    const { planAgainst } = await import('../plan/plan-against.ts');
    const made = await planAgainst(session, snapshot, { divides: true, ...asking });
    const source = { source: 'snapshot', readAt: made.against.taken_at } as const;
    const gap = { what: 'service_changes', project: made.loaded.project.name, why: 'snapshot' } as const;
    const log = { ...NO_CHANGES, gap };
    return stateOf(session, made, { source, all: snapshot.read.live.flags, log, requests: { listed: [] } });
  }
  return withPlan(session, { divides: true, schedules: 'all', unmanaged: true, ...asking }, async (made) => {
    const { live, loaded, opened, attributions } = made;
    const readAt = new Date(session.context.now()).toISOString();
    const [all, log, requests] = await Promise.all([
      // A plan reads only those that a manifest of the project names.
      withArchived(opened.client, live.flags),
      readServiceChanges(opened.client, loaded.project.name, live),
      listRequests(opened.client, live, {}),
    ]);
    const source = { source: 'live', readAt } as const;
    return stateOf(session, made, { source, all, log, requests, ...defined({ attributions }) });
  });
}

interface Read {
  readonly source: { readonly source: 'live' | 'snapshot'; readonly readAt: string };
  /** The flags of the service. */
  readonly all: readonly Flag[];
  readonly log: ServiceChanges;
  readonly requests: ReadRequests;
  readonly attributions?: Attributions;
}

async function stateOf(session: Session, made: MadePlan, read: Read): Promise<ReadProject> {
  const { desired, live, loaded } = made;
  const { source, all, log, requests, attributions } = read;
  const { project } = loaded;
  const flags = all.filter(({ deleted }) => deleted !== true);
  const subjects = live.flags.map(({ key, id }) => ({ key, id }));
  const scheduled = await findScheduledOf(session, { loaded, live }, subjects);
  const circumstances = { generation: generationOf(project, live.matching), now: new Date(session.context.now()) };
  const differences = differencesIn(made, attributions);
  const states = statesOf(
    { name: project.name, desired, flags, traces: live.traces, cohorts: once(() => cohortsOf(made, project)) },
    {
      wordOf: createWords(flags, circumstances),
      differences,
      rollouts: rolloutsOf(made, session.context.now()),
      requests: requestsOf(made, requests.listed, flags),
    },
  );
  const keys = new Map([...states].map(([key, { id }]) => [id, key]));
  const identity = identityOf(project);
  const named = flags.map((flag) => {
    const key = keys.get(flag.id) ?? flag.key;
    return key === flag.key ? flag : { ...flag, key };
  });
  return {
    project: { identity, ...source, ...defined({ scheduled }) },
    config: project,
    live: named,
    byId: byIdOf(named),
    states,
    changes: log.changes,
    deletions: log.deletions,
    gaps: [...(log.gap === undefined ? [] : [log.gap]), ...gapsIn(made, read, differences)],
  };
}

/** What the plan lacks. A snapshot may be of a time when schedules could not be read. */
function gapsIn(
  { plan: { base }, live, loaded: { project: of } }: MadePlan,
  { source: { source }, requests }: Read,
  differences: Known['differences'],
): readonly CatalogGap[] {
  const project = of.name;
  const isUndecided = [...differences.values()].some((own) => own.some(({ sort }) => sort === 'differs'));
  const reason = base?.kind === 'none' ? base.reason : ({ code: 'no_repository' } as const);
  const why = live.unknownSchedules ?? (live.schedules === undefined ? source : undefined);
  const noRequests = source === 'snapshot' ? source : requests.unread;
  return [
    ...(isUndecided ? [{ what: 'base', project, reason } as const] : []),
    ...(why === undefined || why === 'live' ? [] : [{ what: 'schedules', project, why } as const]),
    ...(noRequests === undefined ? [] : [{ what: 'requests', project, why: noRequests } as const]),
  ];
}

/** The project as its manifests declare it. */
export function declaredProject(session: Session, { project, resolution: { desired } }: ResolvedProject): ReadProject {
  const { desired: known, live } = asLive(desired, desired);
  const { flags } = live;
  const circumstances = { generation: generationOf(project), now: new Date(session.context.now()) };
  const states = statesOf(
    {
      name: project.name,
      desired,
      flags,
      traces: undefined,
      cohorts: once(() => cohortsOf({ desired: known, live }, project)),
    },
    { wordOf: createWords(flags, circumstances), differences: new Map(), rollouts: new Map(), requests: new Map() },
  );
  const withoutIds = new Map([...states].map(([key, { id: _id, ...state }]) => [key, state]));
  return {
    ...NOTHING_LIVE,
    project: { identity: identityOf(project), source: 'manifests' },
    config: project,
    states: withoutIds,
  };
}

/** A project of which nothing is known but why. */
export function unreadProject(project: ProjectConfig, reason: string): ReadProject {
  return { ...NOTHING_LIVE, project: { identity: identityOf(project), source: 'unread', reason }, config: project };
}

const NOTHING_LIVE = { live: [], byId: new Map(), states: new Map(), ...NO_CHANGES, gaps: [] } as const;

function byIdOf(flags: readonly Flag[]): ReadProject['byId'] {
  return new Map(flags.map((flag) => [flag.id, flag]));
}

interface Flags {
  readonly name: string;
  readonly desired: DesiredState;
  readonly flags: readonly Flag[];
  readonly traces: LiveState['traces'];
  readonly cohorts: () => CohortNames | undefined;
}

interface Known {
  readonly wordOf: ReturnType<typeof createWords>;
  readonly differences: ReadonlyMap<string, readonly FlagDifference[]>;
  readonly rollouts: ReadonlyMap<string, readonly RolloutInProject[]>;
  readonly requests: ReadonlyMap<string, readonly FlagRequest[]>;
}

function statesOf(
  { name, desired, flags, traces, cohorts }: Flags,
  { wordOf, differences, rollouts, requests }: Known,
): ReadonlyMap<string, FlagInProject> {
  const byKey = new Map(flags.map((flag) => [flag.key, flag]));
  const byId = byIdOf(flags);
  const former = new Map(
    (traces?.flags ?? []).flatMap((trace) => (trace.kind === 'former' ? [[trace.key, Number(trace.id)] as const] : [])),
  );
  const liveOf = (flag: DesiredFlag): Flag | undefined =>
    byKey.get(flag.key) ??
    (flag.kind === 'declared' ? flag.previousKeys.flatMap((key) => byKey.get(key) ?? [])[0] : undefined) ??
    byId.get(former.get(flag.key) ?? Number.NaN);
  const stateOfFlag = (key: string, live: Flag | undefined, isUnmanaged: boolean): FlagInProject => ({
    project: name,
    word: (live && wordOf(live.key)) ?? 'missing',
    differences: differences.get(key) ?? [],
    isUnmanaged,
    // What the project does not have waits for nobody.
    rollouts: (rollouts.get(key) ?? []).map((one) => {
      const { waits: _waits, ...unmade } = one;
      return live === undefined ? unmade : one;
    }),
    requests: requests.get(key) ?? (live && requests.get(live.key)) ?? [],
    ...(live?.archived === true && { isArchived: true }),
    ...(live && {
      id: live.id,
      fields: namedFields(live, (id) => byId.get(id)?.key, cohorts),
    }),
  });
  const taken = new Set<Flag>();
  const states = new Map<string, FlagInProject>();
  for (const flag of desired.flags) {
    const live = liveOf(flag);
    if (live !== undefined) taken.add(live);
    if (live !== undefined || flag.kind === 'declared') states.set(flag.key, stateOfFlag(flag.key, live, false));
  }
  for (const flag of flags) if (!taken.has(flag)) states.set(flag.key, stateOfFlag(flag.key, flag, isListed(flag)));
  // What somebody asks the service to create.
  const missing = [...requests.keys()].filter((key) => !states.has(key) && !byKey.has(key));
  const declared = new Set(missing.length === 0 ? [] : desired.flags.map(({ key }) => key));
  for (const key of missing) states.set(key, stateOfFlag(key, undefined, !declared.has(key)));
  return states;
}

function cohortsOf(
  { desired, live }: Pick<MadePlan, 'desired' | 'live'>,
  { cohorts }: ProjectConfig,
): CohortNames | undefined {
  return cohortNamesIn(
    live.flags.filter(({ filters }) => mayNameCohorts(filters)),
    cohorts,
    () => snapshotOf(desired, live).cohorts,
  );
}

/** Most flags name none, and are not searched for them. */
function mayNameCohorts(filters: JsonObject | undefined): boolean {
  return viewFilters(filters).mayName('cohorts');
}

/** What decides who gets the flag, with keys in place of the ids of other flags, and names in place of those of cohorts. */
export function namedFields(
  { active, filters }: Pick<Flag, 'active' | 'filters'>,
  keyOf: (id: number) => string | undefined,
  cohorts: () => CohortNames | undefined,
): JsonObject {
  const fields: JsonObject = defined({ active, filters });
  const flag = (reference: string | number): string | number => keyOf(Number(reference)) ?? reference;
  const named = mapReferencesIn(fields, { flag });
  return mayNameCohorts(filters) ? withCohortNames(named, bothNames(cohortNamesBeside(filters), cohorts())) : named;
}

/** `beta (Beta testers)`: who reads no manifests knows the name in the service, others the alias. */
function bothNames(inService: CohortNames, aliases: CohortNames = {}): CohortNames {
  const both = Object.entries(inService).flatMap(([id, name]): [string, string][] => {
    const alias = memberOf(aliases, id) ?? name;
    return alias.toLowerCase() === name.toLowerCase() ? [] : [[id, `${alias} (${name})`]];
  });
  return { ...inService, ...aliases, ...Object.fromEntries(both) };
}

function rolloutsOf({ plan, loaded: { config } }: MadePlan, now: number): Known['rollouts'] {
  const { stepsEvery: every = DEFAULT_STEPS_EVERY } = config;
  const waiting = waitingFlags(plan);
  const own = groupBy(plan.rollouts ?? [], ({ key }: PlannedRollout) => key);
  const withWait = (rollout: PlannedRollout): RolloutInProject => ({
    rollout,
    times: timesToCome(rollout, { now, every }),
    ...defined({ waits: waiting.get(rollout.key) }),
  });
  return new Map([...own].map(([key, rollouts]) => [key, rollouts.map(withWait)]));
}

/** By the key of the flag. A cohort that differs is a difference of each flag that uses it. */
function differencesIn(
  { plan, groups, cohortNames }: MadePlan,
  attributions: Attributions | undefined,
): Known['differences'] {
  const { warnings } = plan;
  const found = new Map<string, FlagDifference[]>();
  const add = (sort: FlagDifference['sort'], changes: readonly Change[], effects: readonly ResourceEffects[]): void => {
    const refs = new Map(changes.map((change) => [change.ref, change]));
    for (const one of withCohortNames(effects, cohortNames)) {
      const attribution = sort === 'drifted' ? newestOf(one.refs, attributions) : undefined;
      const difference = { sort, effects: one.effects, ...defined({ attribution }) };
      for (const key of flagsOf(one, refs)) {
        const isDue = sort === 'pending' && one.resource === 'flag' && makesOnlySteps(plan, key);
        found.set(key, [...(found.get(key) ?? []), isDue ? { ...difference, isDue } : difference]);
      }
    }
  };
  for (const { resource, key } of findUnwritable(warnings))
    if (resource === 'flag') found.set(key, [{ sort: 'differs', effects: [] }]);
  if (plan.base?.kind === 'commit' && groups !== undefined) {
    const conflicts = groups.drifted.flatMap((change) => partsInConflict(change) ?? []);
    add('pending', groups.pending, findEffects({ changes: groups.pending, warnings }));
    add('drifted', groups.drifted, findDriftEffects({ changes: groups.drifted, warnings }));
    // What both sides changed waits for an apply as well.
    add('pending', conflicts, findEffects({ changes: conflicts, warnings }));
    return found;
  }
  // What the service does not have was not applied yet; of anything else, only a base tells which side changed.
  const missing = plan.changes.filter(({ action }) => action === 'create');
  const others = plan.changes.filter(({ action }) => action !== 'create');
  add('pending', missing, findEffects({ changes: missing, warnings }));
  add('differs', others, findEffects({ changes: others, warnings }));
  return found;
}

/** `undefined`: git did not change what was edited. */
function partsInConflict(change: Change): Change | undefined {
  if (!('fields' in change)) return change.divergence === 'conflict' ? change : undefined;
  const fields = change.fields.filter(({ divergence }) => divergence === 'conflict');
  return fields.length === 0 ? undefined : ({ ...change, fields } as Change);
}

function flagsOf({ resource, key, effects, refs }: ResourceEffects, changes: ReadonlyMap<string, Change>): string[] {
  if (resource === 'flag') return [key];
  if (resource === 'cohort')
    return [...new Set(effects.flatMap((effect: Effect) => (effect.what === 'cohort' ? effect.flags : [])))];
  const owners = refs.flatMap((ref) => changes.get(ref)?.key ?? []);
  return resource === 'role_access' ? [...new Set(owners)] : [];
}

function newestOf(refs: readonly string[], attributions: Attributions | undefined): Attribution | undefined {
  const all = refs.flatMap((ref) => [...(attributions?.get(ref)?.values() ?? [])]);
  const known = all.flatMap((one) => (one.kind === 'known' ? [one] : []));
  const newest = known.toSorted((one, other) => Date.parse(other.at) - Date.parse(one.at))[0];
  return newest === undefined ? all[0] : { ...newest, ...defined({ by: newest.by && shortName(newest.by) }) };
}
