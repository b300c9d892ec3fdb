/**
 * Dependencies between cohorts and other changes. A flag or cohort gets a condition on a cohort only once that one is as the plan wants it;
 * a cohort is deleted, or made to depend on events, only once it is no longer used.
 */

import type { Needs } from '../../engine/kind.ts';
import type { Change, FlagChange } from '../plan.ts';
import type { ProjectSnapshot } from '../snapshot.ts';
import type { CohortChange } from './change.ts';
import { leavesOf, type CohortReference } from '../filter-tree.ts';
import type { CohortSnapshot } from './snapshot.ts';
import { namedByCohort, namedByFlag } from './uses.ts';

export function findCohortNeeds(changes: readonly Change[], { cohorts }: ProjectSnapshot): Needs {
  const own = changes.filter((change) => change.resource === 'cohort');
  if (own.length === 0) return new Map();
  const users = changes.flatMap((change) => toUser(change, cohorts));
  const written = new Map(
    own.filter(({ action }) => action !== 'delete').map((change) => [referenceTo(change), change.ref]),
  );
  const needs = users.map(({ ref, adopts }): [string, string[]] => [
    ref,
    adopts.flatMap((one) => written.get(one) ?? []),
  ]);
  const waits = own
    .filter(waitsForReleases)
    .map((change): [string, string[]] => [
      change.ref,
      users.filter(({ releases }) => releases.includes(referenceTo(change))).map(({ ref }) => ref),
    ]);
  return joined([...needs, ...waits]);
}

/** A change that writes conditions on cohorts. */
interface User {
  readonly ref: string;
  /** The cohorts on which there are conditions after the change. */
  readonly adopts: readonly CohortReference[];
  /** The cohorts without any such conditions. */
  readonly releases: readonly CohortReference[];
}

function toUser(change: Change, cohorts: CohortSnapshot): User[] {
  if (change.resource === 'flag') {
    const before = change.action === 'create' ? [] : namedByFlag(change.base.flag['filters'], cohorts);
    return [userOf(change, before, namedByFlag(filtersAfter(change), cohorts))];
  }
  if (change.resource !== 'cohort') return [];
  const before = change.action === 'create' ? [] : namedByCohort(change.base.cohort['filters'], cohorts);
  const after = change.action === 'delete' ? [] : namedByCohort(change.body['filters'], cohorts);
  return [userOf(change, before, after)];
}

function userOf(
  change: FlagChange | CohortChange,
  before: readonly CohortReference[],
  after: readonly CohortReference[],
): User {
  const isRewritten = change.action === 'delete' || change.body['filters'] !== undefined;
  // A flag that is disabled no longer keeps a cohort from being deleted.
  const isOff = change.resource === 'flag' && change.body['active'] === false;
  const gone = isOff ? before : before.filter((one) => !after.includes(one));
  return { ref: change.ref, adopts: after, releases: isRewritten || isOff ? gone : [] };
}

function filtersAfter(change: FlagChange): FlagChange['body'][string] {
  return change.action === 'delete' ? undefined : change.body['filters'];
}

function waitsForReleases(change: CohortChange): boolean {
  return change.action === 'delete' || leavesOf(change.body['filters']).some(({ type }) => type === 'behavioral');
}

function referenceTo({ id, key }: CohortChange): CohortReference {
  return id ?? key;
}

function joined(pairs: readonly (readonly [string, readonly string[]])[]): Needs {
  const needs = new Map<string, readonly string[]>();
  for (const [ref, more] of pairs) if (more.length > 0) needs.set(ref, [...(needs.get(ref) ?? []), ...more]);
  return needs;
}
