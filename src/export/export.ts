/** What goes into an export and what comes out: live flags and names in, texts of manifest files and notes out. */

import type { Flag } from '../posthog/flag/flag.ts';
import type { LiveState } from '../posthog/live.ts';
import type { ManifestDiagnostic } from '../posthog/manifests/problems.ts';
import type { ProjectNames } from '../posthog/project.ts';

export interface ExportInput {
  /** Live flags, in any order; deleted ones are left out of the manifests. */
  readonly flags: readonly Flag[];
  /** Role access by flag id (as text); `undefined` when role access is not exported. */
  readonly roleAccess: LiveState['roleAccess'] | undefined;
  /** What the project's ids are called in manifests; an id without a name is written as it is. */
  readonly names: ProjectNames;
}

export interface ExportOptions {
  /** Written into each file's first line, for editors: path or address of the manifest schema. */
  readonly schemaPath?: string;
  /** One file for all keys with the same beginning (default), one for each flag, or one for all. */
  readonly groupBy?: 'prefix' | 'flag' | 'single';
}

export interface Export {
  /** Sorted by path; flags are sorted by key in each file. */
  readonly files: readonly ExportedFile[];
  /** In order of flag keys, as the lists below. */
  readonly notes: readonly ExportNote[];
  /** Flags whose filters stand under `fields`, as they are, because they break rules for filters. */
  readonly unchecked: readonly UncheckedFlag[];
  /** Flags that are in no file, because no manifest would load to what is live. */
  readonly leftOut: readonly LeftOutFlag[];
}

export interface ExportedFile {
  /** A bare file name such as `checkout.yaml`: never a folder, unique also where case does not count. */
  readonly path: string;
  readonly text: string;
}

export interface UncheckedFlag {
  readonly key: string;
  /** Why the filters cannot stand under `filters`; sorted, never empty. */
  readonly reasons: readonly ExportReason[];
}

export interface LeftOutFlag extends UncheckedFlag {
  readonly id: number;
}

/** What is wrong with a flag as a manifest would declare it. */
export type ExportReason =
  /** The error that `validate` would report. */
  | ManifestDiagnostic['code']
  /** The manifest would load, but to something else than what is live. */
  | 'reads-differently'
  /** Another live flag has the same key, and plans look at that one. */
  | 'key-shared';

/** What a reader of the exported files should know about one flag; words are made by whoever shows it. */
export type ExportNote =
  /** A condition names a flag that the project does not list; the manifest keeps its id. */
  | { readonly kind: 'dependency-dangling'; readonly key: string; readonly id: number }
  /** `name` is the service's own name of the cohort, where it told one. */
  | { readonly kind: 'cohort-without-alias'; readonly key: string; readonly cohort: number; readonly name?: string }
  | { readonly kind: 'role-without-name'; readonly key: string; readonly role: string; readonly name: string }
  /** Secrets stay out of files: a mark stands in their place that leaves the stored payloads as they are. */
  | { readonly kind: 'payloads-encrypted'; readonly key: string; readonly payloads: readonly string[] }
  /** Parts of the filters that other products own (holdouts, early access) are left out and stay unmanaged. */
  | { readonly kind: 'filters-unmanaged'; readonly key: string; readonly members: readonly string[] };
