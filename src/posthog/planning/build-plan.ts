/** Makes the plan of a PostHog project: what makes live state match the desired one, without what an ambiguous name makes unwritable. */

import { reach } from '../../base/graph.ts';
import { objectFrom, type JsonValue } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { findEarlier, type Unrecorded } from '../../core/engine/base.ts';
import type { DesiredResource } from '../../core/engine/desired.ts';
import { familyOf } from '../../core/engine/kind.ts';
import { makePlan, type PlanOptions, type WorldToPlan } from '../../core/engine/make-plan.ts';
import type { Matches } from '../../core/engine/match.ts';
import type { LeaveRule, Match } from '../../core/engine/matched.ts';
import { type Exception, isAbout } from '../../core/engine/exceptions.ts';
import type { Identified } from '../../core/engine/plan.ts';
import { DEFAULT_LIMITS } from '../../core/engine/safety.ts';
import type { ResourceId, LiveResource } from '../../core/engine/snapshot.ts';
import type { DesiredState } from '../desired.ts';
import { FAMILIES, type OwnFamily, RESOLVABLE_FAMILIES } from '../families.ts';
import type { MatchedFamilies, MatchedFamily, ToMatch } from '../family.ts';
import type { PostHog, PostHogKind } from '../kind.ts';
import { KINDS } from '../kinds.ts';
import type { LiveState } from '../live.ts';
import { nameResource } from '../names/resource-name.ts';
import type { Plan } from '../plan.ts';
import { rolloutsIn, withReasons } from '../rollouts/rollouts.ts';
import { findRolloutChanges } from '../rollouts/rollouts-in-review.ts';
import { type ProjectSnapshot, takeSnapshot } from '../snapshot.ts';
import type { Base } from './base.ts';
import { findUnrecorded } from './drift-groups.ts';

export type { PlanOptions } from '../../core/engine/make-plan.ts';

export interface BuildOptions extends Partial<PlanOptions> {
  readonly base?: Base;
  /** Further declarations of the resources: rules about their names apply too. */
  readonly alsoNamed?: DesiredState;
  /** Leave what only the service changed, except of resources with an exception of `conflict`. */
  readonly keepDrift?: boolean;
  /** The keys of flags whose due steps a rule refuses. */
  readonly refused?: ReadonlySet<string>;
}

/** Usual limits, every flag in scope, nothing protected, no exceptions; the project has no name. */
export const DEFAULT_OPTIONS: PlanOptions = {
  project: { name: 'default', host: 'unknown', project_id: 'unknown' },
  scope: { include: ['*'], exclude: [] },
  limits: DEFAULT_LIMITS,
  protected: [],
  exceptions: [],
  prune: false,
};

/**
 * Pure: equal states give equal plans, whatever their order. Preview, drift, apply and export all call it.
 * @throws {FlagwrightError} `manifest_invalid` for levels of access that the project's service cannot hold.
 */
export function buildPlan(
  desired: DesiredState,
  live: LiveState,
  { base, alsoNamed, keepDrift, leaving = [], refused, ...given }: BuildOptions = {},
): Plan {
  const options = { ...DEFAULT_OPTIONS, ...given };
  const states = { desired, live, former: base?.desired };
  const present = KINDS.filter((kind) => kind.isPresent(states));
  const { matches, further, snapshot, formerNames, identified } = matchFamilies(states, present);
  const otherNames = findOtherNames([desired, base?.desired, alsoNamed]);
  const excepting = (rule: string, name: string): readonly Exception[] =>
    options.exceptions.filter(
      (one) => one.rules.includes(rule) && isAbout(one, { name, liveName: formerNames.get(name) ?? name }),
    );
  const leaveDrift: LeaveRule = {
    by: 'unit',
    isLeft: ({ divergence }, { name }) => divergence === 'drifted' && excepting('conflict', name).length === 0,
  };
  // Flags that `off` found off.
  const off = live.flags.filter(({ id }) => live.turnedOff?.get(id)?.already === true);
  const withFormer = (one: Unrecorded): Unrecorded => ({ ...one, ...defined({ former: formerNames.get(one.key) }) });
  return makePlan<PostHog>(
    matches,
    {
      kinds: KINDS,
      present,
      snapshot,
      live: live.flags,
      further,
      findRollouts: (found) =>
        withReasons(rolloutsIn(desired, live), {
          ...found,
          ...defined({ base: base?.facts, commit: options.commit, refused }),
          otherNames,
          kept: new Map(off.map(({ key, id }) => [key, id])),
          // An exception that was granted before says nothing about a later `off`.
          isContinued: (key) =>
            excepting('switched_off', key).some(({ origin }) => origin.from === 'option' || origin.isApproved),
        }),
      findEarlier: (given) => findEarlier(findUnrecorded(given).map(withFormer), base?.facts),
    },
    {
      ...options,
      leaving: keepDrift === true ? [...leaving, leaveDrift] : leaving,
      // Only the apply of a commit is recorded.
      ...defined({ baseFacts: base?.facts, identified: options.commit === undefined ? undefined : identified }),
      otherNames,
      // An apply of targets records no steps.
      rolloutChanges: options.targets === undefined ? findRolloutChanges(desired, base?.desired) : [],
    },
  );
}

/** Live state, in which resources have the names that a plan of the desired state gives them. */
export function snapshotOf(desired: DesiredState, live: LiveState): ProjectSnapshot {
  const states = { desired, live, former: undefined };
  return matchFamilies(
    states,
    KINDS.filter((kind) => kind.isPresent(states)),
  ).snapshot;
}

type PlannedFamily = NonNullable<WorldToPlan<PostHog>['further']>[number];

interface PlannedFamilies {
  /** Matches of the main family. */
  readonly matches: Matches<PostHog['desired'], PostHog['live']>;
  readonly further: readonly PlannedFamily[];
  /** The resources have the names that the plan gives them. */
  readonly snapshot: ProjectSnapshot;
  /** The former names of the resources in the base, if they differ; all in the form of options. */
  readonly formerNames: ReadonlyMap<string, string>;
  /** See `Plan`. */
  readonly identified: Identified | undefined;
}

function matchFamilies(
  { desired, live, former }: Pick<ToMatch, 'desired' | 'live' | 'former'>,
  present: readonly PostHogKind[],
): PlannedFamilies {
  let snapshot = takeSnapshot(live);
  let earlier: MatchedFamilies = {};
  const found: FamilyMatch[] = [];
  for (const family of RESOLVABLE_FAMILIES) {
    const matched: MatchedResources | undefined = family.match({ desired, live, former, snapshot, earlier });
    if (matched === undefined) continue;
    found.push({ family, matched });
    earlier = { ...earlier, [family.section]: matched };
    snapshot = family.name(snapshot, matched.names);
  }
  for (const kind of present) kind.refuse?.(desired, snapshot);
  const shared = found.flatMap(({ family: { kind }, matched }) =>
    matched.shared.map(({ desired }) => nameResource(kind, desired.key)),
  );
  const held = shared.length === 0 ? undefined : findUnidentified(shared, found.flatMap(namePairs));
  const planned = found.map((one) => toPlanned(one, held, snapshot));
  const placeOf = ({ name }: PlannedFamily): number => KINDS.findIndex((kind) => kind.name === name);
  const [main, ...further] = planned.toSorted((a, b) => placeOf(a) - placeOf(b));
  if (main === undefined) throw new TypeError('The main family is always matched.');
  const names = { formerNames: new Map(found.flatMap(formerNamesIn)), identified: findIdentified(found, former) };
  return { matches: main.matches, further, snapshot, ...names };
}

type MatchedResources = MatchedFamily<PostHog['desired'], PostHog['live']>;

interface FamilyMatch {
  readonly family: OwnFamily;
  readonly matched: MatchedResources;
}

function namePairs({ family: { kind }, matched }: FamilyMatch): NamedPair[] {
  const own = KINDS.filter((one) => familyOf(one) === kind);
  return matched.matches.pairs.map(({ desired, live }) => ({
    name: nameResource(kind, desired.key),
    needs: own.flatMap((one) => one.dependencies?.(desired) ?? []),
    isLive: live !== undefined && live.deleted !== true,
  }));
}

/** A resource that cannot be identified is in a pair without a live one. */
function toPlanned(
  { family, matched }: FamilyMatch,
  held: Unidentified | undefined,
  snapshot: ProjectSnapshot,
): PlannedFamily {
  const { matches, shared, warnings, released } = matched;
  if (held === undefined) return { name: family.kind, matches, live: [], warnings, ...defined({ released }) };
  const pairs = [...matches.pairs, ...shared.map(({ desired }) => ({ desired }))];
  const ofShared = shared.length === 0 ? [] : (family.warnOfShared?.(shared, held, snapshot) ?? []);
  return {
    name: family.kind,
    matches: {
      ...matches,
      pairs: pairs.map((pair) => withoutUnidentified(pair, nameResource(family.kind, pair.desired.key), held)),
    },
    live: [],
    warnings: [...warnings, ...ofShared],
    ...defined({ released }),
  };
}

/** What differs from the recorded ids of flags and cohorts. An early access feature is found by its flag. */
function findIdentified(found: readonly FamilyMatch[], former: DesiredState | undefined): Identified | undefined {
  const changed = new Map<string, ResourceId | null>();
  for (const { family, matched } of found.filter(({ family: { section } }) => section !== 'early_access')) {
    const before = new Map<string, ResourceId>();
    const declared: readonly DesiredResource[] = former?.[family.section] ?? [];
    for (const one of declared) {
      if (one.kind === 'declared' && one.recordedId !== undefined) before.set(one.key, one.recordedId);
    }
    for (const { desired, live } of matched.matches.pairs) {
      if (desired.kind === 'retired' || live === undefined || live.deleted === true) continue;
      if (before.get(desired.key) !== live.id) changed.set(nameResource(family.kind, desired.key), live.id);
      before.delete(desired.key);
    }
    for (const key of before.keys()) changed.set(nameResource(family.kind, key), null);
  }
  return changed.size === 0 ? undefined : Object.fromEntries(changed);
}

function formerNamesIn({ family: { kind }, matched }: FamilyMatch): [string, string][] {
  return matched.matches.pairs.flatMap(({ desired, base }): [string, string][] =>
    base === undefined || base === null || base.key === desired.key
      ? []
      : [[nameResource(kind, desired.key), nameResource(kind, base.key)]],
  );
}

/**
 * Finds the other names that a declared resource has or had: rules about one of them apply to it too. Names are as in options. The
 * declarations of the base count too, so that a change cannot drop a rule by removing a previous key.
 */
export function findOtherNames(states: readonly (DesiredState | undefined)[]): (name: string) => readonly string[] {
  const groups = FAMILIES.map(({ section, ...family }) =>
    groupNames(
      states.flatMap((state): readonly PostHog['desired'][] => state?.[section] ?? []),
      (one) => family.knownNames(one),
    ),
  );
  const isOther = (name: string, other: string): boolean => other !== name && !other.startsWith(ID);
  return (name) => groups.flatMap((names) => [...(names.get(name) ?? [])]).filter((other) => isOther(name, other));
}

/** A name by id identifies one resource, even if its other names change: no other name has this prefix. */
const ID = 'id ';

/** Resources that share a name, before or after a rename, count as one. */
function groupNames<Resource>(
  resources: readonly Resource[],
  namesOf: (resource: Resource) => readonly string[],
): ReadonlyMap<string, ReadonlySet<string>> {
  const groups = new Map<string, Set<string>>();
  for (const names of resources.map(namesOf)) {
    const joined = new Set(names.flatMap((name) => [name, ...(groups.get(name) ?? [])]));
    for (const name of joined) groups.set(name, joined);
  }
  return groups;
}

/** A matched resource, as options name it, with the resources that its conditions name. */
interface NamedPair {
  readonly name: string;
  readonly needs: readonly string[];
  readonly isLive: boolean;
}

/**
 * The resources that no plan can write, by name: those whose name several live ones have, and those that cannot be created without them; and
 * those with conditions on these.
 */
export interface Unidentified {
  readonly whole: ReadonlySet<string>;
  readonly conditions: ReadonlySet<string>;
}

/** `shared`: as options name them. */
export function findUnidentified(shared: readonly string[], pairs: readonly NamedPair[]): Unidentified {
  const created = pairs.filter(({ isLive }) => !isLive);
  const whole = reach(shared, (one) => created.filter(({ needs }) => needs.includes(one)).map(({ name }) => name));
  const users = pairs.filter(({ isLive, needs }) => isLive && needs.some((one) => whole.has(one)));
  return { whole, conditions: new Set(users.map(({ name }) => name)) };
}

/** The same pair, without its unidentified parts. */
export function withoutUnidentified<One extends PostHog['desired'] & DesiredResource, Live extends LiveResource>(
  pair: Match<One, Live>,
  name: string,
  { whole, conditions }: Unidentified,
): Match<One, Live> {
  if (whole.has(name)) return { ...pair, isUnwritable: true };
  const { desired } = pair;
  if (!conditions.has(name) || desired.kind === 'retired') return pair;
  const others = Object.entries(desired.fields).filter(([field]) => field !== 'filters');
  return { ...pair, desired: { ...desired, fields: objectFrom(others as [string, JsonValue][]) } };
}
