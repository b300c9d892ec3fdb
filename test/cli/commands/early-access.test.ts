/** The commands that write and compare manifests, for early access features, over HTTP: in this process, and one as it is built. */

// @module-tag untimely
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { cli } from '../../helpers/cli.ts';
import { git, GIT_ENV } from '../../helpers/repository.ts';
import { runCli } from '../../helpers/run.ts';
import { schemaErrors } from '../../helpers/schemas.ts';
import { createWorkspace } from '../../helpers/workspace.ts';
import { openWorld, type World, type WorldOptions } from '../../helpers/world.ts';

const MANIFEST = `flags:
  sharing: { rollout_percentage: 10 }
early_access:
  share: # asked for
    flag: sharing
    name: Sharing
    stage: 'draft' # not yet
`;

const CONFIG = (url: string): string => `manifests: [flags/*.yaml]
projects:
  production: { host: ${url}, project_id: 1 }
  staging: { host: ${url}, project_id: 2 }
`;

interface Stage {
  readonly world: World;
  readonly run: (
    ...argv: string[]
  ) => Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>;
  readonly read: (file?: string) => string;
  /** All files, in a repository of git. */
  readonly commit: () => string;
}

interface Setting {
  readonly config?: (url: string) => string;
  readonly options?: WorldOptions;
  readonly command?: typeof runCli | typeof cli;
}

async function stage(text: string, { config, options, command = runCli }: Setting = {}): Promise<Stage> {
  const world = await openWorld('posthog', undefined, options);
  const { root } = createWorkspace({ 'flags/main.yaml': text });
  if (config !== undefined) writeFileSync(path.join(root, 'flagwright.yaml'), config(world.url));
  const env = {
    ...GIT_ENV,
    HOME: root,
    POSTHOG_API_KEY: 'phx_planted_key_0123456789',
    ...(config === undefined && { POSTHOG_HOST: world.url, POSTHOG_PROJECT_ID: '1' }),
  };
  return {
    world,
    run: async (...argv) => command(argv, { cwd: root, env }),
    read: (file = 'flags/main.yaml') => readFileSync(path.join(root, file), 'utf8'),
    commit: () => {
      git(root, 'init', '--quiet', '--template=', '--initial-branch=main');
      git(root, 'add', '.');
      git(root, 'commit', '--quiet', '-m', 'Add manifests');
      return git(root, 'rev-parse', 'HEAD');
    },
  };
}

/** The feature that is live, which others edit. */
async function edit({ world }: Stage, body: JsonObject): Promise<void> {
  const [feature] = await world.client.listEarlyAccessFeatures();
  await world.client.updateEarlyAccessFeature(feature?.id ?? '', body);
}

test('accept takes over what others edited, once, and explain says where the values are', async () => {
  const staged = await stage(MANIFEST);
  expect(await staged.run('apply', '--yes')).toMatchObject({ code: 0 });
  await edit(staged, { stage: 'concept', name: 'Share it', description: 'Links.' });

  const explained = await staged.run('explain', 'early_access:share', '--format', 'json');
  const document = JSON.parse(explained.stdout) as JsonObject;
  expect(schemaErrors('explain', document)).toEqual([]);
  expect(document).toMatchObject({
    key: 'early_access:share',
    values: [
      { path: '/name', value: 'Sharing', live: { value: 'Share it', differs: true } },
      { path: '/stage', value: 'draft', live: { value: 'concept', differs: true } },
    ],
  });

  const accepted = await staged.run('accept', '--yes', '--format', 'json');
  expect(accepted).toMatchObject({ code: 0 });
  expect(schemaErrors('accept', JSON.parse(accepted.stdout) as JsonObject)).toEqual([]);
  const text = MANIFEST.replace('name: Sharing', 'name: Share it').replace("'draft'", "'concept'");
  expect(staged.read()).toBe(text);
  expect(await staged.run('plan', '--detailed-exitcode')).toMatchObject({ code: 0 });
  expect((await staged.run('accept', '--yes')).stdout).toContain('Nothing to accept.');
  expect(staged.read()).toBe(text);
});

test('accept declares a feature that went away as deleted', async () => {
  const staged = await stage(MANIFEST);
  const base = staged.commit();
  await staged.run('apply', '--yes');
  const [feature] = await staged.world.client.listEarlyAccessFeatures();
  await staged.world.client.deleteEarlyAccessFeature(feature?.id ?? '');
  const { code, stdout, stderr } = await staged.run('accept', '--yes', '--base', base);
  expect(stdout + stderr).not.toContain('left');
  expect(code).toBe(0);
  expect(staged.read()).toContain('deleted: true');
  expect(await staged.run('plan', '--detailed-exitcode')).toMatchObject({ code: 0 });
});

test('accept --unmanaged declares a feature beside the others, by its flag or its name', async () => {
  const staged = await stage(MANIFEST);
  await staged.run('apply', '--yes');
  const { world } = staged;
  const flag = await world.client.createFlag({
    key: 'dark-mode',
    active: true,
    filters: { groups: [{ properties: [], rollout_percentage: 10 }] },
  });
  await world.client.createEarlyAccessFeature({ name: 'Dark', stage: 'beta', feature_flag_id: flag.id });

  const wrong = await staged.run('accept', '--unmanaged', 'early_access:dark-mod', '--yes');
  expect(wrong).toMatchObject({ code: 1 });
  expect(wrong.stderr).toContain('Did you mean "early_access:dark-mode"?');
  expect(await staged.run('accept', '--unmanaged', 'early_access:Dark', '--yes')).toMatchObject({ code: 0 });
  expect(staged.read()).toContain('  dark-mode:\n    name: Dark\n');
  expect(await staged.run('plan', '--detailed-exitcode')).toMatchObject({ code: 0 });
});

test('export declares the features of flags, and reads back as what is live', async () => {
  const staged = await stage('flags: {}\n', { command: cli });
  const { world } = staged;
  for (const [key, stageOf] of [
    ['sharing', 'beta'],
    ['ended', 'archived'],
    ['none', undefined],
  ] as const) {
    const flag = await world.client.createFlag({
      key,
      active: true,
      filters: { groups: [{ properties: [], rollout_percentage: 10 }] },
    });
    if (stageOf === undefined) continue;
    await world.client.createEarlyAccessFeature({ name: `The ${key}`, stage: stageOf, feature_flag_id: flag.id });
  }
  expect(await staged.run('export')).toMatchObject({ code: 0 });
  expect(staged.read('flags/early-access.yaml')).toContain('early_access:\n  sharing:\n    name: The sharing\n');
  expect(staged.read('flags/early-access.yaml')).not.toContain('ended');
  const planned = await staged.run('plan', '--detailed-exitcode');
  expect(planned).toMatchObject({ code: 0 });
  expect(planned.stdout).toContain('1 early access feature');
  expect((await staged.run('export', '--force', '--no-early-access', '--dry-run')).stdout).not.toContain(
    'early-access',
  );
});

test('an export says that the API key cannot read features', async () => {
  const answer = { status: 403, body: 'envelope' } as const;
  const faults = { faults: { faults: [{ match: { operation: 'listEarlyAccessFeatures' }, answer }] } };
  const staged = await stage('flags: {}\n', { options: faults });
  const filters = { groups: [{ properties: [], rollout_percentage: 10 }] };
  const flag = await staged.world.client.createFlag({ key: 'sharing', active: true, filters });
  await staged.world.client.createEarlyAccessFeature({ name: 'Sharing', stage: 'draft', feature_flag_id: flag.id });
  const exported = await staged.run('export');
  expect(exported).toMatchObject({ code: 0 });
  expect(exported.stderr).toContain('cannot read early access features (scope early_access_feature:read)');
  expect(exported.stdout).not.toContain('early-access.yaml');
});

test('parity finds what projects declare and have otherwise, and promote copies it', async () => {
  const staged = await stage(
    `flags:
  sharing: { rollout_percentage: 10 }
early_access:
  share:
    flag: sharing
    stage: beta
    description: All.
    projects: { staging: { stage: draft, description: Some. } }
  late: { flag: sharing-late, only_in: [production] }
`,
    { config: CONFIG },
  );
  const parity = await staged.run('parity', '--format', 'json', '--declared');
  const compared = JSON.parse(parity.stdout) as {
    readonly differences: readonly { readonly key: string; readonly path: string }[];
  };
  expect(schemaErrors('parity', compared as unknown as JsonObject)).toEqual([]);
  expect(compared.differences.map(({ key, path: at }) => `${key} ${at}`)).toEqual([
    'early_access:late ',
    'early_access:share /description',
    'early_access:share /stage',
  ]);

  const lacking = await staged.run('promote', 'early_access:late', '--from', 'production', '--to', 'staging', '--yes');
  expect(lacking).toMatchObject({ code: 3 });
  expect(lacking.stdout + lacking.stderr).toContain('sharing-late');

  const only = ['--from', 'production', '--to', 'staging', '--yes'];
  expect(await staged.run('promote', 'early_access:share', ...only, '--only', 'description')).toMatchObject({
    code: 0,
  });
  expect(staged.read()).toContain('projects: { staging: { stage: draft, description: All. } }');
  const promoted = await staged.run('promote', 'early_access:share', ...only, '--format', 'json');
  expect(promoted).toMatchObject({ code: 0 });
  expect(schemaErrors('promote', JSON.parse(promoted.stdout) as JsonObject)).toEqual([]);
  expect(staged.read()).toContain('projects: { staging: { stage: beta, description: All. } }');
});
