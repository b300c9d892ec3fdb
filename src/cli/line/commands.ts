/** The commands that a command line may name. */

import type { Command } from 'commander';
import type { CommandDeclaration } from './command.ts';

export interface KnownCommands<Run> {
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
