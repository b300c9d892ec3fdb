/** A plan whose requests hold more than it shows is not applied, whoever made the file. */

import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import { fingerprintOf, PLAN_FORMAT_VERSION } from '../../src/engine/plan-document.ts';
import { parsePlan } from '../../src/engine/read-plan-document.ts';
import { stage } from '../helpers/stage.ts';

const MANIFEST = `cohorts:
  testers:
    name: Testers
    description: one
    filters: { properties: { type: AND, values: [{ key: plan, type: person, operator: exact, value: [a] }] } }
flags:
  a: { active: true, rollout_percentage: 10, description: one }
  b: { active: true, description: one }
`;

test.each<[string, string, JsonObject, string]>([
  ['a field', 'flag:a', { active: false }, '/active'],
  [
    'conditions',
    'flag:a',
    { filters: { groups: [{ rollout_percentage: 100 }] } },
    '/filters/groups/0/rollout_percentage',
  ],
  ['a field of a cohort', 'cohort:testers', { name: 'Everyone' }, '/name'],
])('%s that the plan does not show: nothing of the change is written, and the others are', async (...row) => {
  const [, ref, more, path] = row;
  const { run, world, workspace } = await stage(MANIFEST);
  expect(await run('apply', '--yes')).toMatchObject({ code: 0 });
  workspace.write('flags/main.yaml', MANIFEST.replaceAll('description: one', 'description: two'));
  expect(await run('plan', '--out', 'plan.json')).toMatchObject({ code: 0 });
  const { fingerprint: _, ...plan } = parsePlan(workspace.read('plan.json')).plan;
  const changes = plan.changes.map((change) =>
    change.ref === ref && 'body' in change ? { ...change, body: { ...(change.body as JsonObject), ...more } } : change,
  );
  const content = { ...plan, changes } as unknown as JsonObject;
  const document = { format_version: PLAN_FORMAT_VERSION, ...content, fingerprint: fingerprintOf(content) };
  workspace.write('plan.json', JSON.stringify(document));
  const applied = await run('apply', 'plan.json');
  expect(applied).toMatchObject({ code: 3 });
  expect(applied.stdout).toContain(`The request would also write ${path}, which the plan does not show.`);
  expect(applied.stdout).toContain('Applied 2 of 3 changes');
  const live = [...(await world.client.listFlags()), ...(await world.client.listCohorts())];
  expect(live.filter((one) => JSON.stringify(one).includes('"one"'))).toHaveLength(1);
});
