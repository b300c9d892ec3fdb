/**
 * The base: the desired state at the commit that was last applied. It tells what git changed from what users changed in the
 * service.
 */

import type { Place } from '../base/place.ts';

/** Which side moved away from the base: git (`pending`), the service (`drifted`), or both, to different values (`conflict`). */
export type Divergence = 'pending' | 'drifted' | 'conflict';

/** Which base a plan was compared with, or why there is none. */
export type BaseFacts =
  /** `ref`: git's record of the last apply. `journal`: the newest applied run. `option`: `--base REF`. */
  | { readonly kind: 'commit'; readonly commit: string; readonly from: 'ref' | 'journal' | 'option' }
  | { readonly kind: 'none'; readonly reason: NoBaseReason };

/**
 * `off`: `--base none`. `no_repository`: the configuration is in no git repository, or git is missing. `not_recorded`: no
 * apply recorded a commit. `missing`: the recorded commit is not in the repository, as in a shallow clone. `invalid`: the
 * manifests of the commit cannot be loaded.
 */
export type NoBaseReason = 'off' | 'no_repository' | 'not_recorded' | 'missing' | 'invalid';

/** A resource that the base declared and the manifests no longer name. It is left alone. */
export interface Released {
  readonly key: string;
  /** Where the base declared it, in the files of its commit. */
  readonly place?: Place;
}
