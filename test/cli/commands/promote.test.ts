import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { runCli, type Ran, type RunOptions } from '../../helpers/run.ts';
import { schemaErrors } from '../../helpers/schemas.ts';
import { createWorkspace } from '../../helpers/workspace.ts';
import { startWorld, type World } from '../../helpers/world.ts';

const MANIFEST = `# Checkout.
flags:
  checkout:
    active: true # always
    rollout_percentage: 100
    projects:
      production: { rollout_percentage: 5 }
  search: { only_in: [staging], active: true, rollout_percentage: 20 }
`;

interface Project {
  readonly root: string;
  readonly staging: World;
  readonly run: (argv: readonly string[], options?: Partial<RunOptions>) => Promise<Ran>;
  readonly manifest: () => string;
  readonly write: (file: string, text: string) => void;
  readonly nameCohorts: (cohorts: string) => void;
}

async function project(): Promise<Project> {
  const [staging, production] = await Promise.all([startWorld('posthog'), startWorld('posthog')]);
  onTestFinished(async () => void (await Promise.all([staging.close(), production.close()])));
  const configuration = (cohorts: string): string => `projects:
  staging: { host: "${staging.url}", project_id: "1", cohorts: { ${cohorts} } }
  production: { host: "${production.url}", project_id: "1" }
`;
  const { root, write } = createWorkspace({ 'flagwright.yaml': configuration(''), 'flags/main.yaml': MANIFEST });
  const run: Project['run'] = (argv, options = {}) =>
    runCli(argv, { cwd: root, env: { POSTHOG_API_KEY: 'phx_planted_key_0123456789' }, ...options });
  return {
    root,
    staging,
    run,
    write,
    nameCohorts: (cohorts) => write('flagwright.yaml', configuration(cohorts)),
    manifest: () => readFileSync(path.join(root, 'flags/main.yaml'), 'utf8'),
  };
}

const BETWEEN = ['--from', 'staging', '--to', 'production'];

describe('promote', () => {
  test('writes only the values, and plan, apply and parity follow', async () => {
    const { run, manifest } = await project();
    for (const name of ['staging', 'production']) await run(['apply', '-p', name, '--yes']);
    const { code, stdout } = await run(['promote', 'checkout', 'search', ...BETWEEN, '--yes']);
    expect(stdout).toBe(`Promote from staging to production (manifests)

  ~ promote checkout
            condition 1 · rollout_percentage  5% → 100%  flags/main.yaml:7:21

  ~ promote search
            active   (none) → true  flags/main.yaml:8:45
            filters  (none) → { groups: [{ rollout_percentage: 20 }] }  flags/main.yaml:8:59

~ edited   flags/main.yaml

Promoted: 2 flags in 1 file.
`);
    expect(code).toBe(0);
    expect(manifest()).toBe(
      MANIFEST.replace('percentage: 5 }', 'percentage: 100 }').replace('[staging]', '[staging, production]'),
    );
    expect((await run(['plan', '-p', 'production'])).stdout).toContain('Plan: 1 to create, 1 to update');
    await run(['apply', '-p', 'production', '--yes']);
    expect((await run(['parity', '--live'])).code).toBe(0);
    expect(await run(['promote', '*', ...BETWEEN])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Nothing to promote: both projects declare the same') as string,
    });
  });

  test('shows the changes and writes nothing without consent, and with --patch', async () => {
    const { run, manifest } = await project();
    const refused = await run(['promote', 'checkout', ...BETWEEN], { answer: { line: 'no' } });
    expect(refused.code).toBe(4);
    expect(refused.stderr).toContain('+      production: { rollout_percentage: 100 }');
    const { code, stdout } = await run(['promote', 'checkout', ...BETWEEN, '--patch']);
    expect([code, stdout]).toEqual([
      0,
      expect.stringContaining('\n+      production: { rollout_percentage: 100 }\n') as string,
    ]);
    expect(manifest()).toBe(MANIFEST);
  });

  test('takes live values, names what is missing with the line to add, and exits with 3', async () => {
    const { run, staging, manifest, nameCohorts } = await project();
    await run(['apply', '-p', 'staging', '--yes']);
    const { id } = await staging.client.createCohort({
      name: 'Beta',
      filters: {
        properties: {
          type: 'OR',
          values: [{ type: 'AND', values: [{ key: 'plan', type: 'person', value: 'beta', operator: 'exact' }] }],
        },
      },
    });
    const properties = [{ key: 'id', type: 'cohort', operator: 'in', value: id }];
    nameCohorts(`beta: ${id}`);
    await staging.edit('checkout', { filters: { groups: [{ properties, rollout_percentage: 100 }] } });
    const { code, stdout, document } = await run(['promote', 'checkout', ...BETWEEN, '--live', '--format', 'json']);
    expect([code, schemaErrors('promote', document())]).toEqual([3, []]);
    expect(stdout).toContain('Add `beta: ID` to cohorts of production in flagwright.yaml, or promote cohort:beta too.');
    expect(manifest()).toBe(MANIFEST);
    const patch = await run(['promote', 'checkout', ...BETWEEN, '--live', '--patch']);
    expect([patch.code, patch.stdout]).toEqual([3, '']);
    expect(patch.stderr).toContain('Add `beta: ID` to cohorts of production in flagwright.yaml');
    const json = await run([
      'promote',
      'checkout',
      ...BETWEEN,
      '--live',
      '--only',
      'rollout',
      '--patch',
      '--format',
      'json',
    ]);
    expect([json.code, schemaErrors('promote', json.document())]).toEqual([0, []]);
    expect(json.document()).toMatchObject({ source: 'live', promoted: [{ key: 'checkout' }], left: [] });
  });

  test('warns, with the place, of what a promoted flag needs and is off in the other project', async () => {
    const { run, manifest, write } = await project();
    const needs = '{ type: flag, key: base, operator: flag_evaluates_to, value: true }';
    const text = `flags:
  base: { active: true, projects: { production: { active: false } } }
  top:
    active: true
    only_in: [staging]
    filters: { groups: [{ properties: [${needs}], rollout_percentage: 100 }] }
`;
    write('flags/main.yaml', text);
    const refused = await run(['promote', 'top', ...BETWEEN], { answer: { line: 'no' } });
    expect(refused.code).toBe(4);
    const [words, question] = ['flags/main.yaml:6:54  warning  Flag "base" is not active', 'Write these'];
    expect(refused.stderr).toContain(words);
    expect(refused.stderr.indexOf(question)).toBeGreaterThan(refused.stderr.indexOf(words));

    const patched = await run(['promote', 'top', ...BETWEEN, '--patch', '--format', 'json']);
    expect([patched.code, schemaErrors('promote', patched.document())]).toEqual([0, []]);
    const warning = { code: 'flag-depends-on-disabled', file: 'flags/main.yaml', line: 6 };
    expect(patched.document()).toMatchObject({ promoted: [{ key: 'top' }], warnings: [warning] });
    expect(manifest()).toBe(text);

    // The flag on which another depends is promoted as it is off.
    write(
      'flags/main.yaml',
      text
        .replace('only_in: [staging]', '')
        .replace(
          'active: true, projects: { production: { active: false } }',
          'active: false, projects: { production: { active: true } }',
        ),
    );
    const base = await run(['promote', 'base', ...BETWEEN, '--yes']);
    expect([base.code, base.stderr]).toEqual([0, expect.stringContaining(words) as string]);
    const nothing = await run(['promote', 'top', ...BETWEEN, '--yes']);
    expect(nothing.stdout).toContain('Nothing to promote');
    expect(nothing.stderr).not.toContain('warning');
  });

  test.each([
    [['--from', 'staging', '--to', 'staging'], '--from and --to both name "staging"'],
    [['--from', 'staging', '--to', 'productio'], 'Did you mean "production"?'],
    [['--from', 'staging'], "required option '--to <project>' not specified"],
    [[...BETWEEN, '--only', 'variant'], 'Did you mean "variants"?'],
  ])('refuses %j', async (argv, words) => {
    const { run } = await project();
    const { code, stderr } = await run(['promote', 'checkout', ...argv]);
    expect(code).toBe(1);
    expect(stderr).toContain(words);
  });

  test.each([
    ['[{ from: staging, to: production }]', 'It allows "staging → production".'],
    ['[]', 'It allows no direction.'],
  ])('refuses a direction that is not among promotions: %s', async (promotions, allowed) => {
    const { run, write, root, manifest } = await project();
    const configuration = readFileSync(path.join(root, 'flagwright.yaml'), 'utf8');
    write('flagwright.yaml', `${configuration}promotions: ${promotions}\n`);
    for (const more of [['--yes'], ['--patch'], ['--live', '--yes']]) {
      const { code, stdout, stderr } = await run([
        'promote',
        'checkout',
        '--from',
        'production',
        '--to',
        'staging',
        ...more,
      ]);
      expect([code, stdout]).toEqual([4, '']);
      expect(stderr).toContain('flagwright.yaml:4:1 does not allow promoting from "production" to "staging".');
      expect(stderr).toContain(allowed);
    }
    expect(manifest()).toBe(MANIFEST);
    const { code } = await run(['promote', 'checkout', ...BETWEEN, '--yes']);
    expect(code).toBe(promotions === '[]' ? 4 : 0);
  });

  test('names the nearest key for a key that the source lacks', async () => {
    const { run } = await project();
    const { code, stderr } = await run(['promote', 'serch', ...BETWEEN]);
    expect([code, stderr]).toEqual([1, expect.stringContaining('search') as string]);
  });
});
