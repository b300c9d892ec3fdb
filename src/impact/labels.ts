/** The conditions by which audiences are named. */

import { numberConditions } from '../effects/conditions.ts';
import type { NumberedCondition } from '../effects/effect.ts';
import { findAggregation } from '../evaluation/condition.ts';
import { propertiesOf } from '../evaluation/parts.ts';
import type { Condition, Flag } from '../posthog/flag/flag.ts';
import type { Combination, Decider } from './combinations.ts';
import { learn, type Demand } from './knowledge.ts';
import type { Pair, Side } from './outcome.ts';
import type { Questions } from './questions.ts';

/** A condition that not everybody matches. Equal labels are one object. */
export interface Label {
  /** Of the flag, once the plan is applied or before it, or of a flag that it depends on. */
  readonly kind: 'wanted' | 'former' | 'through';
  readonly condition: NumberedCondition & { readonly key: string };
  /** What it asks of people. What it asks of flags is no part of it, since hashes decide about that. */
  readonly demand: Demand;
  /** The same, without the group that the condition is about. */
  readonly filters: Demand;
}

/** What people have in common whom the same conditions decide about. */
export interface Named {
  /** They match all of these. */
  readonly by: readonly Label[];
  /** They match none of these, which are on one side only. */
  readonly without: readonly Label[];
}

export interface Labels {
  /** Conditions of the flag, each once: those it has once the plan is applied, then those that go. */
  readonly own: readonly Label[];
  readonly inDetail: (people: Combination) => Named;
  readonly byOwnConditions: (people: Combination) => Named;
}

export function createLabels({ before, after }: Pair, questions: Questions): Labels {
  const [wanted, live] = [labelsOf(after?.flag, 'wanted', questions), labelsOf(before?.flag, 'former', questions)];
  const former = live.filter((one) => !hasSame(one, wanted));
  const own = [...wanted, ...former];
  const replaced = [...wanted.filter((one) => !hasSame(one, live)), ...former];
  const others = [after, before].flatMap((side) => dependenciesOf(side, questions));
  const labels = new Map<Decider, Label | undefined>();
  const labelOf = (decider: Decider): Label | undefined => {
    const { flag, index } = decider;
    const isOwn = flag === before?.flag || flag === after?.flag;
    const exact = labelsOf(flag, 'through', questions).find(({ condition }) => condition.number === index + 1);
    const alike = (isOwn ? own : others).filter(
      (one) => one.demand === exact?.demand && (isOwn || one.condition.key === flag.key),
    );
    return alike.find(({ condition }) => condition.number === index + 1) ?? alike[0];
  };
  const byOf = ({ deciders }: Combination): Label[] => {
    for (const one of deciders) if (!labels.has(one)) labels.set(one, labelOf(one));
    return [...new Set([...deciders].flatMap((one) => labels.get(one) ?? []))];
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

function labelsOf(flag: Flag | undefined, kind: Label['kind'], questions: Questions): Label[] {
  if (flag?.filters === undefined) return [];
  return numberConditions(flag.filters).flatMap((numbered): Label[] => {
    const condition = numbered.condition as Condition;
    const asked = [propertiesOf(condition) ?? [], findAggregation(flag, condition)] as const;
    const [demand, filters] = [questions.audience(...asked), questions.filters(...asked)];
    const isForAll = demand.literals.length === 0 && !demand.never && !demand.unknown;
    return isForAll ? [] : [{ kind, condition: { key: flag.key, ...numbered }, demand, filters }];
  });
}

function dependenciesOf(side: Side | undefined, questions: Questions): Label[] {
  const others = side?.flags.filter((flag) => flag !== side.flag) ?? [];
  return others.flatMap((flag) => labelsOf(flag, 'through', questions));
}

function hasSame({ demand }: Label, others: readonly Label[]): boolean {
  return others.some((other) => other.demand === demand);
}
