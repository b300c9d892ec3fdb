/** Every command and group. What a command runs is loaded when it runs, the table of a group if the command line names it. */

import type { CommandDeclaration, AllCommands, CommandGroup } from '../line/program.ts';
import type { ResourceGroup } from '../resources/command.ts';
import type { Execute } from '../session/session.ts';
import { CATALOG } from './catalog.ts';
import { CODE } from './code.ts';
import { LOOP } from './loop.ts';
import { MANIFESTS } from './manifests.ts';
import { completionOf, TOOLS } from './tools.ts';

const COMMANDS: readonly CommandDeclaration<Execute>[] = [
  ...LOOP,
  ...MANIFESTS,
  ...CATALOG,
  ...CODE,
  ...TOOLS,
  completionOf(allCommands),
];

/** The commands of a group are known if the arguments name the group. */
export async function allCommands(argv: readonly string[]): Promise<AllCommands<Execute>> {
  return { commands: COMMANDS, groups: await loadGroups(argv) };
}

interface GroupHeading extends Omit<CommandGroup<Execute>, 'declare'> {
  readonly load: () => Promise<ResourceGroup>;
}

export const RESOURCE_GROUPS: readonly GroupHeading[] = [
  {
    name: 'flags',
    summary: 'read the flags of a project',
    description:
      'Reads the flags of a project, their activity and their evaluation. To create, change or delete flags, use plan and apply.',
    load: async () => (await import('./flags.ts')).FLAG_COMMANDS,
  },
  {
    name: 'role-access',
    summary: 'read who has access to a flag',
    description: 'Reads who has access to a flag. To change it, use plan and apply.',
    load: async () => (await import('./lists.ts')).ROLE_ACCESS_COMMANDS,
  },
  {
    name: 'roles',
    summary: 'list the roles of the organization',
    description: 'Lists the roles of the organization, which can have access to flags.',
    load: async () => (await import('./lists.ts')).ROLE_COMMANDS,
  },
  {
    name: 'cohorts',
    summary: 'list the cohorts of a project',
    description: 'Reads the cohorts of a project. Conditions of flags name them by id.',
    load: async () => (await import('./lists.ts')).COHORT_COMMANDS,
  },
  {
    name: 'early-access',
    summary: 'list the early access features of a project',
    description: 'Reads the early access features of a project. Each lets people enroll in a flag.',
    load: async () => (await import('./lists.ts')).EARLY_ACCESS_COMMANDS,
  },
  {
    name: 'persons',
    summary: 'read, change and export persons',
    description: 'Reads, changes, deletes and exports the persons of a project.',
    load: async () => (await import('./persons.ts')).PERSON_COMMANDS,
  },
];

/** Every group, with commands only for groups that the arguments name. A word that merely looks like a group costs one file. */
async function loadGroups(argv: readonly string[]): Promise<readonly CommandGroup<Execute>[]> {
  const named = RESOURCE_GROUPS.filter(({ name }) => argv.includes(name));
  if (named.length === 0) return RESOURCE_GROUPS;
  const { declareGroup } = await import('../resources/command.ts');
  const loaded = new Map<string, ResourceGroup>();
  for (const { name, load } of named) loaded.set(name, await load());
  return RESOURCE_GROUPS.map((heading): CommandGroup<Execute> => {
    const group = loaded.get(heading.name);
    return group === undefined
      ? heading
      : { ...heading, declare: (parent, choose) => declareGroup(parent, group, choose) };
  });
}
