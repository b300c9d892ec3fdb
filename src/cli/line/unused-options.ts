/** The options of the program that a command does not use: its help omits them, and it refuses them. */

import type { Command, Option } from 'commander';
import type { Commands } from './commands.ts';

/** Options that act only in commands that need them. */
type SelectiveOption = 'project' | 'config' | 'concurrency' | 'deadline' | 'report';

/** Commands of a group use all of them but `--report`: their records are read once, while they are written. */
const UNUSED: { readonly [Name in keyof Commands]: readonly SelectiveOption[] } = {
  init: ['config', 'concurrency', 'deadline', 'report'],
  validate: ['concurrency'],
  test: ['concurrency'],
  plan: [],
  show: ['project', 'config', 'concurrency', 'deadline'],
  snapshot: [],
  apply: [],
  undo: [],
  history: ['concurrency', 'deadline'],
  drift: [],
  export: [],
  accept: [],
  promote: ['project'],
  parity: ['project'],
  explain: [],
  serve: ['concurrency', 'report'],
  completion: ['project', 'config', 'concurrency', 'deadline', 'report'],
};

/** Whether a command uses an option of the program. */
export function usesOption(command: Command, option: Option): boolean {
  const isOfGroup = command.parent?.parent !== null;
  if (isOfGroup) return option.attributeName() !== 'report';
  if (!Object.hasOwn(UNUSED, command.name())) return true;
  return !UNUSED[command.name() as keyof Commands].some((name) => name === option.attributeName());
}

export function refuseUnusedOptions(program: Command, command: Command): void {
  const unused = program.options.find(
    (option) => program.getOptionValueSource(option.attributeName()) === 'cli' && !usesOption(command, option),
  );
  if (unused === undefined) return;
  command.error(`error: ${command.name()} does not use ${unused.long ?? unused.flags}; remove it.`);
}
