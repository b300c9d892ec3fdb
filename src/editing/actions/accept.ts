/** Writes live values into the manifests: for each difference, the value in the layer that gives it. */

import { fieldAt } from '../../core/engine/field-kind.ts';
import { comparing } from '../../base/compare-strings.ts';
import { groupBy } from '../../base/group.ts';
import { defined } from '../../base/optional.ts';
import { matchKeys } from '../../core/engine/scope.ts';
import { previousKeysOf } from '../../core/manifest/members.ts';
import { nameOfChange } from '../../posthog/kinds.ts';
import type { Change, Plan, RoleChange } from '../../posthog/plan.ts';
import { findUnwritable } from '../../posthog/planning/drift-groups.ts';
import { levelAfter } from '../../posthog/role-access/change.ts';
import { toEditingContext, type EditingContext, type EditingInput } from '../context.ts';
import type { LayerChoice, Accepted, AcceptedChange, AcceptedFlag, LeftFlag } from '../edit.ts';
import type { LiveDifference, SelectedFields } from '../facet.ts';
import type { ReadTexts } from '../texts.ts';
import { ALL_FACETS, facetOf, writtenAt } from './facets.ts';
import { writeEdits } from './write-edits.ts';

export interface AcceptInput extends EditingInput {
  /** The plan must be made from these manifests and this live state, with a base if there is one. */
  readonly plan: Plan;
  readonly selection: Selection;
  readonly layer: LayerChoice;
}

export interface Selection {
  /** Names and patterns; absent: every declared resource. */
  readonly keys?: readonly string[];
  /** Absent: every field. */
  readonly only?: SelectedFields;
  /** Whether to revert what git changed since the last apply, too. */
  readonly pending: boolean;
}

export function acceptLive(input: AcceptInput): Accepted {
  const { plan, selection } = input;
  const context = toEditingContext(input);
  const { read } = context;
  const isNamed = selection.keys === undefined ? () => true : matchKeys(selection.keys);
  const changes = [...plan.changes, ...ALL_FACETS.flatMap((facet) => facet.unwritable?.(plan, context) ?? [])];
  const { chosen, pending } = selectDifferences(
    changes.filter((change) => isNamed(nameOfChange(change))),
    selection,
    context,
  );
  const byKey = groupBy(chosen, ({ key }) => key);
  const made = [...byKey].map(([key, found]) => ({
    key,
    ...facetOf(key).fromLive({ key, found, context, warnings: plan.warnings }),
  }));
  const requested = made.flatMap((one) => ('edit' in one ? one.edit : []));
  const { edited, written, refused, after } = writeEdits(context, requested, input.layer);
  const known = new Set([...chosen, ...pending].map(({ key }) => key));
  // Differences of which nothing is accepted never count as equal.
  const unwritable = selection.only === undefined ? findUnwritable(plan.warnings) : [];
  const left: readonly LeftFlag[] = [
    ...made.flatMap((one) => ('reason' in one ? one : [])),
    ...refused,
    ...unwritable.flatMap(({ key }): LeftFlag[] =>
      isNamed(key) && !known.has(key) ? [{ key, reason: { code: 'not-planned' } }] : [],
    ),
  ];
  const accepted = [...byKey].flatMap(([key, found]): AcceptedFlag[] =>
    written.has(key) ? [{ key, changes: found.map((one) => toAccepted(one, after, context)) }] : [],
  );
  const sort = comparing(({ key }: { readonly key: string }) => key);
  return {
    edited,
    accepted: accepted.toSorted(sort),
    left: left
      .map((one) => ({ ...one, ...defined({ place: one.place ?? read.declarations.get(one.key)?.places.place }) }))
      .toSorted(sort),
    pending: [...groupBy(pending, ({ key }) => key)]
      .map(([key, all]) => ({ key, paths: all.map(({ path }) => path) }))
      .toSorted(sort),
  };
}

function toAccepted(
  { key, change, path, declared, live, divergence, base }: LiveDifference,
  after: ReadTexts,
  { project }: EditingContext,
): AcceptedChange {
  const { declarations } = after;
  // A renamed flag is declared with its former key as a previous one.
  const renamed = declarations.has(key)
    ? undefined
    : [...declarations.values()].find((one) => previousKeysOf(one).includes(key));
  const facts = { ref: change.ref, path, ...defined({ before: declared, after: live, divergence, base }) };
  return { ...facts, ...writtenAt(renamed?.key ?? key, path, { read: after, project }) };
}

/** `pending`: changes of git only, which are left alone. */
function selectDifferences(
  changes: readonly Change[],
  selection: Selection,
  context: EditingContext,
): { readonly chosen: readonly LiveDifference[]; readonly pending: readonly LiveDifference[] } {
  const found = changes.flatMap((change): LiveDifference[] => {
    if (change.resource === 'role_access') return [accessDifference(change)];
    const key = nameOfChange(change);
    return change.fields.map(({ path, before, after, divergence, base }) => ({
      ...{ key, change, path },
      ...defined({ declared: after, live: before, divergence, base }),
    }));
  });
  const { only } = selection;
  // Differences with one unit are selected together.
  const unitOf = ({ key, change, path }: LiveDifference): string =>
    `${change.ref} ${facetOf(key).hasWholeFields ? fieldAt(path) : path}`;
  const selected = found.filter((one) => only === undefined || facetOf(one.key).isSelected(one, only, context));
  const units = new Set(selected.map(unitOf));
  const wanted = found.filter((one) => units.has(unitOf(one)));
  const isPending = ({ divergence }: LiveDifference): boolean => divergence === 'pending' && !selection.pending;
  return { chosen: wanted.filter((one) => !isPending(one)), pending: wanted.filter(isPending) };
}

/** The declared level of a grant is the one after it; the live level of a revoke is the one before it. */
function accessDifference(change: RoleChange): LiveDifference {
  const { key, role, divergence, base_level: base } = change;
  const held = 'level' in change ? change.level : 'editor';
  const live = change.action === 'grant' ? null : change.action === 'adjust' ? change.before : held;
  const path = role === undefined ? '/role_access/default' : `/role_access/roles/${role.name ?? role.id}`;
  const [declared, now, former] = [levelAfter(change), live, base].map((level) => level ?? undefined);
  return { key, change, path, ...defined({ declared, live: now, divergence, base: former }) };
}
