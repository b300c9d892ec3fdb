/** Which safety rules a plan breaks, each with the permission that it needs. Facts only; apply does the refusing. */

import type { Flag } from '../posthog/flag/flag.ts';
import { remainingDependents, type Outlook } from '../posthog/flag/outlook.ts';
import type { Change, FlagChange, Hazard, RiskHazard, RoleChange } from '../posthog/plan.ts';
import type { Permit, ProtectedHazard, SafetyRules } from './safety.ts';
import { matchKeys, matchPermits } from './scope.ts';
import { disables, isFirstOfTwo } from '../posthog/flag/split-change.ts';

/** What the rules look at. */
export interface Prospect {
  readonly changes: readonly Change[];
  /** How many live flags the run may touch, which is what shares are taken of. */
  readonly reach: number;
  /** How many live flags a manifest declares, targeted or not. */
  readonly kept: number;
  readonly liveById: ReadonlyMap<number, Flag>;
  readonly outlook: Outlook;
}

export function findHazards(prospect: Prospect, rules: SafetyRules): readonly Hazard[] {
  return [
    ...COUNTED.flatMap((counted) => countHazards(counted, prospect, rules)),
    ...shrunkHazards(prospect, rules),
    ...protectedHazards(prospect, rules),
    ...riskHazards(prospect, rules),
  ];
}

interface Counted {
  readonly code: 'deletes' | 'updates' | 'disables';
  readonly share?: 'deletes_percent' | 'updates_percent';
  readonly counts: (change: Change) => boolean;
}

const COUNTED: readonly Counted[] = [
  { code: 'deletes', share: 'deletes_percent', counts: deletes },
  { code: 'updates', share: 'updates_percent', counts: updates },
  { code: 'disables', counts: disables },
];

/** Shares say nothing about a handful of flags. */
const SMALLEST_BASE_FOR_SHARES = 10;

/** A number that somebody permitted stands for limit and share alike. */
function countHazards({ code, share, counts }: Counted, prospect: Prospect, rules: SafetyRules): Hazard[] {
  const { changes, reach: of } = prospect;
  const count = changes.filter(counts).length;
  const allowed = rules.allow[code];
  if (count <= (allowed ?? 0)) return [];
  const permit = { kind: code, value: count };
  const hazards: Hazard[] = [];
  const limit = allowed ?? rules.limits[code] ?? Infinity;
  if (count > limit) hazards.push({ code, count, limit, permit });
  if (share !== undefined && of >= SMALLEST_BASE_FOR_SHARES && count * 100 > of * rules.limits[share]) {
    hazards.push({ code: share, count, of, limit_percent: rules.limits[share], permit });
  }
  return hazards;
}

/** There is no record of what was managed before: what the manifests still keep is the measure. */
function shrunkHazards({ changes, kept }: Prospect, rules: SafetyRules): Hazard[] {
  const count = changes.filter((change) => change.action === 'delete' && change.reason === 'pruned').length;
  const total = changes.filter(deletes).length;
  if (count <= kept || total <= (rules.allow.deletes ?? 0)) return [];
  return [{ code: 'manifests_shrunk', count, kept, permit: { kind: 'deletes', value: total } }];
}

function protectedHazards({ changes }: Prospect, rules: SafetyRules): ProtectedHazard[] {
  const isProtected = matchKeys(rules.protected);
  const isAllowed = matchPermits(rules.allow.protected);
  return changes.flatMap((change): ProtectedHazard[] => {
    const action = endangers(change);
    const key = liveKey(change);
    if (action === undefined || !isProtected(key) || isAllowed(key)) return [];
    return [{ code: 'protected', ref: change.ref, key, action, permit: { kind: 'protected', value: key } }];
  });
}

function endangers(change: Change): ProtectedHazard['action'] | undefined {
  if (change.action === 'delete') return 'delete';
  if (disables(change)) return 'disable';
  return change.action === 'update' && change.body['key'] !== undefined ? 'rename' : undefined;
}

/** Protection is by the key that people see in the service now, also when the flag is renamed. */
function liveKey(change: Change): string {
  const before = change.resource === 'flag' ? change.fields.find((field) => field.path === '/key')?.before : undefined;
  return typeof before === 'string' ? before : change.key;
}

function riskHazards(prospect: Prospect, rules: SafetyRules): RiskHazard[] {
  const { changes } = prospect;
  const isAllowed = matchPermits(rules.allow.risky ?? []);
  const roleChanges = changes.filter((change) => change.resource === 'role_access');
  const risks = [
    ...changes.flatMap((change) => (change.resource === 'flag' ? flagRisks(change, prospect) : [])),
    ...lockouts(roleChanges, new Set(changes.flatMap((change) => (change.action === 'delete' ? [change.key] : [])))),
  ];
  return risks.filter(({ key }) => !isAllowed(key));
}

function flagRisks(change: FlagChange, { liveById, outlook }: Prospect): RiskHazard[] {
  const { ref, key, action } = change;
  const permit = permitRisk(key);
  const risks: RiskHazard[] = [];
  const experiments = action === 'delete' ? (liveById.get(change.id)?.experiment_set ?? []) : [];
  if (experiments.length > 0) risks.push({ code: 'experiments', ref, key, experiments, permit });
  const dependents = remainingDependents(change, outlook);
  if (dependents.length > 0) {
    risks.push({
      code: 'dependents',
      ref,
      key,
      action: action === 'delete' ? 'delete' : 'disable',
      dependents,
      permit,
    });
  }
  return risks;
}

/** Flags that some role may edit now, and none afterwards; of a flag that is deleted nobody is locked out. */
function lockouts(changes: readonly RoleChange[], deleted: ReadonlySet<string>): RiskHazard[] {
  const byKey = new Map<string, { readonly left: Set<string>; lastRevoke?: string }>();
  for (const { action, key, ref, role, base } of changes) {
    const flag = byKey.get(key) ?? { left: new Set(base.roles) };
    byKey.set(key, flag);
    if (action === 'grant') flag.left.add(role.id);
    else {
      flag.left.delete(role.id);
      flag.lastRevoke = ref;
    }
  }
  return [...byKey].flatMap(([key, { left, lastRevoke: ref }]): RiskHazard[] =>
    ref === undefined || left.size > 0 || deleted.has(key)
      ? []
      : [{ code: 'lockout', ref, key, permit: permitRisk(key) }],
  );
}

function updates(change: Change): boolean {
  return change.action === 'update' && !isFirstOfTwo(change);
}

function deletes({ action }: Change): boolean {
  return action === 'delete';
}

function permitRisk(key: string): Permit {
  return { kind: 'risky', value: key };
}
