/** Several services, each with one project, and a configuration of them. */

import { expect, onTestFinished } from 'vitest';
import { GIT_ENV, initialise, repositoryIn, type TestRepository } from './repository.ts';
import { schemaErrors } from './schemas.ts';
import { cli, type CliResult } from './cli.ts';
import { runCli, type Ran, type RunOptions } from './run.ts';
import { createWorkspace, type Workspace } from './workspace.ts';
import { startWorld, type World, type WorldOptions } from './world.ts';

export interface SeveralProjects<Name extends string> extends Workspace {
  readonly worlds: Readonly<Record<Name, World>>;
  /** The key of each. */
  readonly env: Readonly<Record<string, string>>;
  readonly keysOf: (name: Name) => Promise<readonly string[]>;
  readonly run: (...argv: string[]) => Promise<Ran>;
  /** Runs the built command. */
  readonly runBuilt: (...argv: string[]) => Promise<CliResult>;
  readonly runWith: (options: Partial<RunOptions>, ...argv: string[]) => Promise<Ran>;
}

export const TWO_FLAGS = `flags:
  checkout: { active: true, rollout_percentage: 10 }
  search: { active: true }
`;

/** `projects`: the members of each in flagwright.yaml besides its address. `settings`: further members of the file. */
export async function severalProjects<Name extends string>(
  projects: Readonly<Record<Name, string>>,
  {
    settings = '',
    manifest = TWO_FLAGS,
    worlds: options = {},
  }: {
    readonly settings?: string;
    readonly manifest?: string;
    readonly worlds?: { readonly [One in Name]?: WorldOptions };
  } = {},
): Promise<SeveralProjects<Name>> {
  const names = Object.keys(projects) as Name[];
  const started = await Promise.all(
    names.map(async (name) => [name, await startWorld('posthog', undefined, options[name])] as const),
  );
  onTestFinished(async () => void (await Promise.all(started.map(async ([, world]) => world.close()))));
  const worlds = Object.fromEntries(started) as unknown as Record<Name, World>;
  const lines = names.map((name) => {
    const variable = `KEY_${name.toUpperCase().replaceAll('-', '_')}`;
    return `  ${name}: { host: "${worlds[name].url}", project_id: "1", api_key_env: ${variable}${projects[name]} }\n`;
  });
  const workspace = createWorkspace({
    'flagwright.yaml': `projects:\n${lines.join('')}${settings}`,
    'flags/main.yaml': manifest,
  });
  const env = Object.fromEntries(
    names.map((name) => [`KEY_${name.toUpperCase().replaceAll('-', '_')}`, `phx_planted_key_of_${name}_0123`]),
  );
  const runWith: SeveralProjects<Name>['runWith'] = (given, ...argv) =>
    runCli(argv, { cwd: workspace.root, ...given, env: { ...env, ...given.env } });
  return {
    ...workspace,
    worlds,
    env,
    keysOf: async (name) => (await worlds[name].client.listFlags()).map(({ key }) => key).toSorted(),
    run: (...argv) => runWith({}, ...argv),
    runBuilt: (...argv) => cli(argv, { cwd: workspace.root, env }),
    runWith,
  };
}

export interface Member {
  readonly state: string;
  readonly exit?: number;
  readonly report?: { readonly error?: { readonly code: string }; readonly changes?: readonly object[] };
}

/** What the document of a run over several projects says of each. */
export function membersOf({ stdout }: { readonly stdout: string }): Readonly<Record<string, Member>> {
  const document = JSON.parse(stdout) as { readonly projects: Readonly<Record<string, Member>> };
  expect(schemaErrors('projects', document)).toEqual([]);
  return document.projects;
}

export function statesOf(ran: { readonly stdout: string }): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(membersOf(ran)).map(([name, { state }]) => [name, state]));
}

/** Makes the folder a repository and commits all files; `env`: in which git finds no configuration but its own. */
export function committing(workspace: Workspace): TestRepository & { readonly env: Readonly<Record<string, string>> } {
  initialise(workspace.root);
  const repository = repositoryIn(workspace);
  repository.commit();
  return { ...repository, env: { ...GIT_ENV, HOME: workspace.root } };
}
