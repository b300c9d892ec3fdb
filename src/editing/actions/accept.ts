/** Writes live values into the manifests: for each difference, the value in the layer that gives it. */

import { comparing } from '../../base/compare-strings.ts';
import { fromPointer } from '../../base/json-pointer.ts';
import { defined } from '../../base/optional.ts';
import { matchKeys } from '../../engine/scope.ts';
import { previousKeysOf } from '../../manifest/members.ts';
import { nameOfChange } from '../../posthog/kinds.ts';
import type { Change, FieldChange, Plan, RoleChange } from '../../posthog/plan.ts';
import { findLeftOut } from '../../posthog/planning/unplanned.ts';
import { levelAfter } from '../../posthog/role-access/change.ts';
import { toEditingContext, type EditingContext, type EditingInput } from '../context.ts';
import type { LayerChoice } from '../edit.ts';
import type { LiveDifference, SelectedFields } from '../facet.ts';
import type { Accepted, AcceptedChange, AcceptedFlag, LeftFlag, PendingFlag } from '../results.ts';
import type { ReadTexts } from '../texts.ts';
import { ALL_FACETS, facetOf, writtenAt } from './facets.ts';
import { writeEdits } from './write-edits.ts';

export interface AcceptInput extends EditingInput {
  /** The plan must be made from these manifests and this live state, with a base if there is one. */
  readonly plan: Plan;
  readonly selection: Selection;
  readonly layer: LayerChoice;
}

export function acceptLive(input: AcceptInput): Accepted {
  const { plan } = input;
  const context = toEditingContext(input);
  const changes = [...plan.changes, ...ALL_FACETS.flatMap(({ leftOut }) => leftOut(plan, context))];
  const { chosen, pending } = selectDifferences(changes, input.selection, context);
  const byKey = groupByKey(chosen);
  const made = [...byKey].map(([key, found]) =>
    facetOf(key).fromLive({ key, found, context, warnings: plan.warnings }),
  );
  const requested = made.flatMap((one) => ('edit' in one ? one.edit : []));
  const { edited, written, refused, after } = writeEdits(context, requested, input.layer);
  const known = new Set([...chosen, ...pending].map(({ key }) => key));
  const left = [...made.flatMap((one) => ('left' in one ? one.left : [])), ...refused, ...notPlanned(input, known)];
  const accepted = [...byKey].flatMap(([key, found]): AcceptedFlag[] =>
    written.has(key) ? [{ key, changes: found.map((one) => toAccepted(one, after, context)) }] : [],
  );
  return {
    edited,
    accepted: accepted.toSorted(comparing(({ key }) => key)),
    left: left.map((one) => withPlace(one, context)).toSorted(comparing(({ key }) => key)),
    pending: toPending(pending),
  };
}

/** Lists differences of which nothing is accepted, so that they never count as equal. */
function notPlanned({ plan, selection: { keys, only } }: AcceptInput, known: ReadonlySet<string>): LeftFlag[] {
  if (only !== undefined) return [];
  const isNamed = keys === undefined ? () => true : matchKeys(keys);
  const leftOut = findLeftOut(plan.warnings).filter(({ key }) => isNamed(key) && !known.has(key));
  return leftOut.map(({ key }): LeftFlag => ({ key, reason: { code: 'not-planned' } }));
}

function toAccepted(
  { key, change, path, declared, live, divergence, base }: LiveDifference,
  after: ReadTexts,
  { project }: EditingContext,
): AcceptedChange {
  const facts = { ref: change.ref, path, ...defined({ before: declared, after: live, divergence, base }) };
  return { ...facts, ...writtenAt({ key: keyNow(key, after), path }, after, project) };
}

/** A renamed flag is declared with its former key as a previous one. */
function keyNow(key: string, { declarations }: ReadTexts): string {
  if (declarations.has(key)) return key;
  return [...declarations.values()].find((one) => previousKeysOf(one).includes(key))?.key ?? key;
}

function withPlace(one: LeftFlag, { read }: EditingContext): LeftFlag {
  const place = one.place ?? read.declarations.get(one.key)?.places.place;
  return { ...one, ...defined({ place }) };
}

function toPending(found: readonly LiveDifference[]): PendingFlag[] {
  return [...groupByKey(found)]
    .map(([key, all]) => ({ key, paths: all.map(({ path }) => path) }))
    .toSorted(comparing(({ key }) => key));
}

function groupByKey(found: readonly LiveDifference[]): Map<string, readonly LiveDifference[]> {
  const groups = new Map<string, LiveDifference[]>();
  for (const one of found) groups.set(one.key, [...(groups.get(one.key) ?? []), one]);
  return groups;
}

export interface Selection {
  /** Names and patterns; absent: every declared resource. */
  readonly keys?: readonly string[];
  /** Absent: every field. */
  readonly only?: SelectedFields;
  /** Whether to revert what git changed since the last apply, too. */
  readonly pending: boolean;
}

interface SelectedDifferences {
  readonly chosen: readonly LiveDifference[];
  /** Changes of git only, which are left alone. */
  readonly pending: readonly LiveDifference[];
}

function selectDifferences(
  changes: readonly Change[],
  selection: Selection,
  context: EditingContext,
): SelectedDifferences {
  const isNamed = selection.keys === undefined ? () => true : matchKeys(selection.keys);
  const found = changes.filter((change) => isNamed(nameOfChange(change))).flatMap(differencesOf);
  const { only } = selection;
  const isNamedField = (one: LiveDifference): boolean =>
    only === undefined || facetOf(one.key).isSelected(one, only, context);
  const units = new Set(found.filter(isNamedField).map(unitOf));
  const wanted = found.filter((one) => isNamedField(one) || units.has(unitOf(one)));
  const isPending = ({ divergence }: LiveDifference): boolean => divergence === 'pending' && !selection.pending;
  return { chosen: wanted.filter((one) => !isPending(one)), pending: wanted.filter(isPending) };
}

function differencesOf(change: Change): LiveDifference[] {
  if (change.resource === 'role_access') return [accessDifference(change)];
  return change.fields.map((field) => fieldDifference(change, field));
}

function fieldDifference(change: Change, { path, before, after, divergence, base }: FieldChange): LiveDifference {
  return { key: nameOfChange(change), change, path, ...defined({ declared: after, live: before, divergence, base }) };
}

/** The declared level of a grant is the one after it; the live level of a revoke is the one before it. */
function accessDifference(change: RoleChange): LiveDifference {
  const { key, divergence, base_level: base } = change;
  const declared = levelAfter(change) ?? undefined;
  const live = liveLevel(change) ?? undefined;
  const path = accessPath(change);
  return { key, change, path, ...defined({ declared, live, divergence, base: base ?? undefined }) };
}

function liveLevel(change: RoleChange): string | null {
  if (change.action === 'grant') return null;
  if (change.action === 'adjust') return change.before;
  return 'level' in change ? change.level : 'editor';
}

function accessPath(change: RoleChange): string {
  const { role } = change;
  return role === undefined ? '/role_access/default' : `/role_access/roles/${role.name ?? role.id}`;
}

/** Differences with one unit are selected together. */
function unitOf({ key, change, path }: LiveDifference): string {
  return `${change.ref} ${facetOf(key).hasWholeFields ? (fromPointer(path)[0] ?? '') : path}`;
}
