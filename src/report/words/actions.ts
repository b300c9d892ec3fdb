/** The number of changes of each action in a plan, in words. A resource that takes two writes counts once. */

import { isPartial } from '../../engine/change.ts';
import type { Action, Change } from '../../posthog/plan.ts';
import { amountsNote, amountsOf } from './amounts.ts';

interface ActionWords {
  readonly word: (action: Action, amount: number) => string;
  /** Whether the numbers need nouns (`needsNouns`). */
  readonly isNamed: boolean;
}

/** `1 to create, 2 to grant`, in the order of a plan's table; empty when there is nothing to do. */
export function actionCounts(changes: readonly Change[], words: ActionWords): string {
  const found = new Set(changes.map(({ action }) => action));
  return ACTIONS.filter((action) => found.has(action))
    .map((action) => actionCount(changes, action, words))
    .join(', ');
}

const ACTIONS: readonly Action[] = ['create', 'update', 'restore', 'delete', 'grant', 'adjust', 'revoke'];

/** `1 to create`; with cohorts, `2 to create (1 flag, 1 cohort)`. The actions on role access name what they count. */
export function actionCount(changes: readonly Change[], action: Action, { word, isNamed }: ActionWords): string {
  const own = changes.filter((change) => change.action === action && !isPartial(change));
  const isOfAccess = own.every(({ resource }) => resource === 'role_access');
  return `${word(action, own.length)}${isNamed && !isOfAccess ? amountsNote(amountsOf(own)) : ''}`;
}
