/** The conditions that a plan changes, with the service's own count of who matches them. */

import { canonicalText, jsonEquals, objectOrEmpty, type JsonObject } from '../base/json.ts';
import { defined } from '../base/optional.ts';
import { type ConditionPair, pairConditions } from '../effects/sides.ts';
import type { FlagStates } from '../posthog/flag/after-plan.ts';
import type { NumberedCondition } from '../effects/effect.ts';
import { findAggregation } from '../evaluation/condition.ts';
import { propertiesOf } from '../evaluation/parts.ts';
import { cohortsIn } from '../posthog/flag/model/cohort-filters.ts';
import type { Condition, Flag } from '../posthog/flag/model/flag.ts';
import { hasOpaque } from '../posthog/flag/model/view.ts';
import type { PlannedImpact } from './find-impact.ts';
import type { ConditionRadius, Impact, ServiceCount } from './impact.ts';
import { makeWorlds } from './worlds.ts';

/** The question that the service answers with a count: who has these properties. */
export interface RadiusQuery {
  readonly condition: JsonObject;
  /** Present if groups are counted instead of people. */
  readonly groupTypeIndex?: number;
}

/** `ask` is called once for each distinct query; `undefined` if the service gives no count. */
export async function addBlastRadius(
  impact: Impact,
  { changes, live }: Pick<PlannedImpact, 'changes' | 'live'>,
  ask: (query: RadiusQuery) => Promise<ServiceCount | undefined>,
): Promise<Impact> {
  const asked = new Map<string, Promise<ServiceCount | undefined>>();
  const count = async (counted: RadiusCount | undefined): Promise<ServiceCount | undefined> => {
    if (counted === undefined || counted.kind === 'new_cohort') return counted;
    const name = canonicalText({ ...counted.query });
    const answer = asked.get(name) ?? ask(counted.query);
    asked.set(name, answer);
    return answer;
  };
  const { changed } = makeWorlds(changes, live);
  const flags = await Promise.all(
    impact.flags.map(async (flag) => {
      const sides = changed.get(flag.key);
      if (sides === undefined) return flag;
      const radii = await Promise.all(changedConditions(sides).map(async (one) => radiusOf(one, sides, count)));
      return { ...flag, blastRadius: radii.flat() };
    }),
  );
  return { ...impact, flags };
}

/** All conditions, if the flag as a whole is created, deleted or switched. */
function changedConditions({ before, after }: FlagStates): readonly ConditionPair[] {
  const [former, wanted] = [before, after].map((flag) => objectOrEmpty(flag?.['filters']));
  if (former === undefined || wanted === undefined || hasOpaque(former, wanted)) return [];
  const isWhole = before?.['active'] !== after?.['active'];
  return pairConditions(before?.['deleted'] === true ? {} : former, wanted).filter((pair) => isWhole || !isSame(pair));
}

function isSame({ former, wanted }: ConditionPair): boolean {
  if (former === undefined || wanted === undefined) return false;
  return jsonEquals({ ...former.condition, description: null }, { ...wanted.condition, description: null });
}

async function radiusOf(
  { former, wanted }: ConditionPair,
  sides: FlagStates,
  count: (counted: RadiusCount | undefined) => Promise<ServiceCount | undefined>,
): Promise<ConditionRadius[]> {
  const [before, after] = await Promise.all([
    count(countedOf(former, sides.before)),
    count(countedOf(wanted, sides.after)),
  ]);
  const condition = wanted ?? former;
  if (condition === undefined || (before === undefined && after === undefined)) return [];
  return [{ side: wanted === undefined ? 'former' : 'wanted', condition, ...defined({ before, after }) }];
}

type RadiusCount = { readonly kind: 'query'; readonly query: RadiusQuery } | { readonly kind: 'new_cohort' };

/** Conditions on other flags are left out, since the service does not count them. */
function countedOf(numbered: NumberedCondition | undefined, flag: JsonObject | undefined): RadiusCount | undefined {
  if (numbered === undefined || flag === undefined) return undefined;
  const condition = numbered.condition as Condition;
  const properties = propertiesOf(condition)?.filter(({ type }) => type !== 'flag');
  if (properties === undefined) return undefined;
  if (cohortsIn(properties).some((reference) => typeof reference === 'string')) return { kind: 'new_cohort' };
  const groupTypeIndex = findAggregation(flag as Flag, condition) ?? undefined;
  return { kind: 'query', query: { condition: { properties: [...properties] }, ...defined({ groupTypeIndex }) } };
}
