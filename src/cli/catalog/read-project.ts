/** What one project says of its flags: what is live, how that differs from the manifests, and what comes next. */

import type { ProjectConfig } from '../../config/config.ts';
import { defined } from '../../base/optional.ts';
import type { JsonObject } from '../../base/json.ts';
import { groupBy } from '../../base/group.ts';
import type { CatalogProject, FlagDifference, FlagInProject, PastChange } from '../../catalog/catalog.ts';
import { createWords } from '../../catalog/word.ts';
import type { PlannedRollout, WaitReason } from '../../core/rollout/rollout.ts';
import { asLive } from '../../posthog/as-live.ts';
import type { Attribution, Attributions } from '../../posthog/authors/attribution.ts';
import { cohortNamesIn, withCohortNames } from '../../posthog/cohort/names.ts';
import type { DesiredFlag, DesiredState } from '../../posthog/desired.ts';
import type { Flag } from '../../posthog/flag/model/flag.ts';
import type { LiveState } from '../../posthog/live.ts';
import type { Change, Plan } from '../../posthog/plan.ts';
import { snapshotOf } from '../../posthog/planning/build-plan.ts';
import { waitingFlags } from '../../posthog/rollouts/rollouts.ts';
import type { Effect, ResourceEffects } from '../../review/effects/effect.ts';
import { findDriftEffects, findEffects } from '../../review/effects/find-effects.ts';
import { generationOf } from '../../testing/generation-of.ts';
import { findScheduledOf } from '../plan/forecast.ts';
import { withPlan } from '../plan/make-plan.ts';
import { planAgainst } from '../plan/plan-against.ts';
import type { MadePlan } from '../plan/plan-states.ts';
import { identityOf } from '../project/open-project.ts';
import type { Session } from '../session/session.ts';
import { readServiceChanges } from './service-changes.ts';

export interface ReadProject {
  readonly project: CatalogProject;
  readonly config: ProjectConfig;
  /** The flags of the service, without deleted ones, by the keys of `states`: one that was renamed in the service is that of the manifests. */
  readonly live: readonly Flag[];
  readonly byId: ReadonlyMap<number, Flag>;
  /** By the key that the manifests give the flag, or that it has in the service. */
  readonly states: ReadonlyMap<string, FlagInProject>;
  /** What people and jobs changed in the service, by the id of the flag. */
  readonly changes: ReadonlyMap<number, readonly PastChange[]>;
}

/** `snapshot`: the file to read in place of the service. */
export async function readProject(session: Session, snapshot?: string): Promise<ReadProject> {
  if (snapshot !== undefined) {
    const made = await planAgainst(session, { path: snapshot }, { divides: true });
    const { against } = made;
    return stateOf(session, made, { source: { source: 'snapshot', readAt: against.taken_at }, changes: new Map() });
  }
  return withPlan(session, { divides: true, schedules: true, unmanaged: true }, async (made) => {
    const { live, loaded, opened, attributions } = made;
    const subjects = live.flags.map(({ key, id }) => ({ key, id }));
    const readAt = new Date(session.context.now()).toISOString();
    const scheduled = await findScheduledOf(session, { loaded, live }, subjects);
    const changes = await readServiceChanges(opened.client, live);
    const source = { source: 'live', readAt, ...defined({ scheduled }) } as const;
    return stateOf(session, made, { source, changes, ...defined({ attributions }) });
  });
}

interface Read extends Pick<ReadProject, 'changes'> {
  readonly source: Exclude<CatalogProject, { readonly source: 'manifests' | 'unread' }> extends infer Source
    ? Omit<Source, 'identity'>
    : never;
  readonly attributions?: Attributions;
}

function stateOf(session: Session, made: MadePlan, { source, changes, attributions }: Read): ReadProject {
  const { plan, desired, live, loaded } = made;
  const { project } = loaded;
  const flags = live.flags.filter(({ deleted }) => deleted !== true);
  const circumstances = { generation: generationOf(project, live.matching), now: new Date(session.context.now()) };
  const differences = differencesIn(made, attributions);
  const states = statesOf(
    { name: project.name, desired, flags, traces: live.traces, cohorts: cohortNamer(made) },
    { wordOf: createWords(flags, circumstances), differences, rollouts: rolloutsOf(plan) },
  );
  const keys = new Map([...states].map(([key, { id }]) => [id, key]));
  const identity = identityOf(project);
  const named = flags.map((flag) => ({ ...flag, key: keys.get(flag.id) ?? flag.key }));
  return {
    project: { identity, ...source } as CatalogProject,
    config: project,
    live: named,
    byId: byIdOf(named),
    states,
    changes,
  };
}

/** The project as its manifests declare it. */
export function declaredProject(session: Session, project: ProjectConfig, desired: DesiredState): ReadProject {
  const { live } = asLive(desired, desired);
  const { flags } = live;
  const circumstances = { generation: generationOf(project), now: new Date(session.context.now()) };
  const states = statesOf(
    { name: project.name, desired, flags, traces: undefined, cohorts: (fields) => fields },
    { wordOf: createWords(flags, circumstances), differences: new Map(), rollouts: new Map() },
  );
  const known = new Map([...states].map(([key, { id: _id, ...state }]) => [key, state]));
  const source = { identity: identityOf(project), source: 'manifests' } as const;
  return { project: source, config: project, live: [], byId: new Map(), states: known, changes: new Map() };
}

/** A project of which nothing is known but why. */
export function unreadProject(project: ProjectConfig, reason: string): ReadProject {
  const source = { identity: identityOf(project), source: 'unread', reason } as const;
  return { project: source, config: project, live: [], byId: new Map(), states: new Map(), changes: new Map() };
}

function byIdOf(flags: readonly Flag[]): ReadProject['byId'] {
  return new Map(flags.map((flag) => [flag.id, flag]));
}

interface Flags {
  readonly name: string;
  readonly desired: DesiredState;
  readonly flags: readonly Flag[];
  readonly traces: LiveState['traces'];
  readonly cohorts: (fields: JsonObject) => JsonObject;
}

interface Known {
  readonly wordOf: ReturnType<typeof createWords>;
  readonly differences: ReadonlyMap<string, readonly FlagDifference[]>;
  readonly rollouts: ReadonlyMap<string, FlagInProject['rollouts']>;
}

function statesOf(
  { name, desired, flags, traces, cohorts }: Flags,
  { wordOf, differences, rollouts }: Known,
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
    rollouts: rollouts.get(key) ?? [],
    ...(live && {
      id: live.id,
      fields: cohorts(defined({ active: live.active, filters: live.filters as JsonObject | undefined })),
    }),
  });
  const taken = new Set<Flag>();
  const states = new Map<string, FlagInProject>();
  for (const flag of desired.flags) {
    const live = liveOf(flag);
    if (live !== undefined) taken.add(live);
    if (live !== undefined || flag.kind === 'declared') states.set(flag.key, stateOfFlag(flag.key, live, false));
  }
  for (const flag of flags) if (!taken.has(flag)) states.set(flag.key, stateOfFlag(flag.key, flag, true));
  return states;
}

function cohortNamer({ desired, live, loaded }: MadePlan): Flags['cohorts'] {
  const names = cohortNamesIn(live.flags, loaded.project.cohorts, () => snapshotOf(desired, live).cohorts);
  return (fields) => withCohortNames(fields, names);
}

function rolloutsOf(plan: Plan): Known['rollouts'] {
  const waiting = waitingFlags(plan);
  const own = groupBy(plan.rollouts ?? [], ({ key }: PlannedRollout) => key);
  const withWait = (rollout: PlannedRollout): { rollout: PlannedRollout; waits?: WaitReason } => ({
    rollout,
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
      for (const key of flagsOf(one, refs)) found.set(key, [...(found.get(key) ?? []), difference]);
    }
  };
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

/** An address without its host, since addresses are not for every reader. */
function shortName(name: string): string {
  return /^[^\s@]+@[^\s@]+$/.test(name) ? (name.split('@')[0] ?? name) : name;
}
