/** Copies values of flags from one project into the manifests of another, by the edits that `accept` makes. */

import { comparing } from '../../base/compare-strings.ts';
import { sortDiagnostics } from '../../base/diagnostic.ts';
import { defined } from '../../base/optional.ts';
import { diff } from '../../core/engine/diff.ts';
import type { DesiredState } from '../../posthog/desired.ts';
import { idOf } from '../../posthog/flag/model/references.ts';
import type { LiveState } from '../../posthog/live.ts';
import { isOfMain, nameResource } from '../../posthog/names/resource-name.ts';
import { declaredValues, isManaged, type ComparableValues } from '../../posthog/parity/parity.ts';
import type { Project, ProjectNames } from '../../posthog/project.ts';
import { takeSnapshot } from '../../posthog/snapshot.ts';
import { extendEdits, toEditingContext, type EditingContext } from '../context.ts';
import type {
  ResourceEdit,
  AcceptedChange,
  EditedPart,
  KeptValue,
  LeftPromotion,
  Promoted,
  PromotionReason,
  ManifestText,
} from '../edit.ts';
import type { BeforeAndNow, EditOr } from '../facet.ts';
import { desiredByName, meaningsOf, nameAtPath, nameOfDeclaration } from '../kinds.ts';
import type { Crossing, PromoteInput, PromotionSource } from '../promotion.ts';
import { findNewProblems, problemsOf, reasonOf, solve, type ProofAttempt } from '../solve.ts';
import { changedTexts, editTexts, withEdited, type ReadTexts } from '../texts.ts';
import { ALL_FACETS, facetOf, writtenAt } from './facets.ts';
import { writeEdits } from './write-edits.ts';

/** The resources of a project, by name: as its manifests declare them or, with `live`, as they are. */
export function sourcesOf(
  desired: DesiredState,
  live: LiveState | undefined,
  from: ProjectNames,
): ReadonlyMap<string, PromotionSource> {
  return new Map(ALL_FACETS.flatMap((facet) => [...facet.sources(desired, live, from)]));
}

/** Whether one of the parts is a part of the named resource. */
export function hasPart(name: string, parts: readonly EditedPart[]): boolean {
  return facetOf(name).hasPart(parts);
}

/**
 * Proves that the edited manifests declare the same as before for every other project, flag and part: they are read again and compared.
 * Whatever needs a promotion that is left is left too, so that nothing names what the other project will not have.
 */
export function promoteFlags(input: PromoteInput): Promoted {
  const { manifests, to } = input;
  const former = contextOf(input, manifests);
  const { made, after, left } = solve<LeftPromotion, PromoteAttempt>(former, {
    write: ({ isLeft, left: failed }) => {
      const keys = input.keys.filter((key) => !isLeft(key));
      return tryPromote({ ...input, keys }, former, failed);
    },
    unmet: (_after, { open, refused }, errors) => {
      const invalid = errors.flatMap(({ names, problem }): LeftPromotion[] => {
        const key = names.find((name) => open.includes(name));
        return key === undefined ? [] : [{ key, reason: { code: 'invalid', problem } }];
      });
      return withoutFollowers([...refused, ...invalid], input);
    },
    isAsked: (name, project, { open }) => project.name === to.name && open.includes(name),
    toFailed: (key, fault) => ({ key, reason: reasonOf(fault) }),
  });
  return {
    ...compareAfter(made.requested, input, { former: former.read, after }),
    edited: changedTexts(manifests, made.texts),
    left,
  };
}

interface PromoteAttempt extends ProofAttempt<LeftPromotion> {
  readonly requested: readonly ResourceEdit[];
  /** Edits that the texts refuse: judged together with the changed meanings, since one may be the cause of the other. */
  readonly refused: readonly LeftPromotion[];
}

/** `input.keys`: without those that are left. */
function tryPromote(
  input: PromoteInput,
  former: EditingContext,
  left: ReadonlyMap<string, LeftPromotion>,
): PromoteAttempt {
  const { from, to, keys, manifests } = input;
  const declared = new Map(
    [...desiredByName(former.read.resolve(to).desired)].filter(([, one]) => one.kind === 'declared'),
  );
  const crossing = { from, to, known: new Set([...declared.keys(), ...keys]) };
  const made = keys.map((key) => ({ key, ...editOf(key, input, { declared, crossing, context: former }) }));
  const failed = made.flatMap((one): LeftPromotion[] => {
    if ('edit' in one) return [];
    const place = former.read.declarations.get(one.key)?.places.place;
    return [{ key: one.key, reason: withChain(one.reason, left), ...defined({ place }) }];
  });
  const requested = made.flatMap((one) => ('edit' in one ? one.edit : []));
  const tried = { requested, open: requested.map(({ key }) => key), failed };
  if (failed.length > 0) return { ...tried, texts: manifests, refused: [] };
  const extended = declareFor(requested, former);
  const { edited, refused, after } = writeEdits(contextOf(input, extended.texts), requested, 'auto');
  const texts = withEdited(extended.texts, edited);
  return { ...tried, texts, read: after, refused: [...extended.left, ...refused] };
}

/** A promotion that needs a failed one may have failed because of it: it is tried again without that one. */
function withoutFollowers(failed: readonly LeftPromotion[], { source, from }: PromoteInput): readonly LeftPromotion[] {
  const names = new Set(failed.map(({ key }) => key));
  const first = failed.filter(({ key }) => {
    const own = source.get(key);
    return (
      own === undefined ||
      !facetOf(key)
        .needs(own, from)
        .some((name) => name !== key && names.has(name))
    );
  });
  return first.length > 0 ? first : failed;
}

/**
 * Written values come from manifests and need no live state of the project. But an edit names flags as the service does, where digits are
 * an id, so a declared key of digits gets an id here.
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
  requested: readonly ResourceEdit[],
  { manifests, read, project }: EditingContext,
): { readonly texts: readonly ManifestText[]; readonly left: readonly LeftPromotion[] } {
  const known = meaningsOf(read.resolve(project).desired);
  const names = requested.flatMap(({ key }) => (known.has(key) ? [] : key));
  const { texts, refused } = editTexts(manifests, extendEdits(names, { read, project }));
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

interface Promoting {
  /** What the other project declares, by name. */
  readonly declared: ReturnType<typeof desiredByName>;
  readonly crossing: Crossing;
  readonly context: EditingContext;
}

function editOf(
  key: string,
  { source: sources, from, to, parts }: PromoteInput,
  { declared, crossing, context: { snapshot } }: Promoting,
): EditOr<ResourceEdit, PromotionReason> {
  const source = sources.get(key);
  if (source === undefined) return { reason: { code: 'source-lacks', project: from.name } };
  const target = declared.get(key);
  if (parts !== undefined && target === undefined) return { reason: { code: 'target-lacks', project: to.name } };
  const refer = (named: string): string | number => snapshot.flags.byKey(named)?.id ?? named;
  return facetOf(key).fromSource({ key, source, target, crossing, refer, ...defined({ parts }) });
}

/** Dependencies that are missing because this run leaves them, each with its own missing ones. */
function withChain(reason: PromotionReason, left: ReadonlyMap<string, LeftPromotion>): PromotionReason {
  const name =
    reason.code === 'dependency-missing'
      ? reason.dependency
      : reason.code === 'cohort-missing'
        ? nameResource('cohort', reason.alias)
        : undefined;
  const cause = name === undefined ? undefined : left.get(name)?.reason;
  if (name === undefined || cause === undefined) return reason;
  return { code: 'dependency-left', chain: [name, ...(cause.code === 'dependency-left' ? cause.chain : [])] };
}

/** Uses the comparison of parity. */
function compareAfter(
  requested: readonly ResourceEdit[],
  input: PromoteInput,
  { former, after }: { readonly former: ReadTexts; readonly after: ReadTexts },
): Omit<Promoted, 'edited' | 'left'> {
  const { to } = input;
  const valuesIn = (read: ReadTexts): ReadonlyMap<string, ComparableValues> =>
    declaredValues({ project: to, desired: read.resolve(to).desired }).resources;
  const [before, now] = [valuesIn(former), valuesIn(after)];
  const all = requested
    .map(({ key }) => ({
      key,
      changes: changesOf(key, { before: before.get(key), now: now.get(key) }, { read: after, project: to }),
      kept: keptOf(key, now.get(key), input),
    }))
    .toSorted(comparing(({ key }) => key));
  const promoted = all.filter(({ changes }) => changes.length > 0).map(({ key, changes }) => ({ key, changes }));
  const names = new Set(promoted.map(({ key }) => key));
  const added = findNewProblems('warning', { former, after }, to).map(({ problem }) => problem);
  return {
    promoted,
    same: all.flatMap(({ key, changes, kept }) => (changes.length === 0 && kept.length === 0 ? key : [])),
    kept: all.flatMap(({ kept }) => kept),
    warnings: sortDiagnostics(
      problemsOf('warning', after, to).filter((one) => names.has(nameAtPath(one.path ?? '')) || added.includes(one)),
    ),
  };
}

function changesOf(
  key: string,
  { before, now }: BeforeAndNow<ComparableValues>,
  at: { readonly read: ReadTexts; readonly project: Project },
): readonly AcceptedChange[] {
  const ref = isOfMain(key) ? `flag:${key}` : key;
  const changes = diff(before?.fields ?? {}, now?.fields ?? {}).map((difference): AcceptedChange => ({
    ref,
    ...difference,
    ...writtenAt(key, difference.path, at),
  }));
  if (changes.length > 0 || before !== undefined || now === undefined) return changes;
  const place = at.read.declarations.get(key)?.places.place;
  return [{ ref, path: '', ...defined({ place }) }];
}

function keptOf(
  key: string,
  now: ComparableValues | undefined,
  { source, from, parts }: PromoteInput,
): readonly KeptValue[] {
  const own = source.get(key);
  if (own === undefined || now === undefined) return [];
  const facet = facetOf(key);
  const { fields } = facet.comparableValuesOf(own, from);
  return diff(fields, now.fields)
    .filter(({ path }) => parts === undefined || facet.isOfPart(path, parts))
    .map(({ path }) => ({ key, path, reason: isManaged(fields, path) ? 'others' : 'source-omits' }));
}
