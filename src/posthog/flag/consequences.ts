/** The effect of a delete or a rename of a flag on code that reads it. */

import { isJsonObject, objectOrEmpty, type JsonObject } from '../../base/json.ts';
import type { Quote } from '../../engine/labels.ts';
import type { FlagChange } from './change.ts';
import { rolloutOf } from './percentage.ts';

/** Sentences, the weightiest first; empty for changes whose fields say everything. */
export function listConsequences(change: FlagChange, quote: Quote): readonly string[] {
  if (change.action === 'delete') {
    const { key } = change.base.flag;
    const asked = typeof key === 'string' ? key : change.key;
    return [describeFlag(change.base.flag), `Code that reads ${quote(asked)} no longer gets a value.`];
  }
  const former = change.action === 'update' ? change.base.flag['key'] : undefined;
  if (typeof former !== 'string' || former === change.key) return [];
  return [
    `Code that reads ${quote(former)} no longer gets a value, and users are assigned anew: the hash includes the key.`,
  ];
}

/** Returns for example `It is active, with 2 conditions (up to 50% of users) and 3 variants.` */
function describeFlag(flag: JsonObject): string {
  const filters = objectOrEmpty(flag['filters']);
  const conditions = listOf(filters['groups']);
  const variants = isJsonObject(filters['multivariate']) ? listOf(filters['multivariate']['variants']) : [];
  const parts = [countConditions(conditions), ...(variants.length === 0 ? [] : [count(variants.length, 'variant')])];
  return `It is ${flag['active'] === false ? 'disabled' : 'active'}, with ${parts.join(' and ')}.`;
}

function countConditions(conditions: readonly JsonObject[]): string {
  if (conditions.length === 0) return 'no condition';
  const most = Math.max(...conditions.map((condition) => rolloutOf(condition) ?? 100));
  return `${count(conditions.length, 'condition')} (up to ${most}% of users)`;
}

function listOf(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function count(amount: number, noun: string): string {
  return `${amount} ${noun}${amount === 1 ? '' : 's'}`;
}
