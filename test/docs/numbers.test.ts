/** The numbers of docs/comparison.md, docs/faults.md and docs/terraform.md that this machine can measure are those that they say. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import { FAULTS } from '../faults/catalogue.ts';
import { KEYS, KINDS } from '../faults/kinds.ts';
import { runCli, type Ran } from '../helpers/run.ts';
import { createWorkspace, type Workspace } from '../helpers/workspace.ts';
import { openWorld, ROLE_IDS, type World } from '../helpers/world.ts';

const read = (file: string): string => readFileSync(path.join(import.meta.dirname, '../..', file), 'utf8');
const COMPARISON = read('docs/comparison.md').replaceAll(/\s+/g, ' ');
const FAULT_PAGE = read('docs/faults.md').replaceAll(/\s+/g, ' ');
const TERRAFORM = read('docs/terraform.md').replaceAll(/\s+/g, ' ');
const FLAGS = 1000;
/** With the three of every world, five. */
const MORE_ROLES = ['d', 'e'].map((end) => ({ id: `0188a2d0-7b3c-7e61-9f61-2f6f2f6a1c${end}0`, name: `role-${end}` }));
const ROLES = [...ROLE_IDS, ...MORE_ROLES.map(({ id }) => id)];

interface Project extends World {
  readonly workspace: Workspace;
  /** A run, and how many requests it sent. */
  readonly count: (...argv: string[]) => Promise<Ran & { readonly requests: number }>;
}

async function project(flags: readonly JsonObject[], more: JsonObject = {}): Promise<Project> {
  let requests = 0;
  const world = await openWorld('posthog', { flags: [...flags], ...more }, { onRequest: () => (requests += 1) });
  const workspace = createWorkspace({
    'flagwright.yaml': `projects:\n  main: { host: ${world.url}, project_id: "1", roles: { eng: ${ROLE_IDS[0] ?? ''} } }\n`,
  });
  const count: Project['count'] = async (...argv) => {
    const before = requests;
    const ran = await runCli(argv, { cwd: workspace.root, env: { POSTHOG_API_KEY: 'phx_test' } });
    return { ...ran, requests: requests - before };
  };
  return { ...world, workspace, count };
}

const live = (id: number, more: JsonObject = {}): JsonObject => ({
  id,
  key: `f${id}`,
  name: '',
  active: true,
  filters: { groups: [{ properties: [], rollout_percentage: 10 }] },
  ...more,
});

const manifestOf = (access: readonly string[] | undefined): string =>
  JSON.stringify({
    flags: Object.fromEntries(
      Array.from({ length: FLAGS }, (_, index) => [
        `f${index + 1}`,
        { active: true, rollout_percentage: 10, ...(access === undefined ? {} : { role_access: [...access] }) },
      ]),
    ),
  });

it('a plan of 1,000 flags, one of managed access, and an export send as many requests as the pages say', async () => {
  const ids = Array.from({ length: FLAGS }, (_, index) => index + 1);
  const { count, workspace } = await project(
    ids.map((id) => live(id)),
    { roles: MORE_ROLES, role_access: ids.flatMap((flag) => ROLES.map((role) => ({ flag, role }))) },
  );
  workspace.write('flags/all.yaml', manifestOf(undefined));
  const { requests, stdout } = await count('plan');
  expect(stdout).toContain('In sync: 1000 flags match the manifests');
  workspace.write('flags/all.yaml', manifestOf(ROLES));
  const { requests: managed, stdout: same } = await count('plan');
  expect(managed).toBeLessThanOrEqual(20);
  expect(same).toContain('In sync: 1000 flags match the manifests');
  const { requests: adopting, code } = await count('export', '--dir', 'exported');
  expect([code, adopting]).toEqual([0, FLAGS / 500]);
  const { requests: withAccess } = await count('export', '--dir', 'with-access', '--role-access');
  // The world has one member.
  expect(withAccess - adopting).toBe(5 + ROLES.length + 1);
  for (const row of [
    `| requests to plan 1,000 objects | ${requests}; with managed access of five roles ${managed} |`,
    `| requests to adopt 1,000 objects | ${adopting} |`,
  ]) {
    expect(COMPARISON).toContain(row);
  }
  expect(TERRAFORM).toContain(`flagwright's sent ${requests} `);
  expect(TERRAFORM).toContain('| N / 500 + 1; with declared access 5 more, and one per role and member |');
  expect(TERRAFORM).toContain(
    `${adopting} requests for 1,000 flags, and with \`--role-access\` 5 more, and one per role and member.`,
  );
});

it('the faults make as many runs as docs/faults.md says', () => {
  const profiles = ['documented', 'posthog'] as const;
  const writes = profiles.flatMap((profile) => KINDS.filter(({ only = profile }) => only === profile));
  const every = (FAULTS.length * writes.length * KEYS.length).toLocaleString('en');
  expect(FAULT_PAGE).toContain(
    `${FAULTS.length} faults, crossed with every kind of write at every stage in both profiles, make ${every} runs`,
  );
  const random = /numRuns: env\['FAULTS'\] === 'long' \? (\d+)/.exec(read('test/faults/random.test.ts'));
  const parts = /concurrent\.each\(\[([^\]]+)\]/.exec(read('test/faults/random.test.ts'))?.[1]?.split(',').length ?? 0;
  expect(FAULT_PAGE).toContain(`${(Number(random?.[1]) * parts).toLocaleString('en')} more are random`);
});

const PROPERTY = { key: 'country', type: 'person', operator: 'exact', value: ['US', 'DE'] };
const VARIANTS = [
  { key: 'a', name: 'A', rollout_percentage: 50 },
  { key: 'b', name: 'B', rollout_percentage: 50 },
];
const CONDITION = { properties: [PROPERTY], rollout_percentage: 40, variant: null, description: 'US and Germany' };
const FILTERS = {
  groups: [CONDITION, { properties: [], rollout_percentage: 10, variant: null }],
  multivariate: { variants: VARIANTS },
  payloads: { a: '{"color":"red"}', b: '1' },
};
const SECOND = FILTERS.groups[1] as JsonObject;
const groups = (...conditions: JsonObject[]): JsonObject => ({ filters: { ...FILTERS, groups: conditions } });
const condition = (more: JsonObject): JsonObject => groups({ ...CONDITION, ...more }, SECOND);
const property = (more: JsonObject): JsonObject => condition({ properties: [{ ...PROPERTY, ...more }] });
const variants = (...list: JsonObject[]): JsonObject => ({ filters: { ...FILTERS, multivariate: { variants: list } } });
const payloads = (more: JsonObject): JsonObject => ({ filters: { ...FILTERS, payloads: more } });
const [A, B] = VARIANTS as unknown as readonly [JsonObject, JsonObject];

/** What people do to a flag in the web interface. */
const EDITS: readonly JsonObject[] = [
  { name: 'Another description' },
  { name: '' },
  { active: false },
  { deleted: true },
  { key: 'renamed' },
  { tags: ['other'] },
  { tags: [] },
  { ensure_experience_continuity: true },
  condition({ rollout_percentage: 41 }),
  condition({ rollout_percentage: 0 }),
  condition({ rollout_percentage: null }),
  condition({ variant: 'b' }),
  condition({ description: 'Others' }),
  condition({ properties: [] }),
  condition({ properties: [PROPERTY, { ...PROPERTY, key: 'plan' }] }),
  property({ value: ['US'] }),
  property({ value: ['US', 'DE', 'FR'] }),
  property({ operator: 'is_not' }),
  property({ key: 'region' }),
  groups(CONDITION),
  groups(SECOND, CONDITION),
  groups(CONDITION, SECOND, { properties: [], rollout_percentage: 5, variant: null }),
  variants({ ...A, rollout_percentage: 60 }, { ...B, rollout_percentage: 40 }),
  variants(B, A),
  variants({ ...A, name: 'Another name' }, B),
  payloads({ a: '{"color":"blue"}', b: '1' }),
  payloads({ a: '{"color":"red"}' }),
  { filters: { ...FILTERS, aggregation_group_type_index: 0, groups: [SECOND] } },
  { filters: { ...FILTERS, multivariate: null, payloads: {} } },
];

it('a plan shows each edit outside the tool that docs/comparison.md counts', async () => {
  const seeds = EDITS.map((_, index) => live(index + 1, { name: 'A flag', tags: ['own'], filters: FILTERS }));
  const { client, count } = await project(seeds);
  expect((await count('export', '--dir', 'flags')).code).toBe(0);
  expect((await count('plan')).stdout).toContain(`In sync: ${EDITS.length} flags match the manifests`);
  for (const [index, body] of EDITS.entries()) await client.updateFlag(index + 1, body);
  const { changes } = (await count('plan', '-f', 'json')).document() as { changes: { action: string; key: string }[] };
  const seen = new Set(changes.map(({ key }) => key));
  expect(EDITS.filter((_, index) => !seen.has(`f${index + 1}`))).toEqual([]);
  expect(COMPARISON).toContain(`| of ${EDITS.length} edits made outside the tool, a plan shows | ${seen.size} |`);
  expect(TERRAFORM).toContain(`Of ${EDITS.length} edits made outside both tools`);
});
