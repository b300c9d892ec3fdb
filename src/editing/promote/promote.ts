/** Copies what one project has of flags into the manifests of another, by the edits that `accept` makes. */

import { idOf } from '../../posthog/names.ts';
import type { Project } from '../../posthog/project.ts';
import { takeSnapshot } from '../../posthog/snapshot.ts';
import { toEditingContext, type EditingContext } from '../context.ts';
import { meaningsOf, nameOfDeclaration } from '../declared.ts';
import { extendEdit } from '../merge/membership.ts';
import { blamed, findNewErrors } from '../new-errors.ts';
import { sayInManifests } from '../say.ts';
import { editTexts, readTexts, withEdited, type ManifestText } from '../texts.ts';
import type { Wish } from '../wish.ts';
import { compareAfter } from './compare-after.ts';
import { neededBy, wishFor } from './find-wish.ts';
import type { LeftPromotion, Part, Promoted } from './promoted.ts';
import type { SourceFlag } from './to-wish.ts';

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

/**
 * The edited manifests say the same as before of every other project, flag and part: they are read again and compared. What is
 * left takes along what needs it, so that nothing is written that names what the other project will not have.
 */
export function promoteFlags(input: PromoteInput): Promoted {
  const { manifests } = input;
  const former = contextOf(input, manifests);
  const left = new Map<string, LeftPromotion>();
  for (;;) {
    const keys = input.keys.filter((key) => !left.has(key));
    const { wishes, texts, failed } = tryPromote({ ...input, keys }, former, left);
    for (const one of failed) left.set(one.key, one);
    if (failed.length > 0) continue;
    const after = readTexts(texts, former.allProjects);
    return {
      ...compareAfter(wishes, { input, former, after }),
      edited: changed(manifests, texts),
      left: [...left.values()],
    };
  }
}

interface Attempt {
  readonly wishes: readonly Wish[];
  readonly texts: readonly ManifestText[];
  /** Keys of the input; none if the texts hold. */
  readonly failed: readonly LeftPromotion[];
}

function tryPromote(input: PromoteInput, former: EditingContext, left: ReadonlyMap<string, LeftPromotion>): Attempt {
  const { keys, to, manifests } = input;
  const made = keys.map((key) => wishFor(key, former, { input, left }));
  const unmade = made.flatMap((one) => ('reason' in one ? [one] : []));
  const wishes = made.flatMap((one) => ('wish' in one ? [one.wish] : []));
  if (unmade.length > 0) return { wishes, texts: manifests, failed: unmade };
  const extended = declareFor(to, wishes, former);
  const context = contextOf(input, extended.texts);
  const said = sayInManifests(context, wishes, 'auto');
  const texts = withEdited(context.manifests, said.edited);
  const after = readTexts(texts, context.allProjects);
  const invalid = findNewErrors(former.read, after, to).map((error): LeftPromotion => {
    const key = blamed(error, (name) => wishes.some((wish) => wish.key === name));
    return { key, reason: { code: 'invalid', problem: error.problem } };
  });
  const failed = blame([...extended.left, ...said.refused, ...invalid], wishes);
  return { wishes, texts, failed: withoutFollowers(failed, input) };
}

/** Each wish that failed, once; all of them where only other flags have problems. */
function blame(failed: readonly LeftPromotion[], wishes: readonly Wish[]): LeftPromotion[] {
  const own = wishes.flatMap(({ key }) => failed.find((one) => one.key === key) ?? []);
  return own.length > 0 ? own : wishes.flatMap(({ key }) => failed.slice(0, 1).map((one) => ({ ...one, key })));
}

/** What needs another one that failed may have failed because of it: it is tried again without that one. */
function withoutFollowers(failed: readonly LeftPromotion[], { source, from }: PromoteInput): readonly LeftPromotion[] {
  const names = new Set(failed.map(({ key }) => key));
  const first = failed.filter(
    ({ key }) => !neededBy(source.get(key), from).some((name) => name !== key && names.has(name)),
  );
  return first.length > 0 ? first : failed;
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

function changed(before: readonly ManifestText[], after: readonly ManifestText[]): ManifestText[] {
  return after.filter(({ text }, index) => before[index]?.text !== text);
}
