/** Finds which safety rules a plan breaks, each with what an exception must allow. Facts only: apply refuses. */

import { memberOf } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import type { Change, FieldChange } from './change.ts';
import { type Exception, liftedBy, lifterOf, mostOf } from './exceptions.ts';
import type { ChangeEffect } from './kind.ts';
import type {
  ConflictHazard,
  Origin,
  CodeReads,
  LiftedHazard,
  ProtectedHazard,
  ReadHazard,
  RiskHazard,
  RuleHazard,
  SafetyLimits,
  SafetyRules,
} from './safety.ts';
import { matchKeys } from './scope.ts';
import type { FamilyFacts } from './plan.ts';

/** The input of the rules. */
export interface Prospect<Risk extends RiskHazard = RiskHazard> {
  readonly changes: readonly JudgedChange[];
  readonly families: readonly Pick<FamilyFacts, 'name' | 'reach'>[];
  /** The number of live resources of the main family that a manifest declares, targeted or not. */
  readonly kept: number;
  readonly risks: readonly Risk[];
  /** Code that reads what changes, by the ref of the change; absent if it was not searched. */
  readonly readers?: ReadonlyMap<string, CodeReads>;
}

export interface JudgedChange {
  readonly change: Change;
  /** The name in options (`nameOf`). */
  readonly name: string;
  /** The name of the main kind of the resource. */
  readonly family: string;
  readonly effects: readonly ChangeEffect[];
  readonly parts: readonly FieldChange[];
  /** Protects by the key that people see in the service now, even if the change renames the resource. */
  readonly liveKey: string;
  /** Names that it had before. */
  readonly otherNames: readonly string[];
}

/** The rules that the plan breaks, and those that it would break without the exceptions. */
export function findHazards<Risk extends RiskHazard>(
  prospect: Prospect<Risk>,
  rules: SafetyRules,
): { readonly hazards: readonly (RuleHazard | Risk)[]; readonly lifted: readonly LiftedHazard<RuleHazard | Risk>[] } {
  const { risks } = prospect;
  const found: readonly (RuleHazard | Risk)[] = [
    ...COUNTED.flatMap((counted) => countHazards(counted, prospect, rules)),
    ...findShrunk(prospect),
    ...findProtected(prospect, rules),
    ...risks.filter(({ permit }) => permit?.kind !== 'override'),
    ...findRead(prospect),
    ...findConflicts(prospect),
    ...risks.filter(({ permit }) => permit?.kind === 'override'),
  ];
  return liftHazards(found, rules.exceptions, liveNamesOf(prospect.changes));
}

/** `liveNames`: as of `liveNamesOf`. */
export function liftHazards<Of extends RuleHazard | RiskHazard>(
  found: readonly Of[],
  exceptions: readonly Exception[],
  liveNames: ReadonlyMap<string, string>,
): { readonly hazards: readonly Of[]; readonly lifted: readonly LiftedHazard<Of>[] } {
  const judged = found.map((hazard) => {
    const name = 'key' in hazard ? hazard.key : '';
    // A protected flag is named as it is live.
    const liveName = hazard.code === 'protected' ? name : (liveNames.get(name) ?? name);
    return { hazard, exception: lifterOf(hazard, { name, liveName }, exceptions) };
  });
  return {
    hazards: judged.flatMap(({ hazard, exception }) => (exception === undefined ? [hazard] : [])),
    lifted: judged.flatMap(({ hazard, exception }) => (exception ? [{ hazard, by: liftedBy(exception) }] : [])),
  };
}

/** The live names of resources that the changes rename. */
export function liveNamesOf(
  changes: readonly { readonly name: string; readonly liveKey: string }[],
): ReadonlyMap<string, string> {
  return new Map(changes.flatMap(({ name, liveKey }) => (name === liveKey ? [] : [[name, liveKey]])));
}

/** Code keeps reading the live key: a rename breaks it like a delete. */
export function findRead({ changes, readers }: ReadChanges): ReadHazard[] {
  return changes.flatMap(({ change: { ref, key }, name, effects, liveKey }): ReadHazard[] => {
    const action = BREAKS.find((effect) => effects.includes(effect));
    const reads = readers?.get(ref);
    if (action === undefined || reads === undefined) return [];
    const read = liveKey === key ? {} : { read: liveKey };
    return [
      { code: 'read_by_code', ref, key: name, action, ...read, ...reads, permit: { kind: 'risky', value: name } },
    ];
  });
}

interface ReadChanges extends Pick<Prospect, 'readers'> {
  readonly changes: readonly Pick<JudgedChange, 'change' | 'name' | 'effects' | 'liveKey'>[];
}

const BREAKS = ['delete', 'rename'] as const;

/** A change of a resource's existence: the conflict is about the whole resource. */
const WHOLE: ReadonlySet<string> = new Set(['create', 'restore', 'delete']);

/** Edits by people that the run would revert, one for each resource. */
function findConflicts({ changes }: Prospect): ConflictHazard[] {
  const byKey = new Map<string, ConflictHazard>();
  for (const { change, name: key, parts, effects } of changes) {
    const moved = parts.filter(({ divergence }) => divergence === 'conflict').map(({ path }) => path);
    if (moved.length === 0) continue;
    const { ref, action } = change;
    const hazard = byKey.get(key) ?? {
      code: 'conflict',
      ref,
      key,
      action,
      paths: [],
      ...(effects.includes('prune') ? { pruned: true } : {}),
      permit: { kind: 'override', value: key },
    };
    byKey.set(key, WHOLE.has(hazard.action) ? hazard : { ...hazard, paths: [...hazard.paths, ...moved] });
  }
  return [...byKey.values()];
}

interface CountRule {
  readonly code: 'deletes' | 'updates' | 'disables';
  readonly share?: 'deletes_percent' | 'updates_percent';
  readonly effect: ChangeEffect;
}

const COUNTED: readonly CountRule[] = [
  { code: 'deletes', share: 'deletes_percent', effect: 'delete' },
  { code: 'updates', share: 'updates_percent', effect: 'update' },
  { code: 'disables', effect: 'disable' },
];

/** A share of very few resources says nothing. */
const SMALLEST_BASE_FOR_SHARES = 10;

/**
 * A number limits the whole run. A share is per family, since many resources of another family must not make it small. An exception lifts
 * both; the number of an option replaces the limit, also a higher one.
 */
function countHazards({ code, share, effect }: CountRule, prospect: Prospect, rules: SafetyRules): RuleHazard[] {
  const count = countEffects(prospect, effect);
  if (count === 0) return [];
  const { exceptions, limits } = rules;
  const permit = { kind: code, value: count };
  // Omits families without any.
  const { changes, families } = prospect;
  const counted = changes.filter(({ effects }) => effects.includes(effect));
  const amounts = families.map(({ name }) => [name, counted.filter(({ family }) => family === name).length] as const);
  const kinds = Object.fromEntries(amounts.filter(([, amount]) => amount > 0));
  const configured = limits[code] ?? Infinity;
  const option = mostOf(
    exceptions.filter(({ origin }) => origin.from === 'option'),
    code,
  );
  const allowed = mostOf(exceptions, code) ?? 0;
  const strictest = Math.min(configured, option ?? Infinity);
  // What refuses the plan is the most that the run allows.
  const limit = count <= allowed ? strictest : Math.max(option ?? configured, allowed);
  const isOfRun = limit !== configured || option === limit;
  const origin = isOfRun ? { origin: { from: 'run' } as const } : originOf(code, rules);
  const number: RuleHazard[] = count > strictest ? [{ code, count, kinds, limit, ...origin, permit }] : [];
  if (share === undefined) return number;
  const limit_percent = limits[share];
  const shares = families.flatMap(({ name: resource, reach: of }): RuleHazard[] => {
    const part = memberOf(kinds, resource) ?? 0;
    if (of < SMALLEST_BASE_FOR_SHARES || part * 100 <= of * limit_percent) return [];
    return [{ code: share, resource, count: part, of, limit_percent, ...originOf(share, rules), permit }];
  });
  return [...number, ...shares];
}

function originOf(limit: keyof SafetyLimits, { origins }: SafetyRules): { readonly origin?: Origin } {
  return origins === undefined ? {} : { origin: origins.limits[limit] ?? { from: 'default' } };
}

/** No record shows what was managed, so deletes are measured against what the manifests keep. */
function findShrunk(prospect: Prospect): RuleHazard[] {
  const { kept } = prospect;
  const count = countEffects(prospect, 'prune');
  if (count <= kept) return [];
  return [
    { code: 'manifests_shrunk', count, kept, permit: { kind: 'deletes', value: countEffects(prospect, 'delete') } },
  ];
}

/** The gravest effect of a change counts. */
const PROTECTED_FROM = ['delete', 'disable', 'rename'] as const;

function findProtected({ changes }: Prospect, rules: SafetyRules): ProtectedHazard[] {
  const patterns = rules.protected.map((pattern) => ({ pattern, matches: matchKeys([pattern]) }));
  return changes.flatMap(({ change: { ref }, effects, liveKey: key, otherNames }): ProtectedHazard[] => {
    const action = PROTECTED_FROM.find((effect) => effects.includes(effect));
    const found = action && patterns.find(({ matches }) => [key, ...otherNames].some(matches));
    if (action === undefined || found === undefined) return [];
    const origin = defined({ origin: rules.origins?.protected.get(found.pattern) });
    return [{ code: 'protected', ref, key, action, ...origin, permit: { kind: 'protected', value: key } }];
  });
}

function countEffects({ changes }: Prospect, effect: ChangeEffect): number {
  return changes.filter(({ effects }) => effects.includes(effect)).length;
}
