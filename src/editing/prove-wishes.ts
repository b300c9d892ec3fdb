/**
 * Proves edited texts: they are read again for every project. They must be valid, say for the project exactly what is wished, and
 * say the same as before everywhere else.
 */

import type { DesiredFlag, DesiredState } from '../posthog/desired.ts';
import type { DesiredCohort } from '../posthog/cohort/desired.ts';
import { findChanged } from './changed.ts';
import type { EditingContext } from './context.ts';
import { fulfilsCohort } from './fulfil-cohort.ts';
import { fulfilsFlag } from './fulfil-flag.ts';
import { blamed, findNewErrors } from './new-errors.ts';
import { readTexts, type ManifestText, type ReadTexts } from './texts.ts';
import type { LayerChoice, RefusalReason, RefusedWish, Wish } from './wish.ts';
import { nameResource } from '../posthog/resource-name.ts';

export interface Proving {
  readonly wishes: readonly Wish[];
  readonly layer: LayerChoice;
}

/** The wishes that must be left out; none if everything is proven. */
export function prove(
  context: EditingContext,
  texts: readonly ManifestText[],
  { wishes, layer }: Proving,
): readonly RefusedWish[] {
  const after = readTexts(texts, context.allProjects);
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
  return blame(wrong, wishes);
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
    cohorts: new Map(cohorts.map((cohort) => [nameResource('cohort', cohort.key), cohort])),
  };
}

/** What is wrong with something that no wish is about comes from a wish all the same: from one that deletes, if there is one. */
function blame(wrong: ReadonlyMap<string, RefusalReason>, wishes: readonly Wish[]): readonly RefusedWish[] {
  const own = wishes.flatMap(({ key }) => {
    const reason = wrong.get(key);
    return reason === undefined ? [] : [{ key, reason }];
  });
  const [first] = wrong.values();
  if (own.length > 0 || first === undefined) return own;
  const deleting = wishes.filter(({ deleted }) => deleted === true);
  return (deleting.length > 0 ? deleting : wishes).map(({ key }) => ({ key, reason: first }));
}
