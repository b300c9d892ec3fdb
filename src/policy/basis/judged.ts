/** The input of policies: a resource with the effects of its changes, its surroundings, and where the manifests declare it. */

import type { JsonObject } from '../../base/json.ts';
import type { Place } from '../../base/place.ts';
import type { ResourceEffects } from '../../effects/effect.ts';
import type { ExperimentSummary, Flag } from '../../posthog/flag/model/flag.ts';
import type { Change } from '../../posthog/plan.ts';
import type { TurnedOn } from './turned-on.ts';

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
  /** The definition before and after, for a resource that is a definition; absent for others. */
  readonly definition?: { readonly before?: JsonObject; readonly after?: JsonObject };
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

/** The place of the first changed value at or inside the pointer, or around it; empty if no manifest declares it. */
export function sourceOf(
  { changes }: Pick<JudgedResource, 'changes'>,
  pointer: string,
): Pick<RuleBreach<unknown>, 'place'> {
  const fields = changes.flatMap((change) => ('fields' in change ? change.fields : []));
  const place =
    firstSource(fields.filter(({ path }) => isWithin(path, pointer))) ??
    firstSource(fields.filter(({ path }) => isWithin(pointer, path)));
  return place === undefined ? {} : { place };
}

function firstSource(fields: readonly { readonly source?: Place }[]): Place | undefined {
  return fields.find(({ source }) => source !== undefined)?.source;
}

function isWithin(pointer: string, other: string): boolean {
  return pointer === other || pointer.startsWith(`${other}/`);
}
