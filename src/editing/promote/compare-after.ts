/** Compares the other project after a promotion: what changed, what still differs, and what its manifests warn of. */

import { sortDiagnostics } from '../../base/diagnostic.ts';
import { comparing } from '../../base/compare-strings.ts';
import { defined } from '../../base/optional.ts';
import { diff } from '../../engine/diff.ts';
import type { DesiredState } from '../../posthog/desired.ts';
import { declaredValues } from '../../posthog/parity/parity.ts';
import { isManaged, type ComparableValues } from '../../posthog/parity/parity-values.ts';
import type { Project } from '../../posthog/project.ts';
import { isOfMain } from '../../posthog/names/resource-name.ts';
import type { EditingContext } from '../context.ts';
import type { ResourceEdit } from '../edit.ts';
import { nameAtPath } from '../kinds.ts';
import type { PromoteInput } from '../promotion.ts';
import type { AcceptedChange, KeptValue, Promoted } from '../results.ts';
import { findNewProblems, problemsOf } from '../solve.ts';
import type { ReadTexts } from '../texts.ts';
import { facetOf, writtenAt } from '../write/facets.ts';

export interface PromotionComparison {
  readonly input: PromoteInput;
  readonly former: EditingContext;
  readonly after: ReadTexts;
}

/** Uses the comparison of parity. */
export function compareAfter(
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
