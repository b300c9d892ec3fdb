/** What editing needs from a kind. A new kind with manifests of its own has such a facet in its folder, and a row in `facets.ts`. */

import type { JsonValue } from '../base/json.ts';
import type { Divergence } from '../engine/base.ts';
import type { ExportedFile, ExportNote, ExportOptions } from '../export/export.ts';
import type { DesiredState } from '../posthog/desired.ts';
import type { FieldPath } from '../engine/field-path.ts';
import type { Flag } from '../posthog/flag/model/flag.ts';
import type { FamilyName } from '../posthog/kind-types.ts';
import type { LiveState } from '../posthog/live.ts';
import type { ManifestDiagnostic } from '../posthog/manifests/problems.ts';
import type { ComparableValues } from '../posthog/parity/parity-values.ts';
import type { Change, Plan } from '../posthog/plan.ts';
import type { Project, ProjectNames } from '../posthog/project.ts';
import type { EditingContext, EditingInput } from './context.ts';
import type { LayerChoice, RefusalReason, ResourceEdit, TextEdits, UnwrittenEdit } from './edit.ts';
import type { Desired, EditedKind } from './kinds.ts';
import type { Promotion, PromotionSource } from './promotion.ts';
import type { LeftFlag, NotMerged, NotMergedReason, EditedPart, PromotionReason } from './results.ts';
import type { DeclaredIn, ReadTexts, WrittenAt } from './texts.ts';

/** The methods get the edits and the desired state of the facet's own kind only. */
export interface EditFacet<Edit extends ResourceEdit = ResourceEdit, Own extends Desired = Desired> {
  readonly kind: EditedKind<Own>;

  /** The text edits that make manifests declare what is requested. `isFallback`: in the second form. */
  write(context: EditingContext, edit: Edit, options: EditWriteOptions): TextEdits | UnwrittenEdit;
  /** Whether an edit that failed for the reason can be written in a second form. */
  hasFallback(edit: Edit, reason: RefusalReason): boolean;
  /** Whether manifests declare what is requested, and otherwise what they declared before. */
  isWritten(edit: Edit, declared: BeforeAndNow<Own>, context: EditingContext): boolean;
  /** The place where manifests write a value, by a JSON pointer in the API's field names. */
  placeOf(own: Own, at: ValueIn): WrittenAt;

  /** The edit that `accept` requests for the differences of one resource. */
  fromLive(differing: Differing): EditOr<Edit, { readonly left: LeftFlag }>;
  /** Changes that no plan makes, but that `accept` takes over. */
  readonly leftOut: (plan: Plan, context: EditingContext) => readonly Change[];
  isSelected(one: LiveDifference, only: SelectedFields, context: EditingContext): boolean;
  /** Whether the parts of a field mean something only together, so that one selected part selects all. */
  readonly hasWholeFields: boolean;

  /** The resources of a project by name: as its manifests declare them, or as they are live. `from`: the ids of the project. */
  sources(desired: DesiredState, live: LiveState | undefined, from: ProjectNames): ReadonlyMap<string, PromotionSource>;
  /** The edit that `promote` requests for one resource. */
  fromSource(promotion: Promotion<Own>): EditOr<Edit, { readonly reason: PromotionReason }>;
  /** The names of what the values refer to: a project that lacks one of these cannot have the values. */
  needs(source: PromotionSource, from: ProjectNames): readonly string[];
  hasPart(parts: readonly EditedPart[]): boolean;
  /** Whether a difference at a pointer into the fields is one of these parts. */
  isOfPart(path: string, parts: readonly EditedPart[]): boolean;
  comparableValuesOf(source: PromotionSource, from: Project): ComparableValues;

  readonly declare: DeclareFacet;
}

export interface EditWriteOptions {
  readonly layer: LayerChoice;
  readonly isFallback: boolean;
}

export interface BeforeAndNow<Own> {
  readonly before: Own | undefined;
  readonly now: Own | undefined;
}

export interface ValueIn {
  readonly path: string;
  readonly declaration: DeclaredIn;
  readonly project: Project;
}

export type EditOr<Edit, Otherwise> = { readonly edit: Edit } | Otherwise;

/** The differences of one resource. */
export interface Differing {
  readonly key: string;
  readonly found: readonly LiveDifference[];
  readonly context: EditingContext;
  readonly warnings: Plan['warnings'];
}

/** How live resources that no manifest names are declared. */
export interface DeclareFacet {
  /** The resources that manifests can declare, with their keys, and those that they cannot. */
  identify(declaring: Declaring): { readonly open: readonly EditCandidate[]; readonly left: readonly LeftFlag[] };
  /** The declarations in files, as an export writes them. */
  exported(
    declaring: Declaring,
    open: readonly EditCandidate[],
  ): { readonly files: readonly ExportedFile[]; readonly left: readonly LeftFlag[] };
  /** A declaration beside which a new one belongs: in the same document. */
  homeOf(key: string, read: ReadTexts): DeclaredIn | undefined;
  /** The keys of candidates that a plan would still change. */
  findDiffering(declaring: Declaring, after: ReadTexts, open: readonly EditCandidate[]): readonly string[];
}

/** How the resources of a further project are merged into the declarations of others, by edits. */
export interface MergeFacet {
  readonly kind: EditedKind;
  /** The keys of resources that the project has and manifests declare for other projects only. */
  elsewhere(context: EditingContext, ids: ReadonlySet<number> | undefined): readonly string[];
  /** The ids of those that a merge of these flags takes. */
  idsOf(flags: readonly Flag[], live: LiveState): ReadonlySet<number>;
  /** Compares the project with the declared resources: the ids of their names, and an edit for each that differs, or why there is none. */
  compare(context: EditingContext, isOpen: (name: string, id: number) => boolean): MergeComparison;
  /** The names of declared resources that the project lacks. */
  lacking(context: EditingContext): readonly string[];
  readonly reasonOf: (problem: ManifestDiagnostic) => NotMergedReason;
  /** The ids of resources of these live flags that manifests can declare but do not. */
  undeclared(context: EditingContext, flags: readonly Flag[]): ReadonlySet<string>;
  /** What the manifests omit of the resources of these flags. `left`: the ones that could not be declared, and why. */
  notes(context: EditingContext, flags: readonly Flag[], left: readonly LeftFlag[]): readonly ExportNote[];
}

export interface MergeComparison {
  readonly found: Partial<ProjectNames>;
  readonly edits: readonly ResourceEdit[];
  readonly left: readonly NotMerged[];
}

/** The selected fields of each family: the same name may mean another field in each. */
export type SelectedFields = Readonly<Partial<Record<FamilyName, readonly FieldPath[]>>>;

/** A difference between what is declared and what is live. */
export interface LiveDifference {
  /** The name, as options have it. */
  readonly key: string;
  readonly change: Change;
  /** See `AcceptedChange`. */
  readonly path: string;
  readonly declared?: JsonValue;
  readonly live?: JsonValue;
  readonly divergence?: Divergence;
  /** The declared value in the base of a conflict; absent if it had none. */
  readonly base?: JsonValue;
}

export interface DeclareInput extends EditingInput {
  readonly resource: ResourceEdit['resource'];
  /** The resources to declare: the keys of flags, the ids of others. */
  readonly keys: ReadonlySet<string>;
  /** Whether the role access of these flags was read, and is declared. */
  readonly withRoleAccess: boolean;
  /** Options for new files. */
  readonly writing: Pick<ExportOptions, 'onlyIn' | 'schemaPath' | 'taken'>;
  /** The folder of new files. */
  readonly folder: string;
}

export interface Declaring extends Omit<DeclareInput, keyof EditingInput> {
  readonly context: EditingContext;
}

/** Something live that manifests can declare. */
export interface EditCandidate {
  /** The name by which it is reported when it is left. */
  readonly key: string;
  /** The key that manifests declare, for example an alias. */
  readonly declared: string;
}
