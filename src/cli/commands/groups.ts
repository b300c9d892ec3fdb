/** The resources that have commands. Their tables are loaded only for a command line that names them. */

import type { Command } from 'commander';
import type { Choose } from '../line/choice.ts';
import type { ResourceGroup } from '../resources/command.ts';

/** Declares the commands of a group below its own. */
export interface LoadedGroup {
  readonly name: string;
  readonly declare: (parent: Command, choose: Choose) => void;
}

interface GroupHeading {
  readonly name: string;
  readonly summary: string;
  readonly description: string;
  readonly load: () => Promise<ResourceGroup>;
}

export const RESOURCE_GROUPS: readonly GroupHeading[] = [
  {
    name: 'flags',
    summary: 'read the flags of a project',
    description:
      'Reads the flags of a project and what is known about them. Flags are created, changed and deleted by plan and apply.',
    load: async () => (await import('./flags/table.ts')).FLAG_COMMANDS,
  },
  {
    name: 'role-access',
    summary: 'read which roles may edit a flag',
    description: 'Reads which roles may edit a flag. Access is given and taken away by plan and apply.',
    load: async () => (await import('./role-access/table.ts')).ROLE_ACCESS_COMMANDS,
  },
  {
    name: 'persons',
    summary: 'read, change and export persons',
    description: 'Reads, changes, deletes and exports the persons of a project.',
    load: async () => (await import('./persons/table.ts')).PERSON_COMMANDS,
  },
];

/** The groups that the arguments name, wherever: one too many costs a file. */
export async function loadGroups(argv: readonly string[]): Promise<readonly LoadedGroup[]> {
  const wanted = RESOURCE_GROUPS.filter(({ name }) => argv.includes(name));
  if (wanted.length === 0) return [];
  const { declareGroup } = await import('../resources/declare.ts');
  return Promise.all(
    wanted.map(async ({ name, load }) => {
      const group = await load();
      return { name, declare: (parent, choose) => declareGroup(parent, group, choose) };
    }),
  );
}
