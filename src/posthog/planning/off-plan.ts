/** The plan of `off`: turns live flags off, or leaves them enabled for nobody. It uses no manifest. */

import { arrayOrEmpty, isJsonObject, objectOrEmpty } from '../../base/json.ts';
import { fromPointer } from '../../base/json-pointer.ts';
import { defined } from '../../base/optional.ts';
import { nameChange } from '../../core/engine/body-kind.ts';
import { orderChanges } from '../../core/engine/order.ts';
import type { SwitchOff } from '../../core/engine/plan.ts';
import { sealPlan, type SealOptions } from '../../core/engine/seal-plan.ts';
import { DEFAULT_OPTIONS } from './build-plan.ts';
import { decidingConditions, warnOfOff } from '../flag/assess.ts';
import type { FlagWarning, UpdateFlag } from '../flag/change.ts';
import { flagBase, updateBody } from '../flag/find-changes.ts';
import { comparableFields, findDifferences, writableFields } from '../flag/comparison.ts';
import { hasEncryptedPayloads } from '../flag/model/encrypted-payloads.ts';
import { KNOWN_FIELDS } from '../flag/model/fields.ts';
import { FLAG } from '../flag/kind.ts';
import { viewFilters, type Flag } from '../flag/model/flag.ts';
import type { FlagSnapshot } from '../flag/snapshot.ts';
import { KINDS } from '../kinds.ts';
import type { LiveState } from '../live.ts';
import type { PostHog } from '../kind.ts';
import type { Plan } from '../plan.ts';
import { takeSnapshot } from '../snapshot.ts';

export interface TurningOff extends SwitchOff {
  readonly flags: readonly Flag[];
  /** The ones of `flags` that stay enabled, with 0% in every condition. */
  readonly atZero: readonly Flag[];
  /** Other live flags, which their conditions name. */
  readonly named: readonly Flag[];
  /** Named flags that are off. */
  readonly off?: readonly Flag[];
}

/** Pure. The changes are in an order that the service accepts: dependents first. */
export function planOff(
  { flags, atZero, named, off: before = [], reason }: TurningOff,
  options: Partial<SealOptions> = {},
): OffPlan {
  const live = { flags: [...flags, ...named], roleAccess: {} };
  const snapshot = takeSnapshot(live);
  const made = flags.flatMap((flag) =>
    atZero.includes(flag) ? setToZero(flag, snapshot.flags) : [turnOff(flag, snapshot.flags)],
  );
  const world = { kinds: KINDS, snapshot };
  const parts = {
    changes: orderChanges<PostHog>(made, world),
    families: [{ name: FLAG.name, reach: flags.length, unchanged: 0 }],
    kept: 0,
    known: [],
    unmanaged: { count: 0, inScope: [] },
    warnings: flags.flatMap((flag) => warnOfObstacles(flag, atZero.includes(flag))),
  };
  const changed = new Set(made.map(({ key }) => key));
  const percentages = ({ filters }: Flag): string[] =>
    arrayOrEmpty(filters?.['groups']).map((_, index) => `/filters/groups/${index}/rollout_percentage`);
  const already = [
    ...before.map(({ key, id }) => ({ key, id, paths: ['/active'] })),
    ...atZero
      .filter(({ key }) => !changed.has(key))
      .map((flag) => ({ key: flag.key, id: flag.id, paths: percentages(flag) })),
  ];
  const off = { ...defined({ reason }), ...(already.length === 0 ? {} : { already }) };
  return { plan: sealPlan<PostHog>(parts, world, { ...DEFAULT_OPTIONS, ...options, off }), live };
}

export interface OffPlan {
  readonly plan: Plan;
  /** The state that the plan was made from. */
  readonly live: LiveState;
}

/** Whether 0% in every condition means that nobody has the flag, and can be written without its secrets. */
export function canBeAtZero(flag: Flag): boolean {
  const isKnown = !viewFilters(flag.filters).hasUnreadConditions;
  return isKnown && decidingConditions(flag.filters) !== undefined && !hasEncryptedPayloads(flag);
}

function turnOff(flag: Flag, flags: FlagSnapshot): UpdateFlag {
  // Other edits since then do not matter: the flag must be off, and nothing else in it is written.
  const kept = [...KNOWN_FIELDS].filter((field) => !['active', 'key', 'deleted'].includes(field));
  return {
    ...toUpdate(flag),
    fields: [{ path: '/active', before: true, after: false }],
    body: { active: false },
    base: flagBase(flag, { compared: [], written: ['active'] }, flags),
    keeps: kept.map((field) => ({ path: `/${field}` })),
  };
}

/** Empty where every condition is at 0% already. */
function setToZero(flag: Flag, flags: FlagSnapshot): UpdateFlag[] {
  const former = writableFields(flag, ['filters'], flags);
  const filters = objectOrEmpty(former['filters']);
  const groups = arrayOrEmpty(filters['groups']).map((group) =>
    isJsonObject(group) ? { ...group, rollout_percentage: 0 } : group,
  );
  const wanted = { filters: { ...filters, groups } };
  const now = flags.comparable(flag);
  const canonical = { live: now, wanted: comparableFields(wanted, now, flags) };
  const fields = findDifferences(canonical, wanted, flags);
  if (fields.length === 0) return [];
  const written = [...new Set(fields.map(({ path }) => fromPointer(path)[0] ?? ''))];
  return [
    {
      ...toUpdate(flag),
      fields,
      body: updateBody(written, wanted, { former, canonical }),
      base: flagBase(flag, { compared: written, written }, flags),
    },
  ];
}

function toUpdate({ id, key }: Flag): Pick<UpdateFlag, 'action' | 'resource' | 'ref' | 'key' | 'id' | 'needs'> {
  return { action: 'update', ...nameChange('flag', key), id, needs: [] };
}

/** Warns of further effects and of obstacles. What a disabled flag does to what uses it is among the consequences of its change. */
function warnOfObstacles(flag: Flag, isAtZero: boolean): FlagWarning[] {
  const format = viewFilters(flag.filters).opaqueVersion;
  const isSecret = hasEncryptedPayloads(flag);
  const facts = { ...(isSecret ? { encrypted: true as const } : {}), ...defined({ format }) };
  const own = { code: 'off_affects', key: flag.key, id: flag.id, ...facts } as const;
  return [...(isAtZero ? warnOfOff(flag) : []), ...(Object.keys(facts).length === 0 ? [] : [own])];
}
