/** A second project is merged into manifests that declare early access features, over HTTP: in this process, and as it is built. */

import { expect, onTestFinished, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { cli } from '../../helpers/cli.ts';
import { runCli } from '../../helpers/run.ts';
import { schemaErrors } from '../../helpers/schemas.ts';
import { createWorkspace, type Workspace } from '../../helpers/workspace.ts';
import { startWorld, type World } from '../../helpers/world.ts';

const MANIFEST = `flags:
  changed: { rollout_percentage: 10 }
  gone: { rollout_percentage: 10 }
  archived: { rollout_percentage: 10 }
  shared: { rollout_percentage: 10 }
  same: { rollout_percentage: 10 }
early_access:
  # asked for
  share: { flag: changed, name: Changed, description: '', stage: beta } # not yet
  gone: { name: gone, stage: draft }
  archived: { name: archived, stage: draft }
  elsewhere: { flag: shared, only_in: [production], name: Shared, stage: draft }
  same: { name: Same, stage: concept }
`;

const ADDED = `  added:
    name: Added
    description: ""
    documentation_url: ""
    payload: { icon: plus, sizes: [1, null] }
    stage: draft
    only_in: [staging]
`;

/** A feature of each flag, by its key; a flag without a feature has none. */
type Features = Readonly<Record<string, JsonObject | undefined>>;

const STAGING: Features = {
  changed: { name: 'Changed here', stage: 'alpha' },
  gone: undefined,
  archived: { name: 'archived', stage: 'archived' },
  shared: { name: 'Shared', stage: 'concept' },
  same: { name: 'Same', stage: 'concept' },
  added: { name: 'Added', stage: 'draft', payload: { icon: 'plus', sizes: [1, null] } },
  over: { name: 'Over', stage: 'archived' },
};

interface Place {
  readonly workspace: Workspace;
  readonly run: (
    ...argv: string[]
  ) => Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>;
  readonly asked: readonly string[];
}

async function place(
  manifest: string,
  features: Features,
  command: typeof runCli | typeof cli = runCli,
): Promise<Place> {
  const asked: string[] = [];
  const production = await startWorld('posthog');
  const staging = await startWorld('posthog', undefined, { onRequest: ({ path }) => void asked.push(path) });
  for (const world of [production, staging]) onTestFinished(async () => world.close());
  const workspace = createWorkspace({
    'flags/main.yaml': manifest,
    'flagwright.yaml': `default_project: production
projects:
  production: { host: "${production.url}", project_id: 1 }
  staging: { host: "${staging.url}", project_id: 1 }
`,
  });
  const run: Place['run'] = async (...argv) =>
    command(argv, { cwd: workspace.root, env: { POSTHOG_API_KEY: 'phx_test' } });
  await create(staging, features);
  expect(await run('apply', '--yes')).toMatchObject({ code: 0 });
  asked.length = 0;
  return { workspace, run, asked };
}

async function create({ client }: World, features: Features): Promise<void> {
  for (const [key, feature] of Object.entries(features)) {
    const flag = await client.createFlag({ key, filters: { groups: [{ rollout_percentage: 10, properties: [] }] } });
    if (feature !== undefined) await client.createEarlyAccessFeature({ ...feature, feature_flag_id: flag.id });
  }
}

async function expectInSync(run: Place['run']): Promise<void> {
  for (const project of ['production', 'staging']) {
    const planned = await run('plan', '--detailed-exitcode', '-p', project);
    expect([project, planned.code, planned.stdout]).toEqual([project, 0, expect.stringContaining('In sync')]);
  }
}

test.each([
  ['in process', runCli],
  ['as it is built', cli],
])('what differs becomes an overlay, and only_in says who has a feature: %s', async (_how, command) => {
  const { workspace, run } = await place(MANIFEST, STAGING, command);
  const merged = await run('export', '-p', 'staging', '--merge', '-f', 'json');
  expect([merged.code, merged.stderr]).toEqual([0, expect.not.stringMatching(/not (exported|merged) {2}/)]);
  const document = JSON.parse(merged.stdout) as JsonObject;
  expect(schemaErrors('files', document)).toEqual([]);
  expect(document).toMatchObject({
    overlaid: ['early_access:elsewhere', 'early_access:share'],
    limited: ['early_access:archived', 'early_access:gone'],
    not_merged: [],
  });
  expect(merged.stderr).toContain('2 early access features differ in staging: overlays under projects.staging.');
  expect(merged.stderr).toContain('staging lacks 2 declared early access features, now limited with only_in');
  expect(workspace.read('flags/main.yaml')).toBe(
    MANIFEST.replace(
      'stage: beta } # not yet',
      'stage: beta, projects: { staging: { name: Changed here, stage: alpha } } } # not yet',
    )
      .replace('gone: { name: gone, stage: draft }', 'gone: { name: gone, stage: draft, only_in: [production] }')
      .replace('name: archived, stage: draft }', 'name: archived, stage: draft, only_in: [production] }')
      .replace(
        'only_in: [production], name: Shared, stage: draft }',
        'only_in: [production, staging], name: Shared, stage: draft, projects: { staging: { stage: concept } } }',
      )
      .concat(ADDED),
  );
  await expectInSync(run);
  const before = workspace.read('flags/main.yaml');
  const again = await run('export', '-p', 'staging', '--merge');
  expect([again.code, again.stdout, workspace.read('flags/main.yaml')]).toEqual([0, '', before]);
});

test('a feature that is declared as deleted, and one that only this project declares, are left and named', async () => {
  const { workspace, run } = await place(
    `flags: { sharing: {}, other: {} }
early_access:
  sharing: { deleted: true }
  other: { only_in: [staging], stage: draft }
`,
    { sharing: { name: 'Sharing', stage: 'beta' }, other: undefined },
  );
  const before = workspace.read('flags/main.yaml');
  const merged = await run('export', '-p', 'staging', '--merge', '-f', 'json');
  expect(merged.code).toBe(3);
  expect((JSON.parse(merged.stdout) as JsonObject)['not_merged']).toEqual([
    { key: 'early_access:sharing', reason: 'declared-deleted', file: 'flags/main.yaml' },
    { key: 'early_access:other', reason: 'declared-only-here', file: 'flags/main.yaml' },
  ]);
  expect(workspace.read('flags/main.yaml')).toBe(before);
});

const ONE = 'flags:\n  changed: {}\n  added: {}\nearly_access:\n  changed: { stage: beta }\n';

test('with --target, only the features of these flags are merged, and none is limited', async () => {
  const manifest = `flags: { changed: {}, added: {}, gone: {} }
early_access: { changed: { stage: beta }, gone: { stage: beta } }
`;
  const { workspace, run } = await place(manifest, {
    changed: { name: 'changed', stage: 'alpha' },
    added: { name: 'added', stage: 'draft' },
  });
  const merged = await run('export', '-p', 'staging', '--merge', '--target', 'changed', '-f', 'json');
  expect(merged.code).toBe(0);
  expect(JSON.parse(merged.stdout)).toMatchObject({ overlaid: ['early_access:changed'], limited: [] });
  expect(workspace.read('flags/main.yaml')).not.toContain('added:\n');
});

test.each<[why: string, manifest: string, ...options: string[]]>([
  ['with --no-early-access', ONE, '--no-early-access'],
  ['where no manifest declares one', 'flags:\n  changed: {}\n  added: {}\n'],
])('no feature is read or written %s', async (_why, manifest, ...options) => {
  const { workspace, run, asked } = await place(manifest, { changed: { name: 'changed', stage: 'alpha' } });
  expect(await run('export', '-p', 'staging', '--merge', ...options)).toMatchObject({ code: 0 });
  expect(asked.filter((path) => path.includes('early_access'))).toEqual([]);
  expect(workspace.read('flags/main.yaml')).not.toContain('alpha');
});
