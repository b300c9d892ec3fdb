/** Declares what exported flags have of further families, each resource proven to load to what is live. */

import { comparing } from '../../base/compare-strings.ts';
import { defined } from '../../base/optional.ts';
import { familyOf } from '../../core/engine/kind.ts';
import { MAX_FILE_BYTES } from '../../core/manifest/tree-source.ts';
import { layOut } from '../../core/manifest/write/layout.ts';
import type { LiveById, NamedLive, UndeclaredReason } from '../../posthog/exported.ts';
import { familyIn, furtherFamily, FURTHER_FAMILIES } from '../../posthog/families.ts';
import type { Flag } from '../../posthog/flag/model/flag.ts';
import type { FamilyName, FamilyTypes, FurtherFamily } from '../../posthog/kind-types.ts';
import { KINDS } from '../../posthog/kinds.ts';
import type { DesiredState } from '../../posthog/desired.ts';
import type { LiveState } from '../../posthog/live.ts';
import { takeSnapshot } from '../../posthog/snapshot.ts';
import type { ExportedFile, ExportNote } from './export.ts';
import { type ExportContext, freePath, splitText } from './files.ts';
import { checkFiles, writeProven } from './prove.ts';

type Live = FamilyTypes[FurtherFamily]['live'];

export interface ExportedFurther {
  readonly files: readonly ExportedFile[];
  /** The notes of one family after the other, those of each sorted as the flags are. */
  readonly notes: readonly ExportNote[];
}

/** `ofFlags`: the files of the flags. */
export function writeFurther(
  flags: readonly Flag[],
  { input, options, names }: ExportContext,
  ofFlags: readonly ExportedFile[],
): ExportedFurther {
  const written = new Map<FamilyName, readonly ExportedFile[]>([['flags', ofFlags]]);
  const notes = FURTHER_FAMILIES.flatMap(({ section, refersTo, exported }): readonly ExportNote[] => {
    if (input[section] === undefined) return [];
    const live = liveById(section, input);
    const paths = [...written.values()].flat().map(({ path }) => path);
    const { files, reasons } = declareResources(section, exported.idsOf(flags, live), {
      input,
      names,
      options: { ...options, taken: new Set([...(options.taken ?? []), ...paths]) },
      around: refersTo.flatMap((other) => written.get(other) ?? []),
    });
    written.set(section, files);
    return flags.flatMap((flag) => exported.notes(flag, { live, reasons }));
  });
  return { files: [...written].flatMap(([section, files]) => (section === 'flags' ? [] : files)), notes };
}

interface FurtherContext extends ExportContext {
  /** The files with what the resources refer to, which is read with them. */
  readonly around?: readonly ExportedFile[];
}

interface DeclaredResources {
  readonly files: readonly ExportedFile[];
  /**
   * The reasons why a resource is not declared, by id. A resource without a name, or with a declared one, is neither here nor in the files.
   */
  readonly reasons: ReadonlyMap<number, UndeclaredReason>;
}

export function declareResources(
  section: FurtherFamily,
  ids: readonly number[],
  { around = [], ...context }: FurtherContext,
): DeclaredResources {
  const { input, options, names } = context;
  const { exported } = furtherFamily(section);
  const live = liveById(section, input);
  const undeclarable = exported.findUndeclarable(ids, live);
  const resources = ids.flatMap((id) => (undeclarable.has(id) ? [] : (live.get(id) ?? [])));
  const named = exported.name(resources, { names, declared: options.declared?.[section] });
  const { files, notExported } = writeProven(named.toSorted(comparing(({ key }) => key)), {
    keyOf: ({ key }) => key,
    write: (chosen) => writeDeclarations(section, chosen, context),
    readBack: (own, chosen) =>
      checkFiles([...around, ...own], {
        ...{ section, input, options },
        keys: chosen.map(({ key }) => key),
        findUnchanged: (desired) => findUnchanged(section, desired, defined({ ...input, roleAccess: {} })),
      }),
    nextForm: () => undefined,
  });
  const wrong = notExported.map(({ one }) => [one.live.id, 'reads-differently'] as const);
  return { files, reasons: new Map<number, UndeclaredReason>([...undeclarable, ...wrong]) };
}

/** The listed resources of the family. */
export function liveById(section: FurtherFamily, input: Pick<LiveState, FurtherFamily>): LiveById<Live> {
  const listed: readonly Live[] = input[section] ?? [];
  return new Map(listed.map((one) => [one.id, one]));
}

/** Writes the declarations without checking that they read back as what is live. */
export function writeDeclarations(
  section: FurtherFamily,
  named: readonly NamedLive<Live>[],
  { options, names }: Pick<ExportContext, 'options' | 'names'>,
): readonly ExportedFile[] {
  if (named.length === 0) return [];
  const { minimal = false, onlyIn, schemaPath } = options;
  const { exported, form } = furtherFamily(section);
  const ofProject = onlyIn === undefined ? {} : { only_in: [onlyIn] };
  const writeText = (part: readonly NamedLive<Live>[]): string => {
    const declarations = exported.write(part, { names, minimal });
    const members = declarations.map(([key, declaration]) => [key, { ...declaration, ...ofProject }] as const);
    return layOut({ [section]: Object.fromEntries(members) }, { blocks: { [section]: form.block }, schemaPath });
  };
  const taken = new Set(options.taken);
  const texts = splitText(named, { writeText, maxBytes: MAX_FILE_BYTES });
  return texts.map((text) => ({ path: freePath(exported.file, taken, onlyIn), text }));
}

/** The keys of the declared resources that are already as declared, so that a plan has nothing to do for them. The family is matched alone, so resources of other families have their current names. */
function findUnchanged(section: FamilyName, desired: DesiredState, live: LiveState): ReadonlySet<string> {
  const family = familyIn(section);
  const snapshot = takeSnapshot(live);
  const matched = family.match({ desired, live, former: undefined, snapshot, earlier: {} });
  if (matched === undefined) return new Set();
  const kinds = KINDS.filter((kind) => familyOf(kind) === family.kind);
  const named = family.name(snapshot, matched.names);
  const unchanged = matched.matches.pairs.filter((pair) =>
    kinds.every((kind) => {
      const { changes, warnings } = kind.compare(pair, named);
      return changes.length === 0 && warnings.length === 0;
    }),
  );
  return new Set(unchanged.map(({ desired: { key } }) => key));
}
