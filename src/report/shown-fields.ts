/**
 * The field changes of a change as reports for people show them: a condition is compared with what it was before, wherever
 * that stood in the list, as in the sentences about it. JSON keeps the places in the list.
 */

import { fromPointer, toPointer } from '../base/json-pointer.ts';
import { objectOrEmpty, type JsonObject } from '../base/json.ts';
import { findConditionEffects } from '../effects/condition-effects.ts';
import {
  type ConditionPair,
  differenceOf,
  driftOf,
  type FlagStateChange,
  pairConditions,
  reversedField,
} from '../effects/sides.ts';
import type { FieldChange } from '../engine/change.ts';
import { diff, earlierIndex } from '../engine/diff.ts';
import { FLAG_LABELS } from '../posthog/flag/labels.ts';
import { viewFilters } from '../posthog/flag/model/view.ts';
import type { Change } from '../posthog/plan.ts';
import { defined } from '../base/optional.ts';

/** `label` and `text`, where they are not those of the path and the values. */
export interface ShownField extends FieldChange {
  readonly label?: string;
  readonly text?: string;
}

type ChangeWithFields = Extract<Change, { readonly fields: readonly FieldChange[] }>;

/** Shows the change from the live values to the declared ones. */
export function plannedFields(change: ChangeWithFields): readonly ShownField[] {
  return isUpdateOfFlag(change) ? withPairedConditions(differenceOf([change]), PLANNED) : change.fields;
}

/** Shows the change from the declared values to the live ones. */
export function driftedFields(change: ChangeWithFields): readonly ShownField[] {
  return isUpdateOfFlag(change) ? withPairedConditions(driftOf([change]), DRIFTED) : change.fields.map(reversedField);
}

type UpdateOfFlag = Extract<Change, { readonly resource: 'flag'; readonly action: 'update' | 'restore' }>;

function isUpdateOfFlag(change: ChangeWithFields): change is UpdateOfFlag {
  return change.resource === 'flag' && (change.action === 'update' || change.action === 'restore');
}

const GROUPS = ['filters', 'groups'] as const;

/** The direction in which differences are read. */
interface FieldDirection {
  /** The side that the manifests declare, whose places the fields have. */
  readonly declared: keyof ConditionPair;
  /** The word between a condition and its number on the other side. */
  readonly was: string;
  /** The word for a condition that only the other side has. */
  readonly former: string;
}

const PLANNED: FieldDirection = { declared: 'wanted', was: 'was', former: 'former' };
const DRIFTED: FieldDirection = { declared: 'former', was: 'declared as', former: 'declared' };

function withPairedConditions({ sides, fields }: FlagStateChange, direction: FieldDirection): readonly ShownField[] {
  const places = fields.filter(({ path }) => path.startsWith(`${toPointer(GROUPS)}/`));
  const [before, after] = [objectOrEmpty(sides.before?.['filters']), objectOrEmpty(sides.after?.['filters'])];
  const [first] = places;
  if (first === undefined || !places.every((one) => isLike(one, first)) || !isMixed(before, after)) return fields;
  const moved = new Set(
    findConditionEffects(before, after).flatMap((one) =>
      one.what === 'condition_moved' ? [one.condition.number] : [],
    ),
  );
  const placesOf = byCondition(places);
  const paired = pairConditions(before, after).flatMap((pair): readonly ShownField[] => {
    const shown = fieldsOf(pair, moved, direction);
    const sources = placesOf.get((pair[direction.declared]?.number ?? 0) - 1) ?? [];
    return shown.map((field) => ({
      ...field,
      ...defined({
        source: (sources.find(({ path }) => path === field.path) ?? sources[0])?.source,
        divergence: first.divergence,
      }),
    }));
  });
  const replaced = new Set(places);
  return fields.flatMap((field) => (field === first ? paired : replaced.has(field) ? [] : [field]));
}

/** Keys are places of conditions in the list. */
function byCondition(fields: readonly FieldChange[]): ReadonlyMap<number, readonly FieldChange[]> {
  const found = new Map<number, FieldChange[]>();
  for (const field of fields) {
    const index = Number(fromPointer(field.path)[GROUPS.length]);
    const others = found.get(index);
    if (others === undefined) found.set(index, [field]);
    else others.push(field);
  }
  return found;
}

/** Whether the two changes have equal notes, and none about a single place, which cannot be moved to another. */
function isLike(a: FieldChange, b: FieldChange): boolean {
  const isPlain = [a, b].every(({ base, bounds }) => base === undefined && bounds === undefined);
  return isPlain && a.divergence === b.divergence;
}

/** Whether the places in the list hold a condition against another one than what it was. */
function isMixed(before: JsonObject, after: JsonObject): boolean {
  const views = [viewFilters(before), viewFilters(after)];
  if (views.some(({ hasUnreadConditions }) => hasUnreadConditions)) return false;
  const [former = [], wanted = []] = views.map(({ conditions }) => conditions.map(({ part }) => part));
  return pairConditions(before, after).some(
    (pair) =>
      pair.wanted !== undefined &&
      earlierIndex(former, wanted, pair.wanted.number - 1) !== (pair.former && pair.former.number - 1),
  );
}

function fieldsOf({ former, wanted }: ConditionPair, moved: ReadonlySet<number>, words: FieldDirection): ShownField[] {
  if (wanted === undefined) {
    if (former === undefined) return [];
    const path = toPointer([...GROUPS, former.number - 1]);
    return [{ path, label: `${words.former} ${FLAG_LABELS.field(path)}`, before: former.condition }];
  }
  const path = [...GROUPS, wanted.number - 1];
  if (former === undefined) return [{ path: toPointer(path), after: wanted.condition }];
  const changed = diff(former.condition, wanted.condition, path);
  if (changed.length === 0) {
    return moved.has(wanted.number) && former.number !== wanted.number
      ? [{ path: toPointer(path), text: `${words.was} condition ${former.number}` }]
      : [];
  }
  return former.number === wanted.number
    ? changed
    : changed.map((one) => ({
        ...one,
        label: withNumber(FLAG_LABELS.field(one.path), `${words.was} ${former.number}`),
      }));
}

/** `condition 1 (was 2) · rollout_percentage`. */
function withNumber(label: string, number: string): string {
  return label.replace(/^condition \d+/u, (condition) => `${condition} (${number})`);
}
