/** Estimates how many people a plan affects: for each flag whose values may change, the shares of its audiences. */

import { arrayOrEmpty, objectOrEmpty, canonicalText } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import type { NumberedCondition } from '../effects/effect.ts';
import { findEffects } from '../effects/find-effects.ts';
import type { EvaluationContext } from '../../evaluation/input.ts';
import { isUnreadable, conditionsOf, propertiesOf } from '../../evaluation/parts.ts';
import type { Flag } from '../../posthog/flag/model/flag.ts';
import type { Plan } from '../../posthog/plan.ts';
import type { StepAhead } from '../../posthog/planning/steps-ahead.ts';
import { findCombinations, type Combination, type ConditionDecider } from './combinations.ts';
import type { Audience, Estimate, Impact, StepImpact, Shares } from '../effects/impact.ts';
import { createQuestions, learn, type Demand, type FlagQuestions, type Knowledge } from './knowledge.ts';
import { findConcerned, makeWorlds, pairOf, type Concerned, type FlagPair, type Worlds } from '../effects/worlds.ts';
import { findAggregation } from '../../evaluation/condition.ts';

export type PlannedImpact = Pick<Plan, 'changes' | 'warnings'> & {
  /** All flags of the project as the plan saw them. */
  readonly live: readonly Flag[];
};

export type Circumstances = Pick<EvaluationContext, 'generation' | 'now'>;

/** Pure: equal plans have equal impacts at the same time. */
export function findImpact({ changes, warnings, live }: PlannedImpact, circumstances: Circumstances): Impact {
  const worlds = makeWorlds(changes, live);
  const concerned = findConcerned(findEffects({ changes, warnings }), worlds);
  const first = concerned.map((one) => estimateOne(one, worlds, { ...circumstances, most: FEW_EVALUATIONS }));
  const left = first.filter(isTooMuch).length;
  const most = Math.min(MOST_OF_ONE, Math.floor(MOST_EVALUATIONS / left));
  const flags = concerned.map((one, index) => {
    const { key, by, through } = one;
    const found = first[index];
    const isFinal = found !== undefined && (!isTooMuch(found) || most <= FEW_EVALUATIONS);
    const estimate = isFinal ? found : estimateOne(one, worlds, { ...circumstances, most });
    return { key, by, ...(through && { through }), estimate: withNames(estimate, worlds) };
  });
  return { flags };
}

/** How many people the later steps of rollouts affect. Each is planned on the flags as the plan and earlier steps leave them. */
export function findStepImpact(steps: readonly StepAhead[], circumstances: Circumstances): readonly StepImpact[] {
  return steps.map((step) => ({
    at: step.at,
    ...defined({ due: step.due, jump_since: step.jump_since }),
    flags: [
      ...findImpact(stepOnLive(step), circumstances).flags,
      ...(step.left ?? []).map((key) => ({ key, by: 'change', estimate: { kind: 'unknown', why: 'left' } }) as const),
    ],
  }));
}

/** The step, without flags that the plan leaves at another value than the one with which it begins. */
export function stepOnLive({ plan, live, left = [] }: StepAhead): PlannedImpact {
  return { changes: plan.changes.filter(({ key }) => !left.includes(key)), warnings: [], live: live.flags };
}

/** Names flags as reports do. */
function withNames(estimate: Estimate, { nameFlags }: Worlds): Estimate {
  if (estimate.kind !== 'audiences') return estimate;
  const one = <Of extends NumberedCondition>(numbered: Of): Of => {
    const [condition] = arrayOrEmpty(nameFlags({ groups: [numbered.condition] })['groups']);
    return { ...numbered, condition: objectOrEmpty(condition) };
  };
  const both = <Of extends Pick<Audience, 'conditions' | 'former'>>(of: Of): Of => ({
    ...of,
    conditions: of.conditions.map(one),
    former: of.former.map(one),
  });
  const audiences = estimate.audiences.map(({ through, without, ...audience }) => ({
    ...both(audience),
    ...(through && { through: through.map(one) }),
    ...(without && { without: both(without) }),
  }));
  return { ...estimate, audiences, unmatched: estimate.unmatched.map(one) };
}

/** The most evaluations of flags: for each flag at first, and for those that need more, in one run. They bound the time of the run. */
const FEW_EVALUATIONS = 2000;
const MOST_EVALUATIONS = 600_000;
const MOST_OF_ONE = 30_000;

function isTooMuch(estimate: Estimate): boolean {
  return estimate.kind === 'unknown' && estimate.why === 'combinations';
}

function estimateOne(
  concerned: Concerned,
  worlds: Worlds,
  { generation, now, most }: Circumstances & { readonly most: number },
): Estimate {
  const pair = pairOf(concerned, worlds);
  const sides = [pair.before, pair.after].filter((side) => side !== undefined);
  if (sides.every(({ flag }) => flag.active === false || flag.deleted === true)) return { kind: 'dormant' };
  if (sides.some(({ flags }) => flags.some(isUnreadable))) return { kind: 'unknown', why: 'format' };
  if (concerned.by === 'cohort') return { kind: 'unknown', why: 'cohort' };
  const reading = { generation, now, timeZone: 'UTC' };
  const questions = createQuestions(pair, reading);
  const context: EvaluationContext = { ...reading, groupTypes: {}, cohorts: {} };
  const combinations = findCombinations(pair, { questions, context }, most);
  if (combinations === undefined) return { kind: 'unknown', why: 'combinations' };
  const labels = createLabels(pair, questions);
  // What this release does not know is named by the conditions that ask it. Something unknown may belong to no condition of the flag.
  const unknown = new Set(combinations.flatMap((one) => [...one.unknown]));
  const unmatched = labels.own.filter(({ filters }) => unknown.has(filters));
  const isNamed = (demand: Demand): boolean => unmatched.some(({ filters }) => filters === demand);
  if (![...unknown].every(isNamed)) return { kind: 'unknown', why: 'filter' };
  const people = combinations.map((one): People => ({ ...one, ...boundsOf(one, questions) }));
  return {
    kind: 'audiences',
    audiences: withRest(linesOf(people, labels), people),
    unmatched: unmatched.map(numberedOf),
    ...(concerned.cohortChanges ? { cohortChanges: true } : {}),
    ...(concerned.uncounted.length === 0 ? {} : { uncounted: concerned.uncounted }),
  };
}

/** Adds everybody else, if the lines do not cover everybody. Merges each line that has the bounds of everybody else into that one. */
function withRest(lines: readonly BoundedLine[], people: readonly People[]): Audience[] {
  const rest = people.filter((one) => !lines.some(({ line }) => isCertain(line, one)));
  const told = lines.map(({ line, bounds }) => audienceOf(line, bounds));
  if (rest.length === 0) return told;
  const bounds = unite(rest);
  const others = lines.filter((one) => !isSame(one.bounds, bounds));
  if (others.length < lines.length) return withRest(others, people);
  return [...told, { conditions: [], former: [], others: true, ...statedBounds(bounds) }];
}

/** Shares from `least` to `most`. */
interface Bounds {
  readonly least: Shares;
  readonly most: Shares;
}

type People = Combination & Bounds;

const KINDS = ['turnsOn', 'turnsOff', 'changesVariant', 'changesPayload'] as const;

/** If the combination fixes an identifier, it has few people, and their hashes may all be on one side: a share may be none or all. */
function boundsOf({ shares, knowledge }: Combination, { pinsIdentifier }: FlagQuestions): Bounds {
  if (!pinsIdentifier(knowledge)) return { least: shares, most: shares };
  return {
    least: mapShares((kind) => (shares[kind] > 1 - NEGLIGIBLE ? 1 : 0)),
    most: mapShares((kind) => (shares[kind] === 0 ? 0 : 1)),
  };
}

const NEGLIGIBLE = 1e-9;

function mapShares(of: (kind: keyof Shares) => number): Shares {
  const [turnsOn, turnsOff, changesVariant, changesPayload] = KINDS.map(of) as [number, number, number, number];
  return { turnsOn, turnsOff, changesVariant, changesPayload };
}

interface AudienceLine extends LabeledPeople {
  readonly enrolled: boolean;
  readonly declined: boolean;
}

interface BoundedLine {
  readonly line: AudienceLine;
  readonly bounds: Bounds;
}

/** The most lines that a reader takes in. One more line has bounds for the rest. */
const MOST_LINES = 8;
const MOST_GROUPS = 64;

/** Everybody whose value changes is in one of the lines, unless they are too many. */
function linesOf(people: readonly People[], labels: ImpactLabels): BoundedLine[] {
  const affected = people.filter(({ most }) => KINDS.some((kind) => most[kind] > 0));
  const choices = [labels.inDetail, labels.byOwnConditions].map((name) => {
    const all = affected.map((one) => ({ ...name(one), enrolled: one.enrolled, declined: one.declined }));
    return [...new Map(all.filter(isNarrow).map((line) => [nameOf(line), line])).values()];
  });
  const lines = choices.find(({ length }) => length <= MOST_GROUPS) ?? [];
  const bounded = lines
    .map((line) => simplify({ line, bounds: unite(peopleOf(line, people)) }, people))
    .filter(({ line }) => isNarrow(line));
  const needed = bounded.filter(
    (one, index) => !bounded.some((other, at) => at !== index && covers(other, one, at < index)),
  );
  const greatestIn = ({ bounds: { most } }: BoundedLine): number => Math.max(...KINDS.map((kind) => most[kind]));
  const greatest = needed.toSorted((a, b) => greatestIn(b) - greatestIn(a)).slice(0, MOST_LINES);
  return needed.filter((one) => greatest.includes(one)).toSorted((a, b) => rankOf(a.line) - rankOf(b.line));
}

/** Whether the line is about less than everybody. */
function isNarrow({ by, without, enrolled, declined }: AudienceLine): boolean {
  return by.length > 0 || without.length > 0 || enrolled || declined;
}

function nameOf({ by, without, enrolled, declined }: AudienceLine): string {
  const names = [by, without].map((labels) =>
    labels.map(({ kind, condition: { key, number } }) => `${kind} ${number} ${key}`).toSorted(),
  );
  return canonicalText([...names, enrolled, declined]);
}

/** Sorts early access first, then the conditions in the flag's order, then the removed ones. */
function rankOf({ by, enrolled, declined }: AudienceLine): number {
  const ranks = by.map(({ kind, condition }) => condition.number + RANKS[kind]);
  return enrolled || declined ? 0 : Math.min(...ranks, 3e6);
}

const RANKS: Readonly<Record<Label['kind'], number>> = { wanted: 0, former: 1e6, through: 2e6 };

/** The combinations of people who may be in the line, each narrowed to those who are. */
function peopleOf({ by, without, enrolled, declined }: AudienceLine, people: readonly People[]): People[] {
  return people.filter((one) => {
    if ((enrolled && !one.enrolled) || (declined && !one.declined)) return false;
    const matching = by.reduce<Knowledge | undefined>(
      (known, { demand }) => known && learn(demand, true, known),
      one.knowledge,
    );
    return without.reduce((known, { demand }) => known && learn(demand, false, known), matching) !== undefined;
  });
}

function isCertain({ by, without, enrolled, declined }: AudienceLine, { knowledge, ...one }: People): boolean {
  if ((enrolled && !one.enrolled) || (declined && !one.declined)) return false;
  return (
    by.every(({ demand }) => learn(demand, false, knowledge) === undefined) &&
    without.every(({ demand }) => learn(demand, true, knowledge) === undefined)
  );
}

function unite(people: readonly Bounds[]): Bounds {
  return {
    least: mapShares((kind) => Math.min(...people.map(({ least }) => least[kind]))),
    most: mapShares((kind) => Math.max(...people.map(({ most }) => most[kind]))),
  };
}

/** Removes labels that make no difference. */
function simplify({ line, bounds }: BoundedLine, people: readonly People[]): BoundedLine {
  for (const label of line.without) {
    const shorter = { ...line, without: line.without.filter((other) => other !== label) };
    if (isSame(unite(peopleOf(shorter, people)), bounds)) return simplify({ line: shorter, bounds }, people);
  }
  return { line, bounds };
}

function isSame(one: Bounds, other: Bounds): boolean {
  return KINDS.every(
    (kind) =>
      Math.abs(one.least[kind] - other.least[kind]) < NEGLIGIBLE &&
      Math.abs(one.most[kind] - other.most[kind]) < NEGLIGIBLE,
  );
}

/** Whether the line is about all people of the other and bounds at least as much. Of two equal ones, the first covers the second. */
function covers({ line, bounds }: BoundedLine, other: BoundedLine, isFirst: boolean): boolean {
  const isWithin = (labels: readonly Label[], others: readonly Label[]): boolean =>
    labels.every((label) => others.includes(label));
  const isWider = isWithin(line.by, other.line.by) && isWithin(line.without, other.line.without);
  if (!isWider || line.enrolled !== other.line.enrolled || line.declined !== other.line.declined) return false;
  const isAsMuch = KINDS.every((kind) => other.bounds.most[kind] <= bounds.most[kind] + NEGLIGIBLE);
  return isAsMuch && (isFirst || nameOf(line) !== nameOf(other.line));
}

function audienceOf({ by, without, enrolled, declined }: AudienceLine, bounds: Bounds): Audience {
  const through = by.filter(({ kind }) => kind === 'through').map(({ condition }) => condition);
  return {
    ...ownConditions(by),
    ...(through.length > 0 && { through }),
    ...(without.length > 0 && { without: ownConditions(without) }),
    ...(enrolled && { enrolled }),
    ...(declined && { declined }),
    ...statedBounds(bounds),
  };
}

function ownConditions(labels: readonly Label[]): Pick<Audience, 'conditions' | 'former'> {
  const of = (wanted: Label['kind']): NumberedCondition[] =>
    labels.filter(({ kind }) => kind === wanted).map(numberedOf);
  return { conditions: of('wanted'), former: of('former') };
}

function numberedOf({ condition: { number, condition } }: Label): NumberedCondition {
  return { number, condition };
}

function statedBounds(bounds: Bounds): Pick<Audience, 'shares' | 'upTo' | 'method'> {
  const isExact = isSame(bounds, { least: bounds.most, most: bounds.most });
  // A non-zero share is never rounded to zero.
  const percentage = (share: number): number => (share === 0 ? 0 : Math.max(Math.round(share * 1e8), 1) / 1e6);
  return {
    shares: mapShares((kind) => percentage(bounds.most[kind])),
    ...(isExact ? {} : { upTo: true }),
    method: { kind: 'exact' },
  };
}

/** A condition that not everybody matches. Equal labels are one object. */
interface Label {
  /** A condition of the flag after the plan (`wanted`) or before it (`former`), or of a flag that it depends on (`through`). */
  readonly kind: 'wanted' | 'former' | 'through';
  readonly condition: NumberedCondition & { readonly key: string };
  /** The demand on people. Conditions on flags are not part of it, since hashes decide them. */
  readonly demand: Demand;
  /** The same, without the requirement of the group that the condition is about. */
  readonly filters: Demand;
}

/** People who match all conditions of `by` and none of `without`, which exist on one side only. */
interface LabeledPeople {
  readonly by: readonly Label[];
  readonly without: readonly Label[];
}

interface ImpactLabels {
  /** Conditions of the flag, each once: first those after the plan, then the removed ones. */
  readonly own: readonly Label[];
  readonly inDetail: (people: Combination) => LabeledPeople;
  readonly byOwnConditions: (people: Combination) => LabeledPeople;
}

function createLabels({ before, after }: FlagPair, questions: FlagQuestions): ImpactLabels {
  const read = (flag: Flag | undefined, kind: Label['kind']): Label[] => {
    if (flag?.filters === undefined) return [];
    return conditionsOf(flag.filters).flatMap(([index, condition]): Label[] => {
      const numbered = { number: index + 1, condition };
      const asked = [propertiesOf(condition) ?? [], findAggregation(flag, condition)] as const;
      const [demand, filters] = [questions.audience(...asked), questions.filters(...asked)];
      const isForAll = demand.literals.length === 0 && !demand.never && !demand.unknown;
      return isForAll ? [] : [{ kind, condition: { key: flag.key, ...numbered }, demand, filters }];
    });
  };
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

function hasSame({ demand }: Label, others: readonly Label[]): boolean {
  return others.some((other) => other.demand === demand);
}
