/** `plan --impact` with people of a file, who are in no output. */

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import { startEmbedded } from '../../service/src/index.ts';
import { runCli, type Ran } from '../helpers/run.ts';
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

interface Planned extends Ran {
  readonly workspace: Workspace;
}

async function planning(argv: readonly string[], files: Readonly<Record<string, string>> = {}): Promise<Planned> {
  const service = await startEmbedded({
    data: ':memory:',
    now: () => new Date('2026-03-01T12:00:00Z'),
    randomUuid: () => crypto.randomUUID(),
    seed: { flags: FLAGS },
  });
  onTestFinished(() => service.close());
  const workspace = createWorkspace({
    'flagwright.yaml': `projects: { main: { host: "${service.url}", project_id: "1" } }\n`,
    'flags/a.yaml': MANIFEST,
    ...files,
  });
  const ran = await runCli(['plan', '--impact', ...argv], {
    cwd: workspace.root,
    env: { POSTHOG_API_KEY: 'phx_people' },
  });
  return { ...ran, workspace };
}

function impactOf({ stdout }: Ran): Record<string, JsonObject> {
  const document = JSON.parse(stdout) as {
    readonly impact: { readonly flags: readonly (JsonObject & { key: string })[] };
  };
  expect(schemaErrors('plan', document)).toEqual([]);
  return Object.fromEntries(document.impact.flags.map((flag) => [flag.key, flag]));
}

const CHAIN = ['US', 'US', 'DE', ''].map((country, index) => `u-${index},${country}`).join('\n');

test.each<[string, readonly string[], JsonObject]>([
  ['made-up people', [], {}],
  ['people of a file', ['--persons', 'people.csv'], { persons: { turnsOn: 2, unchanged: 1, undecided: 1 } }],
])('a flag that depends on a changed flag that depends on a third is followed for %s', async (_, argv, counts) => {
  const ran = await planning([...argv, '-f', 'json'], { 'people.csv': `id,country\n${CHAIN}\n` });
  const { middle, top, base } = impactOf(ran);
  expect(base).toBeUndefined();
  for (const flag of [middle, top]) {
    expect(flag).toMatchObject(counts);
    const { estimate } = flag as { readonly estimate?: { readonly audiences: readonly JsonObject[] } };
    expect(estimate?.audiences.filter(({ shares }) => (shares as JsonObject)['turnsOn'] === 100)).toMatchObject([
      { through: expect.arrayContaining([expect.objectContaining({ key: 'base' })]) as unknown },
    ]);
  }
  expect(top).toMatchObject({ by: 'dependency' });
});

test('neither an id nor a property of anybody is in any output or file, in any format', async () => {
  const formats = ['text', 'json', 'markdown', 'html', 'sarif', 'github', 'gitlab'];
  const reports = formats.flatMap((format) => ['--report', `${format}=${format}.out`]);
  const csv = PERSONS.map(({ distinct_ids: [id] }) => `${id},US,${PLANTED}-group`).join('\n');
  const files = { 'people.csv': `distinct_id,country,groups.0\n${csv}\n`, 'people.jsonl': `{"id":"${PLANTED}\n` };
  for (const persons of ['people.csv', 'people.jsonl']) {
    const ran = await planning(['--persons', persons, '--out', 'plan.json', '-v', ...reports], files);
    expect(ran.code, ran.stderr).toBe(0);
    const written = readdirSync(ran.workspace.root).filter((file) => /\.(?:out|json)$/.test(file));
    expect(written).toEqual(expect.arrayContaining(['plan.json', ...formats.map((format) => `${format}.out`)]));
    const texts = written.map((file) => readFileSync(path.join(ran.workspace.root, file), 'utf8'));
    expect([ran.stdout, ran.stderr, ...texts].join('\n')).not.toContain(PLANTED);
  }
});

test('a file of people is named once', async () => {
  const { code, stderr } = await planning(['--persons', 'a.csv', '--persons', 'b.csv']);
  expect(stderr).toContain('It can be used once. Merge the files of people into one.');
  expect(code).toBe(1);
});
