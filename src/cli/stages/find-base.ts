/** Finds the base of a comparison: the manifests at the commit that was last applied to the project. */

import type { BaseFacts } from '../../engine/base.ts';
import type { DesiredState } from '../../posthog/desired.ts';
import type { ManifestFile } from '../../posthog/manifests/manifests.ts';

export type Base = BaseCommit | { readonly facts: Extract<BaseFacts, { readonly kind: 'none' }> };

export interface BaseCommit {
  readonly facts: Extract<BaseFacts, { readonly kind: 'commit' }>;
  /** What the manifests at the commit declare for the project of the current configuration. */
  readonly desired: DesiredState;
  readonly files: readonly ManifestFile[];
}
