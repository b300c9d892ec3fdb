/** The options of the program that a command does not use: its help omits them, and it refuses them. */

import type { Command, Option } from 'commander';
import type { Commands } from './commands.ts';

/** Options that act only in commands that need them. */
type SelectiveOption = 'project' | 'config' | 'concurrency' | 'deadline' | 'report' | 'markdownLimit';

/** Options that no command of a group uses: its records are read once, while they are written, and never as Markdown. */
const UNUSED_IN_GROUPS: readonly string[] = ['report', 'markdownLimit'];

const UNUSED: { readonly [Name in keyof Commands]: readonly SelectiveOption[] } = {
  init: ['config', 'concurrency', 'deadline', 'report', 'markdownLimit'],
  validate: ['concurrency'],
  test: ['concurrency'],
  plan: [],
  show: ['project', 'config', 'concurrency', 'deadline'],
  snapshot: ['markdownLimit'],
  apply: [],
  undo: [],
  history: ['concurrency', 'deadline', 'markdownLimit'],
  drift: [],
  export: ['markdownLimit'],
  accept: [],
  promote: ['project', 'markdownLimit'],
  parity: ['project', 'markdownLimit'],
  explain: ['markdownLimit'],
  serve: ['concurrency', 'report', 'markdownLimit'],
  completion: ['project', 'config', 'concurrency', 'deadline', 'report', 'markdownLimit'],
};

/** Whether a command uses an option of the program. */
export function usesOption(command: Command, option: Option): boolean {
  const isOfGroup = command.parent?.parent !== null;
  if (isOfGroup) return !UNUSED_IN_GROUPS.includes(option.attributeName());
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
