/** Answers of flags to a person if only the service can decide some filters: each such filter counts both ways. */

import { reach } from '../base/graph.ts';
import { canonicalText } from '../base/json.ts';
import { defined } from '../base/optional.ts';
import { cohortIn, isOfCohort, leavesOfCohort } from '../evaluation/cohort.ts';
import { createFinder, orderByDependencies } from '../evaluation/dependencies.ts';
import { evaluateFlag } from '../evaluation/evaluate.ts';
import type { Evaluation, FlagValue } from '../evaluation/evaluation.ts';
import type { EvaluationContext, Subject } from '../evaluation/input.ts';
import { conditionsOf, propertiesOf } from '../evaluation/parts.ts';
import { isKnownFilter } from '../impact/predicates.ts';
import { rememberDecisions, UNDECIDED } from '../impact/persons/decisions.ts';
import type { Flag, Property } from '../posthog/flag/model/flag.ts';
import type { FlagWorld } from './world.ts';

/** The flags with a filter that only the service can decide, for some people at least; each key has the flags that it depends on. */
export type OpenFlags = ReadonlyMap<string, readonly Flag[]>;

export function findOpenFlags({ flags, cohorts }: Pick<FlagWorld, 'flags' | 'cohorts'>): OpenFlags {
  const own = new Set(flags.filter((flag) => filtersOf(flag).some((filter) => isUndecidable(filter, cohorts))));
  if (own.size === 0) return new Map();
  const find = createFinder(flags);
  return new Map(
    flags.flatMap((flag): [string, readonly Flag[]][] => {
      const { ordered, broken } = orderByDependencies([flag], find);
      const closure = [...ordered, ...broken];
      return closure.some((one) => own.has(one)) ? [[flag.key, closure]] : [];
    }),
  );
}

function filtersOf({ filters }: Flag): readonly Property[] {
  return conditionsOf(filters).flatMap(([, condition]) => propertiesOf(condition) ?? []);
}

/** Decides a filter. Equal questions have equal answers. */
export type Ask = (question: string) => boolean;

/** The outcome of `run`, if every possible answer gives the same one. */
export function eitherWay<Outcome>(run: (ask: Ask) => Outcome): Outcome | typeof UNDECIDED {
  return rememberDecisions<string, Outcome>(run, { nodes: 0 }).decide(() => undefined);
}

/** A filter that only the service can decide. */
export interface OpenFilter {
  /** The key of the flag that has it. */
  readonly flag: string;
  /** The index of the condition in the flag. */
  readonly index: number;
  readonly filter: number;
}

/** The first of a flag and those that it depends on; its own ones come first. */
export function firstOpenFilter({
  key,
  flags,
  openCohorts,
}: Pick<AskedFlag, 'key' | 'flags' | 'openCohorts'>): OpenFilter | undefined {
  const own = flags.filter((flag) => flag.key === key);
  const others = flags.filter((flag) => flag.key !== key);
  const [first] = [...own, ...others].flatMap((flag) =>
    conditionsOf(flag.filters).flatMap(([index, condition]): OpenFilter[] => {
      const filter = propertiesOf(condition)?.findIndex((one) => isUndecidable(one, openCohorts)) ?? -1;
      return filter === -1 ? [] : [{ flag: flag.key, index, filter }];
    }),
  );
  return first;
}

export interface AskedFlag {
  readonly key: string;
  /** The flags and those that they depend on. */
  readonly flags: readonly Flag[];
  readonly subject: Subject;
  readonly context: EvaluationContext;
  /** Cohorts whose members only the service knows if their definition asks for more than properties of people. */
  readonly openCohorts: CohortsOfContext;
}

/** `undefined` if the value depends on the answers. The condition that decides is named if it is the same each way. */
export function settle(asked: AskedFlag, evaluation: Evaluation): Evaluation | undefined {
  const conditions = new Set<number | null>();
  const value = eitherWay((ask): FlagValue => {
    const found = evaluateAsking(asked, ask) ?? evaluation;
    conditions.add(found.conditionIndex);
    return found.value;
  });
  if (value === UNDECIDED) return undefined;
  return value === false || conditions.size === 1 ? evaluation : { ...evaluation, conditionIndex: null };
}

/** `side`: where the definitions of cohorts change, their members before and after are two questions. */
export function evaluateAsking(
  { key, flags, subject, context, openCohorts }: AskedFlag,
  ask: Ask,
  side?: 'before' | 'after',
): Evaluation | undefined {
  const filter = (property: Property, aggregation: number | null): boolean | undefined => {
    if (!isUndecidable(property, openCohorts)) return undefined;
    return ask(canonicalText({ property, aggregation, ...(property.type === 'cohort' ? defined({ side }) : {}) }));
  };
  return evaluateFlag(key, { flags, subject, context: { ...context, assumptions: { filter } } });
}

type CohortsOfContext = EvaluationContext['cohorts'];

/** Evaluation takes such a filter for one that does not match. */
function isUndecidable(filter: Property, cohorts: CohortsOfContext): boolean {
  return !isKnownFilter(filter) || (filter.type === 'cohort' && isOpenCohort(cohortIn(filter), cohorts));
}

/** A cohort that the person names is one without a definition here. */
function isOpenCohort(cohort: string, cohorts: CohortsOfContext): boolean {
  const leaves = (id: string): readonly Property[] => leavesOfCohort(id, cohorts);
  const nested = reach([cohort], (id) => leaves(id).filter(isOfCohort).map(cohortIn));
  return [...nested].some((id) => leaves(id).some((leaf) => !isOfCohort(leaf) && !isOfPersons(leaf)));
}

/** Other leaves are about events. */
function isOfPersons(leaf: Property): boolean {
  return ['person', undefined].includes(leaf.type) && isKnownFilter(leaf);
}
