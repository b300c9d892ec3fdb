/** Policies with the built command, a served project and git: running experiments, and two projects in their order. */

import { describe, expect, onTestFinished, test } from 'vitest';
import { cli, startCli, type CliResult } from '../helpers/cli.ts';
import { createRepository, GIT_ENV, type TestRepository } from '../helpers/repository.ts';
import { schemaErrors } from '../helpers/schemas.ts';

/** The address that the served project prints. */
async function serve(seed: object, ...argv: readonly string[]): Promise<string> {
  const { root } = createRepository({ 'seed.json': JSON.stringify(seed) });
  const { child, ended } = startCli(['serve', '--port', '0', '--seed', 'seed.json', ...argv], { cwd: root });
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  return new Promise((resolve) => {
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const url = /http:\/\/127\.0\.0\.1:\d+/.exec(text)?.[0];
      if (url !== undefined) resolve(url);
    });
  });
}

interface Here extends TestRepository {
  readonly run: (...argv: string[]) => Promise<CliResult>;
}

function repository(files: Readonly<Record<string, string>>): Here {
  const made = createRepository({ '.gitignore': '/*.json\n', ...files });
  const env = { ...GIT_ENV, POSTHOG_API_KEY: 'phx_planted_key_0123456789' };
  return { ...made, run: async (...argv) => cli(argv, { cwd: made.root, env }) };
}

const policyOf = ({ stdout }: CliResult): unknown => {
  const document = JSON.parse(stdout) as Record<string, unknown>;
  expect(schemaErrors('plan', document)).toEqual([]);
  return document['policy'];
};

describe('experiment-running', () => {
  const manifest = (percentage: number, description = 'Checkout'): string =>
    `flags:\n  checkout: { description: ${description}, active: true, rollout_percentage: ${percentage} }\n`;
  const seed = (experiments: readonly object[]): object => ({
    flags: [
      {
        key: 'checkout',
        name: 'Checkout',
        active: true,
        filters: { groups: [{ properties: [], rollout_percentage: 10 }] },
      },
    ],
    experiments,
  });
  const config = (url: string, level = 'error'): string =>
    `projects: { main: { host: "${url}", project_id: "1" } }
policies: { rules: [{ rule: experiment-running, level: ${level} }] }
`;
  const RUNNING = { id: 7, name: 'One page', flag: 'checkout', is_running: true };

  test('refuses what the people of the experiment would notice, and nothing else', async () => {
    const url = await serve(seed([RUNNING]), '--profile', 'posthog');
    const here = repository({ 'flagwright.yaml': config(url), 'flags/main.yaml': manifest(20) });
    expect(policyOf(await here.run('plan', '-f', 'json'))).toMatchObject({
      findings: [{ rule: 'experiment-running', facts: { experiments: [{ id: 7, name: 'One page' }] } }],
    });
    const refused = await here.run('apply', '--yes');
    expect([refused.code, refused.stderr]).toEqual([4, expect.stringContaining('One page')]);
    here.write('flags/main.yaml', manifest(10, 'Another description'));
    expect(await here.run('apply', '--yes')).toMatchObject({ code: 0 });
  });

  test('asks for an approval of a saved plan, also when it is applied', async () => {
    const url = await serve(seed([RUNNING]), '--profile', 'posthog');
    const here = repository({ 'flagwright.yaml': config(url, 'approve'), 'flags/main.yaml': manifest(20) });
    expect((await here.run('plan', '--out', 'plan.json')).code).toBe(0);
    expect((await here.run('apply', 'plan.json')).code).toBe(4);
    expect(await here.run('apply', 'plan.json', '--approved-by', 'ann')).toMatchObject({ code: 0 });
  });

  test.each([
    ['an experiment that has ended', [{ ...RUNNING, is_running: false }]],
    ['no experiment', []],
  ])('lets a flag with %s change', async (_, experiments) => {
    const url = await serve(seed(experiments), '--profile', 'posthog');
    const here = repository({ 'flagwright.yaml': config(url), 'flags/main.yaml': manifest(20) });
    expect((await here.run('apply', '--yes')).code).toBe(0);
  });
});

describe('no-direct-production', () => {
  const manifest = (staging: number, production: number): string =>
    `flags:
  checkout:
    active: true
    rollout_percentage: ${staging}
    projects: { production: { rollout_percentage: ${production} } }
`;

  test('lets production have what was applied to staging, and nothing before', async () => {
    const flags = { flags: [] };
    const [staging, production] = await Promise.all([serve(flags), serve(flags)]);
    const here = repository({
      'flagwright.yaml': `projects:
  staging: { host: "${staging}", project_id: "1" }
  production: { host: "${production}", project_id: "1" }
default_project: production
policies: { rules: [{ rule: no-direct-production, projects: [production], first: staging }] }
`,
      'flags/main.yaml': manifest(10, 10),
    });
    const unknown = await here.run('plan', '-f', 'json', '--detailed-exitcode');
    expect(unknown.code).toBe(4);
    expect(policyOf(unknown)).toMatchObject({ findings: [{ facts: { problem: 'unknown' } }] });
    for (const project of ['staging', 'production']) {
      expect(await here.run('apply', '--yes', '-p', project)).toMatchObject({ code: 0 });
    }
    here.write('flags/main.yaml', manifest(50, 50));
    here.commit();
    // The pull request declares both at once; staging has not been applied.
    const early = await here.run('plan', '-f', 'json', '--detailed-exitcode');
    expect(early.code).toBe(4);
    expect(policyOf(early)).toMatchObject({
      findings: [{ facts: { problem: 'values', paths: ['/filters/groups/0/rollout_percentage'] } }],
    });
    expect((await here.run('apply', '--yes', '-p', 'staging')).code).toBe(0);
    expect(await here.run('apply', '--yes')).toMatchObject({ code: 0 });
  });
});
