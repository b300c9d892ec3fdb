/** The base of a comparison, and the input of the search for it. */

import type { BaseFacts } from '../../engine/base.ts';
import type { DesiredState } from '../../posthog/desired.ts';
import type { LoadOptions } from '../../posthog/manifests/load.ts';
import type { ManifestFile } from '../../posthog/manifests/manifests.ts';
import type { KnownFiles } from '../project/known-files.ts';
import type { LoadedProject } from '../project/load-project.ts';
import type { Recorded } from './applied-record.ts';
import type { Checkout } from './open-checkout.ts';

export type RunBase = BaseCommit | { readonly facts: NoBase };

export interface BaseCommit {
  readonly facts: Extract<BaseFacts, { readonly kind: 'commit' }>;
  /** The declarations at the commit for the project of the current configuration. */
  readonly desired: DesiredState;
  readonly files: readonly ManifestFile[];
}

type NoBase = Extract<BaseFacts, { readonly kind: 'none' }>;

export interface BaseSearch {
  readonly loaded: LoadedProject;
  readonly checkout: Checkout;
  /** The manifests on disk. */
  readonly known: KnownFiles;
  /** `--base`: `auto`, `none`, or the name of a commit. Absent: `auto` in a checkout, otherwise `none`. */
  readonly option?: string;
  readonly findRoles?: LoadOptions['findRoles'];
  /** The run contacts no remote: it takes the commit that a snapshot names, or else what this clone knows. */
  readonly snapshot?: { readonly commit?: string } & Partial<Recorded>;
  /** The run must not use the network, so it contacts no remote. */
  readonly offline?: true;
}
