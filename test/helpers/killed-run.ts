/** A service in a process of its own, and runs of the built command that are killed on the way. */

import { onTestFinished } from 'vitest';
import { createClient, type ServiceClient } from '../../src/posthog/client/client.ts';
import { cli, startCli, type CliResult } from './cli.ts';
import { createWorkspace, type Workspace } from './workspace.ts';

const LATENCY_MS = 25;
export const FLAGS = 30;

type Env = Readonly<Record<string, string>>;

export interface Scene {
  readonly workspace: Workspace;
  readonly client: ServiceClient;
  readonly env: Env;
  readonly run: (...argv: string[]) => Promise<CliResult>;
}

/** The service is a process of its own, so that it outlives the runs that are killed. */
export async function scene(profile: string): Promise<Scene> {
  const workspace = createWorkspace({ 'flags/main.yaml': manifest('before') });
  const argv = ['serve', '--port', '0', '--data', 'service.db', '--profile', profile, '--latency', String(LATENCY_MS)];
  const { child, ended } = startCli(argv, { cwd: workspace.root });
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  const env = await new Promise<Env>((resolve) => {
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const pairs = [...text.matchAll(/^export (\w+)=(.+)\n/gm)];
      if (pairs.length === 3) resolve(Object.fromEntries(pairs.map(([, name, value]) => [name, value])) as Env);
    });
  });
  const client = createClient({
    host: env['POSTHOG_HOST'] as string,
    projectId: env['POSTHOG_PROJECT_ID'] as string,
    apiKey: env['POSTHOG_API_KEY'] as string,
  });
  onTestFinished(async () => client.close());
  return { workspace, client, env, run: (...args) => cli(args, { cwd: workspace.root, env }) };
}

/** From `before` to `after` every third flag is updated, every third deleted and as many created; the rest stays. */
export function manifest(state: 'before' | 'after'): string {
  const lines = Array.from({ length: FLAGS }, (_, index) => {
    if (index % 3 === 0)
      return `  flag-${index}: { active: true, rollout_percentage: ${state === 'before' ? 10 : 90} }`;
    if (index % 3 === 1) return `  flag-${index}: ${state === 'before' ? '{ active: true }' : '{ deleted: true }'}`;
    return state === 'before' ? '' : `  flag-${index}: { active: false, tags: [new] }`;
  });
  return `flags:\n${lines.filter((line) => line !== '').join('\n')}\n`;
}

export const PERMITTED = ['--allow-deletes', '99', '--allow-updates', '99', '--allow-disables', '99'];

/** Starts a run and ends it with the signal, so long after its first change was applied. */
export async function cutOff(
  { workspace, env }: Scene,
  argv: readonly string[],
  { signal, afterMs }: { readonly signal: NodeJS.Signals; readonly afterMs: number },
): Promise<CliResult> {
  const { child, ended } = startCli([...argv, '-v', '-f', 'json', '--concurrency', '3'], { cwd: workspace.root, env });
  const watch = (chunk: Buffer): void => {
    if (!/(?:POST|PATCH) /.test(chunk.toString())) return;
    child.stderr.off('data', watch);
    setTimeout(() => child.kill(signal), afterMs);
  };
  child.stderr.on('data', watch);
  return ended;
}

export async function activityOf(client: ServiceClient): Promise<readonly string[]> {
  const names: string[] = [];
  for (let page = 1; ; page += 1) {
    const { results, next } = await client.projectFlagActivity({ limit: 100, page });
    names.push(...results.map((entry) => `${String(entry['item_id'])} ${String(entry['activity'])}`));
    if (next === null) return names.toSorted();
  }
}

export function twice(names: readonly string[]): string[] {
  return names.filter((name, index) => names[index - 1] === name);
}

export const outcomesOf = ({ stdout }: CliResult): Record<string, number> =>
  (JSON.parse(stdout) as { outcomes: Record<string, number> }).outcomes;
