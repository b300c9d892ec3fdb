/** Policies with a served project and git: running experiments, also with the built command, and two projects in their order. */

// @module-tag untimely
import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../src/base/json.ts';
import { cli } from '../helpers/cli.ts';
import { createRepository, GIT_ENV, type TestRepository } from '../helpers/repository.ts';
import { runCli } from '../helpers/run.ts';
import { schemaErrors } from '../helpers/schemas.ts';
import { openWorld } from '../helpers/world.ts';

/** The address of a service with the seed. */
async function serve(seed: object, profile: 'documented' | 'posthog' = 'documented'): Promise<string> {
  const world = await openWorld(profile, seed as JsonValue);
  return world.url;
}

interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Here extends TestRepository {
  readonly run: (...argv: string[]) => Promise<Ran>;
  /** The same with the built command. */
  readonly runBuilt: (...argv: string[]) => Promise<Ran>;
}

function repository(files: Readonly<Record<string, string>>): Here {
  const made = createRepository({ '.gitignore': '/*.json\n', ...files });
  const here = { cwd: made.root, env: { ...GIT_ENV, POSTHOG_API_KEY: 'phx_planted_key_0123456789' } };
  return { ...made, run: async (...argv) => runCli(argv, here), runBuilt: async (...argv) => cli(argv, here) };
}

const policyOf = ({ stdout }: Ran): unknown => {
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
    const url = await serve(seed([RUNNING]), 'posthog');
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
    const url = await serve(seed([RUNNING]), 'posthog');
    const here = repository({ 'flagwright.yaml': config(url, 'approve'), 'flags/main.yaml': manifest(20) });
    expect((await here.runBuilt('plan', '--out', 'plan.json')).code).toBe(0);
    expect((await here.runBuilt('apply', 'plan.json')).code).toBe(4);
    expect(await here.runBuilt('apply', 'plan.json', '--approved-by', 'ann')).toMatchObject({ code: 0 });
  });

  test.each([
    ['an experiment that has ended', [{ ...RUNNING, is_running: false }]],
    ['no experiment', []],
  ])('lets a flag with %s change', async (_, experiments) => {
    const url = await serve(seed(experiments), 'posthog');
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
