/** What a change of the aggregation does: a condition hashes persons, or groups of its own type, else of the flag's. */

import { jsonEquals, memberOf, type JsonObject } from '../base/json.ts';
import { defined } from '../base/optional.ts';
import { AGGREGATION, aggregationIn, pairConditions } from './conditions.ts';
import type { FlagEffect } from './effect.ts';

/**
 * `filters` before and after, in canonical form. The flag's own aggregation concerns everybody where all conditions follow it,
 * else only whom a holdout excludes and, in 2023, who has no group.
 */
export function findBucketingEffects(before: JsonObject, after: JsonObject): FlagEffect[] {
  const paired = pairConditions(before, after).flatMap(({ former, wanted }) =>
    former === undefined || wanted === undefined
      ? []
      : [
          {
            condition: wanted,
            before: aggregationIn(before, former.condition),
            after: aggregationIn(after, wanted.condition),
          },
        ],
  );
  const changed = paired.filter((one) => !jsonEquals(one.before, one.after));
  const own = changed.map((one): FlagEffect => ({
    what: 'bucketing',
    classes: ['re-bucket'],
    field: AGGREGATION,
    ...one,
  }));
  const values = { before: memberOf(before, AGGREGATION), after: memberOf(after, AGGREGATION) };
  if (jsonEquals(values.before ?? null, values.after ?? null)) return own;
  const ofFlag = { field: AGGREGATION, ...defined(values) };
  return changed.length === paired.length
    ? [{ what: 'bucketing', classes: ['re-bucket'], ...ofFlag }]
    : [{ what: 'setting', classes: ['widen', 'narrow', 're-split'], ...ofFlag }, ...own];
}
