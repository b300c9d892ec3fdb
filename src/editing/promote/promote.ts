/** Copies what one project has of flags into the manifests of another, by the edits that `accept` makes. */

import { comparing } from '../../base/compare-strings.ts';
import { defined } from '../../base/optional.ts';
import { diff } from '../../engine/diff.ts';
import { declaredFaces } from '../../posthog/parity/face.ts';
import type { Face } from '../../posthog/parity/faces.ts';
import { idOf } from '../../posthog/names.ts';
import type { Project } from '../../posthog/project.ts';
import { aliasIn } from '../../posthog/resource-path.ts';
import { takeSnapshot } from '../../posthog/snapshot.ts';
import type { AcceptedFlag } from '../accept/accepted.ts';
import { toEditingContext, type EditingContext } from '../context.ts';
import { meaningsOf, nameOfDeclaration } from '../declared.ts';
import { extendEdit } from '../merge/membership.ts';
import { blamed, findNewErrors } from '../new-errors.ts';
import { sayInManifests } from '../say.ts';
import { editTexts, readTexts, withEdited, type ManifestText, type ReadTexts } from '../texts.ts';
import type { Wish } from '../wish.ts';
import { writtenAt } from '../written-at.ts';
import type { LeftPromotion, Part, Promoted } from './promoted.ts';
import { toCohortWish } from './cohort-wish.ts';
import { declaredAliases, type Crossing } from './target-names.ts';
import { toWish, type SourceFlag } from './to-wish.ts';

export interface PromoteInput {
  readonly from: Project;
  readonly to: Project;
  /** Every project of the configuration. */
  readonly projects: readonly Project[];
  readonly manifests: readonly ManifestText[];
  /** What `from` has of the flags, by key, and of the cohorts, by name. */
  readonly source: ReadonlyMap<string, SourceFlag>;
  /** The flags to promote, and the cohorts, as `cohort:ALIAS`. */
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
    const invalid = findNewErrors(former.read, after, to).map((error): LeftPromotion => {
      const key = blamed(error, (name) => wishes.some((wish) => wish.key === name));
      return { key, reason: { code: 'invalid', problem: error.problem } };
    });
    const failed = [...extended.left, ...said.refused, ...invalid];
    if (failed.length === 0)
      return { ...finish(wishes, { former, after, to }), edited: changed(manifests, texts), left };
    const failing = blame(failed, wishes);
    left.push(...failing);
    wishes = wishes.filter(({ key }) => !failing.some((one) => one.key === key));
  }
}

/** Each wish that failed, once; all of them where only other flags have problems. */
function blame(failed: readonly LeftPromotion[], wishes: readonly Wish[]): LeftPromotion[] {
  const own = wishes.flatMap(({ key }) => failed.find((one) => one.key === key) ?? []);
  return own.length > 0 ? own : wishes.flatMap(({ key }) => failed.slice(0, 1).map((one) => ({ ...one, key })));
}

/**
 * What is written comes from manifests and needs no live state of the project. But a wish names flags as the service does, where
 * digits are an id: a declared key of digits gets an id of its own.
 */
function contextOf({ to, projects }: PromoteInput, manifests: readonly ManifestText[]): EditingContext {
  const context = toEditingContext({ live: { flags: [], roleAccess: {} }, project: to, projects, manifests });
  const keys = [...context.read.declarations.keys()].filter((key) => idOf(key) !== undefined);
  if (keys.length === 0) return context;
  const live = { flags: keys.map((key, index) => ({ id: index + 1, key })), roleAccess: {} };
  return { ...context, live, snapshot: takeSnapshot(live) };
}

function wishFor(key: string, context: EditingContext, input: PromoteInput): { readonly wish: Wish } | LeftPromotion {
  const { from, source } = input;
  const declaration = context.read.declarations.get(key);
  const place = declaration?.places.place;
  const own = source.get(key);
  if (own === undefined) return { key, reason: { code: 'source-lacks', project: from.name }, ...defined({ place }) };
  const made = wishOf({ key, source: own, context, input });
  return 'wish' in made ? made : { key, ...made, ...defined({ place }) };
}

interface Promoting {
  readonly key: string;
  readonly source: SourceFlag;
  readonly context: EditingContext;
  readonly input: PromoteInput;
}

function wishOf({ key, source, context, input }: Promoting): { readonly wish: Wish } | Pick<LeftPromotion, 'reason'> {
  const { from, to, parts, keys } = input;
  const { flags, cohorts = [] } = context.read.resolve(to).desired;
  const declared = new Map(flags.flatMap((flag) => (flag.kind === 'declared' ? [[flag.key, flag] as const] : [])));
  const alias = aliasIn(key);
  const cohort = cohorts.find((one) => one.kind === 'declared' && one.key === alias);
  if (parts !== undefined && !declared.has(key) && cohort === undefined) {
    return { reason: { code: 'target-lacks', project: to.name } };
  }
  const promoted = keys.flatMap((name) => aliasIn(name) ?? []);
  const declaredCohorts = new Set([...declaredAliases({ cohorts }), ...promoted]);
  const crossing: Crossing = { from, to, declaredCohorts };
  if (alias !== undefined) {
    return toCohortWish({ key, fields: source.fields, target: cohort, crossing, ...defined({ parts }) });
  }
  const known = new Set([...declared.keys(), ...keys]);
  const refer = (named: string): string | number => context.snapshot.flags.byKey(named)?.id ?? named;
  return toWish({ key, source, target: declared.get(key), crossing, keys: known, refer, ...defined({ parts }) });
}

/** Adds the project to `only_in` of the declarations that leave it out. */
function declareFor(
  { name }: Project,
  wishes: readonly Wish[],
  { manifests, read, project }: EditingContext,
): { readonly texts: readonly ManifestText[]; readonly left: readonly LeftPromotion[] } {
  const known = meaningsOf(read.resolve(project).desired);
  const edits = wishes.flatMap(({ key }) => {
    const declaration = known.has(key) ? undefined : read.declarations.get(key);
    return declaration === undefined ? [] : [{ file: declaration.file, edit: extendEdit(declaration, name) }];
  });
  const { texts, refused } = editTexts(manifests, edits);
  const left = refused.map(({ edit, reason, file, line, column }): LeftPromotion => {
    const [section, key] = edit.path;
    return {
      key: nameOfDeclaration({ section, key: String(key) }),
      reason: { code: reason },
      place: { file, line, column },
    };
  });
  return { texts, left };
}

interface Finished {
  readonly former: EditingContext;
  readonly after: ReadTexts;
  readonly to: Project;
}

function finish(wishes: readonly Wish[], { former, after, to }: Finished): Pick<Promoted, 'promoted'> {
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
    ref: aliasIn(key) === undefined ? `flag:${key}` : key,
    ...difference,
    ...placed(difference.path),
  }));
  return { key, changes };
}

function changed(before: readonly ManifestText[], after: readonly ManifestText[]): ManifestText[] {
  return after.filter(({ text }, index) => before[index]?.text !== text);
}
