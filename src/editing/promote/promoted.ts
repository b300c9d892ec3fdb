/** What became of the flags and cohorts that `promote` copies from one project to another. */

import type { AcceptedFlag } from '../accept/accepted.ts';
import type { ManifestText } from '../texts.ts';
import type { RefusedWish } from '../wish.ts';

export interface Promoted {
  /** The manifests whose text changes. */
  readonly edited: readonly ManifestText[];
  /** Sorted by key, as are the lists below. A flag that was not declared for the other project has a change at the path ''. */
  readonly promoted: readonly AcceptedFlag[];
  /** What was to be promoted and is alike in both projects already, as far as it was to be promoted. */
  readonly same: readonly string[];
  /** Where the other project differs afterwards, in what was to be promoted and is not left. */
  readonly kept: readonly KeptValue[];
  readonly left: readonly LeftPromotion[];
}

/** A value that the other project keeps. */
export interface KeptValue {
  readonly key: string;
  /** JSON pointer in the API's field names, as in parity. */
  readonly path: string;
  /** `source-omits`: the manifests of the first project do not manage it. `others`: those of the other leave it to others. */
  readonly reason: 'source-omits' | 'others';
}

/** A flag that was not promoted: the manifests stay as they are for it. */
export interface LeftPromotion extends Omit<RefusedWish, 'reason'> {
  readonly reason: PromotionReason;
}

/** The parts of a flag that can be promoted by themselves. */
export const PARTS = [
  'conditions',
  'variants',
  'payloads',
  'active',
  'rollout',
  'description',
  'tags',
  'role_access',
] as const;

export type Part = (typeof PARTS)[number];

export type PromotionReason =
  | RefusedWish['reason']
  /** The project that it comes from lacks the flag. */
  | { readonly code: 'source-lacks'; readonly project: string }
  /** That project declares no such part. */
  | { readonly code: 'part-lacks'; readonly part: Part; readonly project: string }
  /** The flag is not declared for the other project, so a part of it cannot be. */
  | { readonly code: 'target-lacks'; readonly project: string }
  /** The percentages belong to conditions, and the projects have another number of them. */
  | { readonly code: 'conditions-differ' }
  /** The value of a secret is not copied. */
  | { readonly code: 'payloads-secret' }
  /** The configuration has no name for the id, so it is not known which one the other project has. */
  | { readonly code: 'cohort-unnamed'; readonly cohort: number; readonly project: string }
  | { readonly code: 'role-unnamed'; readonly role: string; readonly project: string }
  /** The other project finds the cohort by the name that it would lose. */
  | { readonly code: 'cohort-renamed'; readonly project: string }
  /** The configuration has no id for the name in the other project. */
  | { readonly code: 'cohort-missing'; readonly alias: string; readonly project: string }
  | { readonly code: 'role-missing'; readonly role: string; readonly project: string }
  /** The other project has no flag on which this one depends. */
  | { readonly code: 'dependency-missing'; readonly dependency: string; readonly project: string }
  /** A flag or cohort that it names was to be promoted too, and is left. `chain`: that one, with what it names in turn and lacks. */
  | { readonly code: 'dependency-left'; readonly chain: readonly [string, ...string[]] };
