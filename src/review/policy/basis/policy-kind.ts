/**
 * What a policy judges: a resource with the effects of its changes, and its surroundings. And everything about one built-in policy: its
 * options, their schema, its judgement, and its words. A file in `rules/` has all of it.
 */

import type { JsonObject } from '../../../base/json.ts';
import type { Place } from '../../../base/place.ts';
import { array, define, type Definition, type Keywords, type SchemaMembers, string } from '../../../base/schema.ts';
import type { OwnerRules } from '../../../core/manifest/code-owners.ts';
import type { ResourceEffects } from '../../effects/effect.ts';
import type { ExperimentSummary, Flag } from '../../../posthog/flag/model/flag.ts';
import type { KindName } from '../../../posthog/kind-types.ts';
import type { Change } from '../../../posthog/plan.ts';
import type { Soaking } from './soak.ts';

/** A resource that changes. */
export interface JudgedResource extends ResourceEffects {
  /** All changes of the resource, in the order of the plan. */
  readonly changes: readonly Change[];
  /**
   * The names by which options may refer to the resource: its new key or alias, the live one, then earlier ones. A rename does not escape
   * the rules.
   */
  readonly names: readonly [name: string, ...others: string[]];
  /** The live name, if the change renames the resource. */
  readonly liveName?: string;
  /**
   * A flag in the form in which flags are compared: absent before it exists, after it is deleted, and for other resources.
   * Payloads may be digests.
   */
  readonly before?: JsonObject;
  readonly after?: JsonObject;
  /** The share for which the change turns flags on; absent if it turns none on. */
  readonly widening?: Widening;
  /**
   * The compared fields of a cohort before and after; absent for other kinds. From manifests alone, a field that the base does not declare is
   * missing on both sides (docs/policies.md, "What `validate` judges").
   */
  readonly definition?: { readonly before?: JsonObject; readonly after?: JsonObject };
}

export interface TurnedOn {
  /** Percentage points, 0 to 100. */
  readonly points: number;
  /** Whether a person with this share exists; otherwise the share is an upper bound. */
  readonly exact: boolean;
  /** The part of the flag that contributes most. */
  readonly pointer: string;
}

export interface Widening {
  /** The flag itself; `NOBODY` for other resources. */
  readonly own: TurnedOn;
  /** Flags without changes of their own that depend on the changed one or use the changed cohort, sorted by key. */
  readonly others: readonly { readonly key: string; readonly points: number }[];
}

/** Facts beyond the changes. */
export interface PolicyContext {
  /** The name of the project. */
  readonly project: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** The running experiments of live flags, by the key before the change; absent if nothing live was read. */
  readonly experiments?: ReadonlyMap<string, readonly ExperimentSummary[]>;
  /**
   * All flags before the changes: live, or as the base declares them. Absent if they are unknown: then a flag with a changed cohort may
   * turn on for everybody.
   */
  readonly flags?: readonly Flag[];
  /** Flags that other projects declared first, by project and key, in the form in which they are compared. */
  readonly declared?: ReadonlyMap<string, ReadonlyMap<string, JsonObject>>;
  /** What the projects that `soaked` names have had; absent in a run that reads no project. */
  readonly soaked?: ReadonlyMap<string, Soaking>;
  /** Who owns what; absent in a run that reads no repository: then only tags may name owners. */
  readonly owners?: OwnerRules;
}

/** `error` refuses the change, `approve` until somebody approves it, `warning` never. */
export type Level = 'error' | 'warning' | 'approve';

/** A breach that a rule finds. `place`: absent if it is that of the change. */
export interface RuleBreach<Facts> {
  readonly facts: Facts;
  readonly place?: Place;
  /** Overrides the policy's level. */
  readonly level?: Level;
}

/**
 * The place of the first changed value at or inside the pointer, or around it, which of a created flag is its field; empty if no manifest
 * declares it.
 */
export function sourceOf(
  { changes }: Pick<JudgedResource, 'changes'>,
  pointer: string,
): Pick<RuleBreach<unknown>, 'place'> {
  const fields = changes.flatMap((change) => ('fields' in change ? change.fields : [])).filter(({ source }) => source);
  const isWithin = (path: string, other: string): boolean => path === other || path.startsWith(`${other}/`);
  const found =
    fields.find(({ path }) => isWithin(path, pointer)) ?? fields.find(({ path }) => isWithin(pointer, path));
  return found?.source === undefined ? {} : { place: found.source };
}

interface PolicyTypes {
  /** The options as the configuration has them, in the form of their schema. */
  readonly written: object;
  /** The options with their defaults. */
  readonly options: object;
  /** The findings of the policy. */
  readonly facts: { readonly what: string };
}

export interface PolicyKind<Types extends PolicyTypes = PolicyTypes> extends WordedFacts<Types['facts']> {
  /** The description of the policy for editors. */
  readonly description: string;
  /** The schemas of the policy's own options. */
  readonly schema: SchemaMembers;
  /** The options that require each other. */
  readonly together?: Keywords;
  /** The checks of an option beyond its schema. */
  readonly contents?: { readonly [Option in keyof Types['written']]?: OptionContent };
  readonly read: (written: Types['written']) => Types['options'];
  /** Pure. Returns at most one of each of its facts for a resource. */
  readonly judge: (
    resource: JudgedResource,
    policy: PolicyHead & Types['options'],
    surroundings: PolicyContext,
  ) => readonly RuleBreach<Types['facts']>[];
  /** Whether the policy needs the share for which changes turn flags on. */
  readonly asksWidening?: true;
  /** Whether the policy, with these options, needs the owners of files. */
  readonly asksOwners?: (options: Types['options']) => boolean;
  /** The project with whose declarations the policy compares a change. */
  readonly comparesWith?: (options: Types['options']) => string;
  /** Whether the policy is judged only where live state is read: it finds nothing without it. */
  readonly asksLiveState?: true;
  /** Whether the policy is about the names that resources get, so that an exception names the new one. */
  readonly judgesNames?: true;
  /** Whether the policy is about resources with other names than the ones that `keys` is compared with. */
  readonly concerns?: (resource: JudgedResource, isAbout: (name: string) => boolean) => boolean;
  /**
   * Whether the recorded facts of a saved plan still hold by the current policies. Absent if the plan contains everything, so that judging
   * it again finds the same.
   */
  readonly stillHolds?: (facts: Types['facts'], policies: readonly Types['options'][]) => boolean;
  /** Whether an approval of a finding covers another one. `isSame`: compares with the approved facts. Absent if they must be the same. */
  readonly covers?: (
    approved: Types['facts'],
    found: Types['facts'],
    isSame: (facts: Types['facts']) => boolean,
  ) => boolean;
}

/** The facts of a rule: their schemas, each an alternative, and their sentence. */
export interface WordedFacts<Facts> {
  readonly facts: readonly Keywords[];
  /** Continues the name of the resource: `turns on for …`. */
  readonly text: (facts: Facts, wording: Wording) => string;
}

/** `project`: a name of the configuration; `globs`: of keys or values; `windows`: times. */
export type OptionContent = 'project' | 'globs' | 'windows';

/** Strings come from files and the service. A quoted string may be shortened, and contains nothing that a terminal or a log would obey. */
export interface Wording {
  /** The kind of the resource. */
  readonly resource: KindName;
  /** `limit`: how long it may be. */
  readonly quote: (text: string, limit?: number) => string;
  /** A list of quoted names; only the first ones if there are many. */
  readonly names: (names: readonly string[]) => string;
  /** `1 day`, `2 days`. */
  readonly count: (number: number, singular: string, plural?: string) => string;
}

export interface PolicyHead {
  readonly level: Level;
  /** The projects to which the policy applies; absent: all. */
  readonly projects?: readonly string[];
  /** Keys or patterns of the flags to which the policy applies; absent: all. */
  readonly keys?: readonly string[];
  /** The place of the policy in the configuration. */
  readonly source: Place;
}

/** Some rules are made for flags: they apply to cohorts only if they name some, as `cohort:ALIAS`. */
export function namesCohorts({ keys = [] }: Pick<PolicyHead, 'keys'>): boolean {
  return keys.some((key) => key.startsWith('cohort:'));
}

/** Schemas of options that several policies have. */
export const names: Definition = define('names', array(string({ minLength: 1 }), { minItems: 1 }));

export const globs: Definition = define('globs', array(string({ minLength: 1 })));
