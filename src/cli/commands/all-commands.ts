/** Every command, in the order of the help. What a command runs is loaded when it runs. */

import type { CommandDeclaration, AllCommands } from '../line/command.ts';
import type { Execute } from '../session/session.ts';
import { loadGroups } from './groups.ts';
import { LOOP } from './loop.ts';
import { MANIFESTS } from './manifests.ts';
import { completionOf, TOOLS } from './tools.ts';

const COMMANDS: readonly CommandDeclaration<Execute>[] = [...LOOP, ...MANIFESTS, ...TOOLS, completionOf(allCommands)];

/** The commands of a group are known if the arguments name the group. */
export async function allCommands(argv: readonly string[]): Promise<AllCommands<Execute>> {
  return { commands: COMMANDS, groups: await loadGroups(argv) };
}
