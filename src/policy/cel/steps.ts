/**
 * Counts the steps of an expression's evaluation, which the library does not limit: lists within lists multiply. A step is one evaluation
 * of a node of the expression, or as much of a value as is read in the same time. No clock is used, so that an expression has enough steps
 * everywhere or nowhere.
 */

/** A node of the library's syntax tree. */
export interface CelNode {
  readonly op: string;
  readonly args: unknown;
  readonly start: number;
  readonly end: number;
  evaluate(evaluator: CelEvaluator, node: CelNode, context: unknown): unknown;
}

/** The library's evaluator, by the two methods through which it evaluates every node but the first. */
interface CelEvaluator {
  run(node: CelNode, context: unknown): unknown;
  tryEval(node: CelNode, context: unknown): unknown;
}

/** The nodes in an expression, or in what a node has as arguments. */
export function nodesIn(value: unknown): CelNode[] {
  if (Array.isArray(value)) return value.flatMap(nodesIn);
  return typeof value === 'object' && value !== null && 'op' in value ? [value as CelNode] : [];
}

export class StepsUsedUp extends Error {}

/** Evaluates with the steps that are left, and counts them; throws `StepsUsedUp` when there are none. */
export type Limiter = (meter: Meter, evaluate: () => unknown) => unknown;

interface Meter {
  left: number;
}

/** `probe`: any expression of the environment, parsed; `evaluate` evaluates it. It cannot be evaluated afterwards. */
export function createLimiter(probe: CelNode, evaluate: () => unknown): Limiter {
  const running = { meter: { left: 0 } };
  countSteps(evaluatorOf(probe, evaluate), running);
  return (meter, run) => {
    running.meter = meter;
    return run();
  };
}

/** The evaluator is private, but it is passed to every node. */
function evaluatorOf(probe: CelNode, evaluate: () => unknown): CelEvaluator {
  let found: CelEvaluator | undefined;
  probe.evaluate = (evaluator) => {
    found = evaluator;
  };
  evaluate();
  if (found === undefined) throw new Error('The library for CEL has changed: it has no evaluator.');
  return found;
}

/** The meter of the evaluation that runs. */
interface Evaluating {
  meter: Meter;
}

/** Creating an error takes as long as this many steps. */
const STEPS_PER_ERROR = 200;

/** The library's own `tryEval` would continue after the last step: it takes an error for a value. */
function countSteps(evaluator: CelEvaluator, running: Evaluating): void {
  evaluator.run = (node, context) => {
    const { meter } = running;
    spend(meter, 1);
    const value = node.evaluate(evaluator, node, context);
    if (READ_WHOLE.has(node)) spend(meter, weightOf(value));
    return value;
  };
  evaluator.tryEval = (node, context) => {
    try {
      return evaluator.run(node, context);
    } catch (error) {
      if (error instanceof StepsUsedUp) throw error;
      spend(running.meter, STEPS_PER_ERROR);
      return error;
    }
  };
}

function spend(meter: Meter, steps: number): void {
  meter.left -= steps;
  if (meter.left < 0) throw new StepsUsedUp();
}

const READ_WHOLE = new WeakSet<CelNode>();
const READERS: ReadonlySet<string> = new Set(['==', '!=', 'in', '+', 'call', 'rcall']);

/** Marks the operands of which `node` reads the whole value: they are counted by their size. */
export function markOperands(node: CelNode): void {
  if (READERS.has(node.op)) for (const operand of nodesIn(node.args)) READ_WHOLE.add(operand);
}

/** Reading so many characters takes about as long as a step. */
const CHARACTERS_PER_STEP = 64;
const WEIGHTS = new WeakMap<object, number>();

function weightOf(value: unknown): number {
  if (typeof value === 'string') return Math.floor(value.length / CHARACTERS_PER_STEP);
  if (typeof value !== 'object' || value === null) return 0;
  const known = WEIGHTS.get(value);
  if (known !== undefined) return known;
  const weight = Object.values(value).reduce<number>((sum, member) => sum + 1 + weightOf(member), 0);
  WEIGHTS.set(value, weight);
  return weight;
}
