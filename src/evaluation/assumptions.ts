/** What is assumed of a subject in place of what evaluation would find: for those who ask about many subjects at once. */

import type { Property } from '../posthog/flag/flag.ts';

/** An answer of `undefined` assumes nothing. */
export interface Assumptions {
  /** Whether the hash lies in the first `share` of its range. */
  readonly hash?: (hash: HashName, share: number) => boolean | undefined;
  /** Whether the subject matches the filter. `aggregation`: the group type of its condition; null means persons. */
  readonly filter?: (property: Property, aggregation: number | null) => boolean | undefined;
}

/** Hashes of different names are independent of each other. */
export interface HashName {
  readonly kind: 'rollout' | 'variant' | 'holdout';
  /** Empty for a holdout, whose hash is the same for all flags. */
  readonly flagKey: string;
  readonly identifier: string;
}
