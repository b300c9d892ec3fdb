/** Merges the resources of one kind of a further project into manifests, by edits: overlays for what differs, and `only_in`. */

import { defined } from '../../base/optional.ts';
import type { ManifestDiagnostic } from '../../posthog/manifests/problems.ts';
import { withIds } from '../../posthog/reading/found-names.ts';
import { toEditingContext, type EditingContext, type EditingInput } from '../context.ts';
import type { FileEdit, RefusalReason, UnwrittenEdit } from '../edit.ts';
import type { MergeComparison, MergeFacet } from '../facet.ts';
import { nameOfDeclaration } from '../kinds.ts';
import { extendEdits, limitEdit } from '../membership.ts';
import { solve, type ProofAttempt } from '../solve.ts';
import type { NotMerged, NotMergedReason } from '../results.ts';
import { editTexts, readTexts, suggestMembers, withEdited, type ManifestText, type RefusedFileEdit } from '../texts.ts';
import { writeEdits } from '../write/write-edits.ts';

export interface KindMergeInput extends EditingInput {
  /** The ids of those to merge; absent: all. */
  readonly ids?: ReadonlySet<number>;
}

export interface KindMerge {
  /** All manifests, with the edited ones. */
  readonly texts: readonly ManifestText[];
  /** Names as options have them, here and below. */
  readonly overlaid: readonly string[];
  readonly notMerged: readonly NotMerged[];
  /** The ids that the project has for names that manifests declare for it now. */
  readonly found: MergeComparison['found'];
}

/**
 * Writes the project's version of a declared resource as an overlay. A resource that manifests declare only for other projects, and that
 * the project has, is declared for it too. The desired state of other projects stays the same; a resource that would change it is left
 * alone.
 * @throws {FlagwrightError} `manifest_invalid` as matching does.
 */
export function mergeKind(facet: MergeFacet, input: KindMergeInput): KindMerge {
  const former = toEditingContext(input);
  const elsewhere = facet.elsewhere(former, input.ids);
  const { made, left } = solve<NotMerged, KindAttempt>(former, {
    write: ({ isLeft }) => {
      const joined = elsewhere.filter((key) => !isLeft(facet.kind.nameOf(key)));
      const isOpen = (name: string, id: number): boolean => !isLeft(name) && input.ids?.has(id) !== false;
      return tryMerge(facet, former, { joined, isOpen });
    },
    ...proofOfMerge(former, facet.reasonOf),
  });
  const { texts, overlaid, found, notMerged } = made;
  return { texts, overlaid, notMerged: [...notMerged, ...left], found };
}

interface KindAttempt extends ProofAttempt<NotMerged>, Omit<KindMerge, 'texts'> {}

interface Merging {
  /** The keys of those that are declared for the project from now on. */
  readonly joined: readonly string[];
  readonly isOpen: (name: string, id: number) => boolean;
}

function tryMerge(facet: MergeFacet, former: EditingContext, { joined, isOpen }: Merging): KindAttempt {
  const { nameOf } = facet.kind;
  const names = joined.map(nameOf);
  const extended = editTexts(former.manifests, extendEdits(names, former)).texts;
  const read = joined.length === 0 ? former.read : readTexts(extended, former.allProjects, former.project.moment);
  const { found, edits, left } = facet.compare({ ...former, read }, isOpen);
  const { edited, written, refused } = writeEdits(withFound({ ...former, manifests: extended }, found), edits, 'auto');
  return {
    texts: withEdited(extended, edited),
    failed: refused.map((one) => ofUnwritten(one, facet)),
    overlaid: [...written].toSorted(),
    notMerged: left,
    found,
    open: [...new Set([...names, ...edits.map(({ key }) => key)])],
  };
}

function ofUnwritten({ key, reason, suggestion }: UnwrittenEdit, { reasonOf }: MergeFacet): NotMerged {
  if (reason.code === 'invalid') return { key, reason: reasonOf(reason.problem) };
  if (NO_TEXT.has(reason.code)) return { key, reason: 'reads-differently' };
  return { key, reason: 'not-editable', ...defined({ suggestion }) };
}

/** There is no edit that declares what is live. For the other reasons there is one, but the text cannot take it. */
const NO_TEXT: ReadonlySet<RefusalReason['code']> = new Set(['not-declared', 'not-expressible', 'changes-others']);

/** Includes the ids of resources that are found by name, as a plan does. */
function withFound(input: EditingInput, found: KindMerge['found']): EditingContext {
  return toEditingContext({ ...input, project: withIds(input.project, found) });
}

export interface Limited extends Pick<KindMerge, 'texts' | 'notMerged'> {
  /** The names of resources that the project lacks and that are no longer declared for it. */
  readonly limited: readonly string[];
}

/** Limits the declarations of what a further project lacks to the other projects, unless something that it has uses them. */
export function limitKind(facet: MergeFacet, context: EditingContext): Limited {
  const { manifests } = context;
  const lacking = facet.lacking(context);
  const { made, left } = solve<NotMerged, ProofAttempt<NotMerged>>(context, {
    write: ({ isLeft }) => {
      const open = lacking.filter((key) => !isLeft(key));
      const edits = open.map((key) => ({ key, edit: limit(key, context) }));
      const { texts, refused } = editTexts(
        manifests,
        edits.flatMap(({ edit }) => edit ?? []),
      );
      const onlyHere = edits.flatMap(({ key, edit }): NotMerged[] =>
        edit === undefined ? [{ key, reason: 'declared-only-here' }] : [],
      );
      return { open, texts, failed: [...onlyHere, ...refused.map(ofRefused)] };
    },
    ...proofOfMerge(context, () => 'still-used'),
  });
  return { texts: made.texts, limited: made.open, notMerged: left };
}

/** Absent for what is declared for the project alone. */
function limit(name: string, { read, project, allProjects }: EditingContext): FileEdit | undefined {
  const declaration = read.declarations.get(name);
  const edit = declaration && limitEdit(declaration, project.name, allProjects);
  return declaration && edit && { file: declaration.file, edit };
}

/** What was edited may change for the project; what it says then was proved before. No other project may change. */
function proofOfMerge(
  { project: { name: own } }: EditingContext,
  reasonOf: (problem: ManifestDiagnostic) => NotMergedReason,
): Omit<Parameters<typeof solve<NotMerged, ProofAttempt<NotMerged>>>[1], 'write'> {
  return {
    unmet: () => [],
    isAsked: (name, project, { open }) => project.name === own && open.includes(name),
    toFailed: (key, { problem }) => ({ key, reason: problem === undefined ? 'reads-differently' : reasonOf(problem) }),
  };
}

function ofRefused(refused: RefusedFileEdit): NotMerged {
  const [section, key] = refused.edit.path;
  const name = nameOfDeclaration({ section, key: String(key) });
  return { key: name, reason: 'not-editable', ...defined({ suggestion: suggestMembers([refused]) }) };
}
