/** `plan --impact` from the command line, over HTTP. */

import { expect, onTestFinished, test } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import { startEmbedded } from '../../service/src/index.ts';
import { runCli, type Ran } from '../helpers/run.ts';
import { schemaErrors } from '../helpers/schemas.ts';
import { createWorkspace } from '../helpers/workspace.ts';

const US = { key: 'country', type: 'person', operator: 'exact', value: ['US'] };
const HOSTILE = '<b>**x**</b>\u001B[31m|`\n::error::';
const FLAGS = [
  {
    id: 1,
    key: 'checkout',
    active: true,
    filters: {
      groups: [{ properties: [{ ...US, value: [HOSTILE] }] }, { properties: [US], rollout_percentage: 10 }],
    },
  },
  {
    id: 2,
    key: 'banner',
    active: true,
    filters: {
      groups: [{ properties: [{ key: '1', type: 'flag', operator: 'flag_evaluates_to', value: true }] }],
    },
  },
];
const MANIFEST = `flags:
  checkout:
    filters:
      groups:
        - properties: [{ key: country, type: person, operator: exact, value: [${JSON.stringify(HOSTILE)}] }]
        - { properties: [{ key: country, type: person, operator: exact, value: [US] }], rollout_percentage: 35 }
`;

const PEOPLE = {
  'people.csv': 'distinct_id,country\nsecret-9,US\nsecret-2,secret-DE\nsecret-2,\n,US\nsecret-3\nsecret-11,\n',
  'empty.csv': '',
};

async function planning(...argv: string[]): Promise<Ran> {
  return planningOf(FLAGS, ...argv);
}

async function planningOf(flags: readonly JsonObject[], ...argv: string[]): Promise<Ran> {
  const service = await startEmbedded({
    data: ':memory:',
    now: () => new Date(),
    randomUuid: () => crypto.randomUUID(),
    seed: { flags },
  });
  onTestFinished(() => service.close());
  const workspace = createWorkspace({
    'flagwright.yaml': `projects: { main: { host: "${service.url}", project_id: "1" } }\n`,
    'flags/a.yaml': MANIFEST,
    'flags/b.yaml': 'flags: { banner: { active: true } }\n',
    ...PEOPLE,
  });
  return runCli(['plan', ...argv], { cwd: workspace.root, env: { POSTHOG_API_KEY: 'phx_impact' } });
}

test('the impact stands below each change, and flags that depend on it are listed', async () => {
  const { code, stdout } = await planning('--impact');
  expect(code).toBe(0);
  expect(stdout).toContain(
    '            impact: of condition 2 (country is US), 25% get the flag; nobody else is affected\n',
  );
  expect(stdout).toMatch(
    /Also affected, by flags or cohorts that change:\n {2}banner: changes through checkout\n {4}of condition 2 \(country is US\) of checkout, 25% get the flag/,
  );
  expect(stdout).not.toContain('\u001B');
});

test('flags that change alike through another one are one entry', async () => {
  const [, banner] = FLAGS;
  const { stdout } = await planningOf([...FLAGS, { ...banner, id: 3, key: 'footer' }], '--impact');
  expect(stdout).toMatch(/that change:\n {2}banner, footer: changes through checkout\n {4}of condition 2 [^\n]*\n\n/);
});

test('the impact is in JSON and Markdown, and absent where nobody asked for it', async () => {
  const { impact, ...others } = JSON.parse((await planning('--impact', '-f', 'json')).stdout) as {
    readonly impact: { readonly flags: readonly { readonly key: string }[] };
  };
  expect(schemaErrors('plan', { impact, ...others })).toEqual([]);
  expect(impact.flags.map(({ key }) => key)).toEqual(['checkout', 'banner']);
  const { stdout } = await planning('--impact', '-f', 'markdown');
  expect(stdout).toContain('impact: of condition 2 (country is US), 25% get the flag; nobody else is affected');
  expect(stdout).toContain('Also affected, by flags or cohorts that change');
  expect((await planning('-f', 'json')).stdout).not.toContain('"impact"');
});

test.each([
  [
    'github',
    /^::notice file=flags\/b\.yaml,line=1,col=10,title=effect\/through::banner: changes through checkout\. Of /m,
  ],
  ['sarif', /"ruleId": "effect\/through"[^]*banner: changes through checkout\./],
  ['gitlab', /banner: changes through checkout\./],
  ['junit', /banner: changes through checkout\./],
  ['html', /banner: changes through checkout/],
  ['markdown', /banner: changes through checkout/],
])('a flag that changes only through another one is in %s', async (format, shown) => {
  expect((await planning('--impact', '-f', format)).stdout).toMatch(shown);
});

test('people of a file are counted, in all formats, without an id or a property', async () => {
  const people = ['--impact', '--persons', 'people.csv'];
  const { code, stdout } = await planning(...people);
  expect(code).toBe(0);
  expect(stdout).toMatch(/ {12}people: of 3 people, 1 gets the flag, 1 undecided\n/);
  expect(stdout).toContain('People: 3 counted, 1 duplicate line (4), 1 line without an id (5), 1 malformed line (6)\n');
  const document = await planning(...people, '-f', 'json');
  expect(schemaErrors('plan', document.document())).toEqual([]);
  expect(document.document()).toMatchObject({
    impact: { flags: [{ persons: { turnsOff: 0 } }, {}], persons: { counted: 3, malformed: { count: 1, first: [6] } } },
  });
  const markdown = await planning(...people, '-f', 'markdown');
  expect(markdown.stdout).toContain('people: of 3 people, ');
  expect(markdown.stdout).toContain('People: 3 counted');
  const html = await planning(...people, '-f', 'html');
  expect(html.stdout).toContain('<th scope="row">People</th><td>3 counted');
  expect([stdout, document.stdout, markdown.stdout, html.stdout].join('')).not.toContain('secret-');
});

test.each([
  [['--impact', '--persons', 'missing.csv'], 1, 'Cannot read missing.csv: no such file or folder.'],
  [['--impact', '--persons', 'flags'], 1, 'Cannot read flags: it is a folder.'],
  [['--impact', '--persons', 'empty.csv'], 1, 'empty.csv is empty.'],
  [['--persons', 'people.csv'], 1, '--persons needs --impact.'],
])('plan %j fails', async (argv, code, message) => {
  const ran = await planning(...argv);
  expect(ran.stderr).toContain(message);
  expect(ran.code).toBe(code);
});

// Today the first condition decides; in 2023 one with a variant came first.
test.each([
  ['posthog', ''],
  ['documented', '50% change variant'],
])('an embedded project is evaluated as its profile does: %s', async (profile, expected) => {
  const flag = (variant: string): string => `flags:
  banner:
    active: true
    filters:
      groups: [{ properties: [] }, { properties: []${variant} }]
      multivariate: { variants: [{ key: a, rollout_percentage: 50 }, { key: b, rollout_percentage: 50 }] }
`;
  const { root, write } = createWorkspace({
    'flagwright.yaml': `projects: { local: { service: embedded, profile: ${profile} } }\n`,
    'flags/banner.yaml': flag(', variant: b'),
  });
  expect((await runCli(['apply', '--yes'], { cwd: root })).code).toBe(0);
  write('flags/banner.yaml', flag(''));
  const { code, stdout } = await runCli(['plan', '--impact'], { cwd: root });
  expect(code).toBe(0);
  if (expected === '') expect(stdout).not.toContain('% change variant');
  else expect(stdout).toContain(expected);
});
