/** What the manifests are to say of one promoted flag or cohort, or why the other project cannot have it. */

import { defined } from '../../base/optional.ts';
import { cohortsIn, leavesOf, readReference } from '../../posthog/cohort/references.ts';
import { cohortValues, namedFlags } from '../../posthog/flag/references.ts';
import { lookupNames } from '../../posthog/names.ts';
import type { ProjectNames } from '../../posthog/project.ts';
import type { EditingContext } from '../context.ts';
import type { Wish } from '../wish.ts';
import { toCohortWish } from './cohort-wish.ts';
import type { PromoteInput } from './promote.ts';
import type { LeftPromotion, PromotionReason } from './promoted.ts';
import { declaredAliases, type Crossing } from './target-names.ts';
import { toWish, type SourceFlag } from './to-wish.ts';
import { nameResource } from '../../posthog/resource-name.ts';
import { readName } from '../../posthog/resource-name.ts';

export interface Promoting {
  /** `keys`: without those that are left. */
  readonly input: PromoteInput;
  readonly left: ReadonlyMap<string, LeftPromotion>;
}

export function wishFor(
  key: string,
  context: EditingContext,
  { input, left }: Promoting,
): { readonly wish: Wish } | LeftPromotion {
  const place = context.read.declarations.get(key)?.places.place;
  const source = input.source.get(key);
  const made = source === undefined ? lacking(input) : wishOf({ key, source, context, input });
  return 'wish' in made ? made : { key, reason: withChain(made.reason, left), ...defined({ place }) };
}

function lacking({ from }: PromoteInput): { readonly reason: PromotionReason } {
  return { reason: { code: 'source-lacks', project: from.name } };
}

interface Wishing {
  readonly key: string;
  readonly source: SourceFlag;
  readonly context: EditingContext;
  readonly input: PromoteInput;
}

function wishOf({ key, source, context, input }: Wishing): { readonly wish: Wish } | Pick<LeftPromotion, 'reason'> {
  const { from, to, parts, keys } = input;
  const { flags, cohorts = [] } = context.read.resolve(to).desired;
  const declared = new Map(flags.flatMap((flag) => (flag.kind === 'declared' ? [[flag.key, flag] as const] : [])));
  const named = readName(key);
  const isCohort = named.kind === 'cohort';
  const cohort = isCohort ? cohorts.find((one) => one.kind === 'declared' && one.key === named.key) : undefined;
  if (parts !== undefined && !declared.has(key) && cohort === undefined) {
    return { reason: { code: 'target-lacks', project: to.name } };
  }
  const promoted = keys.map(readName).flatMap(({ kind, key: alias }) => (kind === 'cohort' ? alias : []));
  const declaredCohorts = new Set([...declaredAliases({ cohorts }), ...promoted]);
  const crossing: Crossing = { from, to, declaredCohorts };
  if (isCohort) {
    return toCohortWish({ key, fields: source.fields, target: cohort, crossing, ...defined({ parts }) });
  }
  const known = new Set([...declared.keys(), ...keys]);
  const refer = (named: string): string | number => context.snapshot.flags.byKey(named)?.id ?? named;
  return toWish({ key, source, target: declared.get(key), crossing, keys: known, refer, ...defined({ parts }) });
}

/** What is missing because this run leaves it: with what that one misses in turn. */
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

/** The flags and cohorts that a promoted one names: it can be written only where these are. */
export function neededBy(source: SourceFlag | undefined, from: ProjectNames): readonly string[] {
  const filters = source?.fields['filters'];
  const { cohort: aliasOf } = lookupNames([], from);
  const cohorts = [...cohortValues(filters).map(readReference), ...cohortsIn(leavesOf(filters))].flatMap(
    (reference) => {
      const alias = typeof reference === 'number' ? aliasOf(reference) : reference;
      return alias === undefined ? [] : [nameResource('cohort', alias)];
    },
  );
  return [...namedFlags(filters), ...cohorts];
}
