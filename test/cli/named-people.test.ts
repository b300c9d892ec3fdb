/** The named people whose answers change, in `plan` from the command line, over HTTP. */

import { expect, onTestFinished, test } from 'vitest';
import { startEmbedded } from '../../service/src/index.ts';
import { runCli, type Ran } from '../helpers/run.ts';
import { schemaErrors } from '../helpers/schemas.ts';
import { createWorkspace } from '../helpers/workspace.ts';

const FLAGS = [{ id: 1, key: 'checkout', active: true, filters: { groups: [{ rollout_percentage: 0 }] } }];
const MANIFEST = `flags:
  checkout:
    filters:
      groups:
        - properties: [{ key: country, type: person, operator: exact, value: [US] }]
`;
const PEOPLE = `people: { ada: { properties: { country: US } }, '<b>|zoe': }\n`;
const CHANGE = 'ada: checkout off → on: condition 1 (country is US) matches';

interface Project {
  readonly requests: () => number;
  readonly run: (...argv: string[]) => Promise<Ran>;
}

/** `config`: further members of the configuration. */
async function projectWith(files: Readonly<Record<string, string>>, config = ''): Promise<Project> {
  let requests = 0;
  const service = await startEmbedded({
    data: ':memory:',
    now: () => new Date(),
    randomUuid: () => crypto.randomUUID(),
    seed: { flags: FLAGS },
    onRequest: () => (requests += 1),
  });
  onTestFinished(() => service.close());
  const workspace = createWorkspace({
    'flagwright.yaml': `projects: { main: { host: "${service.url}", project_id: "1" } }\n${config}`,
    'flags/a.yaml': MANIFEST,
    ...files,
  });
  const settings = { cwd: workspace.root, env: { POSTHOG_API_KEY: 'phx_named' } };
  return { requests: () => requests, run: (...argv) => runCli(argv, settings) };
}

test('plan lists the named people whose answers change, in every format and against a snapshot', async () => {
  const { run } = await projectWith({ 'tests/a.yaml': PEOPLE });
  const { code, stdout } = await run('plan');
  expect(code).toBe(0);
  expect(stdout).toContain(`Test people whose results change:\n  ${CHANGE}\n`);
  const { document } = await run('plan', '-f', 'json');
  expect(schemaErrors('plan', document())).toEqual([]);
  expect(document()).toMatchObject({
    named_people: { people: 2, changed: 1, answers_changed: 1, answers: [{ person: 'ada', text: CHANGE }] },
  });
  expect((await run('plan', '-f', 'markdown')).stdout).toContain(CHANGE);
  expect((await run('plan', '-f', 'html')).stdout).toContain('ada: checkout off → on');
  await run('snapshot', '--out', 'snapshot.json');
  expect((await run('plan', '--against', 'snapshot.json')).stdout).toContain(CHANGE);
});

test('the configuration says where test files are', async () => {
  const { run } = await projectWith(
    { 'people/a.yaml': PEOPLE, 'tests/b.yaml': 'people: 7\n' },
    'tests: [people/*.yaml]\n',
  );
  const { stdout, stderr } = await run('plan');
  expect([stdout, stderr]).toEqual([expect.stringContaining(`whose results change:\n  ${CHANGE}\n`), '']);
});

test('a test file with errors is noted, and the people of the others are listed', async () => {
  const { run } = await projectWith({ 'tests/a.yaml': PEOPLE, 'tests/b.yaml': 'people: { eve: { idd: x } }\n' });
  const { code, stdout, stderr } = await run('plan');
  expect(code).toBe(0);
  expect(stdout).toContain(CHANGE);
  expect(stderr).toMatch(/^note {2}Test files have errors, .* tests\/b\.yaml:1:\d+: .*idd/m);
});

test('without named people nothing is said, and with them nothing more is asked', async () => {
  const without = await projectWith({ 'tests/a.yaml': 'other: program\n' });
  const plan = await without.run('plan', '-f', 'json');
  expect([plan.code, plan.stderr]).toEqual([0, '']);
  expect(plan.stdout).not.toContain('named_people');
  const withPeople = await projectWith({ 'tests/a.yaml': PEOPLE });
  await withPeople.run('plan', '-f', 'json');
  expect(withPeople.requests()).toBe(without.requests());
});

test.each([
  ['HTML', '<img src=x onerror=alert(1)>', 'html', '&lt;img src=x onerror=alert(1)&gt;', '<img'],
  ['a link and a mention', '[x](https://x.test) @team', 'markdown', '```', undefined],
  ['a fence', '```\n# title', 'markdown', '````', '\n# title'],
  ['an escape of terminals', '\u001b[31mred', 'text', '\\u001b[31mred', '\u001b'],
  ['a command to a log', 'x\n::error::y', 'text', 'x\\n::error::y', '\n::error'],
])('a name with %s is text in a plan: %s as %s', async (_, name, format, shown, refused) => {
  const { run } = await projectWith({
    'tests/a.yaml': `people: { ${JSON.stringify(name)}: { properties: { country: US } } }\n`,
  });
  const { code, stdout } = await run('plan', '-f', format);
  expect(code).toBe(0);
  expect(stdout).toContain(': checkout off → on');
  expect(stdout).toContain(shown);
  if (refused !== undefined) expect(stdout).not.toContain(refused);
});
