/** The safety rules from the command line, over HTTP: a refused plan writes nothing, and its option allows it. */

import { readFileSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { defined } from '../../src/base/optional.ts';
import type { JsonObject, JsonValue } from '../../src/base/json.ts';
import { SAFETY } from '../../src/review/policy/broken-rules.ts';
import type { Hazard } from '../../src/posthog/plan.ts';
import { startEmbedded, type EmbeddedOptions, type Profile } from '../../service/src/index.ts';
import { runCli, type Ran } from '../helpers/run.ts';
import { schemaErrors } from '../helpers/schemas.ts';
import { createWorkspace, type Workspace } from '../helpers/workspace.ts';
import { ROLE_IDS } from '../helpers/world.ts';
import { readSchema } from '../helpers/published-schema.ts';

interface Guarded {
  readonly workspace: Workspace;
  readonly run: (...argv: string[]) => Promise<Ran>;
  readonly writes: () => number;
}

async function guard(
  files: Readonly<Record<string, string>>,
  seed: JsonValue,
  options: Partial<EmbeddedOptions> = {},
): Promise<Guarded> {
  let writes = 0;
  const service = await startEmbedded({
    data: ':memory:',
    now: () => new Date(),
    randomUuid: () => crypto.randomUUID(),
    seed,
    onRequest: ({ method }) => {
      if (method !== 'GET') writes += 1;
    },
    ...options,
  });
  onTestFinished(() => service.close());
  const workspace = createWorkspace({
    ...files,
    'flagwright.yaml': `projects: { main: { host: "${service.url}", project_id: "1" } }\n${files['flagwright.yaml'] ?? ''}`,
  });
  const run = (...argv: string[]): Promise<Ran> =>
    runCli(argv, { cwd: workspace.root, env: { POSTHOG_API_KEY: 'phx_guard' } });
  return { workspace, run, writes: () => writes };
}

const flag = (key: string, fields: JsonObject = {}): JsonObject => ({ key, active: true, ...fields });
const numbered = (count: number): string[] => Array.from({ length: count }, (_, index) => `f${index}`);
const manifest = (keys: readonly string[], body: string): string =>
  `flags:\n${keys.map((key) => `  ${key}: ${body}\n`).join('')}`;
const dependsOn = (key: string): string =>
  `{ filters: { groups: [{ properties: [{ key: ${key}, type: flag, operator: flag_evaluates_to, value: true }] }] } }`;

interface Case {
  readonly codes: readonly string[];
  readonly permit: readonly string[];
  readonly seed: JsonObject;
  readonly manifest: string;
  readonly argv?: readonly string[];
  readonly config?: string;
  readonly profile?: Profile;
}

const two = { flags: [flag('a'), flag('b')] };

const CASES: Readonly<Record<string, Case>> = {
  'too many deletes': {
    codes: ['deletes'],
    permit: ['--allow-deletes', '6'],
    seed: { flags: numbered(6).map((key) => flag(key)) },
    manifest: manifest(numbered(6), '{ deleted: true }'),
  },
  'too large a share of deletes': {
    codes: ['deletes_percent'],
    permit: ['--allow-deletes', '4'],
    seed: { flags: numbered(10).map((key) => flag(key)) },
    manifest: `${manifest(numbered(4), '{ deleted: true }')}${numbered(10)
      .slice(4)
      .map((key) => `  ${key}: {}\n`)
      .join('')}`,
  },
  'too many updates': {
    codes: ['updates'],
    permit: ['--allow-updates', '2'],
    seed: two,
    manifest: manifest(['a', 'b'], '{ description: new }'),
    config: 'limits: { updates: 1 }',
  },
  'too large a share of updates': {
    codes: ['updates_percent'],
    permit: ['--allow-updates', '10'],
    seed: { flags: numbered(10).map((key) => flag(key)) },
    manifest: manifest(numbered(10), '{ description: new }'),
  },
  'too many disables': {
    codes: ['disables'],
    permit: ['--allow-disables', '6'],
    seed: { flags: numbered(6).map((key) => flag(key)) },
    manifest: manifest(numbered(6), '{ active: false }'),
  },
  'manifests that shrank to nothing': {
    codes: ['manifests_shrunk'],
    permit: ['--allow-deletes', '2'],
    seed: two,
    manifest: 'flags: {}\n',
    argv: ['--prune'],
  },
  'a protected flag whose block was removed': {
    codes: ['protected'],
    permit: ['--allow-protected', 'b'],
    seed: two,
    manifest: manifest(['a'], '{}'),
    argv: ['--prune'],
    config: 'protected: [b]',
  },
  'a delete under an experiment': {
    codes: ['experiments'],
    permit: ['--allow-risky', 'a'],
    seed: { flags: [flag('a', { experiment_set: [3] }), flag('b')] },
    manifest: manifest(['a'], '{ deleted: true }'),
  },
  'a disable of what others depend on': {
    codes: ['dependents'],
    permit: ['--allow-risky', 'a'],
    seed: {
      flags: [
        flag('a', { id: 1 }),
        flag('b', {
          filters: {
            groups: [{ properties: [{ key: '1', type: 'flag', operator: 'flag_evaluates_to', value: true }] }],
          },
        }),
      ],
    },
    manifest: `${manifest(['a'], '{ active: false }')}  b: ${dependsOn('a')}\n`,
  },
  'the last role revoked': {
    codes: ['lockout'],
    permit: ['--allow-risky', 'a'],
    seed: {
      flags: [flag('a')],
      roles: [{ id: ROLE_IDS[0] ?? '', name: 'engineering' }],
      role_access: [{ flag: 'a', role: ROLE_IDS[0] ?? '' }],
    },
    manifest: manifest(['a'], '{ role_access: [] }'),
  },
  'the last manager lowered': {
    codes: ['own_access'],
    permit: ['--allow-risky', 'a'],
    profile: 'posthog',
    seed: {
      flags: [flag('a')],
      roles: [{ id: ROLE_IDS[0] ?? '', name: 'engineering' }],
      role_access: [{ flag: 'a', role: 'engineering', level: 'manager' }],
    },
    manifest: manifest(['a'], `{ access: { roles: { ${ROLE_IDS[0]}: editor } } }`),
  },
};

describe.each(Object.entries(CASES))('%s', (_name, { codes, permit, seed, argv = [], config = '', ...rest }) => {
  const start = (): Promise<Guarded> =>
    guard({ 'flags/main.yaml': rest.manifest, 'flagwright.yaml': config }, seed, defined({ profile: rest.profile }));

  test('appears in the plan with its option and the exit code of apply', async () => {
    const { run, writes } = await start();
    const text = await run('plan', ...argv);
    expect(text.code).toBe(0);
    expect(text.stdout).toContain('Apply would refuse this plan (exit code 4):');
    expect(text.stdout).toContain(`Or allow it in this run with ${permit.join(' ')}\n`);
    const json = await run('plan', '--detailed-exitcode', '-f', 'json', ...argv);
    expect(json.code).toBe(4);
    expect(schemaErrors('plan', json.document())).toEqual([]);
    expect(json.document()['hazards']).toMatchObject(codes.map((code) => ({ code })));
    const hazards = json.document()['hazards'] as readonly Hazard[];
    expect(hazards.map(({ code }) => SAFETY[code].permit)).toEqual(hazards.map((hazard) => hazard.permit?.kind));
    expect(json.document()['broken_rules']).toMatchObject(
      codes.map((rule) => ({ rule, sort: 'safety', level: 'error', refuses: true })),
    );
    for (const code of codes) expect(text.stdout).toContain(`(${code})`);
    expect(json.stdout, 'a document names permissions, not options').not.toContain('--allow-');
    expect(writes()).toBe(0);
  });

  test('apply refuses it, planned or saved, and writes nothing', async () => {
    const { run, writes } = await start();
    await run('plan', '--out', 'plan.json', ...argv);
    for (const command of [
      ['apply', '--yes', ...argv],
      ['apply', 'plan.json'],
    ]) {
      const { code, document } = await run(...command, '-f', 'json');
      expect(code).toBe(4);
      expect(schemaErrors('error', document())).toEqual([]);
      expect(document()).toMatchObject({ error: { code: 'refused', hazards: codes.map((each) => ({ code: each })) } });
    }
    expect(writes()).toBe(0);
  });

  test('its option allows it, in a saved plan too', async () => {
    const { run, writes } = await start();
    await run('plan', '--out', 'plan.json', ...argv, ...permit);
    expect((await run('apply', 'plan.json')).code).toBe(0);
    expect(writes()).toBeGreaterThan(0);
    expect((await run('plan', '--detailed-exitcode', ...argv)).code).toBe(0);
  });
});

const TODAY: Readonly<
  Record<string, Pick<Case, 'codes' | 'manifest'> & { readonly says: string; readonly instead: string }>
> = {
  'a disable of what others depend on': {
    codes: ['dependents'],
    manifest: manifest(['base'], '{ active: false }'),
    says: 'flags: { top: { active: false }, mid: { active: false } }',
    instead: manifest(['base', 'mid', 'top'], '{ active: false }'),
  },
  'a delete of what others depend on': {
    codes: ['dependents'],
    manifest: manifest(['base'], '{ deleted: true }'),
    says: 'remove the conditions on base from mid',
    instead: `${manifest(['base'], '{ deleted: true }')}  mid: { rollout_percentage: 10 }\n`,
  },
  '0% in place of a disable': {
    codes: ['dependents'],
    manifest: `${manifest(['base'], '{ active: false, rollout_percentage: 20 }')}`,
    says: 'projects: { main: { conditions: { 1: { rollout_percentage: 0 } } } }',
    instead: `flags:\n  base: { rollout_percentage: 20, projects: { main: { conditions: { 1: { rollout_percentage: 0 } } } } }\n`,
  },
  'an enable of what depends on a disabled flag': {
    codes: ['dependencies_disabled'],
    manifest: manifest(['idle'], '{ active: true }'),
    says: 'flags: { off: { active: true } }',
    instead: manifest(['idle', 'off'], '{ active: true }'),
  },
};

describe.each(Object.entries(TODAY))("today's service refuses %s", (_name, { codes, says, instead, ...rest }) => {
  const on = (id: number): JsonObject => ({
    groups: [{ properties: [{ key: String(id), type: 'flag', operator: 'flag_evaluates_to', value: true }] }],
  });
  const seed = {
    flags: [
      flag('base', { id: 1, filters: { groups: [{ properties: [], rollout_percentage: 20 }] } }),
      flag('mid', { id: 2, filters: on(1) }),
      flag('top', { id: 3, filters: on(2) }),
      flag('off', { id: 4, active: false }),
      flag('idle', { id: 5, active: false, filters: on(4) }),
    ],
  };

  test('no permission lifts it, and what the refusal offers is accepted', async () => {
    const { run, writes, workspace } = await guard({ 'flags/main.yaml': rest.manifest }, seed, { profile: 'posthog' });
    const every = ['--allow-risky', '*', '--allow-protected', '*', '--allow-updates', '9', '--allow-disables', '9'];
    const json = await run('plan', '--detailed-exitcode', '-f', 'json', ...every);
    expect(json.code).toBe(4);
    expect(schemaErrors('plan', json.document())).toEqual([]);
    expect(json.document()['broken_rules']).toMatchObject(codes.map((rule) => ({ rule, lifted_by: [] })));
    const refused = await run('apply', '--yes', ...every);
    expect(refused.code).toBe(4);
    expect(refused.stderr).toContain(says);
    expect(refused.stderr).not.toContain('--allow-');
    expect(writes()).toBe(0);
    workspace.write('flags/main.yaml', instead);
    expect((await run('apply', '--yes')).code).toBe(0);
    expect((await run('plan', '--detailed-exitcode')).code).toBe(0);
  });
});

test('one hazard refuses the whole plan, harmless changes included', async () => {
  const { run, writes } = await guard(
    { 'flags/main.yaml': `${manifest(['a'], '{ active: false }')}  fresh: {}\n`, 'flagwright.yaml': 'protected: [a]' },
    two,
  );
  expect((await run('apply', '--yes')).code).toBe(4);
  expect(writes()).toBe(0);
});

test('a saved plan accepts no --allow option afterwards', async () => {
  const { run, writes } = await guard({ 'flags/main.yaml': 'flags: {}\n' }, two);
  await run('plan', '--prune', '--out', 'plan.json');
  for (const option of [
    ['--allow-disables', '1'],
    ['--allow-risky', 'a'],
  ]) {
    expect(await run('apply', 'plan.json', ...option)).toMatchObject({ code: 1 });
  }
  expect(writes()).toBe(0);
});

describe('the forecast', () => {
  test('appears in the plan, in its document and in what apply shows', async () => {
    const { run } = await guard({ 'flags/main.yaml': manifest(['a', 'fresh'], '{ description: new }') }, two);
    const line = 'Applying takes 5 requests.\nPlan: 1 to create, 1 to update';
    expect((await run('plan')).stdout).toContain(line);
    expect((await run('plan', '-f', 'json')).document()['forecast']).toMatchObject({ requests: 5 });
    const { stderr, document } = await run('apply', '--yes', '-f', 'json');
    expect(stderr).toContain(line);
    expect(document()['requests']).toBe(5);
  });

  test('is not part of the fingerprint', async () => {
    const { run, workspace } = await guard({ 'flags/main.yaml': manifest(['a'], '{ description: new }') }, two);
    await run('plan', '--out', 'plan.json');
    const { forecast, ...saved } = JSON.parse(workspace.read('plan.json')) as JsonObject;
    expect(forecast).toMatchObject({ requests: 4 });
    workspace.write('plan.json', JSON.stringify(saved));
    expect((await run('apply', 'plan.json')).code).toBe(0);
  });
});

/** Rules about cohorts (`test/posthog/cohort`) and about what uses flags (`test/cli/uses.test.ts`), and those that need a base in git (`test/cli/three-way.test.ts`). */
const ELSEWHERE: readonly string[] = [
  'read_by_code',
  'experiment_variants',
  'replay_linked',
  'schedule_conflict',
  'cohort_used',
  'conflict',
  'switched_off',
  'dependency_left',
  'early_access_unmanaged',
  'early_access_refused',
  'early_access_linked',
];

describe('docs/safety.md', () => {
  const text = readFileSync(new URL('../../docs/safety.md', import.meta.url), 'utf8');
  const [, rules = ''] = text.split('\n## ');
  const rows = [...rules.matchAll(/^- `([a-z_]+)`/gm)].map(([, code]) => code);
  const schemaOf = (name: string): JsonObject => readSchema(name) as JsonObject;
  const hazards = (schemaOf('plan')['$defs'] as JsonObject)['hazard'] as { oneOf: { properties: { code: Code } }[] };
  type Code = { const?: string; enum?: string[] };

  test('has an entry for every rule', () => {
    const codes = hazards.oneOf.flatMap(({ properties: { code } }) => code.enum ?? [code.const ?? '']);
    expect(rows).toHaveLength(codes.length);
    expect(new Set(rows)).toEqual(new Set(codes));
    const tested = [...[...Object.values(CASES), ...Object.values(TODAY)].flatMap((one) => one.codes), ...ELSEWHERE];
    expect(new Set(tested)).toEqual(new Set(codes));
  });

  test('covers what both documents define as a hazard', () => {
    const definitions = schemaOf('error')['$defs'] as JsonObject;
    expect(definitions['hazard']).toEqual(hazards);
    expect(definitions['permit']).toEqual((schemaOf('plan')['$defs'] as JsonObject)['permit']);
  });
});

test('a refusal names the options only if they allow the whole plan', async () => {
  const variants = { multivariate: { variants: [{ key: 'x', rollout_percentage: 100 }] } };
  const seed = { flags: [flag('a', { filters: { groups: [{}], ...variants } }), flag('b')] };
  const DELETED = 'flags:\n  b: { deleted: true }\n';
  const refused = async (text: string): Promise<string> => {
    const files = { 'flagwright.yaml': 'protected: [b]\n', 'flags/a.yaml': text };
    const { run, writes } = await guard(files, seed, { profile: 'posthog' });
    const { code, stderr } = await run('apply', '--yes');
    expect([code, writes()]).toEqual([4, 0]);
    return stderr;
  };
  expect(await refused(DELETED)).toContain('Plan again after one of the ways above.');
  const both = await refused(`${DELETED}early_access:\n  a: { stage: draft }\n`);
  expect(both).toContain('The service refuses a part of the plan, whatever is allowed here.');
  expect(both).not.toContain('one of the ways above');
});
