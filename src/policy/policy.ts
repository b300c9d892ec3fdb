/** The policies of the configuration: rules of the house about changes, judged before anything is written. */

import type { Place } from '../base/place.ts';
import type { EffectClass } from '../effects/effect.ts';

/** `error` refuses the change, `approve` until somebody approves it, `warning` never. */
export type Level = 'error' | 'warning' | 'approve';

export interface PolicySet {
  readonly rules: readonly Policy[];
  /** Who may approve and grant waivers; absent: whoever `--approved-by` names. */
  readonly approvers?: readonly string[];
  /** The file of waivers, relative to the configuration's folder. */
  readonly waivers?: string;
}

export type Policy = BuiltInPolicy | OwnPolicy;

interface PolicyHead {
  readonly level: Level;
  /** The projects to which it applies; absent: all. */
  readonly projects?: readonly string[];
  /** Keys or patterns of the flags to which it applies; absent: all. */
  readonly keys?: readonly string[];
  /** Where the configuration has it. */
  readonly source: Place;
}

type PolicyOf<Rule extends string, Options> = PolicyHead & { readonly rule: Rule } & Options;

export type BuiltInPolicy =
  /** A change may turn the flag on for at most so many percentage points of a condition's people. */
  | PolicyOf<'max-widen', { readonly points: number }>
  /** `deny` beats `allow`. `except`: changes of these classes only are made at any time. */
  | PolicyOf<
      'freeze',
      {
        readonly deny: readonly TimeWindow[];
        /** Absent: always, but for `deny`. */
        readonly allow?: readonly TimeWindow[];
        readonly except: readonly EffectClass[];
      }
    >
  /** `tags`: each pattern must match a tag. */
  | PolicyOf<'require', { readonly description: boolean; readonly tags: readonly string[] }>
  /** New keys must match one of the patterns. */
  | PolicyOf<'naming', { readonly patterns: readonly string[] }>
  /** `allow`: patterns of values that are no personal data. */
  | PolicyOf<'no-personal-data', { readonly allow: readonly string[] }>
  /** The tag with this prefix has the last day of the flag. `maxDays`: how far ahead a new last day may be. */
  | PolicyOf<'expires', { readonly tag: string; readonly maxDays?: number }>
  /** `first`: the project that must have declared it before. `what`: the flag, or each value that changes as well. */
  | PolicyOf<'no-direct-production', { readonly first: string; readonly what: 'flag' | 'value' }>
  | PolicyOf<'experiment-running', object>;

export type BuiltInRule = BuiltInPolicy['rule'];
export type PolicyFor<Rule extends BuiltInRule> = Extract<BuiltInPolicy, { readonly rule: Rule }>;

/** A rule of the project's own, as an expression. */
export interface OwnPolicy extends PolicyHead {
  readonly rule: 'own';
  readonly name: string;
  /** A CEL expression; true finds the change. */
  readonly when: string;
  /** Where `when` is written. */
  readonly whenSource: Place;
  /** What findings say. */
  readonly message: string;
}

/** In the local time of an IANA time zone. */
export type TimeWindow =
  /** `2026-12-20` or `2026-12-20T18:00`; `to` is the first moment after the window. */
  | { readonly kind: 'dates'; readonly from: string; readonly to: string; readonly zone: string }
  /** Times such as `16:00`, to `24:00`; a window that ends before it begins ends on the next day. */
  | {
      readonly kind: 'weekly';
      readonly days: readonly Weekday[];
      readonly from: string;
      readonly to: string;
      readonly zone: string;
    };

export type Weekday = (typeof WEEKDAYS)[number];

export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

/** The options of some rules are made for flags: they are about cohorts only where the rule names some, `cohort:ALIAS`. */
export function namesCohorts({ keys = [] }: Pick<Policy, 'keys'>): boolean {
  return keys.some((key) => key.startsWith('cohort:'));
}

/** How findings, waivers and reports name a policy. */
export function nameOfPolicy(policy: Policy): string {
  return policy.rule === 'own' ? policy.name : policy.rule;
}
