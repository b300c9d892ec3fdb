/** Copies values of flags from one project into the manifests of another, by the edits that `accept` makes. */

import { defined } from '../../base/optional.ts';
import { nameResource, isOfMain } from '../../posthog/names/resource-name.ts';
import type { DesiredState } from '../../posthog/desired.ts';
import type { LiveState } from '../../posthog/live.ts';
import { idOf } from '../../posthog/flag/model/references.ts';
import type { ProjectNames, Project } from '../../posthog/project.ts';
import { takeSnapshot } from '../../posthog/snapshot.ts';
import { toEditingContext, type EditingContext, extendEdits } from '../context.ts';
import type { ResourceEdit } from '../edit.ts';
import type { EditOr } from '../facet.ts';
import { desiredByName, meaningsOf, nameOfDeclaration, nameAtPath } from '../kinds.ts';
import type { Crossing, PromoteInput, PromotionSource } from '../promotion.ts';
import { solve, type ProofAttempt, findNewProblems, problemsOf } from '../solve.ts';
import type { LeftPromotion, EditedPart, Promoted, PromotionReason, AcceptedChange, KeptValue } from '../results.ts';
import { changedTexts, editTexts, withEdited, type ManifestText, type ReadTexts } from '../texts.ts';
import { ALL_FACETS, facetOf, writtenAt } from './facets.ts';
import { writeEdits } from './write-edits.ts';
import { sortDiagnostics } from '../../base/diagnostic.ts';
import { comparing } from '../../base/compare-strings.ts';
import { diff } from '../../engine/diff.ts';
import { declaredValues } from '../../posthog/parity/parity.ts';
import { isManaged, type ComparableValues } from '../../posthog/parity/parity-values.ts';

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
    toFailed: (key, { problem }) => ({
      key,
      reason: problem === undefined ? { code: 'changes-others' } : { code: 'invalid', problem },
    }),
  });
  return {
    ...compareAfter(made.requested, { input, former, after }),
    edited: changedTexts(manifests, made.texts),
    left,
  };
}

interface PromoteAttempt extends ProofAttempt<LeftPromotion> {
  readonly requested: readonly ResourceEdit[];
  /** Edits that the texts refuse: judged together with the changed meanings, since one may be the cause of the other. */
  readonly refused: readonly LeftPromotion[];
}

function tryPromote(
  input: PromoteInput,
  former: EditingContext,
  left: ReadonlyMap<string, LeftPromotion>,
): PromoteAttempt {
  const { from, to, keys, manifests } = input;
  const resolved = [...desiredByName(former.read.resolve(to).desired)];
  const declared = new Map(resolved.filter(([, one]) => one.kind === 'declared'));
  const crossing = { from, to, known: new Set([...declared.keys(), ...keys]) };
  const made = keys.map((key) => editFor(key, former, { input, left, declared, crossing }));
  const failed = made.flatMap((one) => ('reason' in one ? one : []));
  const requested = made.flatMap((one) => ('edit' in one ? one.edit : []));
  const tried = { requested, open: requested.map(({ key }) => key) };
  if (failed.length > 0) return { ...tried, texts: manifests, failed, refused: [] };
  const extended = declareFor(requested, former);
  const { edited, refused, after } = writeEdits(contextOf(input, extended.texts), requested, 'auto');
  const texts = withEdited(extended.texts, edited);
  return { ...tried, texts, read: after, failed, refused: [...extended.left, ...refused] };
}

/** A promotion that needs a failed one may have failed because of it: it is tried again without that one. */
function withoutFollowers(failed: readonly LeftPromotion[], { source, from }: PromoteInput): readonly LeftPromotion[] {
  const names = new Set(failed.map(({ key }) => key));
  const first = failed.filter(({ key }) => !needsOf(key, source, from).some((name) => name !== key && names.has(name)));
  return first.length > 0 ? first : failed;
}

function needsOf(key: string, source: PromoteInput['source'], from: ProjectNames): readonly string[] {
  const own = source.get(key);
  return own === undefined ? [] : facetOf(key).needs(own, from);
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
  /** `keys`: without those that are left. */
  readonly input: PromoteInput;
  readonly left: ReadonlyMap<string, LeftPromotion>;
  /** What the other project declares, by name. */
  readonly declared: ReturnType<typeof desiredByName>;
  readonly crossing: Crossing;
}

function editFor(key: string, context: EditingContext, promoting: Promoting): EditOr<ResourceEdit, LeftPromotion> {
  const { input, left } = promoting;
  const place = context.read.declarations.get(key)?.places.place;
  const source = input.source.get(key);
  const made = source === undefined ? lacking(input) : editOf({ key, source, context }, promoting);
  return 'edit' in made ? made : { key, reason: withChain(made.reason, left), ...defined({ place }) };
}

function lacking({ from }: PromoteInput): { readonly reason: PromotionReason } {
  return { reason: { code: 'source-lacks', project: from.name } };
}

interface PromotionTask {
  readonly key: string;
  readonly source: PromotionSource;
  readonly context: EditingContext;
}

function editOf(
  { key, source, context }: PromotionTask,
  { input: { to, parts }, declared, crossing }: Promoting,
): EditOr<ResourceEdit, { readonly reason: PromotionReason }> {
  const target = declared.get(key);
  if (parts !== undefined && target === undefined) return { reason: { code: 'target-lacks', project: to.name } };
  const refer = (named: string): string | number => context.snapshot.flags.byKey(named)?.id ?? named;
  return facetOf(key).fromSource({ key, source, target, crossing, refer, ...defined({ parts }) });
}

/** Dependencies that are missing because this run leaves them, each with its own missing ones. */
function withChain(reason: PromotionReason, left: ReadonlyMap<string, LeftPromotion>): PromotionReason {
  const name = missingIn(reason);
  const cause = name === undefined ? undefined : left.get(name)?.reason;
  if (name === undefined || cause === undefined) return reason;
  return { code: 'dependency-left', chain: [name, ...(cause.code === 'dependency-left' ? cause.chain : [])] };
}

function missingIn(reason: PromotionReason): string | undefined {
  if (reason.code === 'dependency-missing') return reason.dependency;
  return reason.code === 'cohort-missing' ? nameResource('cohort', reason.alias) : undefined;
}

interface PromotionComparison {
  readonly input: PromoteInput;
  readonly former: EditingContext;
  readonly after: ReadTexts;
}

/** Uses the comparison of parity. */
function compareAfter(
  requested: readonly ResourceEdit[],
  { input, former, after }: PromotionComparison,
): Omit<Promoted, 'edited' | 'left'> {
  const { to } = input;
  const valuesIn = (desired: DesiredState): ReadonlyMap<string, ComparableValues> =>
    declaredValues({ project: to, desired }).resources;
  const [before, now] = [valuesIn(former.read.resolve(to).desired), valuesIn(after.resolve(to).desired)];
  const all = requested
    .map(({ key }) => ({
      key,
      changes: changesOf(key, { before: before.get(key), now: now.get(key) }, { after, to }),
      kept: keptOf(key, now.get(key), input),
    }))
    .toSorted(comparing(({ key }) => key));
  const promoted = all.filter(({ changes }) => changes.length > 0).map(({ key, changes }) => ({ key, changes }));
  const names = new Set(promoted.map(({ key }) => key));
  const added = findNewProblems('warning', { former: former.read, after }, to).map(({ problem }) => problem);
  return {
    promoted,
    same: all.flatMap(({ key, changes, kept }) => (changes.length === 0 && kept.length === 0 ? key : [])),
    kept: all.flatMap(({ kept }) => kept),
    warnings: sortDiagnostics(
      problemsOf('warning', after, to).filter((one) => names.has(nameAtPath(one.path ?? '')) || added.includes(one)),
    ),
  };
}

interface BeforeAndAfter {
  readonly before: ComparableValues | undefined;
  readonly now: ComparableValues | undefined;
}

function changesOf(
  key: string,
  { before, now }: BeforeAndAfter,
  { after, to }: { readonly after: ReadTexts; readonly to: Project },
): readonly AcceptedChange[] {
  const ref = isOfMain(key) ? `flag:${key}` : key;
  const changes = diff(before?.fields ?? {}, now?.fields ?? {}).map((difference): AcceptedChange => ({
    ref,
    ...difference,
    ...writtenAt({ key, path: difference.path }, after, to),
  }));
  if (changes.length > 0 || before !== undefined || now === undefined) return changes;
  const place = after.declarations.get(key)?.places.place;
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
