/** The share of people who have a flag on, as exact bounds: which people match conditions with filters is unknown. */

import { arrayOrEmpty, objectOrEmpty, type JsonObject } from '../../base/json.ts';
import { decides } from './sides.ts';

export interface ShareOn {
  /** Percent of everyone: at least, and at most. Equal where nothing depends on a person. */
  readonly least: number;
  readonly most: number;
}

/** The people of a lower percentage of a flag are among those of a higher one, so of several conditions the highest counts. */
export function shareOn({ active, filters }: { readonly active?: boolean; readonly filters?: JsonObject }): ShareOn {
  if (active === false) return { least: 0, most: 0 };
  const { groups, ...rest } = objectOrEmpty(filters);
  if (DECIDING.some((name) => decides(rest[name]))) return { least: 0, most: 100 };
  const conditions = arrayOrEmpty(groups).map(objectOrEmpty);
  const open = conditions.filter(({ properties }) => arrayOrEmpty(properties).length === 0);
  return { least: highest(open), most: highest(conditions) };
}

/** They decide before the conditions, or end them. */
const DECIDING = ['super_groups', 'feature_enrollment', 'holdout_groups', 'holdout', 'early_exit'] as const;

function highest(conditions: readonly JsonObject[]): number {
  return Math.max(0, ...conditions.map(({ rollout_percentage: share }) => (typeof share === 'number' ? share : 100)));
}
