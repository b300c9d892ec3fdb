/** The conditions by which audiences are named. */

import type { NumberedCondition } from '../effects/effect.ts';
import { findAggregation } from '../evaluation/condition.ts';
import { conditionsOf, propertiesOf } from '../evaluation/parts.ts';
import type { Flag } from '../posthog/flag/model/flag.ts';
import type { Combination, ConditionDecider } from './combinations.ts';
import { learn, type Demand } from './knowledge.ts';
import type { FlagPair } from './outcome.ts';
import type { FlagQuestions } from './questions.ts';

/** A condition that not everybody matches. Equal labels are one object. */
export interface Label {
  /** A condition of the flag after the plan (`wanted`) or before it (`former`), or of a flag that it depends on (`through`). */
  readonly kind: 'wanted' | 'former' | 'through';
  readonly condition: NumberedCondition & { readonly key: string };
  /** The demand on people. Conditions on flags are not part of it, since hashes decide them. */
  readonly demand: Demand;
  /** The same, without the requirement of the group that the condition is about. */
  readonly filters: Demand;
}

/** People for whom the same conditions decide. */
export interface LabelledPeople {
  /** The people match all of these. */
  readonly by: readonly Label[];
  /** The people match none of these conditions, which exist on one side only. */
  readonly without: readonly Label[];
}

export interface ImpactLabels {
  /** Conditions of the flag, each once: first those after the plan, then the removed ones. */
  readonly own: readonly Label[];
  readonly inDetail: (people: Combination) => LabelledPeople;
  readonly byOwnConditions: (people: Combination) => LabelledPeople;
}

export function createLabels({ before, after }: FlagPair, questions: FlagQuestions): ImpactLabels {
  const read = (flag: Flag | undefined, kind: Label['kind']): Label[] => labelsOf(flag, kind, questions);
  const [wanted, live] = [read(after?.flag, 'wanted'), read(before?.flag, 'former')];
  const former = live.filter((one) => !hasSame(one, wanted));
  const own = [...wanted, ...former];
  const replaced = [...wanted.filter((one) => !hasSame(one, live)), ...former];
  const others = new Map<string, readonly Label[]>();
  const othersOf = (key: string): readonly Label[] => {
    const versions = [after, before].map((side) => side?.flags.find((flag) => flag.key === key));
    const found = others.get(key) ?? versions.flatMap((flag) => read(flag, 'through'));
    others.set(key, found);
    return found;
  };
  const labels = new Map<ConditionDecider, Label | undefined>();
  const labelOf = ({ flag, index }: ConditionDecider): Label | undefined => {
    const exact = read(flag, 'through').find(({ condition }) => condition.number === index + 1);
    const isOwn = flag === before?.flag || flag === after?.flag;
    const alike = (isOwn ? own : othersOf(flag.key)).filter((one) => one.demand === exact?.demand);
    return alike.find(({ condition }) => condition.number === index + 1) ?? alike[0];
  };
  const byOf = ({ deciders }: Combination): Label[] => {
    for (const one of deciders) if (!labels.has(one)) labels.set(one, labelOf(one));
    const found = [...deciders].flatMap((one) => labels.get(one) ?? []);
    const by = found.toSorted((a, b) => Number(a.kind === 'through') - Number(b.kind === 'through'));
    return by.filter((one, index) => by.findIndex((other) => other.demand === one.demand) === index);
  };
  return {
    own,
    inDetail: (people) => {
      const by = byOf(people);
      const lacks = ({ demand }: Label): boolean => learn(demand, true, people.knowledge) === undefined;
      return { by, without: replaced.filter((one) => !by.includes(one) && lacks(one)) };
    },
    byOwnConditions: (people) => ({ by: byOf(people).filter(({ kind }) => kind !== 'through'), without: [] }),
  };
}

function labelsOf(flag: Flag | undefined, kind: Label['kind'], questions: FlagQuestions): Label[] {
  if (flag?.filters === undefined) return [];
  return conditionsOf(flag.filters).flatMap(([index, condition]): Label[] => {
    const numbered = { number: index + 1, condition };
    const asked = [propertiesOf(condition) ?? [], findAggregation(flag, condition)] as const;
    const [demand, filters] = [questions.audience(...asked), questions.filters(...asked)];
    const isForAll = demand.literals.length === 0 && !demand.never && !demand.unknown;
    return isForAll ? [] : [{ kind, condition: { key: flag.key, ...numbered }, demand, filters }];
  });
}

function hasSame({ demand }: Label, others: readonly Label[]): boolean {
  return others.some((other) => other.demand === demand);
}
