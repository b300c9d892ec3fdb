/** Copies what one project has of flags into the manifests of another, by the edits that `accept` makes. */

import { comparing } from '../../base/compare-strings.ts';
import { defined } from '../../base/optional.ts';
import { diff } from '../../engine/diff.ts';
import type { DeclaredFlag } from '../../posthog/desired.ts';
import { declaredFaces, type Face } from '../../posthog/parity/face.ts';
import type { Project } from '../../posthog/project.ts';
import type { AcceptedFlag } from '../accept/accepted.ts';
import { toEditingContext, type EditingContext } from '../context.ts';
import { extendEdit } from '../merge/membership.ts';
import { findNewErrors, type NewError } from '../prove-wishes.ts';
import { sayInManifests } from '../say.ts';
import { editTexts, readTexts, withEdited, type ManifestText, type ReadTexts } from '../texts.ts';
import type { FlagWish } from '../wish.ts';
import { writtenAt } from '../written-at.ts';
import type { LeftPromotion, Part, Promoted } from './promoted.ts';
import { declaredAliases } from './target-names.ts';
import { toWish, type SourceFlag } from './to-wish.ts';

export interface PromoteInput {
  readonly from: Project;
  readonly to: Project;
  /** Every project of the configuration. */
  readonly projects: readonly Project[];
  readonly manifests: readonly ManifestText[];
  /** What `from` has of the flags, by key. */
  readonly source: ReadonlyMap<string, SourceFlag>;
  /** The flags to promote. */
  readonly keys: readonly string[];
  /** Absent: all that the source has. */
  readonly parts?: readonly Part[];
}

/** The edited manifests say the same as before of every other project, flag and part: they are read again and compared. */
export function promoteFlags(input: PromoteInput): Promoted {
  const { keys, to, manifests } = input;
  const former = contextOf(input, manifests);
  const made = keys.map((key) => wishFor(key, former, input));
  const left: LeftPromotion[] = made.flatMap((one) => ('reason' in one ? [one] : []));
  let wishes = made.flatMap((one) => ('wish' in one ? [one.wish] : []));
  for (;;) {
    const extended = declareFor(to, wishes, former);
    const context = contextOf(input, extended.texts);
    const said = sayInManifests(context, wishes, 'auto');
    const texts = withEdited(context.manifests, said.edited);
    const after = readTexts(texts, context.allProjects);
    const failed = [...extended.left, ...said.refused, ...findNewErrors(former.read, after, to).map(toLeft)];
    if (failed.length === 0)
      return { ...finish(wishes, { former, after, to }), edited: changed(manifests, texts), left };
    const blamed = blame(failed, wishes);
    left.push(...blamed);
    wishes = wishes.filter(({ key }) => !blamed.some((one) => one.key === key));
  }
}

function toLeft({ key, problem }: NewError): LeftPromotion {
  return { key, reason: { code: 'invalid', problem } };
}

/** Each wish that failed, once; all of them where only other flags have problems. */
function blame(failed: readonly LeftPromotion[], wishes: readonly FlagWish[]): LeftPromotion[] {
  const own = wishes.flatMap(({ key }) => failed.find((one) => one.key === key) ?? []);
  return own.length > 0 ? own : wishes.flatMap(({ key }) => failed.slice(0, 1).map((one) => ({ ...one, key })));
}

/** What is written comes from manifests and needs no live state of the project. */
function contextOf({ to, projects }: PromoteInput, manifests: readonly ManifestText[]): EditingContext {
  return toEditingContext({ live: { flags: [], roleAccess: {} }, project: to, projects, manifests });
}

function wishFor(
  key: string,
  { read }: EditingContext,
  { from, to, source, parts, keys }: PromoteInput,
): { readonly wish: FlagWish } | LeftPromotion {
  const declaration = read.declarations.get(key);
  const place = declaration?.places.place;
  const own = source.get(key);
  if (own === undefined) return { key, reason: { code: 'source-lacks', project: from.name }, ...defined({ place }) };
  const declared = declaredIn(read, to);
  const target = declared.get(key);
  if (target === undefined && parts !== undefined)
    return { key, reason: { code: 'target-lacks', project: to.name }, ...defined({ place }) };
  const known = new Set([...declared.keys(), ...keys]);
  const crossing = { from, to, declaredCohorts: declaredAliases(read.resolve(to).desired) };
  const made = toWish({ key, source: own, target, crossing, keys: known, ...defined({ parts }) });
  return 'wish' in made ? made : { key, ...made, ...defined({ place }) };
}

function declaredIn(read: ReadTexts, project: Project): ReadonlyMap<string, DeclaredFlag> {
  const { flags } = read.resolve(project).desired;
  return new Map(flags.flatMap((flag) => (flag.kind === 'declared' ? [[flag.key, flag] as const] : [])));
}

/** Adds the project to `only_in` of the flags that leave it out. */
function declareFor(
  { name }: Project,
  wishes: readonly FlagWish[],
  { manifests, read, project }: EditingContext,
): { readonly texts: readonly ManifestText[]; readonly left: readonly LeftPromotion[] } {
  const known = new Set(read.resolve(project).desired.flags.map(({ key }) => key));
  const edits = wishes.flatMap(({ key }) => {
    const declaration = known.has(key) ? undefined : read.declarations.get(key);
    return declaration === undefined ? [] : [{ file: declaration.file, edit: extendEdit(declaration, name) }];
  });
  const { texts, refused } = editTexts(manifests, edits);
  const left = refused.map(({ edit, reason, file, line, column }): LeftPromotion => {
    return { key: String(edit.path[1]), reason: { code: reason }, place: { file, line, column } };
  });
  return { texts, left };
}

interface Finished {
  readonly former: EditingContext;
  readonly after: ReadTexts;
  readonly to: Project;
}

function finish(wishes: readonly FlagWish[], { former, after, to }: Finished): Pick<Promoted, 'promoted'> {
  const before = declaredFaces({ project: to, desired: former.read.resolve(to).desired }).faces;
  const now = declaredFaces({ project: to, desired: after.resolve(to).desired }).faces;
  const promoted = wishes
    .map(({ key }) =>
      promotedFlag(key, { before: before.get(key), now: now.get(key) }, (path) => writtenAt({ key, path }, after, to)),
    )
    .filter(({ changes }) => changes.length > 0);
  return { promoted: promoted.toSorted(comparing(({ key }) => key)) };
}

interface Faced {
  readonly before: Face | undefined;
  readonly now: Face | undefined;
}

function promotedFlag(
  key: string,
  { before, now }: Faced,
  placed: (path: string) => ReturnType<typeof writtenAt>,
): AcceptedFlag {
  const changes = diff(before?.fields ?? {}, now?.fields ?? {}).map((difference) => ({
    ref: `flag:${key}`,
    ...difference,
    ...placed(difference.path),
  }));
  return { key, changes };
}

function changed(before: readonly ManifestText[], after: readonly ManifestText[]): ManifestText[] {
  return after.filter(({ text }, index) => before[index]?.text !== text);
}
