/**
 * Bounds the share of people for whom a plan turns flags on: changed flags, and flags that depend on them or use a changed cohort. A flag
 * turns on by its own change, or because a flag or cohort that it depends on changes; the shares add up.
 *
 * A change turns a flag on for a share of its hashes, a bound that no person exceeds. A flag hashes persons and each type of group
 * separately; conditions of one type share the hash. For a person who matches some of these conditions, the share of the hash is the largest
 * of their percentages. The hashes are independent of each other: with the shares p and q, the flag is on for 1 - (1 - p)(1 - q). A holdout is
 * one more hash.
 */

import { reach } from '../../../base/graph.ts';
import {
  canonicalText,
  isJsonArray,
  isJsonObject,
  jsonEquals,
  memberOf,
  objectOrEmpty,
  type JsonObject,
} from '../../../base/json.ts';
import { compareAudiences, isReadable } from '../../effects/audience.ts';
import { joinReaches, type NumberedCondition } from '../../effects/effect.ts';
import { AGGREGATION, aggregationIn, numberConditions } from '../../effects/sides.ts';
import type { FlagStates } from '../../../posthog/flag/snapshot.ts';
import { type Flag, rolloutOf, viewFilters } from '../../../posthog/flag/model/flag.ts';
import { flagReferences } from '../../../posthog/flag/model/references.ts';
import type { JudgedResource, TurnedOn, Widening } from './policy-kind.ts';

/** A changed resource before its widening is known. */
type ChangedResource = Omit<JudgedResource, 'widening'>;

/**
 * The widening of each resource that may turn a flag on. `flags`: all flags before the changes, with dependencies by key or id; absent if
 * unknown.
 */
export function findWidenings(
  resources: readonly ChangedResource[],
  flags: readonly Flag[] | undefined,
): ReadonlyMap<ChangedResource, Widening> {
  const graph = createGraph(resources, flags ?? []);
  const found = resources.map((resource): [ChangedResource, Widening] => {
    const own = resource.resource === 'flag' ? ownOf(resource, graph) : NOBODY;
    return [resource, { own, others: othersOf(resource, graph, flags !== undefined) }];
  });
  return new Map(found.filter(([, { own, others }]) => own.points > 0 || others.length > 0));
}

interface FlagGraph {
  /** The flags after the changes, by key. */
  readonly flags: ReadonlyMap<string, JsonObject>;
  readonly dependenciesOf: (key: string) => readonly string[];
  readonly dependentsOf: (key: string) => readonly string[];
  /** The flags that ask for more than that those they depend on are on. */
  readonly mixed: ReadonlySet<string>;
  /** The percentage points of everybody who may get another value by the flag's own change, for each changed flag. */
  readonly changes: ReadonlyMap<string, number>;
  /** Of these, the points of those who do not just lose it. */
  readonly gains: ReadonlyMap<string, number>;
  /** Flags with a changed cohort, and those that may turn on by it: it may have any members among those who joined or left it. */
  readonly cohortUsers: { readonly changed: ReadonlySet<string>; readonly turnedOn: ReadonlySet<string> };
}

function createGraph(resources: readonly ChangedResource[], known: readonly Flag[]): FlagGraph {
  const ofFlags = resources.filter(({ resource }) => resource === 'flag');
  const former = new Set(ofFlags.flatMap(({ key, liveName = key }) => [key, liveName]));
  const others = known.filter(({ key, deleted }) => deleted !== true && !former.has(key));
  const after = [
    ...others.map((flag): [string, JsonObject] => [flag.key, flag]),
    ...ofFlags.flatMap(({ key, after: flag }): [string, JsonObject][] => (flag === undefined ? [] : [[key, flag]])),
  ];
  // Resolves ids in live flags, and keys elsewhere; a renamed flag has its new key.
  const byId = new Map(known.map(({ id, key }) => [String(id), key]));
  const renamed = new Map(ofFlags.flatMap(({ key, liveName }) => (liveName === undefined ? [] : [[liveName, key]])));
  const named = (name: string): string => {
    const key = byId.get(name) ?? name;
    return renamed.get(key) ?? key;
  };
  const edges = new Map<string, Set<string>>();
  const mixed = new Set<string>();
  const connect = (key: string, flag: JsonObject | undefined): void => {
    const filters = objectOrEmpty(flag?.['filters']);
    const names = flagReferences(filters).map((name) => named(String(name)));
    edges.set(key, new Set([...(edges.get(key) ?? []), ...names]));
    if (filters['early_exit'] === true || countAskedOn(filters) < names.length) mixed.add(key);
  };
  for (const [key, flag] of after) connect(key, flag);
  for (const { key, before } of ofFlags) connect(key, before);
  const reversed = new Map<string, string[]>();
  for (const [key, names] of edges) for (const name of names) reversed.set(name, [...(reversed.get(name) ?? []), key]);
  return {
    flags: new Map(after),
    dependenciesOf: (key) => [...(edges.get(key) ?? [])],
    dependentsOf: (key) => reversed.get(key) ?? [],
    mixed,
    changes: new Map(ofFlags.map((resource) => [resource.key, valueChanges(resource)])),
    gains: new Map(ofFlags.map((resource) => [resource.key, valueChanges(resource, 'gains')])),
    cohortUsers: {
      changed: new Set(resources.flatMap(usersOf)),
      turnedOn: new Set(resources.filter(({ classes }) => joinReaches(classes).turnsOn).flatMap(usersOf)),
    },
  };
}

function countAskedOn(filters: JsonObject): number {
  return numberConditions(filters)
    .flatMap(({ condition: { properties } }) => (isJsonArray(properties) ? properties.filter(isJsonObject) : []))
    .filter(({ type, operator, value }) => type === 'flag' && operator === 'flag_evaluates_to' && value === true)
    .length;
}

/** The flags that use a changed cohort. A new cohort has no users yet: a flag that begins to use it has its own change. */
function usersOf({ effects }: ChangedResource): readonly string[] {
  return effects.flatMap((effect) =>
    effect.what === 'cohort' && effect.action !== 'create' && !effect.classes.includes('metadata') ? effect.flags : [],
  );
}

/** A flag that is created or deleted changes the flags that depend on it, even if it is disabled. */
function valueChanges(
  { classes, effects, before, after, changes }: ChangedResource,
  counted: 'all' | 'gains' = 'all',
): number {
  const isRenamed = effects.some(({ what }) => what === 'renamed');
  if (before === undefined || after === undefined || isRenamed) return 100;
  if (changes.some(({ action }) => action === 'restore')) return 100;
  const { turnsOn, turnsOff } = joinReaches(classes);
  if (classes.includes('opaque')) return 100;
  const points = effects.map((effect) => {
    if (!joinReaches(effect.classes).changesVariant) return 0;
    return effect.what === 'variants' ? effect.moved : 100;
  });
  const shares = [
    turnsOn ? turnedOn({ before, after }).points : 0,
    turnsOff && counted === 'all' ? turnedOn({ before: after, after: before }).points : 0,
  ];
  return Math.min(
    100,
    [...points, ...shares].reduce((sum, share) => sum + share, 0),
  );
}

function ownOf(resource: ChangedResource, graph: FlagGraph): TurnedOn {
  const { key, classes, effects, before, after, dormant } = resource;
  if (dormant === true || after === undefined || !isOn(after)) return NOBODY;
  const turning = effects.filter((effect) => joinReaches(effect.classes).turnsOn);
  if (turning.some((effect) => effect.classes.includes('opaque'))) return UNKNOWN;
  const own = joinReaches(classes).turnsOn ? turnedOn({ after, ...(before && { before }) }) : NOBODY;
  // Adds what dependencies change, up to the flag's own audience: it turns on for nobody outside.
  const upstream = upstreamOf(key, graph);
  if (upstream === 0) return own;
  const whole = turnedOn({ after });
  const points = Math.min(whole.points, own.points + upstream);
  return points === own.points ? own : { ...(own.points > 0 ? own : whole), points, exact: false };
}

/**
 * The share of people for whom flags and cohorts change that the flag's conditions use. Whoever loses a flag turns on nothing that asks for
 * it, and nothing that asks for that in turn.
 */
function upstreamOf(key: string, { dependenciesOf, mixed, changes, gains, cohortUsers }: FlagGraph): number {
  const others = [...reach(dependenciesOf(key), dependenciesOf)].filter((name) => name !== key);
  const starts = [key, ...others].filter((name) => mixed.has(name)).flatMap(dependenciesOf);
  const either = new Set(reach(starts, dependenciesOf));
  if (cohortUsers.turnedOn.has(key) || others.some((name) => cohortUsers.changed.has(name))) return 100;
  return Math.min(
    100,
    others.reduce((sum, name) => sum + ((either.has(name) ? changes : gains).get(name) ?? 0), 0),
  );
}

/** The widening of flags without a change of their own; the others are judged themselves. */
function othersOf(resource: ChangedResource, graph: FlagGraph, areKnown: boolean): Widening['others'] {
  const users = usersOf(resource);
  const starts = (graph.changes.get(resource.key) ?? 0) > 0 && resource.resource === 'flag' ? [resource.key] : users;
  const reached = [...reach(starts, graph.dependentsOf)].filter((key) => !graph.changes.has(key));
  return reached.toSorted().flatMap((key) => {
    const flag = graph.flags.get(key);
    if (flag === undefined) return areKnown ? [] : [{ key, points: 100 }];
    const points = Math.min(turnedOn({ after: flag }).points, upstreamOf(key, graph));
    return points > 0 ? [{ key, points }] : [];
  });
}

const NOBODY: TurnedOn = { points: 0, exact: true, pointer: '/filters' };
/** The share is unknown. */
const UNKNOWN: TurnedOn = { points: 100, exact: false, pointer: '/filters' };

/** Assumes that nothing but the flag changes. `before` and `after` are in one form, with dependencies by key. */
export function turnedOn({ before, after }: FlagStates): TurnedOn {
  if (after === undefined || !isOn(after)) return NOBODY;
  const filters = objectOrEmpty(after['filters']);
  if (viewFilters(filters).isOpaque) return UNKNOWN;
  const wasOn = before !== undefined && isOn(before);
  const former = wasOn && decidesAlike(before, after) ? objectOrEmpty(before['filters']) : undefined;
  // Early access decides by a property of the person, before any hash, so the number of people is unknown.
  const { super_groups: groups, feature_enrollment: enrols, holdout_groups: old } = filters;
  const hasEarlyAccess = enrols === true || [groups, old].some((list) => isJsonArray(list) && list.length > 0);
  if (former === undefined && hasEarlyAccess) return { ...UNKNOWN, pointer: '/filters/super_groups' };
  const parts = [...conditionParts(filters, former), holdoutPart(filters, former)];
  const found = joinParts(parts.filter(({ points }) => points > 0));
  // The flag may have been on for the same people before, by rules that differ.
  return wasOn && former === undefined ? { ...found, exact: false } : found;
}

function isOn(flag: JsonObject): boolean {
  return flag['active'] !== false && flag['deleted'] !== true;
}

/** Whether everything but conditions decides as before, so that whoever has the flag by a condition keeps it by the same condition. */
function decidesAlike(before: JsonObject, after: JsonObject): boolean {
  const [former, wanted] = [objectOrEmpty(before['filters']), objectOrEmpty(after['filters'])];
  const same = (members: readonly string[], one: JsonObject, other: JsonObject): boolean =>
    members.every((name) => jsonEquals(usual(name, one), usual(name, other)));
  const dependencies = (filters: JsonObject): string[] => [...new Set(flagReferences(filters).map(String))].toSorted();
  return (
    !viewFilters(former).isOpaque &&
    same(FIELDS, before, after) &&
    same(PARTS, former, wanted) &&
    // A dependency on a flag that does not exist turns the flag off.
    jsonEquals(dependencies(former), dependencies(wanted))
  );
}

const FIELDS = [
  'key',
  'ensure_experience_continuity',
  'bucketing_identifier',
  'evaluation_runtime',
  'evaluation_contexts',
  'evaluation_tags',
];
const PARTS = [AGGREGATION, 'super_groups', 'feature_enrollment', 'holdout_groups'];

/** The value of a member, with the default for one that is absent or empty. */
function usual(name: string, object: JsonObject): JsonObject[string] {
  const value = memberOf(object, name) ?? null;
  if (name === 'bucketing_identifier') return value ?? 'distinct_id';
  return value === false || (isJsonArray(value) && value.length === 0) ? null : value;
}

/** The part of one condition, or of the holdout. */
interface TurnedOnPart extends TurnedOn {
  readonly hash: string;
  /** Whether some people had the flag by this hash before. */
  readonly isStep: boolean;
}

function conditionParts(filters: JsonObject, former: JsonObject | undefined): TurnedOnPart[] {
  const kept = former === undefined ? [] : numberConditions(former);
  const exits = former?.['early_exit'] === true;
  const isAlike = former !== undefined && asksAlike(former, filters);
  const parts = numberConditions(filters).map((condition, index): TurnedOnPart => {
    const hash = hashOf(filters, condition);
    const before = kept.filter((one, place) =>
      exits ? isAlike && place === index : hashOf(objectOrEmpty(former), one) === hash && includes(one, condition),
    );
    return { hash, ...gainOf(condition, before) };
  });
  // One condition decides for each person if both sides have `early_exit`.
  return exits && isAlike ? parts.map((part) => ({ ...part, hash: '' })) : parts;
}

function hashOf(filters: JsonObject, { condition }: NumberedCondition): string {
  return canonicalText(aggregationIn(filters, condition));
}

/** Whether both lists of conditions ask for the same people in the same order. */
function asksAlike(former: JsonObject, filters: JsonObject): boolean {
  const asked = [former, filters].map((one) =>
    numberConditions(one).map(({ condition: { properties = [], variant = null, ...condition } }) => [
      properties ?? [],
      variant,
      aggregationIn(one, condition),
    ]),
  );
  return filters['early_exit'] === true && jsonEquals(asked[0] ?? null, asked[1] ?? null);
}

/** Whether everybody who matches the condition also matched the former one. */
function includes({ condition: former }: NumberedCondition, { condition }: NumberedCondition): boolean {
  const [before, after] = [former['properties'] ?? [], condition['properties'] ?? []];
  if (!isJsonArray(before) || !before.every(isJsonObject) || !isJsonArray(after) || !after.every(isJsonObject))
    return false;
  if (![...before, ...after].every(isReadable)) return jsonEquals(before, after);
  return ['same', 'narrower'].includes(compareAudiences(before, after).direction);
}

/** A percentage that cannot be read counts as 100. */
function gainOf(
  { condition, number }: NumberedCondition,
  before: readonly NumberedCondition[],
): Omit<TurnedOnPart, 'hash'> {
  const pointer = `/filters/groups/${number - 1}`;
  const rollout = rolloutOf(condition);
  const had = Math.max(0, ...before.map((one) => rolloutOf(one.condition) ?? 0));
  if (rollout === undefined) return { points: 100, exact: false, pointer, isStep: false };
  return { points: Math.max(0, rollout - had), exact: true, pointer, isStep: had > 0 };
}

/** People in a holdout get its value, which is not `false`. All flags share its hash. */
function holdoutPart(filters: JsonObject, former: JsonObject | undefined): TurnedOnPart {
  const [had, has] = [excludedBy(former?.['holdout']), excludedBy(filters['holdout'])];
  const points = has === undefined ? 100 : Math.max(0, has - (had ?? 0));
  return { hash: 'holdout', points, exact: has !== undefined, pointer: '/filters/holdout', isStep: (had ?? 0) > 0 };
}

function excludedBy(holdout: JsonObject[string]): number | undefined {
  if (holdout === undefined || holdout === null) return 0;
  const { id, exclusion_percentage: percentage } = objectOrEmpty(holdout);
  if (typeof id !== 'number' || typeof percentage !== 'number') return undefined;
  return Math.min(100, Math.max(0, percentage));
}

function joinParts(parts: readonly TurnedOnPart[]): TurnedOn {
  const largest = parts.toSorted((one, other) => other.points - one.points);
  const [first] = largest;
  if (first === undefined) return NOBODY;
  const ofHashes = [...new Set(parts.map(({ hash }) => hash))].map(
    (hash) => largest.find((part) => part.hash === hash) ?? first,
  );
  const off = ofHashes.reduce((share, { points }) => share * (1 - points / 100), 1);
  // Differences of decimals are not exact in binary. Two decimals, rounded up, stay a bound.
  const points =
    ofHashes.length === 1
      ? Math.round(first.points * 1e6) / 1e6
      : Math.min(100, Math.ceil((1 - off) * 1e4 - 1e-6) / 100);
  // People who had the flag by one hash do not turn on by another, so several steps are not exact.
  const isExact = ofHashes.every(({ exact, isStep }) => exact && (ofHashes.length === 1 || !isStep));
  return { points, exact: isExact, pointer: first.pointer };
}
