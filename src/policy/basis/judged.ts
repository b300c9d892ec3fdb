/** What policies look at: a resource with what its changes do, and what is known around it. */

import type { JsonObject } from '../../base/json.ts';
import type { Place } from '../../base/place.ts';
import type { ResourceEffects } from '../../effects/effect.ts';
import type { ExperimentSummary, Flag } from '../../posthog/flag/flag.ts';
import type { Change } from '../../posthog/plan.ts';
import type { Level } from './head.ts';
import type { TurnedOn } from './turned-on.ts';

/** A resource that changes. */
export interface JudgedResource extends ResourceEffects {
  /** All of the resource, in the order of the plan. */
  readonly changes: readonly Change[];
  /**
   * As options name it: by the key or alias that it gets, then by that under which it is live, and by those that it had before.
   * No rename leaves the rules.
   */
  readonly names: readonly [name: string, ...others: string[]];
  /** The name under which it is live, where the change renames it. */
  readonly liveName?: string;
  /**
   * A flag in the form in which flags are compared: absent before it exists, after it is deleted, and for other resources.
   * Payloads may be digests.
   */
  readonly before?: JsonObject;
  readonly after?: JsonObject;
  /** For how large a share the change turns flags on; absent where it turns nobody on. */
  readonly widening?: Widening;
  /** Likewise a cohort; absent for other resources. */
  readonly cohort?: { readonly before?: JsonObject; readonly after?: JsonObject };
}

export interface Widening {
  /** The flag itself; nobody for other resources. */
  readonly own: TurnedOn;
  /** Flags without changes of their own that depend on the changed one or use the changed cohort, sorted by key. */
  readonly others: readonly { readonly key: string; readonly points: number }[];
}

/** What is known beside the changes. */
export interface PolicyContext {
  /** The name of the project. */
  readonly project: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** The running experiments of live flags, by the key before the change; absent where nothing live was read. */
  readonly experiments?: ReadonlyMap<string, readonly ExperimentSummary[]>;
  /**
   * All flags before the changes: live, or as the base declares them. Absent where they are not known: whoever uses a changed cohort
   * may then turn on for everybody.
   */
  readonly flags?: readonly Flag[];
  /** What other projects declared first, by their names: flags by key, in the form in which they are compared. */
  readonly declared?: ReadonlyMap<string, ReadonlyMap<string, JsonObject>>;
}

/** What a rule finds. `place`: absent where it is that of the change. */
export interface RuleBreach<Facts> {
  readonly facts: Facts;
  readonly place?: Place;
  /** Instead of the policy's. */
  readonly level?: Level;
}
