/**
 * A family of resources as a value: what its main kind decides about its resources and those of the kinds that are attached to it. Every
 * state of a project has its part under the name of its section.
 */

import type { JsonObject, JsonValue } from '../base/json.ts';
import type { DesiredResource } from '../core/engine/desired.ts';
import type { Applied } from '../core/engine/kind.ts';
import type { Matches } from '../core/engine/match.ts';
import type { Ambiguous } from '../core/engine/matched.ts';
import type { LiveResource, ResourceId } from '../core/engine/snapshot.ts';
import type { Trace } from '../core/engine/trace.ts';
import type { Declaration } from '../core/manifest/declaration.ts';
import type { Layering } from '../core/manifest/layers.ts';
import type { Block } from '../core/manifest/write/layout.ts';
import type { Order } from '../core/manifest/write/group-files.ts';
import type { AsLive } from './as-live.ts';
import type { ServiceClient } from './service-client.ts';
import type { ExportedFamily } from './exported.ts';
import type { FindRecorded } from './flag/find-traces.ts';
import type { DesiredState } from './desired.ts';
import type { ExplainedFamily } from './declared/explain.ts';
import type { FieldPath, FieldPathProblem } from '../core/engine/field-path.ts';
import type { ManifestDiagnostic } from './manifests/problems.ts';
import type { Unidentified } from './planning/build-plan.ts';
import type { EditedChange, LoggedInquiry } from './reading/read-attributions.ts';
import type { FamilyName, FamilyTypes, FurtherFamily } from './kind-types.ts';
import type { LiveState } from './live.ts';
import type { ComparableFamily } from './parity/parity.ts';
import type { Change, PlanWarning } from './plan.ts';
import type { ProjectNames } from './project.ts';
import type { RunState } from './run-state.ts';
import type { ProjectSnapshot } from './snapshot.ts';

export interface Family<
  Name extends FamilyName = FamilyName,
  Types extends FamilyTypes[FamilyName] = FamilyTypes[Name],
> {
  readonly section: Name;
  /** The families whose resources these name. */
  readonly refersTo: readonly FamilyName[];
  readonly form: DeclaredForm<Types['desired']>;

  /** Live resources as one value. */
  takeSnapshot(live: LiveState): Types['snapshot'];
  /** Finds the live resource of each declared one; `undefined` if none is declared, or where none was read. */
  match(given: ToMatch): MatchedFamily<Types['desired'], Types['matched']> | undefined;
  /** The same live state, in which resources have these names. */
  name(snapshot: ProjectSnapshot, names: NamedIds): ProjectSnapshot;
  /** Warns of declared resources that only a name could distinguish which several live ones have. */
  warnOfShared?(
    shared: readonly Ambiguous<Types['desired']>[],
    held: Unidentified,
    snapshot: ProjectSnapshot,
  ): readonly PlanWarning[];
  /** The names that an applied change gave to live resources or took from them, as the plan that reverts it knows them. */
  namesToUndo(applied: Applied<Change>): NamedIds;

  /** The names that a declared resource has or had, in the form of options, and those that only the project knows. */
  knownNames(desired: Types['desired']): readonly string[];
  /** The later declaration with some fields of the earlier one; `undefined` if they cannot be told apart. */
  mix(
    later: Types['desired'],
    earlier: Types['desired'] | undefined,
    fields: readonly string[],
  ): Types['desired'] | undefined;

  /** Its declared resources as if they were live. */
  readonly asLive: AsLive<Name>;
  /** The values that are compared between projects. */
  readonly comparable: ComparableFamily<Name>;
  readonly explained: ExplainedFamily<Name>;
  /** Absent for the main family, whose resources the others are exported with. */
  readonly exported?: ExportedFamily<Extract<Name, FurtherFamily>>;
  /** The questions to the logs of live resources that were edited; none where the service records no changes. */
  inquire(edits: readonly EditedChange<Types['change']>[], live: LiveState): readonly LoggedInquiry[];
  /** The ids that live state gives to names which the configuration may have, too; absent if it has none of the family. */
  findIds?(declared: Partial<DesiredState>, live: LiveResources, shared: SharedNames): Partial<ProjectNames>;

  /** The place that people write; it may be none. */
  parsePath(text: string): FieldPath | { readonly problem: FieldPathProblem };
  /** The fields of a live resource, as a pointer into them is read. */
  fieldsOf(live: Types['matched']): JsonObject;

  list(client: ServiceClient): Promise<readonly Types['live'][]>;
  /** Includes deleted ones; `undefined` if the project has none with the id. */
  find(client: ServiceClient, id: ResourceId): Promise<Types['live'] | undefined>;
  /** The declared resources that a live one has none of the names of. */
  findMissing(declared: readonly Types['desired'][], live: readonly Types['live'][]): readonly Sought[];
  /** The retired resources that are not live under any name, and that the base declared. */
  findRetired(desired: DesiredState, former: DesiredState, live: LiveState): readonly Sought[];
  /** Traces resources that are not found. `found`: those that are not listed. */
  trace(
    client: ServiceClient,
    missing: readonly Sought[],
    given: ToTrace<Types['live']>,
  ): Promise<Traced<Types['live']>>;

  /** The run's knowledge of the resources that it writes. `changes`: those of its main kind. `earlier`: the families before this one. */
  openRun(live: LiveState, changes: readonly Types['change'][], earlier: Partial<RunState>): Types['run'];
}

/** Whether a name that several live resources have is an error, or unwritable. */
export type SharedNames = 'refuse' | 'omit';

/** What a run read of further families. */
export type LiveResources = Omit<Partial<LiveState>, 'flags'>;

/** The name under which a plan knows a live resource, and its id. */
export type NamedIds = readonly (readonly [name: string, id: ResourceId])[];

export interface ToMatch {
  readonly desired: DesiredState;
  readonly live: LiveState;
  /** The declarations of the base; absent without a base. */
  readonly former: DesiredState | undefined;
  /** The families before this one have their names here. */
  readonly snapshot: ProjectSnapshot;
  readonly earlier: MatchedFamilies;
}

export type MatchedFamilies = {
  readonly [Name in FamilyName]?: MatchedFamily<FamilyTypes[Name]['desired'], FamilyTypes[Name]['matched']>;
};

export interface MatchedFamily<
  Desired extends DesiredResource = DesiredResource,
  Live extends LiveResource = LiveResource,
> {
  readonly matches: Matches<Desired, Live>;
  /** The names of the matched resources in a plan. */
  readonly names: NamedIds;
  /** The meaning of each name in the base: the id of a live resource, or the current name of the declared one. */
  readonly formerNames?: ReadonlyMap<string, ResourceId>;
  /** Warnings from matching the resources, beyond `matches`. */
  readonly warnings: readonly PlanWarning[];
  /** Declared resources that only a name identifies which several live ones have; none is in a pair. */
  readonly shared: readonly Ambiguous<Desired>[];
  /** Live resources that only the base declared, where they are not among the unmanaged ones. */
  readonly released?: readonly Live[];
}

/** A declared resource that is looked for. */
export interface Sought {
  readonly key: string;
  /** All names that the resource may have had, if its key is not its name. */
  readonly names?: readonly string[];
}

export interface ToTrace<Live> {
  readonly listed: readonly Live[];
  readonly findRecorded?: FindRecorded | undefined;
}

export interface Traced<Live> {
  readonly traces: readonly Trace[];
  readonly found: readonly Live[];
}

/** How declarations of a family are laid out and merged, and what they mean. */
export interface DeclaredForm<Desired> {
  /** The parts in block style. */
  readonly block: Block;
  /** The usual order of the members. */
  readonly order: Order;
  /** Absent if overlays are plain merge patches. */
  readonly layering?: Layering;
  /** Errors of the layers as written, each by code and place; absent if nothing in an overlay can name a part of the base. */
  readonly errorsOf?: (declaration: Declaration) => readonly string[];
  /** The meaning of a declaration, without its places. */
  meaningOf(desired: Desired): JsonValue;
  /** The keys of those whose declarations may be the reason for an error elsewhere, the likeliest first. */
  causesOf?(problem: ManifestDiagnostic, declared: readonly Desired[]): readonly string[];
}
