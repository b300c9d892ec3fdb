/**
 * All people, as combinations of what evaluation asks about them, each with its exact shares. A combination is left out only if it is
 * proved to be impossible.
 */

import type { Assumptions, HashName } from '../evaluation/assumptions.ts';
import type { Reached } from '../evaluation/evaluate.ts';
import type { Evaluation } from '../evaluation/evaluation.ts';
import type { EvaluationContext, Subject } from '../evaluation/input.ts';
import type { Flag } from '../posthog/flag/flag.ts';
import type { Shares } from './impact.ts';
import { learn, NOTHING_KNOWN, type Demand, type Knowledge } from './knowledge.ts';
import { compareValues, type Pair } from './outcome.ts';
import type { Questions } from './questions.ts';

export interface Combination {
  readonly knowledge: Knowledge;
  /** Of these people, from 0 to 1. Their hashes decide who of them gets something else. */
  readonly shares: Shares;
  /** The conditions that decide about those who get something else. */
  readonly deciders: ReadonlySet<Decider>;
  readonly enrolled: boolean;
  readonly declined: boolean;
  /** Asked of these people, and not known to this release. */
  readonly unknown: ReadonlySet<Demand>;
}

/** A condition of the flag, or of one that it depends on. Equal deciders are one object. */
export interface Decider {
  readonly side: 'before' | 'after';
  readonly flag: Flag;
  /** Of the condition, in the flag. */
  readonly index: number;
}

/** `undefined` where there are more than `most` cases. */
export function findCombinations(pair: Pair, asking: Asking, most: number): readonly Combination[] | undefined {
  const deciders = createDeciders();
  const found: Combination[] = [];
  const tasks = startTasks(asking.questions);
  for (let cases = 0; ; cases += 1) {
    const task = tasks.pop();
    if (task === undefined) return found;
    const box = task.boxes.at(-1);
    if (box === undefined) {
      found.push(task.combination);
      continue;
    }
    if (cases >= most) return undefined;
    const others = task.boxes.slice(0, -1);
    const walk = createWalk(asking.questions, task.combination.knowledge, box);
    const context = { ...asking.context, assumptions: walk.assumptions };
    const sides = [pair.before, pair.after].map((side) => side?.evaluate({ context, subject: SUBJECT }));
    const { knowledge, forks, weight, alternatives, unknown } = walk.end();
    for (const alternative of alternatives)
      tasks.push({
        combination: { ...task.combination, knowledge: alternative.knowledge },
        boxes: [...others, ...alternative.boxes],
      });
    const evaluated = { pair, sides, weight, deciders };
    const combination = { ...addCase(task.combination, evaluated), knowledge };
    tasks.push({
      combination: unknown.size === 0 ? combination : { ...combination, unknown: new Set([...combination.unknown, ...unknown]) },
      boxes: [...others, ...forks],
    });
  }
}

export interface Asking {
  readonly questions: Questions;
  readonly context: EvaluationContext;
}

/** People of whom some is known, with the ranges of their hashes that are left to look at. */
interface Task {
  readonly combination: Combination;
  readonly boxes: readonly Box[];
}

/** Where the hashes of a person are, by the name of each hash. */
type Box = ReadonlyMap<string, readonly [low: number, high: number]>;

const NOBODY: Shares = { turnsOn: 0, turnsOff: 0, changesVariant: 0, changesPayload: 0 };

function startTasks({ coupled, isSame }: Questions): Task[] {
  let starts: Knowledge[] = [NOTHING_KNOWN];
  for (const [one, other] of coupled)
    starts = starts.flatMap((known) =>
      [true, false].flatMap((answer) => learn(isSame(one, other), answer, known) ?? []),
    );
  const nothing = { shares: NOBODY, deciders: new Set<Decider>(), enrolled: false, declined: false };
  return starts.map((knowledge) => ({
    combination: { ...nothing, knowledge, unknown: new Set<Demand>() },
    boxes: [new Map()],
  }));
}

/** Names in place of what is hashed. */
const SUBJECT: Subject = {
  distinctId: 'person',
  anonymousId: 'anonymous',
  personProperties: {},
  groups: {},
  groupProperties: {},
};

interface Walk {
  readonly assumptions: Assumptions;
  readonly end: () => Walked;
}

interface Walked {
  readonly knowledge: Knowledge;
  readonly weight: number;
  /** The rest of the box, beside the part that was taken. */
  readonly forks: readonly Box[];
  /** People of the other answers, with what is left of the box for them. */
  readonly alternatives: readonly { readonly knowledge: Knowledge; readonly boxes: readonly Box[] }[];
  readonly unknown: ReadonlySet<Demand>;
}

/** Sums of decimal shares miss each other by less. */
const NEGLIGIBLE = 1e-12;

function createWalk(questions: Questions, start: Knowledge, whole: Box): Walk {
  let [knowledge, box] = [start, whole];
  const forks: Box[] = [];
  const alternatives: { readonly knowledge: Knowledge; readonly boxes: readonly Box[] }[] = [];
  const unknown = new Set<Demand>();
  const ask = (demand: Demand): boolean => {
    if (demand.unknown) unknown.add(demand);
    const [yes, no] = [learn(demand, true, knowledge), learn(demand, false, knowledge)];
    if (yes === undefined) return false;
    if (no !== undefined) alternatives.push({ knowledge: no, boxes: [box, ...forks] });
    knowledge = yes;
    return true;
  };
  const hash = ({ identifier, ...name }: HashName, share: number): boolean | undefined => {
    if (identifier === '') return undefined;
    const text = `${name.kind} ${sameIdentity(identifier, knowledge, questions)} ${name.flagKey}`;
    const [low, high] = box.get(text) ?? [0, 1];
    if (share >= high - NEGLIGIBLE) return true;
    if (share <= low + NEGLIGIBLE) return false;
    forks.push(new Map(box).set(text, [share, high]));
    box = new Map(box).set(text, [low, share]);
    return true;
  };
  const identifier = (of: number | 'device'): string => {
    if (of === 'device') return ask(questions.hasDevice) ? of : '';
    return of >= 0 && ask(questions.isInGroup(of)) ? `group ${of}` : '';
  };
  return {
    assumptions: {
      hash,
      identifier,
      filters: (properties, aggregation) => properties.length === 0 || ask(questions.filters(properties, aggregation)),
      implied: (properties, aggregation) => impliedBy(knowledge, questions.filters(properties, aggregation)),
      has: (property) => ask(questions.has(property)),
      enrolled: (property) => ask(questions.enrolled(property)),
    },
    end: () => ({ knowledge, weight: weightOf(box), forks, alternatives, unknown }),
  };
}

function impliedBy(knowledge: Knowledge, demand: Demand): boolean | undefined {
  if (demand.literals.length === 0) return !demand.never;
  if (learn(demand, true, knowledge) === undefined) return false;
  return learn(demand, false, knowledge) === undefined ? true : undefined;
}

/** The first of the identities that are known to be one. */
function sameIdentity(identifier: string, knowledge: Knowledge, { coupled, isSame }: Questions): string {
  const known = coupled.find(
    ([one, other]) => other === identifier && learn(isSame(one, other), false, knowledge) === undefined,
  );
  return known?.[0] ?? identifier;
}

function weightOf(box: Box): number {
  let weight = 1;
  for (const [low, high] of box.values()) weight *= high - low;
  return weight;
}

interface Case {
  readonly pair: Pair;
  readonly sides: readonly (Reached | undefined)[];
  readonly weight: number;
  readonly deciders: Deciders;
}

function addCase(combination: Combination, { pair, sides, weight, deciders }: Case): Combination {
  const own = [pair.before, pair.after].map((side, index) => side && sides[index]?.get(side.flag));
  const outcome = compareValues(own[0]?.value ?? false, own[1]?.value ?? false, pair.payloads);
  const early = own.filter((evaluation) => evaluation?.reason === 'super_condition_value');
  const { shares, enrolled, declined } = combination;
  const known = {
    ...combination,
    enrolled: enrolled || early.some((evaluation) => evaluation?.value !== false),
    declined: declined || early.some((evaluation) => evaluation?.value === false),
  };
  if (outcome === undefined) return known;
  const added = sides.flatMap((reached, index) => deciders(index === 0 ? 'before' : 'after', reached));
  return {
    ...known,
    shares: { ...shares, [outcome]: shares[outcome] + weight },
    deciders: added.every((one) => known.deciders.has(one)) ? known.deciders : new Set([...known.deciders, ...added]),
  };
}

type Deciders = (side: Decider['side'], reached: Reached | undefined) => readonly Decider[];

function createDeciders(): Deciders {
  const made = new Map<Flag, Map<string, Decider>>();
  return (side, reached = new Map()) =>
    [...reached].flatMap(([flag, evaluation]) => {
      const index = decidingIndex(flag, evaluation);
      if (index === undefined) return [];
      const own = made.get(flag) ?? new Map<string, Decider>();
      const name = `${side} ${index}`;
      const decider = own.get(name) ?? { side, flag, index };
      made.set(flag, own.set(name, decider));
      return [decider];
    });
}

/** The condition that matched, or that ended the search. */
function decidingIndex({ filters }: Flag, { reason, conditionIndex }: Evaluation): number | undefined {
  const ends = reason === 'out_of_rollout_bound' && filters?.['early_exit'] === true;
  return (reason === 'condition_match' || ends) && conditionIndex !== null ? conditionIndex : undefined;
}
