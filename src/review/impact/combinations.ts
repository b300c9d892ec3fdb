/**
 * Splits all people into combinations of answers to what evaluation asks about them, each with its exact shares. A combination is left out
 * only if it is proved impossible.
 */

import type { Assumptions, HashName, EvaluationContext, Subject } from '../../evaluation/input.ts';
import type { EvaluationByFlag } from '../../evaluation/evaluate.ts';
import type { Flag } from '../../posthog/flag/model/flag.ts';
import type { Shares } from '../effects/impact.ts';
import { learn, NOTHING_KNOWN, type Demand, type FlagQuestions, type Knowledge } from './knowledge.ts';
import { compareValues, type FlagPair } from '../effects/worlds.ts';

export interface Combination {
  readonly knowledge: Knowledge;
  /** Shares of these people, from 0 to 1. Their hashes decide who of them gets something else. */
  readonly shares: Shares;
  /** The conditions that decide for the people who get something else. */
  readonly deciders: ReadonlySet<ConditionDecider>;
  readonly enrolled: boolean;
  readonly declined: boolean;
  /** What is asked about these people and this release does not know. */
  readonly unknown: ReadonlySet<Demand>;
}

/** A condition of the flag, or of one that it depends on. Equal deciders are one object. */
export interface ConditionDecider {
  readonly side: 'before' | 'after';
  readonly flag: Flag;
  /** The index of the condition in the flag. */
  readonly index: number;
}

/** `undefined` if that takes more evaluations of flags than `most`. */
export function findCombinations(
  pair: FlagPair,
  asking: CombinationOptions,
  most: number,
): readonly Combination[] | undefined {
  const { questions, context } = asking;
  const deciders = createDeciders();
  const found: Combination[] = [];
  const tasks = startTasks(questions);
  for (let evaluations = 0; ;) {
    const task = tasks.pop();
    if (task === undefined) return found;
    const { combination, boxes } = task;
    if (boxes === undefined) {
      found.push(combination);
      continue;
    }
    if (evaluations >= most) return undefined;
    const walk = createWalk(questions, combination.knowledge, boxes);
    const input = { context: { ...context, assumptions: walk.assumptions }, subject: SUBJECT };
    const former = pair.before?.evaluate(input);
    const wanted = pair.after?.evaluate(input);
    evaluations += (former?.size ?? 0) + (wanted?.size ?? 0);
    const { knowledge, box, left, alternatives, unknown } = walk.end();
    for (const other of alternatives)
      tasks.push({ combination: { ...combination, knowledge: other.knowledge }, boxes: other.boxes });
    const own = [pair.before && former?.get(pair.before.flag), pair.after && wanted?.get(pair.after.flag)];
    const outcome = compareValues(own[0]?.value ?? false, own[1]?.value ?? false, pair.payloads);
    const early = own.filter((evaluation) => evaluation?.reason === 'super_condition_value');
    const { shares } = combination;
    const added = outcome === undefined ? [] : [...deciders('before', former), ...deciders('after', wanted)];
    const taken: Combination = {
      knowledge,
      shares: outcome === undefined ? shares : { ...shares, [outcome]: shares[outcome] + weightOf(box) },
      // Nothing is copied without need: this runs for each part of each combination.
      deciders: added.every((one) => combination.deciders.has(one))
        ? combination.deciders
        : new Set([...combination.deciders, ...added]),
      enrolled: combination.enrolled || early.some((evaluation) => evaluation?.value !== false),
      declined: combination.declined || early.some((evaluation) => evaluation?.value === false),
      unknown: unknown.length === 0 ? combination.unknown : new Set([...combination.unknown, ...unknown]),
    };
    tasks.push({ combination: taken, boxes: left });
  }
}

export interface CombinationOptions {
  readonly questions: FlagQuestions;
  readonly context: EvaluationContext;
}

/** People about whom something is known, with the ranges of their hashes that are still to be examined. */
interface CombinationTask {
  readonly combination: Combination;
  readonly boxes: Boxes | undefined;
}

interface Boxes {
  readonly box: Box;
  readonly next: Boxes | undefined;
}

/** The ranges that contain the hashes of a person. A hash without a range may be anywhere. */
type Box = HashRange | undefined;

interface HashRange {
  readonly name: string;
  readonly low: number;
  readonly high: number;
  readonly next: Box;
}

const NOBODY: Shares = { turnsOn: 0, turnsOff: 0, changesVariant: 0, changesPayload: 0 };

function startTasks({ coupled, isSame }: FlagQuestions): CombinationTask[] {
  let starts: Knowledge[] = [NOTHING_KNOWN];
  for (const [one, other] of coupled)
    starts = starts.flatMap((known) =>
      [true, false].flatMap((answer) => learn(isSame(one, other), answer, known) ?? []),
    );
  const nothing = { shares: NOBODY, deciders: new Set<ConditionDecider>(), enrolled: false, declined: false };
  return starts.map((knowledge) => ({
    combination: { ...nothing, knowledge, unknown: new Set<Demand>() },
    boxes: { box: undefined, next: undefined },
  }));
}

/** Names that stand for what is hashed. */
const SUBJECT: Subject = {
  distinctId: 'person',
  anonymousId: 'anonymous',
  personProperties: {},
  groups: {},
  groupProperties: {},
};

interface CombinationWalk {
  readonly assumptions: Assumptions;
  readonly end: () => {
    readonly knowledge: Knowledge;
    /** The part that was taken. */
    readonly box: Box;
    readonly left: Boxes | undefined;
    /** People with the other answers, with what is left for them. */
    readonly alternatives: readonly { readonly knowledge: Knowledge; readonly boxes: Boxes }[];
    readonly unknown: readonly Demand[];
  };
}

/** Sums of decimal shares are inexact by less than this. */
const NEGLIGIBLE = 1e-12;

/** Takes the first of the boxes, or a part of it. */
function createWalk(questions: FlagQuestions, start: Knowledge, boxes: Boxes): CombinationWalk {
  let knowledge = start;
  let { box, next: left } = boxes;
  const alternatives: { readonly knowledge: Knowledge; readonly boxes: Boxes }[] = [];
  const unknown: Demand[] = [];
  const ask = (demand: Demand): boolean => {
    if (demand.unknown) unknown.push(demand);
    const yes = learn(demand, true, knowledge);
    if (yes === undefined || yes === knowledge) return yes !== undefined;
    const no = learn(demand, false, knowledge);
    if (no !== undefined) alternatives.push({ knowledge: no, boxes: { box, next: left } });
    knowledge = yes;
    return true;
  };
  const hash = ({ kind, flagKey, identifier }: HashName, share: number): boolean | undefined => {
    if (identifier === '') return undefined;
    const name = `${kind} ${sameIdentity(identifier, knowledge, questions)} ${flagKey}`;
    const { low, high } = rangeOf(name, box);
    if (share >= high - NEGLIGIBLE) return true;
    if (share <= low + NEGLIGIBLE) return false;
    left = { box: { name, low: share, high, next: box }, next: left };
    box = { name, low, high: share, next: box };
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
      implied: (properties, aggregation) =>
        properties.length === 0 || impliedBy(knowledge, questions.filters(properties, aggregation)),
      has: (property) => ask(questions.has(property)),
      enrolled: (property) => ask(questions.enrolled(property)),
    },
    end: () => ({ knowledge, box, left, alternatives, unknown }),
  };
}

const ANYWHERE = { low: 0, high: 1 };

/** The newest one, which is the narrowest. */
function rangeOf(name: string, box: Box): Pick<HashRange, 'low' | 'high'> {
  for (let range = box; range !== undefined; range = range.next) if (range.name === name) return range;
  return ANYWHERE;
}

function impliedBy(knowledge: Knowledge, demand: Demand): boolean | undefined {
  const yes = learn(demand, true, knowledge);
  if (yes === undefined || yes === knowledge) return yes !== undefined;
  return learn(demand, false, knowledge) === undefined ? true : undefined;
}

/** The first of the identities that are known to be one. */
function sameIdentity(identifier: string, knowledge: Knowledge, { coupled, isSame }: FlagQuestions): string {
  const known = coupled.find(
    ([one, other]) => other === identifier && learn(isSame(one, other), false, knowledge) === undefined,
  );
  return known?.[0] ?? identifier;
}

function weightOf(box: Box): number {
  const seen = new Set<string>();
  let weight = 1;
  for (let range = box; range !== undefined; range = range.next) {
    if (!seen.has(range.name)) weight *= range.high - range.low;
    seen.add(range.name);
  }
  return weight;
}

function createDeciders(): (
  side: ConditionDecider['side'],
  reached: EvaluationByFlag | undefined,
) => readonly ConditionDecider[] {
  const made = new Map<Flag, Map<string, ConditionDecider>>();
  return (side, reached = new Map()) =>
    [...reached].flatMap(([flag, evaluation]) => {
      // The condition that matched, or that ended the search.
      const { reason, conditionIndex: index, ruled } = evaluation;
      const ends = reason === 'out_of_rollout_bound' && flag.filters?.['early_exit'] === true;
      if (index === null || !(reason === 'condition_match' || ends || ruled?.id !== undefined)) return [];
      const own = made.get(flag) ?? new Map<string, ConditionDecider>();
      const name = `${side} ${index}`;
      const decider = own.get(name) ?? { side, flag, index };
      made.set(flag, own.set(name, decider));
      return [decider];
    });
}
