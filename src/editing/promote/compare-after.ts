/** What a promotion changed in the other project, and where that one still differs from what was promoted. */

import { comparing } from '../../base/compare-strings.ts';
import { defined } from '../../base/optional.ts';
import { diff } from '../../engine/diff.ts';
import type { DesiredState } from '../../posthog/desired.ts';
import { declaredCohortFace } from '../../posthog/parity/cohort-face.ts';
import { declaredFace, declaredFaces } from '../../posthog/parity/face.ts';
import { isManaged, type Face } from '../../posthog/parity/faces.ts';
import type { Project } from '../../posthog/project.ts';
import type { AcceptedChange } from '../accept/accepted.ts';
import type { EditingContext } from '../context.ts';
import type { ReadTexts } from '../texts.ts';
import type { Wish } from '../wish.ts';
import { writtenAt } from '../written-at.ts';
import { isOfCohortPart } from './cohort-wish.ts';
import type { PromoteInput } from './promote.ts';
import type { KeptValue, Promoted } from './promoted.ts';
import { isOfPart, type SourceFlag } from './to-wish.ts';
import { isOfMain } from '../../posthog/resource-name.ts';

export interface Compared {
  readonly input: PromoteInput;
  readonly former: EditingContext;
  readonly after: ReadTexts;
}

/** By the comparison of parity. */
export function compareAfter(
  wishes: readonly Wish[],
  { input, former, after }: Compared,
): Pick<Promoted, 'promoted' | 'same' | 'kept'> {
  const { to } = input;
  const facesIn = (desired: DesiredState): ReadonlyMap<string, Face> => declaredFaces({ project: to, desired }).faces;
  const [before, now] = [facesIn(former.read.resolve(to).desired), facesIn(after.resolve(to).desired)];
  const all = wishes
    .map(({ key }) => ({
      key,
      changes: changesOf(key, { before: before.get(key), now: now.get(key) }, { after, to }),
      kept: keptOf(key, now.get(key), input),
    }))
    .toSorted(comparing(({ key }) => key));
  return {
    promoted: all.filter(({ changes }) => changes.length > 0).map(({ key, changes }) => ({ key, changes })),
    same: all.flatMap(({ key, changes, kept }) => (changes.length === 0 && kept.length === 0 ? key : [])),
    kept: all.flatMap(({ kept }) => kept),
  };
}

interface Sides {
  readonly before: Face | undefined;
  readonly now: Face | undefined;
}

function changesOf(
  key: string,
  { before, now }: Sides,
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

function keptOf(key: string, now: Face | undefined, { source, from, parts }: PromoteInput): readonly KeptValue[] {
  const own = source.get(key);
  if (own === undefined || now === undefined) return [];
  const isCohort = !isOfMain(key);
  const isPromoted = isCohort ? isOfCohortPart : isOfPart;
  const { fields } = faceOf(own, { isCohort, from });
  return diff(fields, now.fields)
    .filter(({ path }) => isPromoted(path, parts))
    .map(({ path }) => ({ key, path, reason: isManaged(fields, path) ? 'others' : 'source-omits' }));
}

function faceOf(
  { fields, roles, everyone }: SourceFlag,
  { isCohort, from }: { readonly isCohort: boolean; readonly from: Project },
): Face {
  if (isCohort) return declaredCohortFace(fields, from);
  return declaredFace(
    { fields, ...defined({ roleAccess: roles, everyone: everyone === undefined ? undefined : { level: everyone } }) },
    from,
  );
}
