/** A flag that names the schema of its payloads: plan, apply and drift as without it, and every command that edits manifests keeps it. */

import { rmSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadFlags } from '../../src/testing/index.ts';
import { compile } from '../helpers/compile.ts';
import { runCli, type Ran } from '../helpers/run.ts';
import { schemaErrors } from '../helpers/schemas.ts';
import { createWorkspace, type Workspace } from '../helpers/workspace.ts';
import { startWorld, type World } from '../helpers/world.ts';

const SCHEMA = JSON.stringify({
  type: 'object',
  properties: { steps: { type: 'integer', minimum: 1 }, layout: { enum: ['wide', 'narrow'] } },
  required: ['steps'],
  not: { required: ['none'] },
});
const NAMED = '    payload_schema: ./schemas/checkout.json # for code\n';
const MANIFEST = `flags:
  checkout:
    active: true
    filters:
      groups: [{ rollout_percentage: 100 }]
      payloads: { true: { steps: 2 } }
${NAMED}`;

interface Place {
  readonly workspace: Workspace;
  readonly production: World;
  readonly staging: World;
  readonly run: (...argv: readonly string[]) => Promise<Ran>;
}

async function place(manifest: string = MANIFEST): Promise<Place> {
  const [production, staging] = [await startWorld('posthog'), await startWorld('posthog')];
  for (const world of [production, staging]) onTestFinished(async () => world.close());
  const workspace = createWorkspace({
    'flagwright.yaml': `default_project: production\nprojects:\n  production: { host: '${production.url}', project_id: '1' }\n  staging: { host: '${staging.url}', project_id: '1' }\n`,
    'flags/a.yaml': manifest,
    'flags/schemas/checkout.json': SCHEMA,
  });
  const run = async (...argv: readonly string[]): Promise<Ran> =>
    runCli([...argv], { cwd: workspace.root, env: { POSTHOG_API_KEY: 'phx_test' } });
  return { workspace, production, staging, run };
}

const withPayload = (payload: object): { readonly filters: never } => ({
  filters: {
    groups: [{ properties: [], rollout_percentage: 100 }],
    payloads: { true: JSON.stringify(payload) },
  } as never,
});

async function applied(manifest?: string): Promise<Place> {
  const there = await place(manifest);
  for (const project of ['production', 'staging']) {
    expect(await there.run('apply', '--yes', '-p', project)).toMatchObject({ code: 0 });
  }
  return there;
}

it('is not sent, and is no drift', async () => {
  const { production, run } = await applied();
  expect(JSON.stringify(await production.client.listFlags())).not.toContain('schema');
  expect(await run('plan', '--detailed-exitcode')).toMatchObject({ code: 0 });
  expect(await run('drift')).toMatchObject({ code: 0 });
});

it('refuses a plan and an apply of a payload that does not match it', async () => {
  const { run } = await place(MANIFEST.replace('steps: 2', 'steps: 0'));
  for (const argv of [
    ['plan'],
    ['apply', '--yes'],
    ['validate'],
    ['generate', 'typescript', '--sdk', 'posthog-js', '--out', 'x.ts'],
  ]) {
    const { code, stdout, stderr } = await run(...argv);
    expect(code).not.toBe(0);
    expect(stdout + stderr).toContain('flags/a.yaml:6:27');
  }
  const { document } = await run('validate', '-f', 'json');
  expect(schemaErrors('validation', document())).toEqual([]);
  expect(document()).toMatchObject({ diagnostics: [{ code: 'payload-schema-mismatch' }] });
});

describe('is kept', () => {
  it('by accept, which leaves a payload that does not match it', async () => {
    const { workspace, production, run } = await applied();
    await production.edit('checkout', withPayload({ steps: 5 }));
    expect(await run('accept', 'checkout', '--yes', '--layer', 'base')).toMatchObject({ code: 0 });
    expect(workspace.read('flags/a.yaml')).toBe(MANIFEST.replace('steps: 2', 'steps: 5'));
    await production.edit('checkout', withPayload({ steps: 0 }));
    const refused = await run('accept', 'checkout', '--yes', '--layer', 'base');
    expect(refused).toMatchObject({ code: 3 });
    expect(refused.stdout + refused.stderr).toContain('[payload-schema-mismatch]');
    expect(workspace.read('flags/a.yaml')).toBe(MANIFEST.replace('steps: 2', 'steps: 5'));
  });

  it('by promote', async () => {
    const { workspace, run } = await applied(
      `${MANIFEST}    projects:\n      staging: { payloads: { true: { steps: 7 } } }\n`,
    );
    expect(await run('promote', 'checkout', '--from', 'staging', '--to', 'production', '--yes')).toMatchObject({
      code: 0,
    });
    const text = workspace.read('flags/a.yaml');
    expect(text).toContain(NAMED);
    expect(text).toContain('steps: 7');
    expect(await run('validate')).toMatchObject({ code: 0 });
  });

  it('by a merge of another project', async () => {
    const { workspace, staging, run } = await applied();
    await staging.edit('checkout', withPayload({ steps: 9 }));
    workspace.write('flags/a.yaml', MANIFEST.replace(NAMED, `${NAMED}    only_in: [production]\n`));
    expect(await run('export', '-p', 'staging', '--merge')).toMatchObject({ code: 0 });
    const text = workspace.read('flags/a.yaml');
    expect(text).toContain(NAMED);
    expect(text).toContain('steps: 9');
    expect(await run('plan', '-p', 'staging', '--detailed-exitcode')).toMatchObject({ code: 0 });
  });

  it('by a rename, for both keys where another project keeps the former one', async () => {
    const { workspace, production, run } = await applied();
    await production.edit('checkout', { key: 'checkout-v2' });
    expect(await run('accept', 'checkout', '--yes', '--layer', 'project')).toMatchObject({ code: 0 });
    const text = workspace.read('flags/a.yaml');
    expect(text.match(/payload_schema: (["']?)\.\/schemas\/checkout\.json\1/g)).toHaveLength(2);
    expect(text).toContain('checkout-v2:');
    expect(await run('validate')).toMatchObject({ code: 0 });
  });

  it('by a rename in every project', async () => {
    const { workspace, production, run } = await applied(`${MANIFEST}    only_in: [production]\n`);
    await production.edit('checkout', { key: 'checkout-v2' });
    expect(await run('accept', 'checkout', '--yes')).toMatchObject({ code: 0 });
    expect(workspace.read('flags/a.yaml')).toContain(`checkout-v2:\n`);
    expect(workspace.read('flags/a.yaml')).toContain(NAMED);
  });
});

describe('generate', () => {
  const GENERATE = ['generate', 'typescript', '--sdk', 'posthog-js', '--out', 'src/flags.ts'];
  const TYPE = "readonly payload: {\n      readonly layout?: 'wide' | 'narrow';\n      readonly steps: number;\n    };";

  it('takes the type from the schema, names what is wider, and checks it', async () => {
    const { workspace, run } = await place();
    const { code, stderr } = await run(...GENERATE);
    expect(code).toBe(0);
    expect(stderr).toContain('The types of these payloads accept more than their schemas, which use "not": checkout.');
    expect(workspace.read('src/flags.ts')).toContain(TYPE);
    expect(await run(...GENERATE, '--check')).toMatchObject({ code: 0 });
    workspace.write('flags/schemas/checkout.json', SCHEMA.replace('narrow', 'slim'));
    expect(await run(...GENERATE, '--check')).toMatchObject({ code: 2 });
    const code_ = `import { checkout, type Flags } from './flags.js';\nexport const declared: Flags['checkout']['payload'] = { steps: 2 };\nexport const read = (posthog: never): number | undefined => checkout.payload(posthog)?.steps;\n`;
    workspace.write('src/use.ts', code_);
    expect(compile(workspace)).toBe('');
    workspace.write('src/use.ts', code_.replace('steps: 2', "steps: 2, layout: 'high'"));
    rmSync(path.join(workspace.root, 'node_modules'));
    expect(compile(workspace)).toContain('"high"');
  });

  it('needs no payload for the type, and knows none that is encrypted', async () => {
    const { workspace, run } = await place(MANIFEST.replace('      payloads: { true: { steps: 2 } }\n', ''));
    await run(...GENERATE);
    expect(workspace.read('src/flags.ts')).toContain(TYPE);
    workspace.write('flags/a.yaml', `${MANIFEST}    fields: { has_encrypted_payloads: true }\n`);
    await run(...GENERATE);
    expect(workspace.read('src/flags.ts')).toContain('readonly payload: unknown;');
  });
});

describe('the file of the schema is followed', () => {
  it('by flagwright/testing', async () => {
    const { workspace } = await place();
    const errors: Error[] = [];
    const flags = await loadFlags({ cwd: workspace.root, env: {}, watch: { onError: (error) => errors.push(error) } });
    onTestFinished(flags.close);
    workspace.write('flags/schemas/checkout.json', '{"type": "string"}');
    await expect.poll(() => errors.map(({ message }) => message)).toEqual([expect.stringContaining('flags/a.yaml:6:')]);
    expect(flags.evaluate({ id: 'x' }).payload('checkout')).toEqual({ steps: 2 });
    workspace.write('flags/schemas/checkout.json', 'true');
    workspace.write('flags/a.yaml', MANIFEST.replace('steps: 2', 'steps: 3'));
    await expect.poll(() => flags.evaluate({ id: 'x' }).payload('checkout')).toEqual({ steps: 3 });
    expect(errors).toHaveLength(1);
  });

  it('by serve', async () => {
    const workspace = createWorkspace({
      'flagwright.yaml': 'projects: { local: { service: embedded } }',
      'flags/a.yaml': MANIFEST,
      'flags/schemas/checkout.json': SCHEMA,
    });
    let [stop, stderr]: [() => void, string] = [() => undefined, ''];
    const ended = runCli(['serve', '--manifests', '--port', '0'], {
      cwd: workspace.root,
      onStart: (end) => (stop = end),
      onStderr: (text) => (stderr = text),
    });
    await expect.poll(() => stderr).toContain('Serving 1 flag');
    workspace.write('flags/schemas/checkout.json', '{"type": "string"}');
    await expect
      .poll(() => stderr)
      .toMatch(
        /flags\/a\.yaml:6.* The payload "true" does not match flags\/schemas\/checkout\.json: it does not satisfy `type: "string"`\.[^]*\nThe flags are unchanged\./,
      );
    workspace.write('flags/schemas/checkout.json', SCHEMA);
    await expect.poll(() => stderr.match(/Serving 1 flag/g)).toHaveLength(2);
    stop();
    await ended;
  });
});
