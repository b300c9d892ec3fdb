/** The input and output of an export: live flags and names in, texts of manifest files and notes out. */

import type { DeclaredAlready, UndeclaredNote } from '../../posthog/exported.ts';
import type { Flag } from '../../posthog/flag/model/flag.ts';
import type { FamilyTypes, FurtherFamily } from '../../posthog/kind-types.ts';
import type { LiveState } from '../../posthog/live.ts';
import type { ManifestDiagnostic } from '../../posthog/manifests/problems.ts';
import type { ProjectNames } from '../../posthog/project.ts';

/** Members by family have every resource of it that the service lists; absent where the family is not exported. */
export interface ExportInput extends Pick<LiveState, FurtherFamily> {
  /** Live flags in any order. Deleted ones are not exported. */
  readonly flags: readonly Flag[];
  /** Role access by flag id (as a string); `undefined` when role access is not exported. */
  readonly roleAccess: LiveState['roleAccess'] | undefined;
  /** The keys of the flags to export; absent: all. The others give names to dependencies. */
  readonly keys?: ReadonlySet<string>;
  /** Provides the names of roles that have none in the configuration. */
  readonly organization?: LiveState['organization'];
  /** The names of the project's ids in manifests. An id without a name is written as is. */
  readonly names: ProjectNames;
}

export interface ExportOptions {
  /** Written into each file's first line, for editors: path or address of the manifest schema. */
  readonly schemaPath?: string;
  /** One file for each prefix of keys (default), for each flag, or for all flags. */
  readonly groupBy?: 'prefix' | 'flag' | 'single';
  /** Omits all default values, also those with a name in manifests, such as an empty list of tags. Drift then does not report their changes. */
  readonly minimal?: boolean;
  /** Writes defaults below `fields` and in conditions, too, and each part on lines of its own. */
  readonly full?: boolean;
  /** The files are for this project alone: the flags in them are declared with `only_in`. */
  readonly onlyIn?: string;
  /** The folder the files are written to, relative to the configuration: under that name, a later read finds them parsed already. */
  readonly folder?: string;
  /** Names that files must not have, because such files exist. */
  readonly taken?: ReadonlySet<string>;
  /** What manifests declare of further families: it is not declared again. */
  readonly declared?: { readonly [Name in FurtherFamily]?: DeclaredAlready<FamilyTypes[Name]['desired']> };
}

export interface Export {
  /** Sorted by path; flags are sorted by key in each file. */
  readonly files: readonly ExportedFile[];
  /** The number of flags in the files. */
  readonly flags: number;
  /** Sorted by flag key, as are the lists below. */
  readonly notes: readonly ExportNote[];
  /** Flags whose filters are unchecked under `fields`, because they break rules. */
  readonly unchecked: readonly UncheckedFlag[];
  /** Flags that are not in any file, because no manifest reproduces what is live. */
  readonly notExported: readonly NotExported[];
  /** Members that could be declared and are not, so that drift does not report their changes. */
  readonly unmanaged: readonly UnmanagedMember[];
}

export interface UnmanagedMember {
  /** The name in a manifest: `tags`, `fields.archived`, `role_access`. */
  readonly member: string;
  /** The number of exported flags that omit it. */
  readonly flags: number;
  readonly reason: UnmanagedReason;
}

export type UnmanagedReason =
  /** A default, which only a full export writes. */
  | 'minimal'
  /** No export declares it. */
  | 'never-exported'
  /** Role access was not read. */
  | 'not-read'
  /** The declarations that a project is merged into omit it. */
  | 'not-declared';

export interface ExportedFile {
  /** A bare file name such as `checkout.yaml`, without folders, unique even if case is ignored. */
  readonly path: string;
  readonly text: string;
}

export interface UncheckedFlag {
  readonly key: string;
  /** The reasons against `filters`; sorted, never empty. */
  readonly reasons: readonly ExportReason[];
}

export interface NotExported extends UncheckedFlag {
  readonly id: number;
}

/** Why a manifest cannot declare a flag in a form. */
export type ExportReason =
  /** The error that `validate` would report. */
  | ManifestDiagnostic['code']
  /** The manifest results in something other than what is live. */
  | 'reads-differently'
  /** Another live flag has the same key, and plans use that one. */
  | 'key-shared'
  /** Manifests declare it for other projects only. */
  | 'declared-elsewhere';

/** A fact about one exported flag that the files do not show. */
export type ExportNote =
  /** A condition depends on a flag that the project does not list; the manifest keeps its id. */
  | { readonly kind: 'dependency-dangling'; readonly key: string; readonly id: number }
  /** `name` is the service's own name of the cohort, if it returned one. */
  | { readonly kind: 'cohort-without-alias'; readonly key: string; readonly cohort: number; readonly name?: string }
  | UndeclaredNote
  | { readonly kind: 'role-without-name'; readonly key: string; readonly role: string; readonly name: string }
  /** The service does not let the owner of the key read who has access. */
  | { readonly kind: 'access-refused'; readonly key: string }
  /** Levels of members are omitted and stay unmanaged. */
  | { readonly kind: 'access-of-members'; readonly key: string; readonly members: number }
  /** Secrets are not exported: the manifest has a mark that keeps the stored payloads. */
  | { readonly kind: 'payloads-encrypted'; readonly key: string; readonly payloads: readonly string[] }
  /** Parts of the filters that other products own (holdouts, early access) are omitted and stay unmanaged. */
  | { readonly kind: 'filters-unmanaged'; readonly key: string; readonly members: readonly string[] }
  /** Filters of another format than conditions are exported as they are, and never written. `format` is JSON. */
  | { readonly kind: 'filters-opaque'; readonly key: string; readonly format: string };

export interface MergeOutcome {
  /** Keys of flags whose overlays changed. */
  readonly overlaid: readonly string[];
  /** Keys of flags that are no longer declared for the project, which lacks them. */
  readonly limited: readonly string[];
  readonly notMerged: readonly NotMerged[];
}

/** A resource that a merge could not write, and why. Its declaration stays as it was. */
export interface NotMerged {
  /** The name, as options have it. */
  readonly key: string;
  readonly reason: NotMergedReason;
  /** The file of the declaration. */
  readonly file?: string;
  /** YAML to write by hand. */
  readonly suggestion?: string;
}

export type NotMergedReason =
  /** The edit would change something else too, such as a value that shares an anchor. */
  | 'not-editable'
  /** No overlay results in what is live. */
  | 'reads-differently'
  /** The project has it under a former key or name; a plan renames it. */
  | 'renamed'
  /** It is declared as deleted, but live. */
  | 'declared-deleted'
  /** It is declared for this project alone, which lacks it. */
  | 'declared-only-here'
  /** The live cohort is a list of persons. */
  | 'static'
  /** The live definition of a cohort depends on events, and a declared flag uses it. */
  | 'behavioral'
  /** The project lacks the cohort, and flags or cohorts that are declared for the project use it. */
  | 'still-used';
