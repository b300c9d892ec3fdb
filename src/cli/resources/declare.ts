/** Declares tables of commands to commander. */

import type { Command } from 'commander';
import { defined } from '../../base/optional.ts';
import { upperFirst } from '../../base/text.ts';
import { declareParameter, examples, readValues } from '../line/command.ts';
import type { Choose } from '../session/session.ts';
import type { CommandValues, ResourceGroup } from './command.ts';

export function declareGroup(parent: Command, group: ResourceGroup, choose: Choose): void {
  for (const row of group.commands) {
    const command = parent
      .command(row.name)
      .summary(row.summary)
      .description([`${upperFirst(row.summary)}.`, row.description ?? ''].join(' ').trim());
    for (const parameter of Object.values(row.parameters)) declareParameter(command, parameter);
    if (row.columns !== undefined) {
      command.option('--columns <names>', `columns of table and csv, for example ${row.columns.join(',')}`, splitNames);
    }
    if (row.question !== undefined) command.option('-y, --yes', 'skip the confirmation; required without a terminal');
    command.addHelpText('after', examples(row.examples)).action((...given: unknown[]) => {
      const { columns, yes } = command.opts<CommandValues>();
      const values = { ...readValues(row.parameters, command, given), ...defined({ columns, yes }) };
      choose(async (session) => (await import('./execute.ts')).execute(session, { group, row, values }));
    });
  }
  // Hidden commands answer a guess with the right command.
  for (const [name, remedy] of Object.entries(group.elsewhere)) {
    parent
      .command(name, { hidden: true })
      .argument('[anything...]')
      .allowUnknownOption()
      .action(() =>
        choose(async () => (await import('./execute.ts')).refuseElsewhere(`${parent.name()} ${name}`, remedy)),
      );
  }
}

function splitNames(text: string): string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}
