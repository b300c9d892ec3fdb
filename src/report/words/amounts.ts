/** Amounts of resources of several kinds: `12 flags and 2 cohorts`. A number without a noun is one of flags. */

import { memberOf } from '../../base/json.ts';
import type { Amounts } from '../../engine/safety.ts';
import type { PlanSummary } from '../../posthog/plan.ts';
import { count } from './count.ts';
import { labelsOf, RESOURCES } from './kinds.ts';

/** `12 flags and 2 cohorts`; `0 flags` where there is nothing. */
export function amountsText(amounts: Amounts): string {
  const texts = amountTexts(amounts);
  return texts.length === 0 ? count(0, labelsOf({ resource: 'flag' }).noun) : texts.join(' and ');
}

/** ` (1 flag, 1 cohort)`, to follow their sum. */
export function amountsNote(amounts: Amounts): string {
  const texts = amountTexts(amounts);
  return texts.length === 0 ? '' : ` (${texts.join(', ')})`;
}

/** ` (3 to flags, 1 to cohorts)`, to follow the number of changes; nothing where they are to flags and role access only. */
export function changesNote(changes: readonly OfKind[]): string {
  const amounts = amountsOf(changes);
  if (!hasOtherKinds(amounts)) return '';
  const texts = present(amounts).map(([resource, amount]) => `${amount} to ${labelsOf({ resource }).plural}`);
  return ` (${texts.join(', ')})`;
}

interface OfKind {
  readonly resource: string;
}

export function amountsOf(changes: readonly OfKind[]): Amounts {
  return Object.fromEntries(
    RESOURCES.map((name) => [name, changes.filter(({ resource }) => resource === name).length] as const),
  );
}

/** The resources that changes, or differences, are about; role access is about its flag. */
export function resourcesAmong(items: readonly (OfKind & { readonly key: string })[]): Amounts {
  const keys = new Map<string, Set<string>>();
  for (const { resource, key } of items) {
    const kind = OF_FLAGS.has(resource) ? 'flag' : resource;
    keys.set(kind, (keys.get(kind) ?? new Set()).add(key));
  }
  return Object.fromEntries([...keys].map(([kind, { size }]) => [kind, size]));
}

/** Whether the numbers of a plan need nouns, since some are not of flags. */
export function needsNouns(summary: PlanSummary, left: readonly OfKind[] = []): boolean {
  const used = kindRows(summary).filter(([, row]) => Object.values(row).some((amount) => amount > 0));
  return hasOtherKinds(Object.fromEntries(used.map(([name]) => [name, 1] as const))) || hasOtherKinds(amountsOf(left));
}

/** How many resources of each kind a member of the summary counts; empty for a plan that did not tell kinds apart. */
export function amountsIn(summary: PlanSummary, member: string): Amounts {
  return Object.fromEntries(
    kindRows(summary).flatMap(([name, row]) => {
      const amount = memberOf(row, member);
      return amount === undefined ? [] : [[name, amount] as const];
    }),
  );
}

function kindRows({ kinds = {} }: { readonly kinds?: object }): [string, Readonly<Record<string, number>>][] {
  return Object.entries(kinds as Readonly<Record<string, Readonly<Record<string, number>>>>);
}

/** Role access is counted with the flags that it is attached to. */
const OF_FLAGS: ReadonlySet<string> = new Set(['flag', 'role_access']);

function hasOtherKinds(amounts: Amounts): boolean {
  return Object.entries(amounts).some(([name, amount]) => amount > 0 && !OF_FLAGS.has(name));
}

function amountTexts(amounts: Amounts): string[] {
  return present(amounts).map(([resource, amount]) => {
    const { noun, plural } = labelsOf({ resource });
    return count(amount, noun, plural);
  });
}

function present(amounts: Amounts): [(typeof RESOURCES)[number], number][] {
  return RESOURCES.flatMap((name) => {
    const amount = amounts[name] ?? 0;
    return amount === 0 ? [] : [[name, amount] as [typeof name, number]];
  });
}
