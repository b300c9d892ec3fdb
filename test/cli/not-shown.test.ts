/** A plan whose requests hold more than it shows is not applied, whoever made the file. */

import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import { fingerprintOf, PLAN_FORMAT_VERSION } from '../../src/core/engine/plan-document.ts';
import { parsePlan } from '../../src/core/engine/read-plan-document.ts';
import { stage } from '../helpers/stage.ts';

const BEFORE = `cohorts:
  testers:
    name: Testers
    description: one
    filters: { properties: { type: AND, values: [{ key: plan, type: person, operator: exact, value: [a] }] } }
flags:
  a: { active: true, rollout_percentage: 10, description: one }
  b: { active: true, description: one }
`;
const AFTER =
  `${BEFORE.replaceAll('description: one', 'description: two').replace('10', '20')}  c: { active: true, rollout_percentage: 5 }
`.replace(
    'flags:',
    '  late: { name: Late, filters: { properties: { type: AND, values: [{ key: plan, type: person, value: b }] } } }\nflags:',
  );

const groups = (...percentages: readonly number[]): JsonObject => ({
  filters: { groups: percentages.map((percentage) => ({ rollout_percentage: percentage })) },
});

test.each<[string, string, JsonObject, string]>([
  ['one more field', 'flag:a', { body: { active: false } }, '/active'],
  ['another percentage', 'flag:a', { body: groups(100) }, '/filters/groups/0/rollout_percentage'],
  [
    'another percentage, said to be of others',
    'flag:a',
    {
      body: groups(100),
      keeps: [{ path: '/filters/groups/0/rollout_percentage', new: true }],
    },
    '/filters/groups/0/rollout_percentage',
  ],
  ['one more condition', 'flag:a', { body: groups(20, 100) }, '/filters/groups/1'],
  ['another text', 'flag:b', { body: { description: 'three' } }, '/description'],
  ['another former text', 'flag:b', { fields: [{ path: '/name', before: 'zero', after: 'two' }] }, '/name'],
  ['one more field of a cohort', 'cohort:testers', { body: { name: 'Everyone' } }, '/name'],
  ['another text of a cohort', 'cohort:testers', { body: { description: 'three' } }, '/description'],
  ['one more field of a new flag', 'flag:c', { body: { tags: ['more'] } }, '/tags'],
  ['another percentage of a new flag', 'flag:c', { body: groups(100) }, '/filters/groups/0/rollout_percentage'],
  ['another key of a new flag', 'flag:c', { body: { key: 'd' } }, '/key'],
  ['another name of a new cohort', 'cohort:late', { body: { name: 'Everyone' } }, '/name'],
])('%s than the plan shows: nothing of the change is written, and the others are', async (...row) => {
  const [, ref, edit, path] = row;
  const { run, world, workspace } = await stage(BEFORE);
  expect(await run('apply', '--yes')).toMatchObject({ code: 0 });
  workspace.write('flags/main.yaml', AFTER);
  expect(await run('plan', '--out', 'plan.json')).toMatchObject({ code: 0 });
  const { fingerprint: _, ...plan } = parsePlan(workspace.read('plan.json')).plan;
  const changes = plan.changes.map((change) => {
    const { body } = change as unknown as { readonly body: JsonObject };
    return change.ref === ref
      ? { ...change, ...edit, body: { ...body, ...(edit['body'] as JsonObject | undefined) } }
      : change;
  });
  const content = { ...plan, changes } as unknown as JsonObject;
  const document = { format_version: PLAN_FORMAT_VERSION, ...content, fingerprint: fingerprintOf(content) };
  workspace.write('plan.json', JSON.stringify(document));
  const read = async (): Promise<ReadonlyMap<string, unknown>> =>
    new Map([
      ...(await world.client.listFlags()).map((one) => [`flag:${one.key}`, one] as const),
      ...(await world.client.listCohorts()).map((one) => [`cohort:${one.name?.toLowerCase()}`, one] as const),
    ]);
  const before = await read();
  const applied = await run('apply', 'plan.json');
  expect(applied).toMatchObject({ code: 3 });
  expect(applied.stdout).toContain(`The request would also write ${path}, which the plan does not show.`);
  expect(applied.stdout).toContain('Applied 4 of 5 changes');
  const after = await read();
  expect(after.get(ref)).toEqual(before.get(ref));
  expect(after.size - before.size).toBe(before.has(ref) ? 2 : 1);
});
