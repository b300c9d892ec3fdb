/**
 * Expressions of own rules: the only file that knows the library for CEL. An expression is checked against the types of the context, and
 * none runs for long: its functions take time in proportion to their arguments, and its number of steps is limited.
 */

import { Environment } from '@marcbachmann/cel-js';
import { nearest } from '../../../base/text.ts';
import { TYPES, VARIABLES, type CelContext, type FieldsOf, type TypeName } from './context.ts';

export interface Mistake {
  /** The problem, and its fix if known. */
  readonly message: string;
  readonly remedy?: string;
  /** The position in the expression, in UTF-16 units. */
  readonly offset: number;
}

/** `true`, `false`, or why neither. `exhausted`: the evaluation needs more steps than the budget has left. */
export type CelResult = boolean | { readonly failure: string } | { readonly exhausted: true };

/** The steps of several evaluations together. */
interface Budget {
  left: number;
}

export type Compiled =
  { readonly mistake: Mistake } | { readonly evaluate: (context: CelContext, budget: Budget) => CelResult };

const LONGEST_EXPRESSION = 10_000;
/** The limit for one evaluation. */
const MOST_STEPS = 100_000;

export function compile(text: string): Compiled {
  if (text.length > LONGEST_EXPRESSION) {
    return { mistake: { message: `The expression is longer than ${LONGEST_EXPRESSION} characters`, offset: 0 } };
  }
  try {
    const program = ENVIRONMENT.parse(text);
    const refused = inspect(program.ast as unknown as CelNode, text);
    if (refused !== undefined) return { mistake: refused };
    const { type, error } = program.check();
    if (error !== undefined) return { mistake: mistakeOf(error, text) };
    if (type !== 'bool')
      return { mistake: { message: `The expression is not a bool, but of type ${type}`, offset: 0 } };
    return { evaluate: (context, budget) => answer(() => program(context), budget) };
  } catch (error) {
    return { mistake: mistakeOf(error, text) };
  }
}

/** The library knows values by their classes. */
export function make<Name extends TypeName>(type: Name, fields: FieldsOf<Name>): FieldsOf<Name> {
  return new CLASSES[type](fields) as FieldsOf<Name>;
}

const CLASSES = Object.fromEntries(
  Object.keys(TYPES).map((name) => [
    name,
    class {
      constructor(fields: object) {
        Object.assign(this, fields);
      }
    },
  ]),
) as Readonly<Record<TypeName, new (fields: object) => object>>;

const ENVIRONMENT = createEnvironment();

function createEnvironment(): Environment {
  const environment = new Environment({
    limits: { maxAstNodes: 2000, maxDepth: 50, maxListElements: 500, maxMapEntries: 500, maxCallArguments: 8 },
  });
  for (const [name, fields] of Object.entries(TYPES)) {
    environment.registerType(name, { ctor: CLASSES[name as TypeName], fields });
  }
  for (const [name, type] of Object.entries(VARIABLES)) environment.registerVariable(name, type);
  return environment;
}

/** The functions that expressions may call: each takes time in proportion to its arguments. */
export const FUNCTIONS: readonly string[] = [
  ...['all', 'exists', 'exists_one', 'filter', 'map', 'size'],
  ...['contains', 'startsWith', 'endsWith', 'lowerAscii', 'upperAscii', 'int', 'double', 'string'],
];

/** These read the elements of a list one by one, with their own steps. */
const LOOPS: ReadonlySet<string> = new Set(['all', 'exists', 'exists_one', 'filter', 'map']);

/** The first call of a function that is not available. */
function inspect({ op, args, start }: CelNode, text: string): Mistake | undefined {
  const operands = nodesIn(args);
  const name = op === 'call' || op === 'rcall' ? String((args as readonly unknown[])[0]) : undefined;
  // Operands that are read whole are counted by their size.
  if (READERS.has(op) && !(name !== undefined && LOOPS.has(name)))
    for (const operand of operands) READ_WHOLE.add(operand);
  if (name !== undefined && !FUNCTIONS.includes(name)) {
    // The name stands after the value that the function is called on.
    const from = op === 'rcall' ? (operands[0]?.end ?? start) : start;
    const refusal = Object.hasOwn(REFUSALS, name) ? REFUSALS[name] : undefined;
    return {
      ...(refusal ?? { message: `There is no function ${name}`, remedy: choiceOf(name, FUNCTIONS) }),
      offset: Math.max(start, text.indexOf(name, from)),
    };
  }
  for (const operand of operands) {
    const mistake = inspect(operand, text);
    if (mistake !== undefined) return mistake;
  }
  return undefined;
}

const REFUSALS: Readonly<Record<string, Omit<Mistake, 'offset'>>> = {
  matches: {
    message: 'The function matches is not available: a regular expression can run for minutes',
    remedy: 'Use startsWith, endsWith or contains.',
  },
  has: {
    message: 'The function has is not available: no field is ever missing',
    remedy: 'Compare the value, such as with "".',
  },
};

function choiceOf(name: string, names: readonly string[]): string {
  const found = nearest(name, names);
  return found === undefined ? `There are ${names.join(', ')}.` : `Did you mean ${found}?`;
}

function answer(evaluate: () => unknown, budget: Budget): CelResult {
  const most = Math.min(MOST_STEPS, budget.left);
  const steps = { left: most };
  try {
    const value = evaluateWithin(steps, evaluate);
    return typeof value === 'boolean' ? value : { failure: `The expression returned a ${typeof value}, not a bool` };
  } catch (error) {
    if (!(error instanceof StepsUsedUp)) return { failure: summaryOf(error) };
    return most < MOST_STEPS ? { exhausted: true } : { failure: `The expression takes more than ${MOST_STEPS} steps` };
  } finally {
    budget.left -= most - Math.max(0, steps.left);
  }
}

interface LibraryError {
  readonly code?: string;
  /** The message without a picture of the place. */
  readonly summary?: string;
  readonly range?: { readonly start: number };
  readonly node?: {
    readonly args?: unknown;
    readonly left?: { readonly checkedType?: { readonly name?: string } };
    readonly right?: { readonly checkedType?: { readonly name?: string } };
  };
}

function mistakeOf(error: unknown, text: string): Mistake {
  const { code, node, range } = error as LibraryError;
  const offset = Math.min(range?.start ?? 0, text.length);
  if (code === 'unknown_variable') {
    const name = String(node?.args);
    return { message: `There is no variable ${name}`, remedy: choiceOf(name, Object.keys(VARIABLES)), offset };
  }
  const type = node?.left?.checkedType?.name ?? '';
  if (code === 'no_such_key' && Object.hasOwn(TYPES, type)) {
    const [, field] = (node?.args ?? []) as readonly unknown[];
    const remedy = choiceOf(String(field), Object.keys(TYPES[type as TypeName]));
    return { message: `${type} has no field ${String(field)}`, remedy, offset };
  }
  const operands = [type, node?.right?.checkedType?.name];
  const mixes = operands.includes('double') && operands.includes('int');
  const remedy = mixes ? { remedy: 'Write a double with a decimal point, such as 25.0.' } : {};
  return { message: summaryOf(error), ...remedy, offset };
}

function summaryOf(error: unknown): string {
  const { summary } = error as LibraryError;
  return summary ?? (error instanceof Error ? error.message : String(error));
}

/** A node of the library's syntax tree. */
interface CelNode {
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
function nodesIn(value: unknown): CelNode[] {
  if (Array.isArray(value)) return value.flatMap(nodesIn);
  return typeof value === 'object' && value !== null && 'op' in value ? [value as CelNode] : [];
}

class StepsUsedUp extends Error {}

interface Meter {
  left: number;
}

/** The meter of the evaluation that runs. */
const RUNNING = { meter: { left: 0 } };

/** Counts the steps that are left; throws `StepsUsedUp` when there are none. */
function evaluateWithin(meter: Meter, evaluate: () => unknown): unknown {
  if (!isCounting) countSteps(findEvaluator());
  isCounting = true;
  RUNNING.meter = meter;
  return evaluate();
}

let isCounting = false;

/** The evaluator is private, but it is passed to every node. */
function findEvaluator(): CelEvaluator {
  let found: CelEvaluator | undefined;
  const probe = ENVIRONMENT.parse('true');
  (probe.ast as unknown as CelNode).evaluate = (evaluator) => {
    found = evaluator;
  };
  probe({});
  if (found === undefined) throw new Error('The library for CEL has changed: it has no evaluator.');
  return found;
}

/** Creating an error takes as long as this many steps. */
const STEPS_PER_ERROR = 200;

/** The library's own `tryEval` would continue after the last step: it takes an error for a value. */
function countSteps(evaluator: CelEvaluator): void {
  evaluator.run = (node, context) => {
    const { meter } = RUNNING;
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
      spend(RUNNING.meter, STEPS_PER_ERROR);
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
