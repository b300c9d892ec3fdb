/** A service behind a gate, and runs of the built command that a test kills or interrupts. */

import { onTestFinished } from 'vitest';
import type { Profile } from '../../service/src/index.ts';
import type { ServiceClient } from '../../src/posthog/service-client.ts';
import { cli, startCli, untilSaid, type CliResult } from './cli.ts';
import { startGate, type Gate } from './gate.ts';
import { runCli, type Ran } from './run.ts';
import { createWorkspace, type Workspace } from './workspace.ts';
import { startWorld } from './world.ts';

export const FLAGS = 30;
export const CHANGES: number = (FLAGS * 2) / 3;
export const CONCURRENCY = 3;

export interface Scene {
  readonly workspace: Workspace;
  /** Calls the service directly, without the gate. */
  readonly client: ServiceClient;
  readonly gate: Gate;
  readonly env: Readonly<Record<string, string>>;
  /** The command in this process: what no test kills needs no process of its own. */
  readonly run: (...argv: string[]) => Promise<Ran>;
  readonly runBuilt: (...argv: string[]) => Promise<CliResult>;
}

export async function scene(profile: Profile): Promise<Scene> {
  const workspace = createWorkspace({ 'flags/main.yaml': manifest('before') });
  const world = await startWorld(profile);
  onTestFinished(() => world.close());
  const gate = await startGate(world.url);
  const env = { POSTHOG_HOST: gate.host, POSTHOG_PROJECT_ID: '1', POSTHOG_API_KEY: 'phx_planted_key_0123456789' };
  const options = { cwd: workspace.root, env };
  return {
    workspace,
    client: world.client,
    gate,
    env,
    run: (...argv) => runCli(argv, options),
    runBuilt: (...argv) => cli(argv, options),
  };
}

/** From `before` to `after`, one third of the flags is updated, one third deleted and one third created. */
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

export interface Moment {
  /** Number of the write, from 1. */
  readonly write: number;
  /** Whether the kill comes before or after the service executes the write; the run gets no answer. */
  readonly when: 'before' | 'after';
}

/** Starts a run and kills it at a write. A run with fewer writes ends by itself. */
export async function killAt(staged: Scene, argv: readonly string[], { write, when }: Moment): Promise<CliResult> {
  const { child, ended, hold } = startHeld(staged, argv, { write, when });
  await Promise.race([hold.arrived(1), ended]);
  child.kill('SIGKILL');
  const result = await ended;
  hold.open();
  await staged.gate.idle();
  return result;
}

/** Starts a run, signals it while a write waits for its answer, and then lets the service answer. */
export async function interruptAt(staged: Scene, argv: readonly string[], signal: NodeJS.Signals): Promise<CliResult> {
  const { child, ended, hold } = startHeld(staged, argv, { write: 5, when: 'before' });
  await hold.arrived(1);
  child.kill(signal);
  await untilSaid(child, 'Interrupted.');
  hold.open();
  return ended;
}

/** Starts a run whose write waits at the gate, until the test opens the hold or kills the process. */
export function startHeld(
  { workspace, env, gate }: Scene,
  argv: readonly string[],
  { write, when }: Moment,
): ReturnType<typeof startCli> & { readonly hold: ReturnType<Gate['hold']> } {
  let writes = 0;
  const hold = gate.hold(({ method }) => method !== 'GET' && (writes += 1) === write, when);
  return {
    ...startCli([...argv, '-f', 'json', '--concurrency', `${CONCURRENCY}`], { cwd: workspace.root, env }),
    hold,
  };
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

export const outcomesOf = ({ stdout }: Pick<CliResult, 'stdout'>): Record<string, number> =>
  (JSON.parse(stdout) as { outcomes: Record<string, number> }).outcomes;
