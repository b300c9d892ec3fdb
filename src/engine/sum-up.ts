/** Sums a plan up: how many changes each action has and what needs none, of all resources and of each kind. */

import { isPartial, type Change } from './change.ts';
import { familyOf, type Kind, type Model } from './kind.ts';
import type { PlanSummary } from './plan.ts';

/** The resources of one family that the run looks at. */
export interface FamilyFacts {
  /** The name of the kind of their own. */
  readonly name: string;
  /** The number of live resources that the run may touch: the base of the shares in safety rules. */
  readonly reach: number;
  /** The number without a change. */
  readonly unchanged: number;
}

interface ToSumUp<M extends Model> {
  readonly changes: readonly M['change'][];
  readonly families: readonly FamilyFacts[];
  readonly unmanaged: { readonly count: number };
}

export function sumUp<M extends Model>(
  { changes, families, unmanaged }: ToSumUp<M>,
  kinds: readonly Kind<M>[],
): PlanSummary<M['change']> {
  const whole = changes.filter((change) => !isPartial(change));
  const rows = kinds.map((kind) => ({ kind, counts: countActions(whole, kind) }));
  const actions = [...new Set(rows.flatMap(({ counts }) => Object.keys(counts)))];
  const unchanged = new Map(families.map((family) => [family.name, family.unchanged]));
  const total = (amounts: Iterable<number>): number => [...amounts].reduce((sum, amount) => sum + amount, 0);
  return {
    ...Object.fromEntries(actions.map((action) => [action, total(rows.map(({ counts }) => counts[action] ?? 0))])),
    unchanged: total(unchanged.values()),
    unmanaged: unmanaged.count,
    kinds: Object.fromEntries(
      rows.flatMap(({ kind, counts }) => {
        const row = familyOf(kind) === kind.name ? { ...counts, unchanged: unchanged.get(kind.name) ?? 0 } : counts;
        return kind.countedIfAny === true && total(Object.values(row)) === 0 ? [] : [[kind.name, row] as const];
      }),
    ),
  } as unknown as PlanSummary<M['change']>;
}

function countActions<M extends Model>(
  changes: readonly Change[],
  { name, actions }: Kind<M>,
): Readonly<Record<string, number>> {
  const own = changes.filter(({ resource }) => resource === name);
  return Object.fromEntries(
    actions.map((one: string) => [one, own.filter(({ action }) => action === one).length] as const),
  );
}
