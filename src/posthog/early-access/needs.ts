/**
 * What changes of early access features wait for: every other change of their flag. A feature writes its flag, which a plan that
 * saw the flag before must not take for an edit of another user.
 */

import type { Needs } from '../../engine/kind.ts';
import type { Change } from '../plan.ts';

export function findFeatureNeeds(changes: readonly Change[]): Needs {
  const byFlag = new Map<string, string[]>();
  for (const change of changes) {
    if (change.resource !== 'flag' || change.action === 'delete') continue;
    byFlag.set(change.key, [...(byFlag.get(change.key) ?? []), change.ref]);
  }
  return new Map(
    changes.flatMap((change) => {
      const needs = change.resource === 'early_access' ? byFlag.get(change.flag) : undefined;
      return needs === undefined ? [] : [[change.ref, needs] as const];
    }),
  );
}
