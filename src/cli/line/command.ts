/**
 * A command is one value: what its line may have, what its help says, how it ends and what it runs. All else about it derives from this.
 */

import { Argument, Command, Option } from 'commander';
import { memberOf } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import type { Format } from '../../report/formats/render.ts';
import type { ReportKind } from '../../report/report.ts';
import type { CommandExits } from './exit.ts';
import type { GlobalOptions } from './options.ts';
import { isArgument, type Parameter, type Parameters, type ParameterValues } from './parameters.ts';

/** `Run`: what the command does, which only the caller knows. */
export interface CommandDeclaration<Run> {
  readonly name: string;
  readonly summary: string;
  readonly description: string;
  /** Names under which `run` gets their values, sorted as in the help. */
  readonly parameters: Parameters;
  /** Command lines. */
  readonly examples: readonly string[];
  /** The reports that may end it. Its formats are those that show each of them; failures do not count. */
  readonly reports: readonly ReportKind[];
  /** Exit codes with a meaning of their own, which the table of exit codes names. */
  readonly exits?: CommandExits;
  /** Formats that show another document instead of a report. */
  readonly documents?: readonly Format[];
  /** Options of the program that it has no use for: its help omits them, and it refuses them. */
  readonly unused: readonly (keyof GlobalOptions)[];
  /** The module of what it does is loaded when that runs. */
  readonly run: (values: Readonly<Record<string, unknown>>) => Run;
}

interface TypedDeclaration<P extends Parameters, Run> extends Omit<
  CommandDeclaration<Run>,
  'parameters' | 'unused' | 'run'
> {
  readonly parameters: P;
  readonly unused?: CommandDeclaration<Run>['unused'];
  readonly run: (values: ParameterValues<P>) => Run;
}

/** Checks a declaration against its own parameters, then erases their types so that all fit in one list. */
export function command<P extends Readonly<Record<string, Parameter<unknown>>>, Run>(
  declaration: TypedDeclaration<P, Run>,
): CommandDeclaration<Run> {
  return { unused: [], ...declaration } as unknown as CommandDeclaration<Run>;
}

/** A command of commander with its declaration. */
export class DeclaredCommand extends Command {
  readonly declaration: CommandDeclaration<unknown>;

  constructor(declaration: CommandDeclaration<unknown>) {
    super(declaration.name);
    this.declaration = declaration;
  }
}

/** `choose` gets what the command runs if the command line names it. */
export function declareCommand<Run>(
  declared: Command,
  { summary, description, parameters, ...declaration }: CommandDeclaration<Run>,
  choose: (run: Run) => void,
): void {
  declared.summary(summary).description(description);
  for (const parameter of Object.values(parameters)) declareParameter(declared, parameter);
  declared
    .addHelpText('after', examples(declaration.examples))
    .action((...given: unknown[]) => choose(declaration.run(readValues(parameters, declared, given))));
}

export function declareParameter(command: Command, parameter: Parameter<unknown>): void {
  const { syntax, description, parse, choices, required, fallback, off } = parameter;
  if (isArgument(parameter)) {
    const argument = new Argument(syntax, description);
    if (parse !== undefined) argument.argParser(parse);
    if (choices !== undefined) argument.choices(choices);
    command.addArgument(argument);
    return;
  }
  const option = new Option(syntax, description).makeOptionMandatory(required === true);
  if (parse !== undefined) option.argParser(parse);
  if (choices !== undefined) option.choices(choices);
  if (fallback !== undefined) option.default(fallback);
  command.addOption(option);
  if (off !== undefined) command.addOption(new Option(off.syntax, off.description));
}

/** Commander passes arguments by position and options by attribute name. */
export function readValues(
  parameters: Parameters,
  command: Command,
  given: readonly unknown[],
): Readonly<Record<string, unknown>> {
  const options = command.opts<Record<string, unknown>>();
  let position = 0;
  return defined(
    Object.fromEntries(
      Object.entries(parameters).map(([name, parameter]) => [
        name,
        isArgument(parameter) ? given[position++] : memberOf(options, new Option(parameter.syntax).attributeName()),
      ]),
    ),
  );
}

/** The examples at the end of a command's help. */
export function examples(commands: readonly string[]): string {
  return `\nExamples:\n${commands.map((command) => `  $ ${fold(command)}`).join('\n')}`;
}

/** Breaks before the options that a terminal of 80 columns has no room for. The result can still be pasted. */
function fold(command: string): string {
  const lines = [''];
  for (const part of command.split(/ (?=--?[a-z])/)) {
    const last = lines.at(-1) ?? '';
    if (last !== '' && last.length + part.length > MOST_CHARACTERS) lines.push(part);
    else lines.splice(-1, 1, last === '' ? part : `${last} ${part}`);
  }
  return lines.join(' \\\n      ');
}

/** Excludes the indentation and ` \`. */
const MOST_CHARACTERS = 71;

export interface AllCommands<Run> {
  /** Sorted as in the help. */
  readonly commands: readonly CommandDeclaration<Run>[];
  readonly groups: readonly CommandGroup<Run>[];
}

/** A command with subcommands: `flagwright persons …`. */
export interface CommandGroup<Run> {
  readonly name: string;
  readonly summary: string;
  readonly description: string;
  /** Declares the commands of the group; absent while they are not loaded. */
  readonly declare?: (parent: Command, choose: (run: Run) => void) => void;
}
