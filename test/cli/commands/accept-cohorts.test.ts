/** `accept` and `accept --unmanaged` with cohorts, over HTTP. */

import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { runCli, type Ran } from '../../helpers/run.ts';
import { schemaErrors } from '../../helpers/schemas.ts';
import { createWorkspace } from '../../helpers/workspace.ts';
import { openWorld, type World } from '../../helpers/world.ts';

const COHORTS = `cohorts:
  beta: # asked for it
    name: Beta testers
    filters: { properties: { type: AND, values: [{ key: plan, value: pro }] } }
`;
const FLAGS = `flags:
  checkout: { active: true, filters: { groups: [{ properties: [{ type: cohort, value: beta, key: id }] }] } }
`;

interface Project {
  readonly world: World;
  readonly id: number;
  readonly root: string;
  readonly run: (...argv: string[]) => Promise<Ran>;
  readonly text: (file: string) => string;
}

async function applied(): Promise<Project> {
  const world = await openWorld('posthog');
  const { root } = createWorkspace({
    'flagwright.yaml': `projects:\n  production: { host: "${world.url}", project_id: "1" }\n`,
    'flags/a.yaml': FLAGS,
    'flags/cohorts.yaml': COHORTS,
  });
  const env = { POSTHOG_API_KEY: 'phx_planted_key_0123456789' };
  const run: Project['run'] = (...argv) => runCli(argv, { cwd: root, env });
  expect((await run('apply', '--yes')).code).toBe(0);
  const cohorts = await world.client.listCohorts();
  const id = cohorts.find(({ name }) => name === 'Beta testers')?.id ?? 0;
  return { world, id, root, run, text: (file) => readFileSync(path.join(root, file), 'utf8') };
}

function definition(plan: string): { readonly properties: JsonObject } {
  return { properties: { type: 'AND', values: [{ key: 'plan', type: 'person', operator: 'exact', value: plan }] } };
}

test('writes a definition as it is live, and says so in every format', async () => {
  const { world, id, run, text } = await applied();
  await world.client.updateCohort(id, { filters: definition('free'), description: 'Who asked' });
  const shown = await run('accept', 'cohort:beta', '--only', 'definition', '--yes');
  expect(shown).toMatchObject({ code: 0, stderr: '' });
  expect(shown.stdout).toMatch(/~ accept {2}cohort:beta\n +definition · 1 · value {2}"?pro"? → "?free"?/);
  expect(shown.stdout).toContain('Accepted: 1 cohort in 1 file.');
  expect(text('flags/cohorts.yaml')).toBe(COHORTS.replace('value: pro', 'value: free'));
  expect((await run('plan', '--detailed-exitcode')).code).toBe(0);
  await world.edit('checkout', { active: false });
  await world.client.updateCohort(id, { filters: definition('team') });
  expect((await run('accept', '--patch', '--format', 'markdown')).stdout).toContain('1 flag and 1 cohort');
  const accepted = await run('accept', '--yes', '--format', 'json');
  expect(schemaErrors('accept', accepted.document())).toEqual([]);
  expect(accepted.document()).toMatchObject({
    accepted: [
      { key: 'checkout' },
      { key: 'cohort:beta', changes: [{ before: 'free', after: 'team', layer: 'base', place: { line: 4 } }] },
    ],
  });
  expect((await run('accept', 'cohort:betta')).stderr).toContain('Did you mean "cohort:beta"?');
});

test('--unmanaged declares cohorts by name or id where cohorts are, and leaves those that no manifest can declare', async () => {
  const { world, run, text } = await applied();
  const crew = await world.client.createCohort({ name: 'The crew', filters: definition('crew') });
  const twin = await world.client.createCohort({ name: 'Twin', filters: definition('a') });
  await world.client.createCohort({ name: 'Twin', filters: definition('b') });
  const declared = await run(
    'accept',
    '--unmanaged',
    'cohort:The crew',
    `cohort:${twin.id}`,
    'cohort:beta',
    '--yes',
    '-f',
    'json',
  );
  expect(declared.code).toBe(3);
  expect(schemaErrors('accept', declared.document())).toEqual([]);
  expect(declared.document()).toMatchObject({
    files: [{ file: 'flags/cohorts.yaml', status: 'edited' }],
    added: [{ key: 'cohort:the-crew', place: { file: 'flags/cohorts.yaml', line: 5 } }],
    left: [
      { key: 'cohort:42', code: 'cohort-undeclarable' },
      { key: `cohort:${twin.id}`, code: 'cohort-unidentified' },
    ],
  });
  expect(text('flags/cohorts.yaml')).toBe(`${COHORTS}  the-crew:
    name: The crew
    description: ""
    filters:
      properties:
        type: AND
        values:
          - { type: person, key: plan, operator: exact, value: crew }
`);
  expect((await run('plan', '--detailed-exitcode')).code).toBe(0);
  expect((await run('accept', '--unmanaged', `cohort:${crew.id}`)).stderr).toContain('that no manifest declares');
  expect((await run('accept', '--unmanaged', 'cohort:twim')).stderr).toContain('Did you mean "cohort:Twin"?');
});

test('--unmanaged names the cohorts of a flag in the configuration, with no alias that a declared cohort has', async () => {
  const { world, root, run, text } = await applied();
  const before = text('flagwright.yaml');
  const squad = await world.client.createCohort({ name: 'Squad', filters: definition('squad') });
  writeFileSync(
    path.join(root, 'flags/cohorts.yaml'),
    `${COHORTS}  squad: { name: Later, filters: ${JSON.stringify(definition('later'))} }\n`,
  );
  const properties = [{ type: 'cohort', key: 'id', operator: 'in', value: squad.id }];
  await world.client.createFlag({ key: 'squad-chat', active: true, filters: { groups: [{ properties }] } });
  const patch = await run('accept', '--unmanaged', 'squad-chat', '--patch');
  expect(patch.stdout).toContain(`project_id: "1", cohorts: { squad-${squad.id}: ${squad.id} } }`);
  expect(text('flagwright.yaml')).toBe(before);
  const declared = await run('accept', '--unmanaged', 'squad-chat', '--yes', '-f', 'json');
  expect(declared.code).toBe(0);
  expect(declared.stderr).toContain('In flagwright.yaml, ids of production get names');
  expect(schemaErrors('accept', declared.document())).toEqual([]);
  expect(declared.document()).toMatchObject({
    files: [{ file: 'flagwright.yaml', status: 'edited' }, { file: 'flags/misc.yaml' }],
  });
  expect(text('flags/misc.yaml')).toContain(`value: squad-${squad.id}`);
  expect((await run('plan', '--detailed-exitcode', '--target', 'squad-chat')).code).toBe(0);
});

test('--unmanaged writes ids where the configuration cannot take a name', async () => {
  const { world, root, run, text } = await applied();
  const crew = await world.client.createCohort({ name: 'Crew', filters: definition('crew') });
  const properties = [{ type: 'cohort', key: 'id', operator: 'in', value: crew.id }];
  await world.client.createFlag({ key: 'crew-chat', active: true, filters: { groups: [{ properties }] } });
  const shared = text('flagwright.yaml').replace('production: {', 'production: &all {');
  const config = `${shared}  copy: *all\n`;
  writeFileSync(path.join(root, 'flagwright.yaml'), config);
  const declared = await run('accept', '--unmanaged', 'crew-chat', '--yes', '-p', 'production');
  expect(declared).toMatchObject({ code: 0 });
  expect(declared.stderr).toContain('flagwright.yaml could not be edited');
  expect(text('flagwright.yaml')).toBe(config);
  expect(text('flags/misc.yaml')).toContain(`value: ${crew.id}`);
});
