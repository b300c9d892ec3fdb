/** Declares tables of commands to commander. */

import { memberOf } from '../../base/json.ts';
import { Argument, Option, type Command } from 'commander';
import { formatsOfGroups } from '../line/formats.ts';
import type { Choose } from '../session/session.ts';
import type { CommandValues, ResourceCommand, ResourceGroup } from './command.ts';
import type { Parameter } from './parameters.ts';

export function declareGroup(parent: Command, group: ResourceGroup, choose: Choose): void {
  for (const row of group.commands) declareCommand(parent, { group, row, choose });
  for (const [name, remedy] of Object.entries(group.elsewhere)) declareElsewhere(parent, { name, remedy, choose });
}

interface Declared {
  readonly group: ResourceGroup;
  readonly row: ResourceCommand;
  readonly choose: Choose;
}

function declareCommand(parent: Command, { group, row, choose }: Declared): void {
  const command = parent
    .command(row.name)
    .summary(row.summary)
    .description([`${capitalize(row.summary)}.`, row.description ?? ''].join(' ').trim());
  for (const parameter of Object.values(row.parameters)) declareParameter(command, parameter);
  if (row.columns !== undefined) {
    command.option('--columns <names>', `columns of table and csv, for example ${row.columns.join(',')}`, splitNames);
  }
  if (row.question !== undefined) command.option('-y, --yes', 'skip the confirmation; required without a terminal');
  const examples = row.examples.map((example) => `  $ ${example}`).join('\n');
  command
    .addHelpText('after', `\nFormats (-f): ${formatsOfGroups().join(', ')}\n\nExamples:\n${examples}`)
    .action((...given: unknown[]) => {
      const values = readValues(row, command, given);
      choose(async (session) => (await import('./execute.ts')).execute(session, { group, row, values }));
    });
}

function declareParameter(command: Command, { syntax, description, parse, required, fallback }: Parameter<unknown>) {
  if (isArgument(syntax)) {
    const argument = new Argument(syntax, description);
    command.addArgument(parse === undefined ? argument : argument.argParser(parse));
    return;
  }
  const option = new Option(syntax, description).makeOptionMandatory(required === true);
  if (parse !== undefined) option.argParser(parse);
  if (fallback !== undefined) option.default(fallback);
  command.addOption(option);
}

/** Commander passes arguments by position and options by attribute name. */
function readValues(row: ResourceCommand, command: Command, given: readonly unknown[]): CommandValues {
  const options = command.opts<Record<string, unknown>>();
  let position = 0;
  const own = Object.entries(row.parameters).map(([name, { syntax }]) => [
    name,
    isArgument(syntax) ? given[position++] : memberOf(options, new Option(syntax).attributeName()),
  ]);
  return { ...Object.fromEntries(own), columns: options['columns'], yes: options['yes'] };
}

interface Elsewhere {
  readonly name: string;
  readonly remedy: string;
  readonly choose: Choose;
}

/** Not listed in the help; answers a guess with where the command is. */
function declareElsewhere(parent: Command, { name, remedy, choose }: Elsewhere): void {
  parent
    .command(name, { hidden: true })
    .argument('[anything...]')
    .allowUnknownOption()
    .action(() =>
      choose(async () => (await import('./execute.ts')).refuseElsewhere(`${parent.name()} ${name}`, remedy)),
    );
}

function isArgument(syntax: string): boolean {
  return /^[<[]/.test(syntax);
}

function splitNames(text: string): string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
