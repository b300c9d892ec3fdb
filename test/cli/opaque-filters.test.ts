/** Flags with rules instead of conditions through plan, apply, drift and export, against a service that refuses writes. */

import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { runCli, type Ran } from '../helpers/run.ts';
import { createWorkspace, type Workspace } from '../helpers/workspace.ts';
import { openWorld, type World } from '../helpers/world.ts';

const RULES = {
  version: 2,
  return_type: 'boolean',
  default_value: false,
  rules: [{ id: 'r1', rule_type: 'targeted_release', targeting: { properties: [] }, value: true, metadata: { a: [] } }],
};

interface Staged {
  readonly world: World;
  readonly workspace: Workspace;
  readonly run: (...argv: string[]) => Promise<Ran>;
}

async function stage(manifest: string): Promise<Staged> {
  const world = await openWorld('posthog', [
    { id: 1, key: 'ruled', version: 3, filters: RULES },
    { id: 2, key: 'plain', filters: { groups: [{ rollout_percentage: 5 }] } },
  ]);
  const workspace = createWorkspace({ 'flags/main.yaml': manifest });
  const env = { POSTHOG_HOST: world.url, POSTHOG_PROJECT_ID: '1', POSTHOG_API_KEY: 'phx_test' };
  return { world, workspace, run: async (...argv) => runCli(argv, { cwd: workspace.root, env }) };
}

test('a shorthand for a flag with rules is left out, whatever else is applied', async () => {
  const { run, world } = await stage(
    'flags:\n  ruled: { rollout_percentage: 50, active: false }\n  plain: { rollout_percentage: 7 }\n',
  );
  const applied = await run('apply', '-y');
  expect(applied).toMatchObject({ code: 0 });
  expect(applied.stdout + applied.stderr).toContain('No plan can write what differs in filters');
  const flags = await world.client.listFlags();
  expect(flags.find(({ key }) => key === 'ruled')).toMatchObject({ active: false, filters: RULES });
  const again = await run('plan');
  expect(again.stdout).toContain(
    'Nothing to apply: 1 differs in ways that no plan can change, 1 flag matches the manifests',
  );
  expect((await run('drift')).code).toBe(2);
});

test('what the service refuses is reported as its refusal', async () => {
  const { run } = await stage('flags:\n  ruled: { description: New }\n');
  const applied = await run('apply', '-y');
  expect(applied.code).toBe(1);
  expect(applied.stdout).toContain('unsupported_config_version');
  expect(applied.stdout + applied.stderr).toContain('The service may refuse to change name');
});

test('a flag with rules is deleted', async () => {
  const { run, world } = await stage('flags:\n  ruled: { deleted: true }\n');
  expect((await run('apply', '-y', '--allow-deletes', '1')).code).toBe(0);
  expect((await world.client.listFlags()).map(({ key }) => key)).toEqual(['plain']);
});

test.each<[string, string, string[]]>([
  ['a declared deletion', 'flags:\n  ruled: { deleted: true }\n', []],
  ['--prune', 'flags:\n  plain: {}\n', ['--prune']],
])('%s says that an approval policy denies it, and what to do', async (_name, manifest, more) => {
  const { run } = await stage(manifest);
  const planned = await run('plan', ...more);
  expect(planned.stdout).toContain('delete  ruled');
  expect(planned.stdout).toContain(
    'While an approval policy is enabled for writes of flags, the service refuses the change without opening a change request: disable the policy first.',
  );
  const { warnings } = (await run('plan', ...more, '-f', 'json')).document() as { readonly warnings: unknown };
  expect(warnings).toEqual([
    { code: 'filters_opaque', key: 'ruled', format: '2', omitted: [], uncertain: [], gated: ['deleted'] },
  ]);
});

test('the undo of a deletion reports that the service refuses it', async () => {
  const { run } = await stage('flags:\n  plain: {}\n');
  expect((await run('apply', '-y', '--prune', '--allow-deletes', '1')).code).toBe(0);
  const undone = await run('undo', '-y');
  // The service restores no flag with rules where PostHog has not opened the project for them.
  expect(undone.code).toBe(1);
  expect(undone.stdout + undone.stderr).toContain('unsupported_config_version');
});

test('an export has the rules as they are, and is in sync until they change', async () => {
  const { run, workspace } = await stage('flags: {}\n');
  expect((await run('export', '--force', '--dir', 'flags', '--group-by', 'single')).code).toBe(0);
  const [name = ''] = readdirSync(path.join(workspace.root, 'flags')).filter((one) => one !== 'main.yaml');
  const file = `flags/${name}`;
  const text = workspace.read(file);
  expect(text).toContain('version: 2');
  expect((await run('validate')).code).toBe(0);
  expect(await run('drift')).toMatchObject({ code: 0 });
  workspace.write(file, text.replace('default_value: false', 'default_value: true'));
  expect(await run('drift')).toMatchObject({ code: 2 });
});

const SPLIT = {
  version: 2,
  return_type: 'number',
  default_value: 1,
  rules: [
    {
      id: 'r1',
      rule_type: 'targeted_release',
      targeting: { properties: [{ key: 'plan', type: 'person', operator: 'exact', value: 'pro' }] },
      value: 5,
    },
    {
      id: 'r2',
      rule_type: 'experiment',
      targeting: { properties: [] },
      experiment_id: null,
      paused: false,
      rollout_percentage: 20,
      on_rollout_miss: 'continue',
      assignment_algorithm: 'sha1_60_v1',
      seed: 's1',
      variants: [
        { key: 'a', weight: 50, value: 2 },
        { key: 'b', weight: 50, value: 3 },
      ],
    },
  ],
};

test('rules are tested and their impact is known, and the plan writes none', async () => {
  const { run, workspace, world } = await stage(
    `flags:\n  ruled:\n    active: true\n    filters: ${JSON.stringify(SPLIT)}\n`,
  );
  workspace.write(
    'tests/ruled.yaml',
    [
      'people:',
      '  ada: { id: ada, properties: { plan: pro } }',
      '  bob: { id: bob, properties: {} }',
      'expect:',
      '  - { person: ada, flags: { ruled: { value: true, payload: 5 } } }',
      '  - { person: bob, flags: { ruled: { value: true, payload: 2 } } }',
    ].join('\n'),
  );
  const tested = await run('test', '-v');
  expect(tested.code).toBe(2);
  expect(tested.stdout).toContain('condition 1 (plan is pro) matches');
  expect(tested.stdout).toContain('none of the 2 conditions matches');
  expect(tested.stdout).toContain('1 passed, 1 failed');
  workspace.write('flags/main.yaml', 'flags:\n  ruled: { active: false }\n');
  expect((await run('plan', '--impact')).stdout).toContain('impact: of everyone, 100% lose the flag');
  expect((await world.client.listFlags()).find(({ key }) => key === 'ruled')).toMatchObject({ filters: RULES });
});
