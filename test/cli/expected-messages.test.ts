/** Mistakes of a first day get the words that a person expects, with place and remedy. */

import { expect, test } from 'vitest';
import { runCli } from '../helpers/run.ts';
import { createWorkspace } from '../helpers/workspace.ts';

const CONFIGURATION = `projects:
  production: { host: "https://us.posthog.com", project_id: "1" }
  staging: { host: "https://us.posthog.com", project_id: "2" }
default_project: production
`;
const flag = (text: string): string => `flags:\n  a: { active: true, ${text} }\n`;

test.each<[string, string, string[]]>([
  [
    'a member below a value',
    'flags:\n  a:\n    active: true\n\n    # why\n     rollout_percentage: 10\n',
    ['a.yaml:', 'line 6 is indented deeper than line 3.'],
  ],
  [
    'a member below a value, on the next line',
    'flags:\n  a:\n    active: true\n     rollout_percentage: 10\n',
    ['a.yaml:3:13', 'line 4 is indented deeper than line 3.'],
  ],
  [
    'a flag outside flags',
    'new-checkout:\n  active: true\n',
    ['a.yaml:1:1', '"new-checkout" is not known here', '→ Put it under `flags:`, or remove it.'],
  ],
  ['a misspelt section', 'flag:\n  a: { active: true }\n', ['a.yaml:1:1', '→ Did you mean "flags"?']],
  [
    'a list of flags',
    'flags:\n  - key: a\n    active: true\n',
    ['found a list', '→ Write `a:` in place of `- key: a`'],
  ],
  ['a percentage', flag('rollout_percentage: 10%'), ['a.yaml:2:22', '→ Write 10, without the percent sign.']],
  [
    'a key twice',
    'flags:\n  a: { active: true }\n  b: { active: true }\n  a: { active: false }\n',
    ['a.yaml:4:3', 'already has the key "a", on line 2.'],
  ],
  [
    'a project by its short name',
    flag('projects: { prod: { active: false } }'),
    ['a.yaml:2:34', '→ Did you mean "production"?'],
  ],
  [
    'a value with @',
    'flags:\n  a:\n    description: @ana\n',
    ['a.yaml:3:18', 'a value that begins with @ needs quotes.'],
  ],
  [
    'a colon in a value',
    'flags:\n  a:\n    description: Note: it is new\n',
    ['a.yaml:3:18', 'a value that contains ": " needs quotes.'],
  ],
  [
    'a colon in a value between braces',
    'flags:\n  a: { description: Note: it is new }\n',
    ['a.yaml:2:', 'a value that contains ": " needs quotes.'],
  ],
  [
    'no space after a colon',
    'flags:\n  a:\n    active:true\n',
    ['a.yaml:2:3', '→ Put a space after the colon: `active: true`.'],
  ],
  ['one tag in place of a list', flag('tags: checkout'), ['a.yaml:2:22', '→ Write `[checkout]`.']],
  ['tags with commas', flag("tags: 'checkout, new'"), ['→ Write `[checkout, new]`.']],
  [
    'filters that are commented out',
    'flags:\n  a:\n    active: true\n    filters:\n    #  groups: []\n',
    ['a.yaml:4:5', '"filters" has no value.', '→ Write the value, or remove the name'],
  ],
  [
    'a percentage in a comment',
    'flags:\n  a:\n    rollout_percentage: # 10\n',
    ['a.yaml:3:5', '"rollout_percentage" has no value: ` #` begins a comment.'],
  ],
  [
    'a value that begins with #',
    'flags:\n  a:\n    description: #1 priority\n',
    ['a.yaml:3:5', '→ Put the value in quotes, "#1 priority"'],
  ],
  [
    'filters of an overlay that are commented out',
    'flags:\n  a:\n    projects:\n      staging:\n        filters:\n',
    ['a.yaml:5:9'],
  ],
  ['no for false', 'flags:\n  a: { active: no }\n', ['→ Write false: in YAML 1.2, yes, no, on and off are strings.']],
  ['a boolean in quotes', "flags:\n  a: { active: 'true' }\n", ['→ Remove the quotes.']],
  ['a variable for a boolean', 'flags:\n  a: { active: "${ON}" }\n', ['→ Write true or false or a mapping.']],
  ['indentation by no-break spaces', 'flags:\n\u00a0\u00a0a: {}\n', ['a.yaml:2:1', '→ Indent with spaces']],
  ['a key behind no-break spaces', 'flags:\n  a: {}\n  \u00a0b: {}\n', ['→ Indent with spaces']],
  [
    'a list for a string',
    flag('filters: { groups: [{ properties: [{ key: v, operator: icontains, value: [a, b] }] }] }'),
    ['→ Use `icontains_multi`'],
  ],
  ['a payload beside the rollout', flag('payload: { x: 1 }'), ['→ Did you mean "payloads" of the filters?']],
  ...[
    ['equals', 'exact'],
    ['!=', 'is_not'],
    ['>=', 'gte'],
    ['contains', 'icontains'],
  ].map(([found, meant]): [string, string, string[]] => [
    `the operator ${found}`,
    flag(`filters: { groups: [{ properties: [{ key: email, operator: '${found}', value: x }] }] }`),
    [`→ Did you mean "${meant}"?`],
  ]),
])('%s', async (_, text, words) => {
  const { root } = createWorkspace({ 'flagwright.yaml': CONFIGURATION, 'flags/a.yaml': text });
  const { code, stdout } = await runCli(['validate'], { cwd: root });
  expect(code).toBe(1);
  for (const each of words) expect(stdout).toContain(each);
});

test('a version for a number names the operator of versions', async () => {
  const text = flag("filters: { groups: [{ properties: [{ key: v, operator: gt, value: '1.9.0' }] }] }");
  const { root } = createWorkspace({ 'flagwright.yaml': CONFIGURATION, 'flags/a.yaml': text });
  const { code, stdout } = await runCli(['validate'], { cwd: root });
  expect(code).toBe(0);
  expect(stdout).toContain('→ Use `semver_gt`, or write a number in quotes.');
});

test('a cohort that several projects lack is one error', async () => {
  const text = flag('filters: { groups: [{ properties: [{ key: id, type: cohort, value: betas }] }] }');
  const { root } = createWorkspace({ 'flagwright.yaml': CONFIGURATION, 'flags/a.yaml': text });
  const { stdout } = await runCli(['validate'], { cwd: root });
  expect(stdout).toMatch(/The projects .*production.* and .*staging.* have no cohort alias "betas"/);
  expect(stdout).toContain('1 error');
  const one = await runCli(['validate', '--project', 'staging'], { cwd: root });
  expect(one.stdout).toContain('Project "staging" has no cohort alias "betas".');
});

test('what several projects lack is said once, with all of them', async () => {
  const { root } = createWorkspace({
    'flagwright.yaml': CONFIGURATION.replace(
      'default',
      '  third: { host: "https://us.posthog.com", project_id: "3" }\ndefault',
    ),
    'flags/a.yaml': `${flag('filters: { groups: [{ properties: [{ key: gone, type: flag, operator: flag_evaluates_to, value: true }] }] }')}role_access: { growth: [a] }
early_access: { beta: { name: Beta, stage: beta, flag: lost } }
`,
    'tests/a.yaml':
      'expect: [{ person: ada, projects: [production, staging], flags: { only: true } }]\npeople: { ada: {} }\n',
    'flags/b.yaml': 'flags: { only: { only_in: [third], active: true } }\n',
  });
  const { stdout } = await runCli(['validate'], { cwd: root });
  const all = 'projects "production", "staging" and "third"';
  for (const sentence of [
    `No manifest declares flag "gone" for the ${all}.`,
    `The ${all} have no role "growth" in the configuration.`,
    `offers the flag "lost", which no manifest declares for the ${all}.`,
    'No manifest declares flag "only" for the projects "production" and "staging".',
  ]) {
    expect(stdout).toContain(sentence);
  }
  expect(stdout).toContain('1 error, 3 warnings');
});

test.each(['plan', 'drift'])(
  '%s with a project token names the key that is needed, and shows none',
  async (command) => {
    const { root } = createWorkspace({
      'flagwright.yaml': CONFIGURATION,
      'flags/a.yaml': flag('rollout_percentage: 1'),
    });
    const key = 'phc_abcdefghijklmnopqrstuvwxyz';
    const { code, stderr } = await runCli([command], { cwd: root, env: { POSTHOG_API_KEY: key } });
    expect(code).toBe(1);
    expect(stderr).toContain('POSTHOG_API_KEY holds a project token (phc_…)');
    expect(stderr).toContain('→ Set POSTHOG_API_KEY to a personal API key (phx_…).');
    expect(stderr).not.toContain(key);
  },
);

test.each<[readonly string[], string]>([
  [['diff'], '→ `flagwright plan` shows what apply would change'],
  [['import'], '→ `flagwright export` writes the flags'],
  [['rollback'], '→ `flagwright undo` reverts a run.'],
  [['kill', 'checkout'], '→ `flagwright off KEY` turns a flag off now.'],
  [['apply', '--dry-run'], '→ `flagwright plan` shows what apply would do'],
  [['apply', '--auto-approve'], '→ Write --yes.'],
  [['plan', 'production'], '→ A project is named by -p PROJECT, a flag by --target KEY. See flagwright plan --help.'],
  [['plann'], "unknown command 'plann' (Did you mean plan?)"],
])('%s names what it is called here', async (argv, words) => {
  const { root } = createWorkspace({});
  const { code, stderr } = await runCli(argv, { cwd: root });
  expect([code, stderr]).toEqual([1, expect.stringContaining(words) as string]);
});
