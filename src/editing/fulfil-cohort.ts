/** Whether a declared cohort says what is wished, and otherwise what it said before. */

import { definedKeys, jsonEquals, memberOf, type JsonObject } from '../base/json.ts';
import { compareCohort } from '../posthog/cohort/comparison.ts';
import type { DesiredCohort } from '../posthog/cohort/desired.ts';
import type { CohortWish } from './wish.ts';

export interface ChangedCohort {
  readonly before: DesiredCohort | undefined;
  readonly now: DesiredCohort | undefined;
}

export function fulfilsCohort({ fields = {}, deleted }: CohortWish, { before, now }: ChangedCohort): boolean {
  if (deleted === true) return now?.kind === 'retired';
  if (now?.kind !== 'declared') return false;
  const former = before?.kind === 'declared' ? before.fields : undefined;
  return saysFields(now.fields, fields) && (former === undefined || isSameBut(former, now.fields, fields));
}

/** By the comparison of plans. */
export function saysFields(declared: JsonObject, wished: JsonObject): boolean {
  const cohort = { id: 0, ...wished };
  return definedKeys(wished).every((name) => {
    const own = { [name]: memberOf(declared, name) ?? null };
    return compareCohort(own, cohort).length === 0;
  });
}

function isSameBut(former: JsonObject, now: JsonObject, changed: JsonObject): boolean {
  const names = [...new Set([...definedKeys(former), ...definedKeys(now)])];
  return names.every((name) => Object.hasOwn(changed, name) || jsonEquals(former[name], now[name]));
}
