/** The policy `require` with `owner`, by the command: in plans, in saved ones, and by what owns the flag when it is applied. */

import { expect, test } from 'vitest';
import { keysOf, stage } from '../helpers/stage.ts';

const CONFIG = `projects: { production: { host: "$HOST", project_id: "1" } }
policies: { rules: [{ rule: require, owner: true }] }
`;
const BARE = 'flags:\n  search: { active: true }\n';
const TAGGED = 'flags:\n  search: { active: true, tags: ["team:search"] }\n';
const WORDS = /search.*owner/;

test('a new flag that nobody owns is refused, and one that a tag or CODEOWNERS gives to somebody is not', async () => {
  const { run, workspace, world } = await stage(BARE, CONFIG);
  const refused = await run('plan', '--detailed-exitcode');
  expect([refused.code, refused.stdout]).toEqual([4, expect.stringMatching(WORDS) as string]);
  expect((await run('apply', '--yes')).code).toBe(4);
  expect(await keysOf(world)).toEqual([]);
  workspace.write('flags/main.yaml', TAGGED);
  expect((await run('plan', '--detailed-exitcode')).code).toBe(2);
  workspace.write('flags/main.yaml', BARE);
  workspace.write('CODEOWNERS', '/flags/ @acme/shop\n');
  expect((await run('apply', '--yes')).code).toBe(0);
  expect(await keysOf(world)).toEqual(['search']);
});

test('a saved plan is judged by the owners at the time of its apply', async () => {
  const { run, workspace, world } = await stage(BARE, CONFIG);
  workspace.write('CODEOWNERS', '/flags/ @acme/shop\n');
  expect((await run('plan', '--out', 'plan.json')).code).toBe(0);
  workspace.write('CODEOWNERS', '/other/ @acme/shop\n');
  const refused = await run('apply', 'plan.json');
  expect([refused.code, refused.stderr]).toEqual([4, expect.stringMatching(WORDS) as string]);
  expect(await keysOf(world)).toEqual([]);
  workspace.write('CODEOWNERS', '/flags/ @acme/shop\n');
  expect((await run('apply', 'plan.json')).code).toBe(0);
  expect(await keysOf(world)).toEqual(['search']);
});

test('a saved plan that was refused for its owner is applied once there is one', async () => {
  const { run, workspace, world } = await stage(BARE, CONFIG);
  expect((await run('plan', '--out', 'plan.json', '--detailed-exitcode')).code).toBe(4);
  expect((await run('apply', 'plan.json')).code).toBe(4);
  workspace.write('CODEOWNERS', '/flags/ @acme/shop\n');
  expect((await run('apply', 'plan.json')).code).toBe(0);
  expect(await keysOf(world)).toEqual(['search']);
});

test('a change that takes the owner away is refused, and a list that cannot be read counts as no owner', async () => {
  const { run, workspace } = await stage(TAGGED, CONFIG);
  expect((await run('apply', '--yes')).code).toBe(0);
  workspace.write('flags/main.yaml', TAGGED.replace('"team:search"', ''));
  expect((await run('plan', '--detailed-exitcode')).code).toBe(4);
  workspace.write('CODEOWNERS/broken', 'a folder');
  expect((await run('plan', '--detailed-exitcode')).code).toBe(4);
});
