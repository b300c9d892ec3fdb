/** How resources of a further family are exported: with the flags that have them, each declared as it is live. */

import type { JsonObject } from '../base/json.ts';
import type { Flag } from './flag/model/flag.ts';
import type { FamilyTypes, FurtherFamily } from './kind-types.ts';
import type { NameLookup } from './flag/model/references.ts';

/** Flags have what belongs to them, or what they use. */
export interface ExportedFamily<
  Name extends FurtherFamily = FurtherFamily,
  Types extends FamilyTypes[FurtherFamily] = FamilyTypes[Name],
> {
  /** The file of the declarations. */
  readonly file: string;
  /** What several are called. */
  readonly plural: string;
  /** The members of a live resource that others may see: those in a snapshot file. */
  readonly disclosed: readonly string[];
  /** Whether the flag may have some, as far as the flag itself shows: where none may, none are read. */
  mayHave(flag: Flag): boolean;
  /** The ids of those that the flags have, each once. The project need not list them. */
  idsOf(flags: readonly Flag[], live: LiveById<Types['live']>): readonly number[];
  /** The resources that no manifest can declare, whatever its text, and why, by id. */
  findUndeclarable(
    ids: readonly number[],
    live: LiveById<Types['live']>,
  ): ReadonlyMap<number, Types['exported']['reason']>;
  /** The resources under the names that manifests give them, without those that have none and those that manifests declare. */
  name(resources: readonly Types['live'][], given: ToName<Types['desired']>): readonly NamedLive<Types['live']>[];
  /** The declarations of one file. */
  write(named: readonly NamedLive<Types['live']>[], writing: DeclarationWriting): readonly WrittenDeclaration[];
  /** The facts that one flag has resources which are not declared. */
  notes(flag: Flag, undeclared: Undeclared<Types>): readonly Types['exported']['note'][];
}

/** Sorted as the service lists them. */
export type LiveById<Live> = ReadonlyMap<number, Live>;

/** What manifests declare already, for any project. */
export interface DeclaredAlready<Desired> {
  readonly keys: ReadonlySet<string>;
  readonly resources: readonly Desired[];
}

interface ToName<Desired> {
  readonly names: NameLookup;
  /** Absent: nothing. */
  readonly declared: DeclaredAlready<Desired> | undefined;
}

export interface NamedLive<Live> {
  readonly key: string;
  readonly live: Live;
}

interface DeclarationWriting {
  readonly names: NameLookup;
  /** Omits what is empty. */
  readonly minimal: boolean;
}

type WrittenDeclaration = readonly [key: string, declaration: JsonObject];

interface Undeclared<Types extends FamilyTypes[FurtherFamily]> {
  readonly live: LiveById<Types['live']>;
  readonly reasons: ReadonlyMap<number, ReasonOf<Types>>;
}

/** A reason of the kind, or that no declaration reproduces what is live. */
type ReasonOf<Types extends FamilyTypes[FurtherFamily]> = Types['exported']['reason'] | 'reads-differently';

export type UndeclaredReason = ReasonOf<FamilyTypes[FurtherFamily]>;

/** A fact about a flag that files do not show: it has a resource that is not declared. */
export type UndeclaredNote = FamilyTypes[FurtherFamily]['exported']['note'];
