/** The options of the program that a command does not use: its help omits them, and it refuses them. */

import type { Command, Option } from 'commander';
import { DeclaredCommand } from './command.ts';

/** Options that no command of a group uses: its records are read once, while they are written, and never as Markdown. */
const UNUSED_IN_GROUPS: readonly string[] = ['report', 'markdownLimit'];

/** Whether a command uses an option of the program. */
export function usesOption(command: Command, option: Option): boolean {
  const name = option.attributeName();
  if (command instanceof DeclaredCommand) return !command.declaration.unused.some((unused) => unused === name);
  return !UNUSED_IN_GROUPS.includes(name);
}

export function refuseUnusedOptions(program: Command, command: Command): void {
  const unused = program.options.find(
    (option) => program.getOptionValueSource(option.attributeName()) === 'cli' && !usesOption(command, option),
  );
  if (unused === undefined) return;
  command.error(`error: ${command.name()} does not use ${unused.long ?? unused.flags}; remove it.`);
}
