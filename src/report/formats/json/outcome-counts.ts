/** How many changes have each outcome, of all resources and of each kind. */

import type { JsonObject } from '../../../base/json.ts';
import { kindFor } from '../../../posthog/kinds.ts';
import { RESOURCES } from '../../words/kinds.ts';

/** `all`: a count for every outcome that the document can have. `changes`: those that are counted. */
export function outcomeCounts<Outcome extends string>(
  all: Readonly<Record<Outcome, number>>,
  changes: readonly { readonly resource: string; readonly outcome: Outcome }[],
): JsonObject {
  const outcomes = Object.keys(all) as Outcome[];
  const rows = RESOURCES.flatMap((name) => {
    const own = changes.filter(({ resource }) => resource === name);
    const isCounted = own.length > 0 || kindFor({ resource: name }).countedIfAny !== true;
    return isCounted ? [[name, countEach(outcomes, own)] as const] : [];
  });
  return { ...all, kinds: Object.fromEntries(rows) };
}

function countEach<Outcome extends string>(
  outcomes: readonly Outcome[],
  changes: readonly { readonly outcome: Outcome }[],
): JsonObject {
  return Object.fromEntries(outcomes.map((one) => [one, changes.filter(({ outcome }) => outcome === one).length]));
}
