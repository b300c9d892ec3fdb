/** What else uses a flag, from the built command over HTTP: what the service refuses is refused before, and other harm is said. */

import { expect, onTestFinished, test } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import { startEmbedded } from '../../service/src/index.ts';
import { cli } from '../helpers/cli.ts';
import { schemaErrors } from '../helpers/schemas.ts';
import { createWorkspace } from '../helpers/workspace.ts';

const split = (keys: readonly string[]): JsonObject => ({
  groups: [{ properties: [], rollout_percentage: 100 }],
  multivariate: { variants: keys.map((key) => ({ key, rollout_percentage: 50 })) },
});

/** The variant red has a share, and another one the rest. */
function splitText(red: number, other: string): string {
  const variants = `{ key: red, rollout_percentage: ${red} }, { key: ${other}, rollout_percentage: ${100 - red} }`;
  return `{ filters: { groups: [{}], multivariate: { variants: [${variants}] } } }`;
}

const SEED = {
  flags: [
    { id: 1, key: 'colours', filters: split(['red', 'blue']) },
    { id: 2, key: 'recorded', is_used_in_replay_settings: true, surveys: [{ id: 'u1', name: 'NPS' }] },
    { id: 3, key: 'beta', filters: { groups: [{ properties: [] }], feature_enrollment: true } },
  ],
  experiments: [{ id: 7, name: 'Colours of spring', flag: 'colours', is_running: true }],
};

async function open(manifest: string): Promise<(...argv: string[]) => ReturnType<typeof cli>> {
  const service = await startEmbedded({
    data: ':memory:',
    profile: 'posthog',
    now: () => new Date(),
    randomUuid: () => crypto.randomUUID(),
    seed: SEED as unknown as JsonObject,
  });
  onTestFinished(() => service.close());
  const { root } = createWorkspace({ 'flags/main.yaml': manifest });
  const env = { POSTHOG_HOST: service.url, POSTHOG_PROJECT_ID: '1', POSTHOG_API_KEY: 'phx_uses' };
  return (...argv) => cli(argv, { cwd: root, env });
}

test.each([
  ['experiment_variants', `colours: ${splitText(50, 'green')}`, 'the experiment Colours of spring (7)'],
  ['replay_linked', 'recorded: { deleted: true }', 'the settings of session replay name it'],
])('%s refuses a plan, which no option allows', async (code, flag, text) => {
  const run = await open(`flags:\n  ${flag}\n`);
  expect((await run('plan')).stdout).toContain(text);
  const planned = await run('plan', '--detailed-exitcode', '-f', 'json', '--allow-risky', '*');
  expect(planned.code).toBe(4);
  const document = JSON.parse(planned.stdout) as JsonObject;
  expect(schemaErrors('plan', document)).toEqual([]);
  expect(document['broken_rules']).toMatchObject([{ rule: code, refuses: true, lifted_by: [] }]);
  expect((await run('apply', '--yes', '--allow-risky', '*')).code).toBe(4);
});

test('harm that goes through is said in the plan, in text and JSON, and applied', async () => {
  const run = await open(`flags:
  recorded: { active: false }
  beta-2: { previous_keys: [beta] }
  colours: ${splitText(20, 'blue')}
`);
  const { stdout } = await run('plan');
  expect(stdout).toContain('recorded: the survey NPS is shown only to people who have this flag, so to nobody');
  expect(stdout).toContain('the settings of session replay name it, so nobody is recorded because of it');
  expect(stdout).toContain('people who enrolled under its former key');
  expect(stdout).toContain('colours: experiment 7 runs on it: its variants get other shares');
  const planned = await run('plan', '--detailed-exitcode', '-f', 'json');
  expect(planned.code).toBe(2);
  const document = JSON.parse(planned.stdout) as JsonObject;
  expect(schemaErrors('plan', document)).toEqual([]);
  expect((await run('apply', '--yes')).code).toBe(0);
  expect((await run('plan', '--detailed-exitcode')).code).toBe(0);
});

test('off names the same', async () => {
  const run = await open('flags: {}\n');
  const { stdout, stderr } = await run('off', 'recorded', 'colours', '--yes');
  const text = `${stdout}${stderr}`;
  expect(text).toContain('recorded: the survey NPS is shown only to people who have this flag, so to nobody');
  expect(text).toContain('colours: experiment 7 runs on it and gets no new people');
});
