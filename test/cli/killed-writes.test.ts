/** The built command, killed while it puts files in place: the same command writes the rest. A disk that is full. */

import { execFileSync } from 'node:child_process';
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import { startCli, untilSaid } from '../helpers/cli.ts';
import { runCli } from '../helpers/run.ts';
import { createWorkspace, type Workspace } from '../helpers/workspace.ts';
import { openWorld, type World } from '../helpers/world.ts';

const HOLD = pathToFileURL(path.join(import.meta.dirname, '../helpers/hold-rename.mjs')).href;
const KEY = { POSTHOG_API_KEY: 'phx_planted_key_0123456789' };
const flag = (key: string): string =>
  `flags:\n  ${key}: { active: true, rollout_percentage: 10, projects: { production: { rollout_percentage: 5 } } }\n`;

interface Case {
  readonly command: readonly string[];
  /** The renames that put files in place. */
  readonly renames: number;
  readonly prepare?: (workspace: Workspace, world: World) => Promise<void>;
}

const CASES: Readonly<Record<string, Case>> = {
  init: { command: ['init'], renames: 3 },
  promote: {
    command: ['promote', '*', '--from', 'staging', '--to', 'production', '--yes'],
    renames: 2,
    prepare: async (workspace, world) => configure(workspace, world),
  },
  accept: {
    command: ['accept', '--yes', '--base', 'none', '-p', 'staging'],
    renames: 2,
    prepare: async (workspace, world) => {
      configure(workspace, world);
      await runCli(['apply', '-y', '--no-journal', '-p', 'staging'], { cwd: workspace.root, env: KEY });
      for (const key of ['a', 'b']) {
        await world.edit(key, { filters: { groups: [{ properties: [], rollout_percentage: 33 }] } });
      }
    },
  },
  export: {
    command: ['export', '-p', 'staging', '--dir', 'new/flags', '--group-by', 'flag'],
    renames: 2,
    prepare: async (workspace, world) => {
      configure(workspace, world);
      await runCli(['apply', '-y', '--no-journal', '-p', 'staging'], { cwd: workspace.root, env: KEY });
    },
  },
};

function configure({ write }: Workspace, { url }: World): void {
  const projects = ['staging', 'production'].map((name) => `  ${name}: { host: "${url}", project_id: "1" }\n`);
  write('flagwright.yaml', `projects:\n${projects.join('')}`);
  for (const key of ['a', 'b']) write(`flags/${key}.yaml`, flag(key));
}

function treeOf(root: string): Readonly<Record<string, string>> {
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' });
  const files = names.filter((name) => lstatSync(path.join(root, name)).isFile());
  return Object.fromEntries(files.map((name) => [name, readFileSync(path.join(root, name), 'utf8')]));
}

/** Without what is only there for a while. */
function filesOf(root: string): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(treeOf(root)).filter(([name]) => !path.basename(name).startsWith('.')));
}

test.each(Object.keys(CASES))(
  'after kill -9 while %s puts files in place, each file is whole, and the same command writes the rest',
  async (name) => {
    const { command, renames, prepare } = CASES[name] as Case;
    const world = await openWorld('posthog');
    const workspace = createWorkspace();
    const { root } = workspace;
    await prepare?.(workspace, world);
    const before = filesOf(root);
    const env = { ...KEY, NODE_OPTIONS: `--import ${HOLD}`, HOLD_RENAME: String(renames) };
    const { child, ended } = startCli(command, { cwd: root, env });
    await Promise.race([untilSaid(child, 'held'), ended]);
    child.kill('SIGKILL');
    expect(await ended).toMatchObject({ signal: 'SIGKILL' });
    const killed = filesOf(root);
    expect(killed).not.toEqual(before);
    expect((await runCli(command, { cwd: root, env: KEY })).code).toBe(0);
    const complete = filesOf(root);
    for (const [file, text] of Object.entries(killed)) expect([before[file], complete[file]]).toContain(text);
    expect(Object.entries(complete).filter(([file, text]) => text !== before[file]).length).toBeGreaterThanOrEqual(
      renames,
    );
    expect((await runCli(['validate'], { cwd: root, env: KEY })).code).toBe(0);
    // A third run finds nothing to write.
    await runCli(command, { cwd: root, env: KEY });
    expect(filesOf(root)).toEqual(complete);
  },
);

test.each([1, 2, 3, 4])(
  'an export that names cohorts in the configuration is complete after kill -9 at rename %i and another run',
  async (rename) => {
    const using = (value: number): JsonObject => ({
      groups: [{ properties: [{ key: 'id', type: 'cohort', value }], rollout_percentage: 100 }],
    });
    const world = await openWorld('posthog', {
      cohorts: [{ id: 7, name: 'Beta testers', filters: { properties: { type: 'AND', values: [BETA] } } }],
      flags: ['a', 'b'].map((key, index) => ({ id: index + 1, key, filters: using(7) })),
    });
    const { root, read } = createWorkspace({
      'flagwright.yaml': `projects:\n  main: { host: "${world.url}", project_id: "1" }\n`,
    });
    const command = ['export', '--dir', 'flags', '--group-by', 'flag'];
    const env = { ...KEY, NODE_OPTIONS: `--import ${HOLD}`, HOLD_RENAME: String(rename) };
    const { child, ended } = startCli(command, { cwd: root, env });
    await Promise.race([untilSaid(child, 'held'), ended]);
    child.kill('SIGKILL');
    expect(await ended).toMatchObject({ signal: 'SIGKILL' });
    const unmanaged = await runCli(['export', '--unmanaged', '--dry-run'], { cwd: root, env: KEY });
    // The configuration came first, so the manifests so far are valid. Without one, there is nothing to add to.
    expect([unmanaged.code, unmanaged.stderr]).toEqual(
      rename > 2 ? [0, expect.any(String)] : [1, expect.stringContaining('No file matches')],
    );
    expect((await runCli(command, { cwd: root, env: KEY })).code).toBe(0);
    expect(read('flagwright.yaml')).toContain('beta-testers: 7');
    const planned = await runCli(['plan', '--detailed-exitcode'], { cwd: root, env: KEY });
    expect([planned.code, planned.stderr]).toEqual([0, '']);
  },
);

const BETA = { key: 'plan', type: 'person', operator: 'exact', value: 'pro' };

test('init on a full disk writes no file, and all of them once there is space', async (context) => {
  const { root } = createWorkspace({ 'disk/.keep': '' });
  const disk = path.join(root, 'disk');
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8k', 'tmpfs', disk], { stdio: 'ignore' });
  } catch {
    context.skip('Only root may make a small disk.');
  }
  try {
    const full = await runCli(['init'], { cwd: disk });
    expect([full.code, full.stderr]).toEqual([1, expect.stringContaining('the disk is full') as string]);
    expect(filesOf(disk)).toEqual({});
    execFileSync('mount', ['-o', 'remount,size=1m', disk]);
    expect((await runCli(['init'], { cwd: disk })).stdout).not.toContain('kept');
    expect((await runCli(['validate'], { cwd: disk })).code).toBe(0);
  } finally {
    execFileSync('umount', [disk]);
  }
});
