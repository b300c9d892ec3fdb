/** What a run reads of the live state: the selection that each stage needs, and which archived flags it takes. */

import { reach } from '../base/graph.ts';
import { defined } from '../base/optional.ts';
import { familyOf, nameOf } from '../core/engine/kind.ts';
import { matchTargets, type TargetedResource } from '../core/engine/scope.ts';
import type { ResourceId } from '../core/engine/snapshot.ts';
import type { DesiredState } from './desired.ts';
import { FAMILIES } from './families.ts';
import type { Flag } from './flag/model/flag.ts';
import { flagReferences } from './flag/model/references.ts';
import type { ByFamily, FamilyName, FamilyTypes, FurtherFamily } from './kind-types.ts';
import type { PostHog } from './kind.ts';
import { isOfFlag, kindFor, KINDS } from './kinds.ts';
import type { Change } from './plan.ts';

/** Resources of one family. */
export interface SelectedResources<Desired, Id extends ResourceId = ResourceId> {
  /** Keys that the service currently has. */
  readonly keys?: readonly string[];
  /** Ids that are read one by one if the list omits them, as it does with deleted ones. */
  readonly ids?: readonly Id[];
  /** The declared ones: where the list has none of the names of one, the resource that had them is looked for. */
  readonly declared?: readonly Desired[];
}

/** A further family is listed where it has a member. */
export interface LiveSelection extends ByFamily<{
  readonly [Name in FamilyName]: SelectedResources<FamilyTypes[Name]['desired'], FamilyTypes[Name]['live']['id']>;
}> {
  readonly roleAccess?: SelectedAccess;
}

/** The flags whose role access is selected. */
export interface SelectedAccess {
  readonly keys?: readonly string[];
  /** The same by id, where keys may have changed since. */
  readonly ids?: readonly number[];
  /** The declared access: a flag that has it by the lists by subject needs no separate request. */
  readonly expected?: readonly ExpectedAccess[];
  /** The access to every flag, or to those with these ids, is listed: what the lists by subject say is enough. */
  readonly inventory?: 'all' | readonly number[];
  /** Whether to read what the organization says about access, where flags have levels of access. */
  readonly organization?: boolean;
}

/** The declared access to one flag. Absent members are not managed. */
export interface ExpectedAccess {
  /** The keys that the flag may have. */
  readonly keys: readonly string[];
  readonly roles?: readonly { readonly id: string; readonly level: string }[];
  /** Null: no level of its own. */
  readonly everyone?: string | null;
}

/** Names in plans for flags that the service has under other keys, or does not have yet. */
export interface PlanKeys {
  /** The current key for a key that the plan gives. */
  readonly liveKey: (key: string) => string;
  readonly created: ReadonlySet<string>;
}

/** Decides what a run must read from the service: to plan, before it applies a plan, and to revert a run. */
export function selectionOf(desired: DesiredState): LiveSelection {
  return FAMILIES.reduce<LiveSelection>((selection, { kind, section }) => {
    const declared = desired[section];
    if (declared === undefined || declared.length === 0) return selection;
    const kinds = KINDS.filter((one) => familyOf(one) === kind && one.isPresent({ desired }));
    const parts = declared.flatMap((resource) => kinds.map(({ reads }) => reads.toPlan(resource)));
    return joinSelections([selection, ...parts, { [section]: { declared } }]);
  }, NOTHING);
}

/**
 * The selection for a plan that is limited to targets. It still lists all flags, which shows what is unmanaged, renamed and depended on,
 * but reads the access only of the targets and of what they depend on.
 */
export function selectionOfTargets(desired: DesiredState, targets: readonly string[] | undefined): LiveSelection {
  const isTarget = matchTargets(nameDeclared(desired), targets, { kinds: KINDS });
  const { roleAccess: _, ...selection } = selectionOf(desired);
  const { roleAccess } = selectionOf({ flags: desired.flags.filter(({ key }) => isTarget(key)) });
  return { ...selection, ...defined({ roleAccess }) };
}

/** The names of what is declared, without the targets, what they depend on, and what depends on them. */
export function namesBeside(desired: DesiredState, targets: readonly string[]): readonly string[] {
  const declared = nameDeclared(desired);
  const isTarget = matchTargets(declared, targets, { kinds: KINDS });
  return [...declared.keys()].filter((name) => {
    if (isTarget(name)) return false;
    const isNeeded = matchTargets(declared, [name], { kinds: KINDS });
    return !targets.some((target) => isNeeded(target));
  });
}

/** Keys are names, in the form of targets. */
function nameDeclared(desired: DesiredState): ReadonlyMap<string, TargetedResource<PostHog>> {
  return new Map(
    FAMILIES.flatMap(({ kind: family, section }) =>
      (desired[section] ?? []).map((resource): [string, TargetedResource<PostHog>] => [
        nameOf(KINDS, family, resource.key),
        { family, resource },
      ]),
    ),
  );
}

const NOTHING: LiveSelection = { flags: {} };

/** The live state of the resources that the changes of a plan are about and name. */
export function selectionToApply(changes: readonly Change[]): LiveSelection {
  const formerKeys = new Map(
    changes.filter(isOfFlag).flatMap((change): [string, string][] => {
      const liveKey = kindFor(change).liveKey(change);
      return liveKey === change.key ? [] : [[change.key, liveKey]];
    }),
  );
  const keys: PlanKeys = {
    liveKey: (key) => formerKeys.get(key) ?? key,
    created: new Set(changes.filter(isOfFlag).flatMap(({ action, key }) => (action === 'create' ? [key] : []))),
  };
  return joinSelections([NOTHING, ...changes.map((change) => kindFor(change).reads.toApply(change, keys))]);
}

/** A change that was sent, with the id that the service answered. */
interface SentChange {
  readonly change: Change;
  readonly id: ResourceId | undefined;
}

/** Every resource that the changes may have written, and its attached resources. */
export function selectionToUndo(sent: readonly SentChange[]): LiveSelection {
  return joinSelections([NOTHING, ...sent.map(({ change, id }) => kindFor(change).reads.toUndo(change, id))]);
}

/** Further families that are only listed. */
export function listing(sections: readonly FamilyName[]): Partial<LiveSelection> {
  return Object.fromEntries(sections.filter((section) => section !== 'flags').map((section) => [section, {}]));
}

/** The further families of which resources are declared. */
export function declaredFamilies(desired: Partial<DesiredState> | undefined): readonly FurtherFamily[] {
  return FAMILIES.flatMap(({ section }) =>
    section === 'flags' || (desired?.[section] ?? []).length === 0 ? [] : section,
  );
}

/** Everything that one of them selects. */
export function joinSelections(parts: readonly Partial<LiveSelection>[]): LiveSelection {
  const members = new Set(parts.flatMap((part) => Object.keys(part) as (keyof LiveSelection)[]));
  const joined = [...members].map((member) => [member, joinResources(parts.flatMap((part) => part[member] ?? []))]);
  return { ...NOTHING, ...Object.fromEntries(joined) };
}

type SelectedBesideFlags = SelectedResources<unknown> & Pick<SelectedAccess, 'expected' | 'organization'>;

function joinResources(parts: readonly SelectedBesideFlags[]): SelectedBesideFlags {
  const expected = parts.flatMap((part) => part.expected ?? []);
  return {
    keys: parts.flatMap(({ keys = [] }) => keys),
    ids: parts.flatMap(({ ids = [] }) => ids),
    declared: parts.flatMap(({ declared = [] }) => declared),
    ...(expected.length === 0 ? {} : { expected }),
    ...(parts.some(({ organization }) => organization === true) ? { organization: true } : {}),
  };
}

/**
 * Whether the archive must be read: the service has one, and a wanted key, or a flag that a listed one depends on, is not listed. Services
 * since 2026 omit archived flags from the list (docs/service.md, "Flag list").
 */
export function needsArchive(listed: readonly Flag[], wantedKeys: readonly string[]): boolean {
  if (listed.length > 0 && !listed.some((flag) => Object.hasOwn(flag, 'archived'))) return false;
  const keys = new Set(listed.map(({ key }) => key));
  if (wantedKeys.some((key) => !keys.has(key))) return true;
  const ids = new Set(listed.map(({ id }) => id));
  return listed.some((flag) => dependencyIds(flag).some((id) => !ids.has(id)));
}

/** The archived flags that are wanted, and those that listed or needed flags depend on. */
export function neededOfArchive(
  listed: readonly Flag[],
  archived: readonly Flag[],
  wantedKeys: readonly string[],
): readonly Flag[] {
  const keys = new Set(listed.map(({ key }) => key));
  const wanted = new Set(wantedKeys.filter((key) => !keys.has(key)));
  const byId = new Map(archived.map((flag) => [flag.id, flag]));
  const needed = reach(
    [...archived.filter(({ key }) => wanted.has(key)), ...listed.flatMap((flag) => dependenciesOf(flag, byId))],
    (flag) => dependenciesOf(flag, byId),
  );
  return archived.filter((flag) => needed.has(flag));
}

function dependenciesOf(flag: Flag, byId: ReadonlyMap<number, Flag>): Flag[] {
  return dependencyIds(flag).flatMap((id) => byId.get(id) ?? []);
}

/** A dependency is an id on the wire, written as a string. */
export function dependencyIds({ filters }: Flag): number[] {
  return flagReferences(filters).map(Number).filter(Number.isSafeInteger);
}
