/** Strings of an attacker in manifests, file names and answers, in the output of every command and format. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import { runCli, type Ran } from '../helpers/run.ts';
import { createWorkspace, type Workspace } from '../helpers/workspace.ts';
import {
  expectHarmless,
  HOSTILE,
  hostileFlag,
  pageOf,
  startHostile,
  withoutAnnotations,
  type Answers,
} from './hostile.ts';

const QUOTED = JSON.stringify(HOSTILE);
const MANIFEST = `flags:
  checkout:
    description: x
    role_access: [0188a2d0-7b3c-7e61-9f61-2f6f2f6a1c11]
    filters: { groups: [{ rollout_percentage: 1 }] }
    fields: { "::set-env name=X::y": ${QUOTED} }
  fresh:
    description: ${QUOTED}
    filters: { groups: [{ description: ${QUOTED} }], payloads: { "true": { ${QUOTED}: ${QUOTED} } } }
`;

const PERSON = {
  id: 1,
  uuid: HOSTILE,
  name: HOSTILE,
  distinct_ids: [HOSTILE],
  properties: { [HOSTILE]: HOSTILE },
  created_at: HOSTILE,
};
const ENTRY = {
  id: HOSTILE,
  user: { first_name: HOSTILE, email: HOSTILE },
  activity: HOSTILE,
  scope: HOSTILE,
  item_id: HOSTILE,
  created_at: HOSTILE,
  detail: { name: HOSTILE, changes: [{ field: HOSTILE, before: HOSTILE, after: HOSTILE, action: HOSTILE }] },
  [HOSTILE]: HOSTILE,
};

/** Explains the live description of the flag. */
const EDIT = {
  ...ENTRY,
  id: 'edit',
  activity: 'updated',
  created_at: '2026-01-31T12:00:00Z',
  detail: { name: HOSTILE, changes: [{ field: 'name', before: 'x', after: HOSTILE, action: 'changed' }] },
};

/** An entry that names an author. */
const COHORT_ENTRY = {
  ...ENTRY,
  activity: 'updated',
  item_id: '7',
  created_at: '2026-01-01T00:00:00Z',
  detail: {
    name: HOSTILE,
    changes: [
      { field: 'description', before: null, after: HOSTILE, action: 'changed' },
      { field: 'name', before: 'crew', after: HOSTILE, action: 'changed' },
    ],
  },
};

const COHORTS = `cohorts:
  crew: { name: ${QUOTED}, description: y, filters: { properties: { type: AND, values: [{ key: plan, value: pro }] } } }
  other: { description: ${QUOTED}, filters: { properties: { type: AND, values: [{ key: ${QUOTED}, value: ${QUOTED} }] } } }
`;

const ACCESS: JsonObject = {
  access_controls: [
    { access_level: HOSTILE, resource: 'feature_flag', resource_id: '1', role: HOSTILE, organization_member: null },
    { access_level: HOSTILE, resource: 'feature_flag', resource_id: '1', role: null, organization_member: HOSTILE },
  ],
  available_access_levels: [HOSTILE],
  default_access_level: HOSTILE,
  [HOSTILE]: HOSTILE,
};

const SCHEDULE: JsonObject = {
  id: 1,
  record_id: '1',
  scheduled_at: HOSTILE,
  executed_at: null,
  payload: { operation: HOSTILE, value: HOSTILE },
  is_recurring: true,
  cron_expression: HOSTILE,
};

const REQUEST: JsonObject = {
  id: HOSTILE,
  state: 'rejected',
  action_key: HOSTILE,
  resource_id: '1',
  apply_error: HOSTILE,
  created_by: { email: HOSTILE },
  approvals: [{ decision: 'rejected', reason: HOSTILE, created_by: { first_name: HOSTILE } }],
  intent: { flag_key: HOSTILE },
};

const COHORT: JsonObject = {
  id: 7,
  name: HOSTILE,
  description: HOSTILE,
  filters: {
    properties: { type: 'AND', values: [{ key: HOSTILE, type: 'person', operator: 'exact', value: HOSTILE }] },
  },
  is_static: false,
};

/** Every read is answered, and every write refused, with strings of an attacker. */
const FEATURE = {
  id: '0188a2d0-7b3c-7e61-9f61-2f6f2f6a1e01',
  name: HOSTILE,
  description: HOSTILE,
  stage: HOSTILE,
  documentation_url: HOSTILE,
  payload: { [HOSTILE]: [HOSTILE] },
  feature_flag: { id: 1, key: HOSTILE },
};

const ANSWERS: Answers = ({ method, url = '' }) => {
  if (method !== 'GET') return undefined;
  if (url.includes('role_access')) return pageOf([{ id: 1, role: { id: HOSTILE, name: HOSTILE }, added_at: HOSTILE }]);
  if (url.includes('access_controls')) return ACCESS;
  if (/organizations\/.*roles/.test(url)) return pageOf([{ id: HOSTILE, name: HOSTILE }]);
  if (url.includes('scheduled_changes')) return pageOf([SCHEDULE]);
  if (url.includes('change_requests')) return pageOf([{ ...REQUEST, state: 'pending' }, REQUEST]);
  if (/cohorts\/\d+\/$/.test(url)) return COHORT;
  if (/cohorts\/(\d+\/)?activity/.test(url)) return { ...pageOf([COHORT_ENTRY]), total_count: 1 };
  if (/[0-9]\/cohorts\//.test(url)) return pageOf([COHORT]);
  if (url.includes('early_access_feature')) return pageOf([FEATURE]);
  if (url.includes('activity')) return { ...pageOf([ENTRY, EDIT]), total_count: 2 };
  if (url.includes('values')) return [{ name: HOSTILE, count: 1 }];
  if (/persons\/(\?|$)/.test(url)) return { next: null, previous: null, results: [PERSON] };
  if (/persons\/1\/$/.test(url)) return PERSON;
  if (/feature_flags\/\d+\/$/.test(url)) return hostileFlag(1);
  return url.includes('archived=true') ? pageOf([]) : pageOf([hostileFlag(1), hostileFlag(2)]);
};

async function attack(
  argv: readonly string[],
  files: Readonly<Record<string, string>> = { 'flags/a.yaml': MANIFEST },
): Promise<Ran & { workspace: Workspace }> {
  const { url } = await startHostile(ANSWERS);
  const workspace = createWorkspace(files);
  const env = { POSTHOG_HOST: url, POSTHOG_PROJECT_ID: '1', POSTHOG_API_KEY: 'phx_planted_key_0123456789' };
  const ran = await runCli(argv, { cwd: workspace.root, env });
  expect(ran.stderr).not.toContain('bug in flagwright');
  return { ...ran, workspace };
}

describe('commands', () => {
  test.each([
    'drift --who',
    'drift --who -v',
    'drift --who -f markdown',
    'plan -f json',
    'parity',
    'explain cohort:crew',
  ])('of cohorts: %s', async (line) => {
    const ran = await attack(line.split(' '), { 'flags/a.yaml': COHORTS });
    expectHarmless(ran.stdout);
    expectHarmless(ran.stderr);
  });

  test.each([
    ...['text -v', 'json', 'markdown', 'html', 'github', 'gitlab', 'sarif'].map((format) => `plan -f ${format}`),
    'drift',
    'apply -y',
    'explain early_access:checkout',
    'accept early_access:checkout --only payload -y -f json',
  ])('of the payload of an early access feature: %s', async (line) => {
    const features = `early_access: { checkout: { name: x, payload: { ${QUOTED}: [${QUOTED}, 1] } } }\n`;
    const ran = await attack(line.split(' '), { 'flags/a.yaml': MANIFEST + features });
    expectHarmless(line.endsWith('github') ? withoutAnnotations(ran.stdout) : ran.stdout);
    expectHarmless(ran.stderr);
    expect(ran.stdout + ran.stderr).toContain('set-env name');
  });

  test.each([
    ['plan'],
    ['plan -v'],
    ['plan -f json'],
    ['plan -f markdown'],
    ['drift -f markdown'],
    ['apply -y -f markdown'],
    ['plan --impact -v'],
    ['plan --prune'],
    ['plan --prune -f json'],
    ['drift'],
    ['drift -v'],
    ['drift -f json'],
    ['apply -y'],
    ['apply -y -v'],
    ['apply -y -f json'],
    ['apply -y --prune --allow-deletes 9'],
    ['drift --who'],
    ['plan --who -f markdown'],
    ['plan --who -f json'],
    ['accept checkout --only description -y'],
    ['accept checkout --only description -y -f json'],
    ['accept checkout --only description -y -f markdown'],
    ['explain checkout'],
    ['explain checkout -f json'],
    ['export'],
    ['export --role-access -f json'],
    ...['text', 'json', 'markdown', 'html', 'github', 'gitlab', 'sarif'].map((format) => [
      `plan --impact -f ${format}`,
    ]),
    ...['markdown', 'html', 'github', 'gitlab', 'sarif'].map((format) => [`drift -f ${format}`]),
  ])('%s', async (line) => {
    const ran = await attack(line.split(' '));
    expectHarmless(line.endsWith('github') ? withoutAnnotations(ran.stdout) : ran.stdout);
    expectHarmless(ran.stderr);
    // The output contains a string of the attacker, so the check above means something.
    expect(ran.stdout + ran.stderr).toContain('set-env name');
  });

  test.each([
    ['drift --who', 'changed by '],
    ['drift --who -f markdown', '**Changed in the service**'],
    ['explain checkout.description', 'changed by '],
  ])('%s names a hostile author', async (line, words) => {
    const { stdout } = await attack(line.split(' '));
    expectHarmless(stdout);
    const [, named = ''] = stdout.split(words);
    expect(named.slice(0, 50)).toContain('set-env name');
  });

  test('a patch that a log would obey is not printed', async () => {
    const { code, stdout, stderr } = await attack(['accept', 'checkout', '--only', 'description', '--patch']);
    expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
    expectHarmless(stderr);
  });

  test('history and undo of a hostile journal', async () => {
    const { workspace } = await attack(['apply', '-y']);
    for (const line of ['history', 'history -f json', 'undo -y', 'apply --resume -y']) {
      const { url } = await startHostile(ANSWERS);
      const env = { POSTHOG_HOST: url, POSTHOG_PROJECT_ID: '1', POSTHOG_API_KEY: 'phx_planted_key_0123456789' };
      const ran = await runCli(line.split(' '), { cwd: workspace.root, env });
      expect(ran.stderr).not.toContain('bug in flagwright');
      expectHarmless(ran.stdout + ran.stderr);
    }
  });

  describe.each(['text', 'json', 'jsonl', 'csv'])('as %s', (format) => {
    test.each([
      ['flags list'],
      ['flags get checkout'],
      ['flags activity checkout'],
      ['role-access list checkout'],
      ['cohorts list'],
      ['cohorts get 7'],
      ['persons list'],
      ['persons get 1'],
      ['persons list --columns properties,name,::set-env'],
      ['persons values x'],
      ['persons activity'],
      ['flags list --columns ##[x],filters'],
    ])('%s', async (line) => {
      const ran = await attack([...line.split(' '), '-f', format]);
      expect(ran.code, ran.stderr).toBe(0);
      expectHarmless(ran.stderr);
      // CSV keeps characters that scripts and emoji need, and its lines end with CR LF.
      const { stdout } = ran;
      expectHarmless(format === 'csv' ? stdout.replaceAll('\r\n', '\n').replace(/[\p{Cf}\p{Zl}\p{Zp}]/gu, '') : stdout);
      if (format === 'json') expect(JSON.stringify(JSON.parse(stdout))).toContain(JSON.stringify(HOSTILE).slice(1, -1));
    });
  });
});

describe('policies, tests and snapshots', () => {
  const config = (rules: string): string => `tests: ["tests/*.yaml"]
projects: { p: { host: "$HOST", project_id: 1, api_key_env: POSTHOG_API_KEY } }
policies: { rules: [${rules}] }
`;
  const RULES = `{ name: own, when: 'change.key == "x" || true', message: ${QUOTED} }, { rule: require, description: true, tags: [team] }`;
  const TESTS = `people: { ${QUOTED}: { id: ${QUOTED}, properties: { ${QUOTED}: ${QUOTED} } } }
expect: [{ name: ${QUOTED}, person: ${QUOTED}, flags: { checkout: false, fresh: { value: true, payload: { ${QUOTED}: 1 } } } }]
`;

  test.each([
    ...['text', 'json', 'markdown', 'html', 'github', 'gitlab', 'sarif'].map((format) => `plan -f ${format}`),
    ...['text', 'json', 'markdown', 'html', 'github', 'gitlab', 'sarif', 'junit'].map((format) => `test -f ${format}`),
    ...['text', 'json', 'markdown', 'html', 'github', 'gitlab', 'sarif', 'junit'].map(
      (format) => `validate -f ${format}`,
    ),
    'snapshot --out snapshot.json',
  ])('%s', async (line) => {
    const { url } = await startHostile(ANSWERS);
    const workspace = createWorkspace({
      'flagwright.yaml': config(RULES).replace('$HOST', url),
      'flags/a.yaml': MANIFEST,
      'tests/a.yaml': TESTS,
    });
    const env = { POSTHOG_API_KEY: 'phx_planted_key_0123456789' };
    const ran = await runCli(line.split(' '), { cwd: workspace.root, env });
    expect(ran.stderr).not.toContain('bug in flagwright');
    expectHarmless(ran.stderr);
    const written = line.startsWith('snapshot') ? workspace.read('snapshot.json') : ran.stdout;
    expectHarmless(line.endsWith('github') ? withoutAnnotations(written) : written);
    // The text of the rule, of the test, or of the live flags; `validate` without a base judges nothing.
    if (!line.startsWith('validate')) expect(written).toContain('set-env name');
  });
});

describe('files', () => {
  test('a saved plan keeps every value and has no invisible character', async () => {
    const { workspace } = await attack(['plan', '--out', 'plan.json']);
    expectHarmless(workspace.read('plan.json'));
    const { changes } = JSON.parse(workspace.read('plan.json')) as {
      changes: { key: string; body: { name?: string } }[];
    };
    expect(changes.find(({ key }) => key === 'fresh')?.body.name).toBe(HOSTILE);
    for (const options of [[], ['-v'], ['-f', 'json']]) {
      const ran = await runCli(['show', 'plan.json', ...options], { cwd: workspace.root });
      expect([ran.code, ran.stderr]).toEqual([0, '']);
      expectHarmless(ran.stdout);
      expect(ran.stdout).toContain('set-env name');
    }
  });

  test('an export has no invisible character and loads', async () => {
    const { workspace, code, stderr } = await attack(['export', '--dir', 'out', '--group-by', 'single']);
    // No manifest can declare a flag with such a key, so the export omits the flag and names it.
    expect(code).toBe(3);
    expectHarmless(stderr);
    const written = readFileSync(path.join(workspace.root, 'out/flags.yaml'), 'utf8');
    expect(written).not.toMatch(/[^\P{Cc}\n]/u);
    expect(written).not.toMatch(/[\p{Cf}\p{Zl}\p{Zp}]/u);
  });
});

describe('diagnostics are harmless for', () => {
  const NAME = 'flags/::error::x\u001b[2J\u202e##[y]##vso[z].yaml';

  test.each([
    ['a file name', { 'flagwright.yaml': 'manifests: ["**/*.yaml"]\n', [NAME.slice(6)]: 'flags: [' }],
    ['a folder', { 'flagwright.yaml': 'manifests: ["**/*.yaml"]\n', [`${NAME}/a.yaml`]: 'flags: 1' }],
    ['a pattern', { 'flagwright.yaml': `manifests: [${QUOTED}]\n` }],
    ['a flag', { 'flags/a.yaml': `flags: { ${QUOTED}: {} }\n` }],
    ['a member', { 'flags/a.yaml': `flags: { a: { ${QUOTED}: 1 } }\n` }],
    ['a role', { 'flags/a.yaml': `flags: { a: { role_access: [${QUOTED}] } }\n` }],
    [
      'a glob',
      { 'flags/a.yaml': `flags: { a: {} }\nrole_access: { 0188a2d0-7b3c-7e61-9f61-2f6f2f6a1c11: [${QUOTED}] }\n` },
    ],
    [
      'a payload',
      { 'flags/a.yaml': `flags: { a: { filters: { groups: [{}], payloads: { ${QUOTED}: ${QUOTED} } } } }\n` },
    ],
    [
      'a pattern of a condition',
      {
        'flags/a.yaml': `flags: { a: { filters: { groups: [{ properties: [{ key: a, operator: regex, value: ${JSON.stringify(`(${HOSTILE}`)} }] }] } } }\n`,
      },
    ],
    ['an alias', { 'flags/a.yaml': 'flags: { a: *::error::x }\n' }],
    ['a tag', { 'flags/a.yaml': 'flags: !<::error::x> { a: !\u202ex 1 }\n' }],
    ['broken syntax', { 'flags/a.yaml': `flags: [\n::error::x\n\u001b[2J\n##[x]\n` }],
    ['a configuration', { 'flagwright.yaml': `${QUOTED}: ${QUOTED}\nprojects: { ${QUOTED}: { host: ${QUOTED} } }\n` }],
    ['a host', { 'flagwright.yaml': `projects: { a: { host: ${QUOTED}, project_id: 1 } }\n` }],
    [
      'a variable',
      { 'flagwright.yaml': `projects: { a: { host: "https://x", project_id: 1, api_key_env: ${QUOTED} } }\n` },
    ],
    ['a project', { 'flagwright.yaml': `default_project: ${QUOTED}\n` }],
  ])('%s', async (_, files) => {
    for (const argv of [
      ['validate'],
      ['validate', '-f', 'json'],
      ['validate', '-f', 'github'],
      ['validate', '-f', 'gitlab'],
      ['plan', '-f', 'json'],
    ]) {
      const ran = await attack(argv, files);
      expectHarmless(argv.includes('github') ? withoutAnnotations(ran.stdout) : ran.stdout);
      expectHarmless(ran.stderr);
      expect(ran.stdout + ran.stderr).toMatch(/error|warning|major|minor/);
    }
  });

  test.each([
    ['POSTHOG_HOST'],
    ['POSTHOG_PROJECT_ID'],
    ['POSTHOG_API_KEY'],
    ['FLAGWRIGHT_PROJECT'],
    ['FLAGWRIGHT_HOSTS'],
  ])('the variable %s', async (name) => {
    const { root } = createWorkspace({ 'flags/a.yaml': 'flags: { a: {} }\n' });
    const env = {
      POSTHOG_HOST: 'http://127.0.0.1:9',
      POSTHOG_PROJECT_ID: '1',
      POSTHOG_API_KEY: 'phx_planted_key',
      [name]: HOSTILE,
    };
    const ran = await runCli(['plan', '-v', '--deadline', '2s'], { cwd: root, env });
    expect(ran.code).toBe(1);
    expect(ran.stderr).not.toContain('bug in flagwright');
    expectHarmless(ran.stdout + ran.stderr);
  });

  test.each([
    [[HOSTILE]],
    [['plan', HOSTILE]],
    [['plan', '-p', HOSTILE]],
    [['plan', '-c', HOSTILE]],
    [['plan', `--${HOSTILE}`]],
    [['apply', HOSTILE]],
    [['show', HOSTILE]],
    [['validate', HOSTILE]],
    [['plan', '--target', HOSTILE]],
    [['plan', '-o', `/nowhere/${HOSTILE}`]],
    [['undo', HOSTILE]],
    [['flags', 'get', HOSTILE]],
    [['plan', '--concurrency', HOSTILE]],
    [['history', HOSTILE]],
    [['serve', '--host', HOSTILE]],
    [['serve', '--seed', HOSTILE]],
  ])('the argument %#', async (argv) => {
    const ran = await attack(argv);
    expectHarmless(ran.stdout + ran.stderr);
  });
});
