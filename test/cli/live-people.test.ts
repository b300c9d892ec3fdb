/** `plan --impact` with people of the service and with its own counts, over HTTP. */

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import { startEmbedded, type Profile } from '../../service/src/index.ts';
import { startCli, type CliResult } from '../helpers/cli.ts';
import { runCli } from '../helpers/run.ts';
import { schemaErrors } from '../helpers/schemas.ts';
import { createWorkspace, type Workspace } from '../helpers/workspace.ts';

const US = { key: 'country', type: 'person', operator: 'exact', value: ['US'] };
const ACME = { key: 'tier', type: 'group', group_type_index: 0, operator: 'exact', value: ['gold'] };

/** The last depends on the second, and this on the first, which is not changed. */
const FLAGS: readonly JsonObject[] = [
  { id: 1, key: 'base', active: true, filters: { groups: [{ properties: [US] }] } },
  {
    id: 2,
    key: 'middle',
    active: true,
    filters: { groups: [{ properties: [dependsOn('1')], rollout_percentage: 0 }] },
  },
  { id: 3, key: 'top', active: true, filters: { groups: [{ properties: [dependsOn('2')] }] } },
  {
    id: 4,
    key: 'plans',
    active: true,
    filters: { groups: [{ properties: [US], rollout_percentage: 10 }, { properties: [{ ...US, value: ['FR'] }] }] },
  },
  { id: 5, key: 'seats', active: true, filters: { aggregation_group_type_index: 0, groups: [{ properties: [ACME] }] } },
];

function dependsOn(id: string): JsonObject {
  return { key: id, type: 'flag', operator: 'flag_evaluates_to', value: true };
}

const MANIFEST = `flags:
  middle:
    filters:
      groups:
        - { properties: [{ key: base, type: flag, operator: flag_evaluates_to, value: true }], rollout_percentage: 100 }
  plans:
    filters:
      groups:
        - { properties: [{ key: country, type: person, operator: exact, value: [US] }], rollout_percentage: 100 }
        - { properties: [{ key: country, type: person, operator: exact, value: [DE] }] }
  seats: { active: false }
`;

const GROUP_TYPES = [{ group_type_index: 0, group_type: 'company' }];
const GROUPS = ['gold', 'free'].map((tier) => ({ group_type_index: 0, key: tier, properties: { tier } }));

/** Strings that belong to people, which nothing may show. */
const PLANTED = 'planted-7f3a';
const PERSONS = Array.from({ length: 12 }, (_, index) => ({
  distinct_ids: [`${PLANTED}-id-${index}`, ...(index === 0 ? [`${PLANTED}-other`] : [])],
  properties: {
    [`${PLANTED}-key`]: `${PLANTED}-value`,
    email: `${PLANTED}@example.org`,
    country: ['US', 'DE', 'FR'][index % 3] as string,
  },
}));

interface Planning {
  readonly profile?: Profile;
  /** What goes wrong. */
  readonly faults?: readonly JsonObject[];
  readonly files?: Readonly<Record<string, string>>;
  /** A user interrupts the run while it waits for an answer with latency, which comes after the end of the run. */
  readonly interruptsSlow?: boolean;
}

interface Planned extends CliResult {
  readonly workspace: Workspace;
  /** Method and path with query of every request. */
  readonly requests: readonly string[];
}

/** The command against a service with these people: the built one where a signal interrupts it. */
async function planning(
  argv: readonly string[],
  { profile = 'posthog', faults, files, interruptsSlow = false }: Planning = {},
): Promise<Planned> {
  const requests: string[] = [];
  let running: ReturnType<typeof startCli> | undefined;
  const sleep = async (): Promise<void> => {
    running?.child.kill('SIGINT');
    await running?.ended;
  };
  const service = await startEmbedded({
    data: ':memory:',
    now: () => new Date('2026-03-01T12:00:00Z'),
    randomUuid: () => crypto.randomUUID(),
    profile,
    seed: { flags: FLAGS, persons: PERSONS, group_types: GROUP_TYPES, groups: GROUPS },
    ...(faults === undefined ? {} : { faults: { faults } }),
    ...(interruptsSlow ? { sleep } : {}),
    onRequest: ({ method, path: at }) => requests.push(`${method} ${at}`),
  });
  onTestFinished(() => service.close());
  const workspace = createWorkspace({
    'flagwright.yaml': `projects: { main: { host: "${service.url}", project_id: "1" } }\n`,
    'flags/a.yaml': MANIFEST,
    ...files,
  });
  const line = ['plan', '--impact', ...argv];
  const options = { cwd: workspace.root, env: { POSTHOG_API_KEY: KEY } };
  if (!interruptsSlow) return { ...(await runCli(line, options)), signal: null, workspace, requests };
  running = startCli(line, options);
  return { ...(await running.ended), workspace, requests };
}

const KEY = 'phx_live_people';
const LIVE = ['--persons', 'live'];

function impactOf({ stdout }: CliResult): Record<string, JsonObject> {
  const document = JSON.parse(stdout) as {
    readonly impact: { readonly flags: readonly (JsonObject & { key: string })[] };
  };
  expect(schemaErrors('plan', document)).toEqual([]);
  return Object.fromEntries(document.impact.flags.map((flag) => [flag.key, flag]));
}

test('the newest people of the project are counted, also for flags that depend on a changed one', async () => {
  const ran = await planning([...LIVE, '-f', 'json']);
  expect(ran.code, ran.stderr).toBe(0);
  const { middle, top, plans, seats } = impactOf(ran);
  expect(middle).toMatchObject({ by: 'change', persons: { turnsOn: 4, unchanged: 8, undecided: 0 } });
  expect(top).toMatchObject({ by: 'dependency', persons: { turnsOn: 4, unchanged: 8, undecided: 0 } });
  expect(plans).toMatchObject({ persons: { turnsOff: 4 } });
  expect(seats).toMatchObject({ persons: { undecided: 12 } });
  expect(JSON.parse(ran.stdout)).toMatchObject({
    impact: { persons: { source: 'live', counted: 12, withoutId: 0, total: 12, isAll: true } },
  });
});

const CHAIN = ['US', 'US', 'DE', ''].map((country, index) => `u-${index},${country}`).join('\n');

test.each<[string, readonly string[], JsonObject]>([
  ['made-up people', [], {}],
  ['people of a file', ['--persons', 'people.csv'], { persons: { turnsOn: 2, unchanged: 1, undecided: 1 } }],
  ['people of the project', LIVE, { persons: { turnsOn: 4, unchanged: 8, undecided: 0 } }],
])('a flag that depends on a changed flag that depends on a third is followed for %s', async (_, argv, counts) => {
  const ran = await planning([...argv, '-f', 'json'], { files: { 'people.csv': `id,country\n${CHAIN}\n` } });
  const { middle, top, base } = impactOf(ran);
  expect(base).toBeUndefined();
  for (const flag of [middle, top]) {
    expect(flag).toMatchObject(counts);
    const { estimate } = flag as { readonly estimate?: { readonly audiences: readonly JsonObject[] } };
    const turningOn = estimate?.audiences.filter(({ shares }) => (shares as JsonObject)['turnsOn'] === 100);
    expect(turningOn).toMatchObject([
      { through: expect.arrayContaining([expect.objectContaining({ key: 'base' })]) as unknown },
    ]);
  }
  expect(top).toMatchObject({ by: 'dependency' });
});

test('no more people are read than were asked for, and the text says that they are a sample', async () => {
  const { stdout, requests } = await planning(['--persons', 'live:5']);
  expect(stdout).toContain('People: 5 counted, the newest of 12 people of the project\n');
  expect(stdout).toMatch(/ {12}people: of 5 people, /);
  expect(requests.filter((one) => one.includes('/persons/'))).toHaveLength(1);
});

test('a service that does not tell how many people there are is read alike', async () => {
  const { stdout } = await planning(['--persons', 'live:5'], { profile: 'documented' });
  expect(stdout).toContain('People: 5 counted, the newest of the people of the project\n');
  expect((await planning(LIVE, { profile: 'documented' })).stdout).toContain(
    'People: 12 counted, all of the project\n',
  );
});

test('neither an id nor a property of anybody is in any output or file, in any format', async () => {
  const formats = ['text', 'json', 'markdown', 'html', 'sarif', 'github', 'gitlab'];
  const reports = formats.flatMap((format) => ['--report', `${format}=${format}.out`]);
  const csv = PERSONS.map(({ distinct_ids: [id] }) => `${id},US,${PLANTED}-group`).join('\n');
  const files = { 'people.csv': `distinct_id,country,groups.0\n${csv}\n`, 'people.jsonl': `{"id":"${PLANTED}\n` };
  for (const persons of ['live', 'people.csv', 'people.jsonl']) {
    const ran = await planning(['--persons', persons, '--blast-radius', '--out', 'plan.json', '-v', ...reports], {
      files,
    });
    expect(ran.code, ran.stderr).toBe(0);
    const written = readdirSync(ran.workspace.root).filter((file) => /\.(?:out|json)$/.test(file));
    expect(written).toEqual(expect.arrayContaining(['plan.json', ...formats.map((format) => `${format}.out`)]));
    const texts = written.map((file) => readFileSync(path.join(ran.workspace.root, file), 'utf8'));
    expect([ran.stdout, ran.stderr, ...texts].join('\n')).not.toContain(PLANTED);
  }
});

test.each<[string, JsonObject, string]>([
  [
    'the scope is missing',
    { answer: { status: 403, code: 'permission_denied', detail: "API key missing required scope 'person:read'" } },
    'Reading people needs the scope person:read on the API key.',
  ],
  ['it lists no people', { answer: { status: 404 } }, 'Leave out --persons live'],
  ['it fails for long', { count: 100, answer: { status: 500, retry_after: 0 } }, 'failed with status 500'],
])('people of the service are not counted where %s', async (_, fault, message) => {
  const { code, stderr, stdout } = await planning(LIVE, { faults: [{ match: { path: '**/persons' }, ...fault }] });
  expect(stderr).toContain(message);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
});

test('an interrupt ends the reading of people', async () => {
  const faults = [{ match: { path: '**/persons' }, latency: { ms: 1, when: 'before' } }];
  const { code, signal, stdout, stderr } = await planning(LIVE, { faults, interruptsSlow: true });
  expect({ code, signal, stdout }).toEqual({ code: 130, signal: null, stdout: '' });
  expect(stderr).not.toContain(PLANTED);
});

test('a page that fails once is read again', async () => {
  const faults = [{ match: { path: '**/persons' }, answer: { status: 503 } }];
  expect((await planning(LIVE, { faults })).stdout).toContain('People: 12 counted');
});

test.each([
  [['--persons', 'live:0'], 'After live: a whole number from 1 to 1000000 must follow, as in live:1000.'],
  [['--persons', 'live:'], 'A file of that name is ./live:.'],
  [['--persons', 'live:1e3'], 'After live: a whole number'],
  [['--persons', 'live', '--persons', 'a.csv'], 'It may be given once. Join files of people into one.'],
  [['--persons', './live'], 'Cannot read ./live: no such file or folder.'],
  [['--against', 'snapshot.json', '--persons', 'live'], '--against and --persons live cannot be used together.'],
  [['--against', 'snapshot.json', '--blast-radius'], '--against and --blast-radius cannot be used together.'],
])('plan --impact %j fails', async (argv, message) => {
  const { code, stderr } = await planning(argv);
  expect(stderr).toContain(message);
  expect(code).toBe(1);
});

test('a file that is named live is read by its path', async () => {
  const { stdout } = await planning(['--persons', './live'], { files: { live: 'id,country\n1,US\n' } });
  expect(stdout).toContain('People: 1 counted\n');
});

test.each<Profile>(['posthog', 'documented'])('the service counts who matches each condition: %s', async (profile) => {
  const ran = await planning(['--blast-radius', '-f', 'json'], { profile });
  const { middle, top, plans, seats } = impactOf(ran);
  const [four, all] = [4, 12].map((affected) => ({ kind: 'people', affected, total: 12 }));
  const gold = { kind: 'groups', affected: 1, total: 2 };
  expect(middle).toMatchObject({ blastRadius: [{ side: 'wanted', before: all, after: all }] });
  expect(top).not.toHaveProperty('blastRadius');
  expect(plans).toMatchObject({
    blastRadius: [
      { condition: { number: 1 }, before: four, after: four },
      { condition: { number: 2 }, before: four, after: four },
    ],
  });
  expect(seats).toMatchObject({ blastRadius: [{ before: gold, after: gold }] });
  // Everyone, US, FR, DE and the groups.
  expect(ran.requests.filter((one) => one.includes('user_blast_radius'))).toHaveLength(5);
  expect(JSON.parse(ran.stdout)).toMatchObject({ impact: { blastRadius: { requests: 5 } } });
});

test('the counts of the service are below the impact, in text, Markdown and HTML', async () => {
  const { stdout } = await planning(['--blast-radius']);
  expect(stdout).toContain('            blast radius: condition 1 (country is US): 4 of 12 people\n');
  expect(stdout).toContain('Blast radius: counted by the service, without regard to the rollout · 5 requests\n');
  for (const format of ['markdown', 'html']) {
    const ran = await planning(['--blast-radius', '-f', format]);
    expect(ran.stdout).toContain('blast radius: condition 1 (country is US): 4 of 12 people');
    expect(ran.stdout).toContain('Blast radius: counted by the service');
  }
});

test.each<[string, JsonObject, string]>([
  [
    'the endpoint is missing',
    { answer: { status: 404 } },
    'not counted, since this service does not have the endpoint',
  ],
  ['the scope is missing', { answer: { status: 403 } }, 'the API key needs the scope feature_flag:read'],
  ['it fails for long', { answer: { status: 500 } }, 'not counted, since the service did not answer: '],
])('the plan is shown where the service counts nothing: %s', async (_, fault, message) => {
  const faults = [{ match: { path: '**/user_blast_radius' }, count: 100, ...fault }];
  const { code, stdout } = await planning(['--blast-radius', '--concurrency', '1'], { faults });
  expect(code).toBe(0);
  expect(stdout).toContain(message);
  expect(stdout).toContain('impact: ');
});

test('a condition that the service refuses to count says so', async () => {
  const answer = { status: 400, code: 'invalid_input', detail: 'No \u001B[31m such cohort.' };
  const faults = [{ match: { path: '**/user_blast_radius' }, answer }];
  const { code, stdout } = await planning(['--blast-radius', '--concurrency', '1'], { faults });
  expect(code).toBe(0);
  expect(stdout).toMatch(/blast radius: .*: the service refuses to count it \(.*such cohort/);
  expect(stdout).not.toContain('\u001B');
  expect(stdout).toContain('5 requests');
});
