/** Early access features as code from the command line: validate, plan, apply, drift, undo, snapshot, and the built command. */

// @module-tag untimely
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import { cli } from '../helpers/cli.ts';
import { gitStage } from '../helpers/git-stage.ts';
import { runCli } from '../helpers/run.ts';
import { schemaErrors } from '../helpers/schemas.ts';
import { createWorkspace } from '../helpers/workspace.ts';
import { openWorld, type World, type WorldOptions } from '../helpers/world.ts';

const manifest = (stage: string, flag = 'rollout_percentage: 10'): string => `flags:
  sharing:
    ${flag}
early_access:
  share:
    flag: sharing
    name: Sharing
    stage: ${stage}
`;

interface Printed {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The command in this process, or as it is built. */
type Run = (
  argv: readonly string[],
  options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
) => Promise<Printed>;

interface Stage {
  readonly world: World;
  readonly root: string;
  readonly write: (text: string) => void;
  readonly read: () => string;
  readonly run: (...argv: string[]) => Promise<Printed>;
}

async function stage(text: string, run: Run = runCli, options: WorldOptions = {}): Promise<Stage> {
  const world = await openWorld('posthog', undefined, options);
  const { root } = createWorkspace({ 'flags/main.yaml': text });
  const env = { POSTHOG_HOST: world.url, POSTHOG_PROJECT_ID: '1', POSTHOG_API_KEY: 'phx_planted_key_0123456789' };
  return {
    world,
    root,
    write: (next) => writeFileSync(path.join(root, 'flags/main.yaml'), next),
    read: () => readFileSync(path.join(root, 'flags/main.yaml'), 'utf8'),
    run: (...argv) => run(argv, { cwd: root, env }),
  };
}

const live = async ({ world }: Stage): Promise<JsonObject> => (await world.client.listEarlyAccessFeatures())[0] ?? {};

describe.each([
  ['in process', runCli],
  ['as it is built', cli],
] as const satisfies readonly (readonly [string, Run])[])('the command %s', (_how, run) => {
  test('validates, plans, applies, shows drift, and reverts', async () => {
    const staged = await stage(manifest('beta'), run);
    expect(await staged.run('validate')).toMatchObject({ code: 0 });
    const planned = await staged.run('plan');
    expect(planned.stdout).toContain('+ create  share (early access)');
    expect(planned.stdout).toContain(
      'Enrollment starts: people who enrolled get sharing and people who declined do not',
    );
    expect(planned.stdout).toContain('1 flag and 1 early access feature to create');

    expect(await staged.run('apply', '--yes')).toMatchObject({ code: 0 });
    expect(await live(staged)).toMatchObject({ name: 'Sharing', stage: 'beta' });
    const again = await staged.run('plan', '--detailed-exitcode');
    expect(again).toMatchObject({ code: 0 });
    expect(again.stdout).toContain('1 flag and 1 early access feature match');
    expect(again.stdout + again.stderr).not.toContain('overrides the conditions');

    await staged.world.client.updateEarlyAccessFeature((await live(staged))['id'] as string, { stage: 'archived' });
    const drift = await staged.run('drift');
    expect(drift).toMatchObject({ code: 2 });
    expect(drift.stdout).toContain('share (early access)');
    expect(drift.stdout).toContain('Drift: 1 early access feature different · 1 flag in sync');

    expect(await staged.run('apply', '--yes')).toMatchObject({ code: 0 });
    expect(await staged.run('undo', '--yes')).toMatchObject({ code: 0 });
    expect(await live(staged)).toMatchObject({ stage: 'archived' });
    expect((await staged.run('early-access', 'list')).stdout).toContain('sharing');
  });
});

test('a target selects a feature with its flag, and options name it with its kind', async () => {
  const staged = await stage(`${manifest('draft')}  other: { stage: draft }\n`);
  const plan = await staged.run('plan', '--target', 'early_access:share', '--format', 'json');
  const document = JSON.parse(plan.stdout) as JsonObject;
  expect(schemaErrors('plan', document)).toEqual([]);
  expect((document['changes'] as JsonObject[]).map(({ ref }) => ref)).toEqual(['flag:sharing', 'early_access:share']);
  const wrong = await staged.run('plan', '--target', 'share');
  expect(wrong).toMatchObject({ code: 1 });
  expect(wrong.stderr).toContain('early_access:share');
});

const PAYLOAD = { icon: 'share', sizes: [1.5, null], 'a b': { '# c': ' d ' } };
const payload = async (staged: Stage): Promise<unknown> => (await live(staged))['payload'];

test('a payload is planned, written, read back, accepted, explained, undone and exported as one value', async () => {
  const draft = manifest('draft');
  const staged = await stage(draft, cli);
  expect(await staged.run('apply', '--yes')).toMatchObject({ code: 0 });
  staged.write(`${draft}    payload: ${JSON.stringify(PAYLOAD)}\n`);
  expect((await staged.run('plan')).stdout).toContain('payload.icon   (none) → share');
  const json = JSON.parse((await staged.run('plan', '--format', 'json')).stdout) as JsonObject;
  expect(schemaErrors('plan', json)).toEqual([]);
  expect(json['changes']).toMatchObject([{ body: { payload: PAYLOAD }, base: { former: { payload: {} } } }]);
  expect(await staged.run('apply', '--yes')).toMatchObject({ code: 0 });
  expect(await payload(staged)).toEqual(PAYLOAD);
  expect(await staged.run('drift')).toMatchObject({ code: 0 });

  const edited = { ...PAYLOAD, icon: 'link' };
  await staged.world.client.updateEarlyAccessFeature((await live(staged))['id'] as string, { payload: edited });
  expect((await staged.run('explain', 'early_access:share.payload')).stdout).toContain('link');
  expect(await staged.run('drift')).toMatchObject({ code: 2 });
  expect(await staged.run('accept', 'early_access:share', '--yes')).toMatchObject({ code: 0 });
  expect(staged.read()).toBe(`${draft}    payload: ${JSON.stringify(PAYLOAD)}\n`.replace('share"', 'link"'));
  expect(await staged.run('drift')).toMatchObject({ code: 0 });

  expect(await staged.run('export', '--dir', 'exported')).toMatchObject({ code: 0 });
  const file = readFileSync(path.join(staged.root, 'exported/early-access.yaml'), 'utf8');
  expect(file).toContain('payload: { icon: link, sizes: [1.5, null], a b: { "# c": " d " } }');
  expect(await staged.run('undo', '--yes')).toMatchObject({ code: 5 });
  await staged.world.client.updateEarlyAccessFeature((await live(staged))['id'] as string, { payload: PAYLOAD });
  expect(await staged.run('undo', '--yes')).toMatchObject({ code: 0 });
  expect(await payload(staged)).toEqual({});
});

test('validate refuses a payload with nothing behind its name', async () => {
  const staged = await stage(`${manifest('draft')}    payload: # later\n`, cli);
  const found = await staged.run('validate');
  expect(found).toMatchObject({ code: 1 });
  expect(found.stdout + found.stderr).toContain('flags/main.yaml:9:');
});

test('a plan that would release a flag that no manifest declares is refused, with the option that allows it', async () => {
  const staged = await stage('early_access: { sharing: { stage: beta } }\n');
  await staged.world.client.createFlag({ key: 'sharing', filters: { groups: [{ rollout_percentage: 0 }] } });
  const refused = await staged.run('apply', '--yes');
  expect(refused).toMatchObject({ code: 4 });
  expect(refused.stdout + refused.stderr).toContain('let people who enrolled have the flag sharing');
  expect(refused.stdout + refused.stderr).toContain('--allow-risky early_access:sharing');
  expect(await live(staged)).toEqual({});
  expect(await staged.run('apply', '--yes', '--allow-risky', 'early_access:sharing')).toMatchObject({ code: 0 });
  expect(await live(staged)).toMatchObject({ stage: 'beta' });
});

test('a flag with a feature is not deleted', async () => {
  const staged = await stage(manifest('draft'));
  await staged.run('apply', '--yes');
  staged.write('flags: { sharing: { deleted: true } }\n');
  const refused = await staged.run('apply', '--yes');
  expect(refused).toMatchObject({ code: 4 });
  expect(refused.stdout + refused.stderr).toContain('it has the early access feature Sharing');
});

test.each([
  ['renames', 'flags: { shared: { previous_keys: [sharing] } }', 1, 'flag: shared'],
  ['declares nowhere', 'flags: { sharings: {} }', 0, 'Did you mean "sharings"?'],
])('validate finds a feature whose flag the manifests %s', async (_, flags, code, remedy) => {
  const { run } = await stage(`${flags}\nearly_access: { share: { flag: sharing, stage: beta } }\n`, cli);
  const found = await run('validate');
  expect(found.code).toBe(code);
  expect(found.stdout + found.stderr).toContain('early-access-flag-unknown');
  expect(found.stdout + found.stderr).toContain(remedy);
  expect(found.stdout + found.stderr).toContain('flags/main.yaml:2:');
});

test('validate names the place where a flag contradicts the stage', async () => {
  const filters = 'filters: { groups: [{}], feature_enrollment: false }';
  const { run } = await stage(manifest('beta', filters));
  const { code, stdout, stderr } = await run('validate');
  expect(code).toBe(1);
  expect(stdout + stderr).toContain('early-access-contradicted');
  expect(stdout + stderr).toContain('flags/main.yaml:8:');
});

test('a snapshot holds what a plan against it needs', async () => {
  const staged = await stage(manifest('draft'));
  await staged.run('apply', '--yes');
  expect(await staged.run('snapshot', '--out', 'snapshot.json')).toMatchObject({ code: 0 });
  expect(existsSync(path.join(staged.root, 'snapshot.json'))).toBe(true);
  staged.write(manifest('beta'));
  const planned = await staged.run('plan', '--against', 'snapshot.json');
  expect(planned).toMatchObject({ code: 0 });
  expect(planned.stdout).toContain('Enrollment starts');
});

test('without the section no request for features is sent', async () => {
  const asked: string[] = [];
  const staged = await stage('flags: { sharing: { rollout_percentage: 10 } }\n', runCli, {
    onRequest: ({ path: at }) => void asked.push(at),
  });
  expect(await staged.run('apply', '--yes')).toMatchObject({ code: 0 });
  expect(asked.filter((at) => at.includes('early_access'))).toEqual([]);
  staged.write(manifest('beta'));
  expect(await staged.run('apply', '--yes')).toMatchObject({ code: 0 });
  expect(asked.filter((at) => at.includes('early_access')).length).toBeGreaterThan(0);
});

test('a service without early access features is told apart from an empty project', async () => {
  const world = await openWorld('documented');
  const { root } = createWorkspace({ 'flags/main.yaml': manifest('beta') });
  const env = { POSTHOG_HOST: world.url, POSTHOG_PROJECT_ID: '1', POSTHOG_API_KEY: 'phx_planted_key_0123456789' };
  const planned = await runCli(['plan', '--format', 'json'], { cwd: root, env });
  expect(planned.code).toBe(1);
  expect(planned.stdout + planned.stderr).toContain('project_not_found');
});

test('a feature of a flag that belongs to an experiment is refused before anything is written', async () => {
  const flags = [{ id: 1, key: 'sharing', filters: { groups: [{ rollout_percentage: 10 }] } }];
  const world = await openWorld('posthog', { flags, experiments: [{ id: 7, name: 'Colours', flag: 'sharing' }] });
  const { root } = createWorkspace({ 'flags/main.yaml': manifest('beta') });
  const env = { POSTHOG_HOST: world.url, POSTHOG_PROJECT_ID: '1', POSTHOG_API_KEY: 'phx_planted_key_0123456789' };
  const refused = await runCli(['apply', '--yes'], { cwd: root, env });
  expect(refused).toMatchObject({ code: 4 });
  expect(refused.stdout + refused.stderr).toContain('which belongs to an experiment');
  expect(await world.client.listEarlyAccessFeatures()).toEqual([]);
});

test('an undo of a flag and its stage can be undone, and who is enrolled follows the stage', async () => {
  const staged = await stage(manifest('draft'));
  expect(await staged.run('apply', '--yes')).toMatchObject({ code: 0 });
  staged.write(manifest('beta', 'rollout_percentage: 20'));
  expect(await staged.run('apply', '--yes')).toMatchObject({ code: 0 });
  const enrolls = async (): Promise<unknown> =>
    (await staged.world.client.listFlags())[0]?.filters?.['feature_enrollment'];
  expect([(await live(staged))['stage'], await enrolls()]).toEqual(['beta', true]);
  for (const [expected, enrolled] of [
    ['draft', null],
    ['beta', true],
    ['draft', null],
  ] as const) {
    const named = /flagwright undo (\S+)\./.exec((await staged.run('undo', '--yes')).stderr)?.[1];
    // The second undo names the run that it would undo.
    const done = named === undefined ? undefined : await staged.run('undo', named, '--yes');
    expect(done?.stderr ?? '').not.toContain('cannot be undone');
    expect([(await live(staged))['stage'], (await enrolls()) ?? null]).toEqual([expected, enrolled]);
  }
});

/** Writes the flag past its early access feature, as another client of the interface does. */
async function enrol({ world }: Pick<Stage, 'world'>, feature_enrollment: true | null): Promise<void> {
  const [flag] = await world.client.listFlags();
  await world.client.updateFlag(flag?.id ?? 0, { filters: { ...flag?.filters, feature_enrollment } });
}

const enrols = async ({ world }: Pick<Stage, 'world'>): Promise<unknown> =>
  (await world.client.listFlags())[0]?.filters?.['feature_enrollment'] ?? null;

describe('a live edit of who is enrolled', () => {
  test.each([
    ['beta', null, 'enrollment  true → false', 'Enrollment starts: people who enrolled get sharing'],
    ['concept', true, 'enrollment  false → true', 'Enrollment ends: from now on the conditions of sharing decide'],
  ] as const)('under the stage %s is drift, and apply reverts it', async (stageOf, edited, shown, consequence) => {
    const staged = await stage(manifest(stageOf), cli);
    expect(await staged.run('apply', '--yes')).toMatchObject({ code: 0 });
    const before = await enrols(staged);
    await enrol(staged, edited);

    const drift = await staged.run('drift');
    expect(drift).toMatchObject({ code: 2 });
    expect(drift.stdout).toContain(shown);
    const planned = await staged.run('plan', '--detailed-exitcode');
    expect(planned).toMatchObject({ code: 2 });
    expect(planned.stdout).toContain(consequence);
    const json = JSON.parse((await staged.run('plan', '--format', 'json')).stdout) as JsonObject;
    expect(schemaErrors('plan', json)).toEqual([]);

    expect(await staged.run('apply', '--yes')).toMatchObject({ code: 0 });
    expect([await enrols(staged), (await live(staged))['stage']]).toEqual([before, stageOf]);
    expect(await staged.run('drift')).toMatchObject({ code: 0 });

    const undo = await staged.run('undo', '--yes');
    expect(undo).toMatchObject({ code: 4 });
    expect(undo.stderr).toContain('no request writes back what was there before');
    expect(await enrols(staged)).toEqual(before);
  });

  test('stays where drift is kept, and ends no enrollment of a protected flag', async () => {
    const project = 'projects:\n  main: { host: $HOST, project_id: "1" }\n';
    const staged = await gitStage(`${project}drift: keep\n`, { manifest: manifest('draft') });
    expect(await staged.run('apply', '--yes')).toMatchObject({ code: 0 });
    const client = { world: staged.world };
    await enrol(client, true);
    expect(await staged.run('apply', '--yes')).toMatchObject({ code: 0 });
    expect(await enrols(client)).toBe(true);
    staged.write('flagwright.yaml', `${project}protected: [sharing]\n`.replace('$HOST', staged.world.url));
    staged.commit();
    const refused = await staged.run('apply', '--yes');
    expect(refused).toMatchObject({ code: 4 });
    expect(refused.stdout + refused.stderr).toContain('--allow-protected');
    expect(await enrols(client)).toBe(true);
  });

  test('is in no manifest: accept and export name the feature and leave it', async () => {
    const staged = await stage(manifest('beta'), runCli);
    await staged.run('apply', '--yes');
    await enrol(staged, null);
    const accepted = await staged.run('accept', 'early_access:share');
    expect(accepted.stdout + accepted.stderr).toContain('no edit of the manifest gives the live value');
    expect(staged.read()).toBe(manifest('beta'));
    const exported = await staged.run('export', '--output', 'exported');
    expect(exported.stdout + exported.stderr).toContain('Early access features not declared: Sharing');
  });

  test('is kept in a snapshot, and the end of a feature ends it', async () => {
    const staged = await stage(manifest('archived'), runCli);
    await staged.run('apply', '--yes');
    await enrol(staged, true);
    expect(await staged.run('snapshot', '--out', 'snapshot.json')).toMatchObject({ code: 0 });
    expect((await staged.run('plan', '--against', 'snapshot.json')).stdout).toContain('Enrollment ends');
    staged.write(
      'flags: { sharing: { rollout_percentage: 10 } }\nearly_access: { share: { flag: sharing, deleted: true } }\n',
    );
    expect(await staged.run('apply', '--yes')).toMatchObject({ code: 0 });
    expect(await enrols(staged)).toBe(null);
  });
});
