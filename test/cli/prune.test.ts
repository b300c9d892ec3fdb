/** What `--prune` and `deleted: true` delete, and what they leave alone, from the command line. */

import { expect, test } from 'vitest';
import { keysOf, stage } from '../helpers/stage.ts';
import { declared, desiredState } from '../helpers/states.ts';

const TWO_PROJECTS = `projects:
  main: { host: $HOST, project_id: "1" }
  other: { host: $HOST, project_id: "2" }
default_project: main
`;

test('--prune deletes no flag that a manifest names for any project, and says why', async () => {
  const manifest = `flags:
  elsewhere: { only_in: [other] }
  new: { previous_keys: [old] }
  kept: {}
  kept-too: {}
`;
  const { world, run } = await stage(manifest, TWO_PROJECTS);
  const live = ['elsewhere', 'new', 'old', 'kept', 'kept-too', 'stray'];
  await world.apply(await world.plan(desiredState(...live.map((key) => declared(key)))));
  const { code, stdout, stderr } = await run('apply', '--prune', '--yes');
  expect(stderr + stdout).toContain('elsewhere: the flag exists in this project (id');
  expect(stderr + stdout).toContain('a flag with the previous key old also exists');
  expect(code).toBe(0);
  expect((await keysOf(world)).toSorted()).toEqual(live.filter((key) => key !== 'stray').toSorted());
});

test('`deleted: true` deletes no flag by a previous key', async () => {
  const { world, run } = await stage('flags: { new: { deleted: true, previous_keys: [old] }, old: { active: true } }');
  await world.apply(await world.plan(desiredState(declared('old', { active: true }))));
  const { code, stdout } = await run('apply', '--yes');
  expect(stdout).toContain('Nothing to apply');
  expect(code).toBe(0);
  expect(await keysOf(world)).toEqual(['old']);
});
