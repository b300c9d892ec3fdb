/** Assumptions about a subject that replace what evaluation would find, for callers that ask about many subjects at once. */

import type { Property } from '../posthog/flag/flag.ts';

/** An answer of `undefined` assumes nothing. */
export interface Assumptions {
  /** Whether the hash lies in the first `share` of its range. */
  readonly hash?: (hash: HashName, share: number) => boolean | undefined;
  /** Whether the subject matches the filter. `aggregation`: the group type of its condition; null means persons. */
  readonly filter?: (property: Property, aggregation: number | null) => boolean | undefined;
  /** Whether the subject matches all filters of a list. Those on flags are evaluated besides. */
  readonly filters?: (properties: readonly Property[], aggregation: number | null) => boolean | undefined;
  /**
   * The match, if it follows from earlier answers. If it does not, evaluation decides the rollout of the condition first, since nobody
   * needs the filters of those who are outside. The values stay the same; the reason of a flag that is off may not.
   */
  readonly implied?: (properties: readonly Property[], aggregation: number | null) => boolean | undefined;
  /** The key of the group of a type, or the device; empty if the subject has none. */
  readonly identifier?: (of: number | 'device') => string | undefined;
  /** Whether the person has the property. */
  readonly has?: (property: string) => boolean | undefined;
  /** Whether the property of a person who has it says that they enrolled. */
  readonly enrolled?: (property: string) => boolean | undefined;
}

/** Hashes of different names are independent of each other. */
export interface HashName {
  readonly kind: 'rollout' | 'variant' | 'holdout';
  /** Empty for a holdout, whose hash is the same for all flags. */
  readonly flagKey: string;
  readonly identifier: string;
}
