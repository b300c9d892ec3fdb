/** What editing needs from a kind. A new kind with manifests of its own has such a facet, and a row in `actions/facets.ts`. */

import type { NotMergedReason } from '../loop/export/export.ts';
import type { JsonObject, JsonValue } from '../base/json.ts';
import type { Divergence } from '../core/engine/base.ts';
import type { ResourceId } from '../core/engine/snapshot.ts';
import type { ExportedFile, ExportOptions } from '../loop/export/export.ts';
import type { DesiredState } from '../posthog/desired.ts';
import type { FieldPath } from '../core/engine/field-path.ts';
import type { Flag } from '../posthog/flag/model/flag.ts';
import type { FamilyName } from '../posthog/kind-types.ts';
import type { LiveState } from '../posthog/live.ts';
import type { ManifestDiagnostic } from '../posthog/manifests/problems.ts';
import type { ComparableValues } from '../posthog/parity/parity.ts';
import type { Change, Plan } from '../posthog/plan.ts';
import type { Project, ProjectNames } from '../posthog/project.ts';
import type { EditingContext, EditingInput } from './context.ts';
import type {
  FieldEdit,
  LayerChoice,
  RefusalReason,
  ResourceEdit,
  TextEdits,
  UnwrittenEdit,
  EditedPart,
  LeftFlag,
  LeftReason,
  PromotionReason,
} from './edit.ts';
import type { Desired, EditedKind } from './kinds.ts';
import type { Promotion, PromotionSource } from './promotion.ts';
import type { DeclaredIn, ReadTexts, WrittenAt } from './texts.ts';

/** The methods get the edits and the desired state of the facet's own kind only. */
export interface EditFacet<Edit extends ResourceEdit = ResourceEdit, Own extends Desired = Desired> {
  readonly kind: EditedKind<Own>;

  /** The text edits that make manifests declare what is requested. `isFallback`: in the second form. */
  write(context: EditingContext, edit: Edit, options: EditWriteOptions): TextEdits | UnwrittenEdit;
  /** Whether an edit that failed for the reason can be written in a second form. Absent: there is none. */
  hasFallback?(edit: Edit, reason: RefusalReason): boolean;
  /** Whether manifests declare what is requested, and otherwise what they declared before. */
  isWritten(edit: Edit, declared: BeforeAndNow<Own>, context: EditingContext): boolean;
  /** The place where manifests write a value, by a JSON pointer in the API's field names. */
  placeOf(own: Own, path: string, of: DeclaredFor): WrittenAt;

  /** The edit that `accept` requests for the differences of one resource. */
  fromLive(differing: Differing): EditOr<Edit, LeftReason>;
  /** Changes that no plan makes, but that `accept` takes over. */
  unwritable?(plan: Plan, context: EditingContext): readonly Change[];
  isSelected(one: LiveDifference, only: SelectedFields, context: EditingContext): boolean;
  /** Whether the parts of a field mean something only together, so that one selected part selects all. */
  readonly hasWholeFields: boolean;

  /** The resources of a project by name: as its manifests declare them, or as they are live. `from`: the ids of the project. */
  sources(desired: DesiredState, live: LiveState | undefined, from: ProjectNames): ReadonlyMap<string, PromotionSource>;
  /** The edit that `promote` requests for one resource. */
  fromSource(promotion: Promotion<Own>): EditOr<Edit, PromotionReason>;
  /** The names of what the values refer to: a project that lacks one of these cannot have the values. */
  needs(source: PromotionSource, from: ProjectNames): readonly string[];
  hasPart(parts: readonly EditedPart[]): boolean;
  /** Whether a difference at a pointer into the fields is one of these parts. */
  isOfPart(path: string, parts: readonly EditedPart[]): boolean;
  comparableValuesOf(source: PromotionSource, from: Project): ComparableValues;

  /** The live resources that manifests can declare and do not, with their keys, and those that they cannot. */
  identify(declaring: Declaring): { readonly open: readonly EditCandidate[]; readonly left: readonly LeftFlag[] };
  /** The declarations in files, as an export writes them. */
  exported(declaring: Declaring, open: readonly EditCandidate[]): ExportedCandidates;
  /** A declaration beside which a new one belongs: in the same document. */
  homeOf(key: string, read: ReadTexts): DeclaredIn | undefined;
  /** The keys of candidates that a plan would still change. */
  findDiffering(declaring: Declaring, after: ReadTexts, open: readonly EditCandidate[]): readonly string[];
}

/** The facet of a further kind, whose resources a merge of another project takes with the flags. */
export interface FurtherFacet<Own extends Desired = Desired> extends EditFacet<FieldEdit, Own> {
  readonly resource: FieldEdit['resource'];
  /** The ids of the resources that a merge of these flags takes. */
  idsOf(flags: readonly Flag[], live: LiveState): ReadonlySet<number>;
  /** The id of the one live resource that a declared one means; `undefined` if the project has none, or several. */
  find(declared: Own, live: LiveState): number | undefined;
  /** The declared resources of a project, each with the live one that it has. */
  match(desired: DesiredState, live: LiveState): MergeMatches;
  readonly reasonOf?: (problem: ManifestDiagnostic) => NotMergedReason;
  /** The ids of resources of these live flags that manifests can declare but do not. */
  undeclared(context: EditingContext, flags: readonly Flag[]): ReadonlySet<string>;
  /** The live resources that a person may name to declare them. */
  unmanaged(selectable: Selectable): readonly Nameable[];
  /** The id of a live resource, by the name under which it is reported when it is left. */
  idNamed(name: string, live: LiveState): number | undefined;
}

export interface Selectable {
  /** Includes the ids of the declared cohorts. */
  readonly project: Project;
  readonly desired: DesiredState;
  readonly live: LiveState;
}

export interface Nameable {
  readonly id: ResourceId;
  readonly names: readonly string[];
}

export interface EditWriteOptions {
  readonly layer: LayerChoice;
  readonly isFallback: boolean;
}

export interface DeclaredFor {
  readonly declaration: DeclaredIn;
  readonly project: Project;
}

export interface BeforeAndNow<Own> {
  readonly before: Own | undefined;
  readonly now: Own | undefined;
}

export type EditOr<Edit, Reason> = { readonly edit: Edit } | { readonly reason: Reason };

/** The differences of one resource. */
export interface Differing {
  readonly key: string;
  readonly found: readonly LiveDifference[];
  readonly context: EditingContext;
  readonly warnings: Plan['warnings'];
}

export interface MergeMatches {
  /** The ids that the project has for names that manifests declare for it. */
  readonly found: Partial<ProjectNames>;
  readonly pairs: readonly {
    readonly desired: Pick<Desired, 'key' | 'kind'>;
    /** Absent if the project lacks it. */
    readonly live?: { readonly id: number; readonly decide: () => MergeDecision };
  }[];
}

/** The live values of the fields that a plan would change, or why they cannot be declared; `undefined` if a plan would change nothing. */
export type MergeDecision = JsonObject | NotMergedReason | undefined;

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

export interface ExportedCandidates {
  readonly files: readonly ExportedFile[];
  readonly left: readonly LeftFlag[];
}
