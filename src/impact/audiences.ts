/** Finds the audiences of a changed flag: people about whom the same conditions decide, with bounds that hold for all of them. */

import { canonicalText } from '../base/json.ts';
import { defined } from '../base/optional.ts';
import type { NumberedCondition } from '../effects/effect.ts';
import type { Combination } from './combinations.ts';
import type { Audience, Shares } from './impact.ts';
import { learn, type Knowledge, type KnowledgeModel } from './knowledge.ts';
import type { Label, ImpactLabels, LabelledPeople } from './labels.ts';
import type { FlagQuestions } from './questions.ts';

/** The last audience is everybody else, if the others do not cover everybody. */
export function findAudiences(
  combinations: readonly Combination[],
  labels: ImpactLabels,
  { model }: FlagQuestions,
): Audience[] {
  const people = combinations.map((one): People => ({ ...one, ...boundsOf(one, model) }));
  return withRest(linesOf(people, labels), people);
}

/** Merges each line that has the bounds of everybody else into that one. */
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
function boundsOf({ shares, knowledge }: Combination, model: KnowledgeModel): Bounds {
  if (!model.pinsIdentifier(knowledge)) return { least: shares, most: shares };
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

/** People who match all of some conditions and none of others. */
interface AudienceLine extends LabelledPeople {
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
  const choices = [labels.inDetail, labels.byOwnConditions].map((name) =>
    groupLines(affected.map((one) => ({ ...name(one), enrolled: one.enrolled, declined: one.declined }))),
  );
  const lines = choices.find(({ length }) => length <= MOST_GROUPS) ?? [];
  const bounded = lines
    .map((line) => simplify({ line, bounds: unite(peopleOf(line, people)) }, people))
    .filter(({ line }) => isNarrow(line));
  const needed = bounded.filter(
    (one, index) => !bounded.some((other, at) => at !== index && covers(other, one, at < index)),
  );
  const greatest = needed
    .toSorted((a, b) => greatestIn(b.bounds.most) - greatestIn(a.bounds.most))
    .slice(0, MOST_LINES);
  return needed.filter((one) => greatest.includes(one)).toSorted((a, b) => rankOf(a.line) - rankOf(b.line));
}

function greatestIn(shares: Shares): number {
  return Math.max(...KINDS.map((kind) => shares[kind]));
}

function groupLines(lines: readonly AudienceLine[]): AudienceLine[] {
  return [...new Map(lines.filter(isNarrow).map((line) => [nameOf(line), line])).values()];
}

/** Whether the line is about less than everybody. */
function isNarrow({ by, without, enrolled, declined }: AudienceLine): boolean {
  return by.length > 0 || without.length > 0 || enrolled || declined;
}

function nameOf({ by, without, enrolled, declined }: AudienceLine): string {
  const names = [by, without].map((labels) => labels.map(labelName).toSorted());
  return canonicalText([...names, enrolled, declined]);
}

function labelName({ kind, condition: { key, number } }: Label): string {
  return `${kind} ${number} ${key}`;
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
  return {
    ...sidesOf(by),
    ...defined({
      through: by.some(({ kind }) => kind === 'through')
        ? by.flatMap(({ kind, condition }) => (kind === 'through' ? [condition] : []))
        : undefined,
      without: without.length === 0 ? undefined : sidesOf(without),
      enrolled: enrolled ? (true as const) : undefined,
      declined: declined ? (true as const) : undefined,
    }),
    ...statedBounds(bounds),
  };
}

function sidesOf(labels: readonly Label[]): Pick<Audience, 'conditions' | 'former'> {
  const of = (wanted: Label['kind']): NumberedCondition[] =>
    labels.flatMap(({ kind, condition: { key: _key, ...condition } }) => (kind === wanted ? [condition] : []));
  return { conditions: of('wanted'), former: of('former') };
}

/** A non-zero share is never rounded to zero. */
function percentage(share: number): number {
  return share === 0 ? 0 : Math.max(Math.round(share * 1e8), 1) / 1e6;
}

function statedBounds(bounds: Bounds): Pick<Audience, 'shares' | 'upTo' | 'method'> {
  const isExact = isSame(bounds, { least: bounds.most, most: bounds.most });
  return {
    shares: mapShares((kind) => percentage(bounds.most[kind])),
    ...(isExact ? {} : { upTo: true }),
    method: { kind: 'exact' },
  };
}
