/** Completes a plan from its changes: hazards, predicted refusals, summary and fingerprint. */

import { comparing } from '../../base/compare-strings.ts';
import { canonicalText, type JsonObject } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import type { PlannedRollout, RolloutChange } from '../rollout/rollout.ts';
import type { BaseFacts, EarlierBase, Released } from './base.ts';
import { type Change, isPartial } from './change.ts';
import { fingerprintOf, hideSecrets, keysWithoutSecrets } from './plan-document.ts';
import { findHazards, type JudgedChange, type Prospect } from './hazards.ts';
import { familyOf, kindOf, nameOf, presentIn, type Kind, type Model, type World } from './kind.ts';
import type { LeftChange } from './matched.ts';
import type { ObservedValue } from './ownership.ts';
import type { FamilyFacts, Identified, Plan, PlanSummary, RuleWarning, SwitchOff, Warning } from './plan.ts';
import type { ProjectIdentity } from './project.ts';
import type { CodeReads, SafetyRules, SafetySource } from './safety.ts';

export interface PlanParts<M extends Model> {
  /** Changes in their final order. */
  readonly changes: readonly M['change'][];
  /** The order is that in which hazards name them. */
  readonly families: readonly FamilyFacts[];
  /** The number of live resources of the main family that a manifest declares, within the run's reach or not. */
  readonly kept: number;
  readonly unmanaged: { readonly count: number; readonly inScope: readonly string[] };
  readonly warnings: readonly (RuleWarning | M['warning'])[];
  readonly left?: readonly LeftChange[];
  readonly unrecorded?: readonly EarlierBase[];
  /** The declared values that change over time. */
  readonly rollouts?: readonly PlannedRollout[];
  /** Absent without a base. */
  readonly released?: readonly Released[];
  readonly converged?: number;
  /** Values that others decide and that are not as declared. */
  readonly observed?: readonly ObservedValue[];
  /** Risks that no kind finds in the changes. */
  readonly furtherRisks?: readonly M['risk'][];
}

export interface SealOptions extends SafetyRules {
  readonly project: ProjectIdentity;
  /** The recorded run that the plan reverts. */
  readonly undoes?: string;
  readonly off?: SwitchOff;
  /** The base of the plan, or why there is none; absent if none was looked for. */
  readonly baseFacts?: BaseFacts;
  /** The source of the rules. */
  readonly safety?: SafetySource;
  /** The commit that has the manifests as they were read. */
  readonly commit?: string;
  /** See `Plan`. */
  readonly identified?: Identified;
  readonly rolloutChanges?: readonly RolloutChange[];
  /** Other names of a resource, present or former, by its name in options. */
  readonly otherNames?: (name: string) => readonly string[];
  /** Code that certainly reads what changes, by the ref of the change; absent if it was not searched. */
  readonly readers?: ReadonlyMap<string, CodeReads>;
}

export function sealPlan<M extends Model>(parts: PlanParts<M>, world: World<M>, options: SealOptions): Plan<M> {
  const { changes, unmanaged } = parts;
  const { kinds } = world;
  const { prospect, warnings } = assess(parts, world, options);
  const { hazards, lifted } = findHazards<M['risk']>(prospect, options);
  const plan: Omit<Plan<M>, 'fingerprint'> = {
    project: options.project,
    ...defined({ undoes: options.undoes, off: options.off, commit: options.commit }),
    ...defined({ base: options.baseFacts, safety: options.safety }),
    summary: sumUp<M>(parts, kinds),
    changes,
    hazards,
    ...unlessEmpty('lifted', lifted),
    unmanaged: unmanaged.inScope,
    ...unlessEmpty('left', parts.left ?? []),
    ...unlessEmpty('unrecorded', parts.unrecorded ?? []),
    ...defined({ identified: options.identified }),
    ...unlessEmpty('rollouts', parts.rollouts ?? []),
    ...unlessEmpty('rollout_changes', options.rolloutChanges ?? []),
    ...defined({ released: parts.released, converged: parts.converged }),
    warnings: sortWarnings([...warnings, ...warnOfSecrets(changes, kinds)]),
    ...unlessEmpty('observed', parts.observed ?? []),
    ...otherNamesOf(prospect.changes),
  };
  return seal(plan, kinds);
}

/** Adds what was found after the plan was made. A rule that the plan breaks by a change now is not repeated. */
export function addToPlan<M extends Model>(
  plan: Plan<M>,
  { warnings = [], hazards = [], lifted = [] }: Partial<Pick<Plan<M>, 'warnings' | 'hazards' | 'lifted'>>,
  kinds: readonly Kind<M>[],
): Plan<M> {
  if (warnings.length + hazards.length + lifted.length === 0) return plan;
  const { fingerprint: _former, ...content } = plan;
  type Found = Plan<M>['hazards'][number];
  const isNewIn = (known: readonly Found[], hazard: Found): boolean =>
    !('ref' in hazard) || known.every((one) => one.code !== hazard.code || !('ref' in one) || one.ref !== hazard.ref);
  const told = new Map(
    [...plan.warnings, ...warnings].map((one) => [canonicalText(one as unknown as JsonObject), one]),
  );
  const own = (plan.lifted ?? []).map(({ hazard }) => hazard);
  return seal<M>(
    {
      ...content,
      hazards: [...plan.hazards, ...hazards.filter((hazard) => isNewIn(plan.hazards, hazard))],
      ...unlessEmpty('lifted', [...(plan.lifted ?? []), ...lifted.filter(({ hazard }) => isNewIn(own, hazard))]),
      warnings: sortWarnings([...told.values()]),
    },
    kinds,
  );
}

function seal<M extends Model>(plan: Omit<Plan<M>, 'fingerprint'>, kinds: readonly Kind<M>[]): Plan<M> {
  return { ...plan, fingerprint: fingerprintOf(hideSecrets(plan, kinds) as unknown as JsonObject) };
}

interface Assessed<M extends Model> {
  readonly prospect: Prospect<M['risk']>;
  readonly warnings: Plan<M>['warnings'];
}

function assess<M extends Model>(parts: PlanParts<M>, world: World<M>, options: SealOptions): Assessed<M> {
  const { kinds, snapshot } = world;
  const { changes, families, kept } = parts;
  const asked = changes.length === 0 ? [] : presentIn(world);
  const assessed = asked.map((kind: Kind<M>) => kind.assess(changes, snapshot, parts.left ?? []));
  const judged = changes.map((change) => toJudged(change, kinds, options));
  const risks = [...assessed.flatMap((assessment) => assessment.risks), ...(parts.furtherRisks ?? [])];
  const prospect = { changes: judged, families, kept, risks, ...defined({ readers: options.readers }) };
  return {
    prospect,
    warnings: [...parts.warnings, ...assessed.flatMap((assessment) => assessment.warnings)],
  };
}

function toJudged<M extends Model>(
  change: M['change'],
  kinds: readonly Kind<M>[],
  { otherNames }: Pick<SealOptions, 'otherNames'>,
): JudgedChange {
  const kind = kindOf(kinds, change);
  const family = familyOf(kind);
  const name = nameOf(kinds, family, change.key);
  return {
    change,
    family,
    name,
    otherNames: otherNames?.(name) ?? [],
    effects: kind.effects(change),
    parts: kind.parts(change),
    liveKey: kind.liveKey(change),
  };
}

function otherNamesOf(
  judged: readonly { readonly name: string; readonly otherNames: readonly string[] }[],
): Pick<Plan, 'other_names'> {
  const named = judged.filter(({ otherNames }) => otherNames.length > 0);
  if (named.length === 0) return {};
  return { other_names: Object.fromEntries(named.map(({ name, otherNames }) => [name, otherNames])) };
}

function unlessEmpty<Name extends string, Item>(
  name: Name,
  items: readonly Item[],
): { readonly [N in Name]?: readonly Item[] } {
  return items.length === 0 ? {} : ({ [name]: items } as { readonly [N in Name]: readonly Item[] });
}

function warnOfSecrets<M extends Model>(changes: readonly M['change'][], kinds: readonly Kind<M>[]): RuleWarning[] {
  const keys = keysWithoutSecrets(hideSecrets({ changes }, kinds).changes, kinds);
  return keys.map((key) => ({ code: 'payloads_encrypted', key }));
}

function sortWarnings<Any extends Warning>(warnings: readonly Any[]): Any[] {
  return warnings.toSorted(comparing(({ key, code }) => `${key} ${code}`));
}

interface ToSumUp<M extends Model> {
  readonly changes: readonly M['change'][];
  readonly families: readonly FamilyFacts[];
  readonly unmanaged: { readonly count: number };
}

/** Sums a plan up: how many changes each action has and what needs none, of all resources and of each kind. */
export function sumUp<M extends Model>(
  { changes, families, unmanaged }: ToSumUp<M>,
  kinds: readonly Kind<M>[],
): PlanSummary<M['change']> {
  const whole = changes.filter((change) => !isPartial(change));
  const rows = kinds.map((kind) => ({ kind, counts: countActions(whole, kind) }));
  const actions = [...new Set(rows.flatMap(({ counts }) => Object.keys(counts)))];
  const unchanged = new Map(families.map((family) => [family.name, family.unchanged]));
  const total = (amounts: Iterable<number>): number => [...amounts].reduce((sum, amount) => sum + amount, 0);
  return {
    ...Object.fromEntries(actions.map((action) => [action, total(rows.map(({ counts }) => counts[action] ?? 0))])),
    unchanged: total(unchanged.values()),
    unmanaged: unmanaged.count,
    kinds: Object.fromEntries(
      rows.flatMap(({ kind, counts }) => {
        const row = familyOf(kind) === kind.name ? { ...counts, unchanged: unchanged.get(kind.name) ?? 0 } : counts;
        return kind.countedIfAny === true && total(Object.values(row)) === 0 ? [] : [[kind.name, row] as const];
      }),
    ),
  } as unknown as PlanSummary<M['change']>;
}

function countActions<M extends Model>(
  changes: readonly Change[],
  { name, actions }: Kind<M>,
): Readonly<Record<string, number>> {
  const own = changes.filter(({ resource }) => resource === name);
  return Object.fromEntries(
    actions.map((one: string) => [one, own.filter(({ action }) => action === one).length] as const),
  );
}
