/** What policies look at: a resource with what its changes do, and what is known around it. */

import type { JsonObject } from '../base/json.ts';
import type { Place } from '../base/place.ts';
import type { ResourceEffects } from '../effects/effect.ts';
import type { ExperimentSummary } from '../posthog/flag/flag.ts';
import type { Change } from '../posthog/plan.ts';
import type { Facts, Finding } from './finding.ts';
import type { Policy } from './policy.ts';

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
  /** Likewise a cohort; absent for other resources. */
  readonly cohort?: { readonly before?: JsonObject; readonly after?: JsonObject };
}

/** What is known beside the changes. */
export interface Surroundings {
  /** The name of the project. */
  readonly project: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** The running experiments of live flags, by the key before the change; absent where nothing live was read. */
  readonly experiments?: ReadonlyMap<string, readonly ExperimentSummary[]>;
  /** What other projects declared first, by their names: flags by key, in the form in which they are compared. */
  readonly declared?: ReadonlyMap<string, ReadonlyMap<string, JsonObject>>;
}

/** What a rule finds. `place`: absent where it is that of the change. */
export interface Found {
  readonly facts: Facts;
  readonly place?: Place;
  /** Instead of the policy's. */
  readonly level?: Finding['level'];
}

/** A rule: pure, at most one of each of its facts for one resource. */
export type Rule<Of extends Policy = Policy> = (
  resource: JudgedResource,
  policy: Of,
  surroundings: Surroundings,
) => readonly Found[];
