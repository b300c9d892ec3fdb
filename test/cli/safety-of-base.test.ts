/** No change loosens the limits that judge it, or takes the protection off a flag that it deletes. What it makes stricter counts at once. */

// @module-tag untimely
import { symlinkSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { CONFIG, gitStage, type GitStage } from '../helpers/git-stage.ts';
import { schemaErrors } from '../helpers/schemas.ts';
import { KEY } from '../helpers/stage.ts';

const LIMITS = 'limits: { updates_percent: 100 }\n';
const BARE = CONFIG.replace(LIMITS, '');
const STRICT = `${BARE}limits:
  updates_percent: 100
  deletes: 0
protected: [search]
`;

/** Deletes `search`. */
const DELETING = `flags:
  checkout: { description: One-page checkout, active: true, rollout_percentage: 10 }
  search: { deleted: true }
`;

/** The configuration is applied; the manifests then delete a flag. */
async function applied(config: string): Promise<GitStage> {
  const here = await gitStage(config);
  expect(await here.run('apply', '--yes')).toMatchObject({ code: 0 });
  here.write('flags/main.yaml', DELETING);
  return here;
}

const write = (here: GitStage, file: string, text: string): void =>
  here.write(file, text.replaceAll('$HOST', here.world.url));

async function documentOf(here: GitStage, ...argv: string[]): Promise<Record<string, unknown>> {
  const plan = await here.run('plan', '-f', 'json', ...argv);
  expect(schemaErrors('plan', plan.document())).toEqual([]);
  return plan.document();
}

describe('a change is held against the limits and the protected flags of the base though it', () => {
  test.each<[string, (here: GitStage) => readonly string[]]>([
    [
      'raises a limit and takes off the protection',
      (here) => {
        write(here, 'flagwright.yaml', CONFIG.replace('100', '100, deletes: 9'));
        return [];
      },
    ],
    [
      'renames the file',
      (here) => {
        here.git('mv', 'flagwright.yaml', 'flagwright.yml');
        write(here, 'flagwright.yml', CONFIG);
        return [];
      },
    ],
    [
      'gives the file a name of its own',
      (here) => {
        here.git('mv', 'flagwright.yaml', 'mine.yaml');
        write(here, 'mine.yaml', CONFIG);
        return ['--config', 'mine.yaml'];
      },
    ],
    [
      'replaces the file by a link',
      (here) => {
        here.git('mv', 'flagwright.yaml', 'mine.yaml');
        write(here, 'mine.yaml', CONFIG);
        symlinkSync('mine.yaml', path.join(here.root, 'flagwright.yaml'));
        return [];
      },
    ],
    [
      'renames the project',
      (here) => {
        write(here, 'flagwright.yaml', CONFIG.replace('main:', 'renamed:'));
        return ['--base', 'HEAD'];
      },
    ],
  ])('%s', async (_, loosen) => {
    const here = await applied(STRICT);
    const options = loosen(here);
    const document = await documentOf(here, ...options);
    const commit = here.git('rev-parse', 'HEAD');
    const origin = (line: number): object => ({
      from: 'configuration',
      place: expect.objectContaining({ file: 'flagwright.yaml', line }),
      commit,
    });
    expect(document['safety']).toMatchObject({ from: 'base', commit, looser: ['limits.deletes', 'protected'] });
    expect(document['broken_rules']).toMatchObject([
      { rule: 'deletes', refuses: true, set_by: 'limits.deletes', origin: origin(5) },
      { rule: 'protected', refuses: true, set_by: 'protected', origin: origin(6) },
    ]);
    expect(await here.run('apply', '--yes', ...options)).toMatchObject({ code: 4 });
    const text = (await here.run('plan', ...options)).stdout;
    expect(text).toContain(`Rule: flagwright.yaml:6:13 at commit ${commit.slice(0, 12)}.`);
    expect(text).toMatch(/loosens `limits.deletes`, `protected`, and cannot permit itself/);
  });

  test('deletes the file, and names the project by variables', async () => {
    const here = await applied(STRICT);
    here.git('rm', '--quiet', 'flagwright.yaml');
    const env = { POSTHOG_HOST: here.world.url, POSTHOG_PROJECT_ID: '1', POSTHOG_API_KEY: KEY };
    const plan = await here.runWith({ env }, 'plan', '-f', 'json', '--detailed-exitcode', '--base', 'HEAD');
    expect(plan).toMatchObject({ code: 4 });
    expect(plan.document()['broken_rules']).toMatchObject([{ rule: 'deletes' }, { rule: 'protected' }]);
  });
});

describe('a change that makes its limits stricter', () => {
  test('is held against its own at once, also where it is not committed', async () => {
    const here = await applied(CONFIG);
    write(here, 'flagwright.yaml', STRICT);
    const document = await documentOf(here);
    expect(document['safety']).toMatchObject({ from: 'base', looser: [] });
    expect(document['broken_rules']).toMatchObject([
      { rule: 'deletes', origin: { from: 'configuration', place: { line: 5 } } },
      { rule: 'protected', origin: { from: 'configuration', place: { line: 6 } } },
    ]);
    expect(document['broken_rules']).not.toMatchObject([{ origin: { commit: expect.anything() } }, {}]);
    expect(await here.run('apply', '--yes')).toMatchObject({ code: 4 });
  });

  test('is held against the default that it makes a limit', async () => {
    const here = await gitStage(CONFIG);
    const flags = Array.from({ length: 12 }, (_, index) => `  flag-${index}: { active: true }`).join('\n');
    here.write('flags/many.yaml', `flags:\n${flags}\n`);
    here.commit();
    expect(await here.run('apply', '--yes')).toMatchObject({ code: 0 });
    write(here, 'flagwright.yaml', BARE);
    here.write('flags/many.yaml', `flags:\n${flags.replaceAll('active: true', 'active: true, description: more')}\n`);
    expect((await documentOf(here))['broken_rules']).toMatchObject([
      { rule: 'updates_percent', set_by: 'limits.updates_percent', origin: { from: 'default' } },
    ]);
    expect((await here.run('plan')).stdout).toContain('Rule: the default of limits.updates_percent.');
  });
});

test('loosened limits count from the next apply on', async () => {
  const here = await applied(STRICT);
  write(here, 'flagwright.yaml', CONFIG);
  here.git('checkout', '--quiet', '--', 'flags');
  here.commit();
  expect(await here.run('apply', '--yes')).toMatchObject({ code: 0 });
  here.write('flags/main.yaml', DELETING);
  expect(await here.run('apply', '--yes')).toMatchObject({ code: 0 });
});

test('options lift the rules of the base as any other', async () => {
  const here = await applied(STRICT);
  write(here, 'flagwright.yaml', CONFIG);
  const permitted = ['--allow-deletes', '1', '--allow-protected', 'search'];
  expect(await here.run('apply', '--yes', ...permitted)).toMatchObject({ code: 0 });
});

test('a limit that the run sets is named as that', async () => {
  const here = await applied(STRICT);
  expect((await here.run('plan', '--allow-deletes', '0')).stdout).toContain('Rule: the number that this run allows.');
});

test('with --base none the limits of what was applied last count all the same', async () => {
  const here = await applied(STRICT);
  write(here, 'flagwright.yaml', CONFIG);
  const document = await documentOf(here, '--base', 'none');
  expect(document).toMatchObject({
    broken_rules: [{ rule: 'deletes' }, { rule: 'protected' }],
    safety: { from: 'base' },
  });
  expect(document).not.toHaveProperty('base');
});

test('where the base has no configuration, the limits of the checkout count, and the plan says so', async () => {
  const here = await applied(STRICT);
  here.git('rm', '--quiet', '--cached', 'flagwright.yaml');
  here.git('commit', '--quiet', '--all', '-m', 'another configuration');
  write(here, 'flagwright.yaml', STRICT);
  const plan = await here.run('plan', '--base', 'HEAD');
  expect(plan.stdout).toContain(
    'The limits and protected flags are those of the checkout: the base does not have the configuration file.',
  );
  expect(plan.stdout).toContain('Rule: flagwright.yaml:6:13.');
});

test('an undo is held against the checkout, and asks no git', async () => {
  const here = await gitStage(STRICT.replace('protected: [search]\n', ''));
  expect(await here.run('apply', '--yes')).toMatchObject({ code: 0 });
  write(here, 'flagwright.yaml', CONFIG);
  const undo = await here.run('undo', '--out', 'undo.json', '-f', 'json');
  expect(schemaErrors('undo', undo.document())).toEqual([]);
  expect(undo.document()).toMatchObject({ broken_rules: [] });
  write(here, 'flagwright.yaml', STRICT);
  const refused = await here.run('undo', '--out', 'undo.json', '-f', 'json');
  expect(schemaErrors('undo', refused.document())).toEqual([]);
  expect(refused.document()).toMatchObject({
    broken_rules: [{ rule: 'deletes', refuses: true, origin: { place: { line: 5 } } }, { rule: 'protected' }],
  });
});

test('a saved plan lists the rules that it breaks with their places', async () => {
  const here = await applied(STRICT);
  await here.run('plan', '--out', 'plan.json');
  const saved = JSON.parse(here.read('plan.json')) as Record<string, unknown>;
  expect(schemaErrors('plan', saved)).toEqual([]);
  const rules = saved['broken_rules'];
  expect(rules).toMatchObject([{ rule: 'deletes' }, { rule: 'protected', origin: { place: { line: 6 } } }]);
  const shown = await here.run('show', 'plan.json', '-f', 'json');
  expect(shown.document()['broken_rules']).toEqual(rules);
});
