/**
 * The effects of changes, as facts for reviewers and rules. Each effect has one or more classes, and each class bounds what may happen to
 * people (`REACHES`). `report/words/effects.ts` has the sentences.
 */

import type { JsonObject, JsonValue } from '../../base/json.ts';

export type EffectClass =
  | 'metadata'
  | 'payload'
  | 'access'
  | 'dependency'
  | 'widen'
  | 'narrow'
  | 'enable'
  | 'kill'
  | 're-split'
  | 're-bucket'
  | 'create'
  | 'delete'
  | 'restore'
  | 'opaque';

/** What may happen to a person for whom the flag is evaluated, if nothing else changes. */
export interface Reach {
  /** The flag is off before and on after. */
  readonly turnsOn: boolean;
  /** The flag is on before and off after. */
  readonly turnsOff: boolean;
  /** The flag is on before and after, with another variant. */
  readonly changesVariant: boolean;
}

const NOTHING: Reach = { turnsOn: false, turnsOff: false, changesVariant: false };
const ANYTHING: Reach = { turnsOn: true, turnsOff: true, changesVariant: true };

/** The riskiest class first. */
const REACHES: Readonly<Record<EffectClass, Reach>> = {
  opaque: ANYTHING,
  kill: { ...NOTHING, turnsOff: true },
  delete: { ...NOTHING, turnsOff: true },
  're-bucket': ANYTHING,
  enable: { ...NOTHING, turnsOn: true },
  restore: { ...NOTHING, turnsOn: true },
  widen: { ...NOTHING, turnsOn: true },
  narrow: { ...NOTHING, turnsOff: true },
  're-split': { ...NOTHING, changesVariant: true },
  create: { ...NOTHING, turnsOn: true },
  dependency: NOTHING,
  access: NOTHING,
  payload: NOTHING,
  metadata: NOTHING,
};

/** The riskiest first. */
export const EFFECT_CLASSES: readonly EffectClass[] = Object.keys(REACHES) as EffectClass[];

/** What all changes of one resource do together. */
export interface ResourceEffects {
  /** The name of the kind. */
  readonly resource: string;
  readonly key: string;
  /** Refs of the changes, in the order of the plan. */
  readonly refs: readonly string[];
  /** The classes of all effects, the riskiest first, each once. */
  readonly classes: readonly EffectClass[];
  readonly effects: readonly Effect[];
  /** The flag is disabled before and after, so nobody's value changes until it is enabled. */
  readonly dormant?: true;
}

export type Effect = FlagEffect | AccessEffect | CohortEffect;

interface EffectOf<What extends string> {
  readonly what: What;
  readonly classes: readonly EffectClass[];
}

/** What happens to a flag, or to a part of it. */
export type FlagEffect =
  /** `conditions`: of the flag afterwards. `others`: what else in it decides who gets it; `filters` if they cannot be read. */
  | (EffectOf<'created' | 'restored'> & {
      readonly active: boolean;
      readonly conditions: readonly NumberedCondition[];
      readonly others?: readonly string[];
    })
  | EffectOf<'deleted'>
  | (EffectOf<'switched'> & { readonly on: boolean })
  | (EffectOf<'renamed'> & { readonly from: string; readonly to: string })
  /** The hashed identity changes; `condition` is absent if this concerns the whole flag. */
  | (EffectOf<'bucketing'> & EffectValues & { readonly field: string; readonly condition?: NumberedCondition })
  | ConditionEffect
  | (EffectOf<'variants'> & {
      readonly before: readonly VariantShare[];
      readonly after: readonly VariantShare[];
      /** Percentage points of all people whose variant by hash differs. */
      readonly moved: number;
    })
  /** `payload`: the key of the variant, or `true`. Payloads may be secret, so no effect holds one. */
  | (EffectOf<'payload'> & { readonly payload: string; readonly how: 'added' | 'removed' | 'changed' })
  /** A part of `filters` other than conditions and variants, or a field that decides where the flag is evaluated. */
  | (EffectOf<'setting'> & EffectValues & { readonly field: string })
  /** A field that no evaluation reads. */
  | (EffectOf<'metadata'> & { readonly field: string })
  /** A part that this release does not know: it is shown whole, and its effect is not guessed. */
  | (EffectOf<'unknown'> & EffectValues & { readonly path: string });

/** `condition` is that of the manifests, or the live one where it is removed. */
type ConditionEffect =
  | (EffectOf<'condition_added' | 'condition_removed'> & { readonly condition: NumberedCondition })
  | (EffectOf<'condition_moved'> & {
      readonly condition: NumberedCondition;
      readonly from: number;
      readonly matters: boolean;
    })
  /** `points`: percentage points of the condition's people. */
  | (EffectOf<'rollout'> & {
      readonly condition: NumberedCondition;
      readonly before: number;
      readonly after: number;
      readonly points: number;
    })
  | (EffectOf<'audience'> & { readonly condition: NumberedCondition } & PropertyChanges)
  /** Properties that are written differently and select the same people: another order, a list of one value. */
  | (EffectOf<'condition_rewritten'> & { readonly condition: NumberedCondition })
  | (EffectOf<'condition_variant'> & EffectValues & { readonly condition: NumberedCondition })
  | (EffectOf<'condition_description'> & { readonly condition: NumberedCondition });

export interface NumberedCondition {
  /** Counts from 1. */
  readonly number: number;
  /** The canonical form that is compared, with dependencies by key. */
  readonly condition: JsonObject;
}

/** How the properties of a condition differ, in canonical form. */
export interface PropertyChanges {
  readonly added: readonly JsonObject[];
  readonly removed: readonly JsonObject[];
  readonly changed: readonly { readonly before: JsonObject; readonly after: JsonObject }[];
}

/** `key` is absent for the share that no variant takes: those people get the flag without a variant. */
export interface VariantShare {
  readonly key?: string;
  readonly percentage: number;
}

interface EffectValues {
  readonly before?: JsonValue;
  readonly after?: JsonValue;
}

/** Who may edit the flag changes, and nobody's value. `role`: its name or id; absent: everyone. */
type AccessEffect = EffectOf<'access'> & { readonly action: string; readonly role?: string };

/** A cohort changes the audience of every flag with a condition on it, listed in `flags`. */
export type CohortEffect =
  | (EffectOf<'cohort'> & {
      readonly action: string;
      readonly flags: readonly string[];
      /** Whom an update selects, compared with before, where that is proved. */
      readonly audience?: 'same' | 'wider' | 'narrower';
    })
  | (EffectOf<'metadata'> & { readonly field: string });

/** The classes of several effects, the riskiest first, each once. */
export function joinClasses(effects: readonly Pick<Effect, 'classes'>[]): EffectClass[] {
  const found = new Set(effects.flatMap(({ classes }) => classes));
  return EFFECT_CLASSES.filter((name) => found.has(name));
}

/** The combined reach of the classes. */
export function joinReaches(classes: readonly EffectClass[]): Reach {
  const some = (what: keyof Reach): boolean => classes.some((name) => REACHES[name][what]);
  return { turnsOn: some('turnsOn'), turnsOff: some('turnsOff'), changesVariant: some('changesVariant') };
}
