/**
 * Proves edited texts: they are read again for every project. They must be valid, say for the project exactly what is wished, and
 * say the same as before everywhere else.
 */

import type { DesiredCohort, DesiredFlag, DesiredState } from '../posthog/desired.ts';
import { nameOfCohort } from '../posthog/cohort/changes.ts';
import { findChanged } from './changed.ts';
import type { EditingContext } from './context.ts';
import { fulfilsCohort } from './fulfil-cohort.ts';
import { fulfilsFlag } from './fulfil-flag.ts';
import { blamed, findNewErrors } from './new-errors.ts';
import { blame } from './solve.ts';
import type { ReadTexts } from './texts.ts';
import type { LayerChoice, RefusalReason, RefusedWish, Wish } from './wish.ts';

export interface Proving {
  readonly wishes: readonly Wish[];
  readonly layer: LayerChoice;
}

/** The wishes that must be left out; none if everything is proven. */
export function prove(
  context: EditingContext,
  after: ReadTexts,
  { wishes, layer }: Proving,
): readonly RefusedWish[] {
  const wished = new Map(wishes.flatMap((wish) => [wish.key, nowKey(wish)].map((key) => [key, wish] as const)));
  const isFulfilled = fulfilment(context, after);
  const wrong = new Map<string, RefusalReason>();
  for (const project of context.projects) {
    const isOwn = project.name === context.project.name;
    for (const error of findNewErrors(context.read, after, project)) {
      const key = blamed(error, (name) => wished.has(name));
      if (!wrong.has(key)) wrong.set(key, { code: 'invalid', problem: error.problem });
    }
    for (const key of findChanged(context.read, after, project)) {
      const wish = wished.get(key);
      const isWished =
        wish !== undefined && (isOwn ? nowKey(wish) !== wish.key || isFulfilled(wish) : layer === 'base');
      if (!isWished && !wrong.has(key))
        wrong.set(key, { code: isOwn && wish ? 'reads-differently' : 'changes-others' });
    }
    // Wishes that no change fulfils are checked too: nothing may have been edited for them.
    const unfulfilled = isOwn ? wishes.filter((wish) => !isFulfilled(wish)) : [];
    for (const { key } of unfulfilled) wrong.set(key, wrong.get(key) ?? DIFFERENT);
  }
  const keys = wishes.map(({ key }) => key);
  // An error elsewhere comes from a wish that deletes, if there is one.
  const deleting = wishes.flatMap(({ key, deleted }) => (deleted === true ? key : []));
  const failed = [...wrong].map(([key, reason]) => ({ key, reason }));
  return blame(failed, keys, deleting.length > 0 ? deleting : keys);
}

const DIFFERENT: RefusalReason = { code: 'reads-differently' };

/** The name after the edit. */
function nowKey(wish: Wish): string {
  return (wish.resource === 'flag' ? wish.renamed : undefined) ?? wish.key;
}

/** Whether the edited texts say what is wished of a flag or cohort, and otherwise what they said before. */
function fulfilment(context: EditingContext, after: ReadTexts): (wish: Wish) => boolean {
  const before = byName(context.read.resolve(context.project).desired);
  const now = byName(after.resolve(context.project).desired);
  return (wish) =>
    wish.resource === 'cohort'
      ? fulfilsCohort(wish, { before: before.cohorts.get(wish.key), now: now.cohorts.get(wish.key) })
      : fulfilsFlag(wish, { before: before.flags.get(wish.key), now: now.flags.get(nowKey(wish)) }, context);
}

interface ByName {
  readonly flags: ReadonlyMap<string, DesiredFlag>;
  readonly cohorts: ReadonlyMap<string, DesiredCohort>;
}

function byName({ flags, cohorts = [] }: DesiredState): ByName {
  return {
    flags: new Map(flags.map((flag) => [flag.key, flag])),
    cohorts: new Map(cohorts.map((cohort) => [nameOfCohort(cohort.key), cohort])),
  };
}
