/** The safety rules: what a plan may not do unless somebody permits it by name. Facts only; apply does the refusing. */

import { disables } from './order.ts';
import type { Change, Hazard } from './plan.ts';
import { matchKeys } from './scope.ts';

export interface SafetyRules {
  readonly limits: { readonly deletes: number; readonly deletes_percent: number; readonly updates_percent: number };
  /** Keys or patterns of flags that are never deleted, disabled or renamed. */
  readonly protected: readonly string[];
  readonly allow: {
    readonly deletes?: number;
    readonly updates?: number;
    readonly protected: readonly string[];
  };
}

/** Shares say nothing about a handful of flags. */
const SMALLEST_BASE_FOR_SHARES = 10;

/** `reach`: how many live flags this run may touch, which is what shares are taken of. */
export function findHazards(changes: readonly Change[], reach: number, rules: SafetyRules): readonly Hazard[] {
  return [
    ...deleteHazards(changes, reach, rules),
    ...updateHazards(changes, reach, rules),
    ...protectedHazards(changes, rules),
  ];
}

function deleteHazards(changes: readonly Change[], reach: number, rules: SafetyRules): Hazard[] {
  const count = changes.filter((change) => change.action === 'delete').length;
  if (count === 0 || count <= (rules.allow.deletes ?? 0)) return [];
  const permit = { option: '--allow-deletes', value: String(count) } as const;
  const hazards: Hazard[] = [];
  const limit = rules.allow.deletes ?? rules.limits.deletes;
  if (count > limit) hazards.push({ code: 'deletes', count, limit, permit });
  const limitPercent = rules.limits.deletes_percent;
  if (exceedsShare(count, reach, limitPercent)) {
    hazards.push({ code: 'deletes_percent', count, of: reach, limit_percent: limitPercent, permit });
  }
  return hazards;
}

function updateHazards(changes: readonly Change[], reach: number, rules: SafetyRules): Hazard[] {
  const count = changes.filter((change) => change.action === 'update').length;
  const limitPercent = rules.limits.updates_percent;
  if (count <= (rules.allow.updates ?? 0) || !exceedsShare(count, reach, limitPercent)) return [];
  const permit = { option: '--allow-updates', value: String(count) } as const;
  return [{ code: 'updates_percent', count, of: reach, limit_percent: limitPercent, permit }];
}

function exceedsShare(count: number, of: number, limitPercent: number): boolean {
  return of >= SMALLEST_BASE_FOR_SHARES && count * 100 > of * limitPercent;
}

function protectedHazards(changes: readonly Change[], rules: SafetyRules): Hazard[] {
  const isProtected = matchKeys(rules.protected);
  const isAllowed = matchKeys(rules.allow.protected);
  return changes.flatMap((change): Hazard[] => {
    const action = endangers(change);
    const key = liveKey(change);
    if (action === undefined || !isProtected(key) || isAllowed(key)) return [];
    return [{ code: 'protected', ref: change.ref, key, action, permit: { option: '--allow-protected', value: key } }];
  });
}

function endangers(change: Change): 'delete' | 'disable' | 'rename' | undefined {
  if (change.action === 'delete') return 'delete';
  if (disables(change)) return 'disable';
  return change.action === 'update' && change.body['key'] !== undefined ? 'rename' : undefined;
}

/** Protection is by the key that people see in the service now, also when the flag is renamed. */
function liveKey(change: Change): string {
  const before = change.resource === 'flag' ? change.fields.find((field) => field.path === '/key')?.before : undefined;
  return typeof before === 'string' ? before : change.key;
}
