/** Arguments and options of commands as values: their syntax, their meaning, and how their strings are read. */

import { InvalidArgumentError } from 'commander';
import { defined } from '../../base/optional.ts';
import { parseDuration } from '../../base/times.ts';

export interface Parameter<T> {
  /** The syntax in the help: `<id>` and `[id]` are arguments, `--email <address>` and `--post` are options. */
  readonly syntax: string;
  readonly description: string;
  /** `previous`: the value of an earlier occurrence. Without a parser the value is the string itself, or true. */
  parse?(this: void, text: string, previous: T | undefined): T;
  /** The only values. */
  readonly choices?: readonly string[];
  readonly required?: boolean;
  readonly fallback?: T;
  /** The option that sets the value to false. */
  readonly off?: Readonly<Record<'syntax' | 'description', string>>;
}

export type Parameters = Readonly<Record<string, Parameter<unknown>>>;

/** A parameter for each member. */
export type ParametersOf<Options> = { readonly [Name in keyof Options]-?: Parameter<Options[Name]> };

/** The value of each parameter on a command line; absent if it is not given. */
export type ParameterValues<P extends Parameters> = {
  readonly [Name in keyof P as undefined extends ParameterValue<P[Name]> ? never : Name]: ParameterValue<P[Name]>;
} & {
  readonly [Name in keyof P as undefined extends ParameterValue<P[Name]> ? Name : never]?: Exclude<
    ParameterValue<P[Name]>,
    undefined
  >;
};

type ParameterValue<P> = P extends Parameter<infer T> ? T : never;

export function required(syntax: string, description: string): Parameter<string> {
  return { syntax, description, required: true };
}

export function text(syntax: string, description: string): Parameter<string | undefined> {
  return { syntax, description };
}

/** `[file...]`, an argument. */
export function texts(syntax: string, description: string): Parameter<readonly string[]> {
  return { syntax, description };
}

/** `--target <key...>`, an option. An empty string names nothing, and most often comes from an empty variable. */
export function list(syntax: string, description: string): Parameter<readonly string[] | undefined> {
  const parse = (text: string, previous: readonly string[] = []): readonly string[] => {
    if (text.trim() === '') throw new InvalidArgumentError('It is empty. Is a variable not set?');
    return [...previous, text];
  };
  return { syntax, description, parse };
}

/** `--out <file>`. A dash is no file: stdout has the report. */
export function outFile(text: string): string {
  if (text !== '' && text !== '-') return text;
  throw new InvalidArgumentError('It must name a file. stdout is for --format.');
}

/** `off`: the option that says no. */
export function onOff(
  syntax: string,
  description: string,
  off?: Parameter<boolean>['off'],
): Parameter<boolean | undefined> {
  return { syntax, description, ...defined({ off }) };
}

/** `--no-aliases` of what is usual. */
export function onUnless(syntax: string, description: string): Parameter<boolean> {
  return { syntax, description };
}

export function choice<const Choice extends string>(
  syntax: string,
  description: string,
  choices: readonly Choice[],
): Parameter<Choice | undefined> {
  return { syntax, description, choices };
}

export function whole(
  syntax: string,
  description: string,
  { from = 0, to }: { readonly from?: number; readonly to?: number } = {},
): Parameter<number | undefined> {
  return { syntax, description, parse: wholeNumber(from, to) };
}

export function requiredWhole(syntax: string, description: string): Parameter<number> {
  return { syntax, description, parse: wholeNumber(0), required: true };
}

/** The value of a parameter that is not given. */
export function withDefault<T>(parameter: Parameter<T | undefined>, fallback: T): Parameter<T> {
  return { ...(parameter as Parameter<T>), fallback };
}

/** Milliseconds. */
export function time(syntax: string, description: string): Parameter<number | undefined> {
  const parse = (given: string): number => {
    const ms = parseDuration(given);
    if (ms === undefined) throw new InvalidArgumentError('It must be a duration such as 90s, 5m or 1h30m.');
    return ms;
  };
  return { syntax, description, parse };
}

export function isArgument({ syntax }: Parameter<unknown>): boolean {
  return /^[<[]/.test(syntax);
}

export function wholeNumber(minimum: number, maximum: number = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (number >= minimum && number <= maximum) return number;
    const range = maximum === Number.MAX_SAFE_INTEGER ? `from ${minimum} up` : `from ${minimum} to ${maximum}`;
    throw new InvalidArgumentError(`It must be a whole number ${range}.`);
  };
}
