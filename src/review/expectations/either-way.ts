/** Answers of flags to a person if only the service can decide some filters: each such filter counts both ways. */

import { reach } from '../../base/graph.ts';
import { canonicalText } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { cohortIn, isOfCohort, leavesOfCohort } from '../../evaluation/cohort.ts';
import { createFinder, orderByDependencies, evaluateFlag } from '../../evaluation/evaluate.ts';
import { off, type Evaluation, type FlagValue, type EvaluationContext, type Subject } from '../../evaluation/input.ts';
import { conditionsOf, propertiesOf } from '../../evaluation/parts.ts';
import { isKnownFilter } from '../effects/audience.ts';
import { rememberDecisions, UNDECIDED } from '../../base/decisions.ts';
import type { Flag, Property } from '../../posthog/flag/model/flag.ts';
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
  return rememberDecisions<string, Outcome>(run, { nodes: 0 })(() => undefined);
}

/** A filter that only the service can decide. */
export interface OpenFilter {
  /** The key of the flag that has it. */
  readonly flag: string;
  /** The index of the condition in the flag. */
  readonly index: number;
  readonly filter: number;
}

export interface AskedFlag {
  readonly key: string;
  /** All flags. */
  readonly flags: readonly Flag[];
  readonly open: OpenFlags;
  readonly subject: Subject;
  readonly context: EvaluationContext;
  /** Cohorts whose members only the service knows if their definition asks for more than properties of people. */
  readonly openCohorts: CohortsOfContext;
}

/** Whether the value may depend on what only the service knows. */
export function isOpen(key: string, { reason }: Evaluation, open: OpenFlags): boolean {
  return open.has(key) || reason === 'unknown_pattern';
}

/**
 * The evaluation if it is the same for all answers, or else a filter that decides it: the flag's own, if there is one. The condition that
 * decides is named if it is the same each way.
 */
export function settle(asked: AskedFlag, evaluation: Evaluation): Evaluation | OpenFilter {
  if (!isOpen(asked.key, evaluation, asked.open)) return evaluation;
  const conditions = new Set<number | null>();
  const filters = new Set<Property>();
  const note = (property: Property): unknown => filters.add(property);
  const value = eitherWay((ask): FlagValue => {
    const found = evaluateAsking(asked, { ask, note }) ?? evaluation;
    conditions.add(found.conditionIndex);
    return found.value;
  });
  const plain = evaluateAsking(asked, { ask: () => false }) ?? evaluation;
  if (value === UNDECIDED) return placeOf(filters, asked) ?? { ...plain, ...off('unknown_pattern') };
  return value === false || conditions.size === 1 ? plain : { ...plain, conditionIndex: null };
}

/** The first of the filters in the flag itself, or else in another one. */
function placeOf(filters: ReadonlySet<Property>, { key, flags }: AskedFlag): OpenFilter | undefined {
  const places = flags.flatMap((flag) =>
    conditionsOf(flag.filters).flatMap(([index, condition]): OpenFilter[] => {
      const filter = propertiesOf(condition)?.findIndex((one) => filters.has(one)) ?? -1;
      return filter === -1 ? [] : [{ flag: flag.key, index, filter }];
    }),
  );
  return places.find(({ flag }) => flag === key) ?? places[0];
}

export interface AskOptions {
  readonly ask: Ask;
  /** Called with each filter that is asked about. */
  readonly note?: (property: Property) => unknown;
  /** Where the definitions of cohorts change, their members before and after are two questions. */
  readonly side?: 'before' | 'after';
}

export function evaluateAsking(
  { key, flags, open, subject, context, openCohorts }: AskedFlag,
  { ask, note, side }: AskOptions,
): Evaluation | undefined {
  const undecided = (property: Property, aggregation: number | null): boolean => {
    note?.(property);
    return ask(canonicalText({ property, aggregation, ...(property.type === 'cohort' ? defined({ side }) : {}) }));
  };
  const filter = (property: Property, aggregation: number | null): boolean | undefined =>
    isUndecidable(property, openCohorts) ? undecided(property, aggregation) : undefined;
  const assumptions = { filter, undecided };
  return evaluateFlag(key, { flags: open.get(key) ?? flags, subject, context: { ...context, assumptions } });
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
