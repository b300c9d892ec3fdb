/** Whose flags a message is about, and who approved the change: each command in one process. */

import { expect, test } from 'vitest';
import { severalProjects } from '../helpers/several-projects.ts';
import { stage } from '../helpers/stage.ts';

const CONFIG = 'projects: { production: { host: "$HOST", project_id: "1" } }\n';
const SEARCH = 'flags:\n  search: { active: true, rollout_percentage: 10, tags: ["team:search"] }\n';
const FORM = ['-f', 'message'];

test('drift, off, undo and its preview name the owner of the flag that was edited', async () => {
  const { world, workspace, run } = await stage(SEARCH, CONFIG);
  workspace.write('CODEOWNERS', '/flags/ @acme/shop\n');
  await run('apply', '--yes');
  await world.edit('search', { active: false });
  for (const command of ['plan', 'drift'])
    expect((await run(command, '-f', 'json')).document()['owners']).toEqual([
      { ref: 'flag:search', name: 'search', by: 'tag' },
    ]);
  expect((await run('drift', ...FORM)).stdout).toMatch(/• Off for everybody: search .*\(owner: search\)/);
  await world.edit('search', { active: true });
  expect((await run('off', 'search', '--yes', ...FORM)).stdout).toMatch(
    /• Off for everybody: search .*\(owner: search\)/,
  );
  expect((await run('undo', '--out', 'undo.json', ...FORM)).stdout).toMatch(/• On: search .*\(owner: search\)/);
  expect((await run('undo', '--yes', ...FORM)).stdout).toMatch(/• On: search .*\(owner: search\)/);
});

test('an undo names the owners of the file from which its run came', async () => {
  const { workspace, run } = await stage(SEARCH.replace(', tags: ["team:search"]', ''), CONFIG);
  workspace.write('CODEOWNERS', '/flags/ @acme/shop\n');
  await run('apply', '--yes');
  expect((await run('undo', '--yes', ...FORM)).stdout).toMatch(/• Deleted: search .*\(owner: @\u2060acme\/shop\)/);
});

test('a write that fails and a refused change name the owner', async () => {
  const faults = { faults: [{ match: { access: 'write' }, count: 9, answer: { status: 400 } }] };
  const { workspace, run } = await stage(SEARCH, CONFIG, { faults });
  expect((await run('apply', '--yes', ...FORM)).stdout).toMatch(/• Failed: search .*\(owner: search\)/);
  const rules = 'policies: { rules: [{ rule: max-widen, points: 5 }] }\n';
  workspace.write('flagwright.yaml', `${workspace.read('flagwright.yaml')}${rules}`);
  const { stdout } = await run('plan', ...FORM);
  expect(stdout).toMatch(/• Refused: search .*\(owner: search\)/);
});

test('whoever the command line names as the approver is named, if that person may be one', async () => {
  const { workspace, run } = await stage(SEARCH, CONFIG);
  const approved = ['--approved-by', 'ann', ...FORM];
  expect((await run('plan', ...approved)).stdout).toContain('Approved by ann');
  expect((await run('apply', '--yes', ...approved)).stdout).toContain('Approved by ann');
  workspace.write(
    'flagwright.yaml',
    `${workspace.read('flagwright.yaml')}policies: { approvers: [bob], rules: [{ rule: naming, patterns: ['*'] }] }\n`,
  );
  workspace.write('flags/main.yaml', SEARCH.replace('10', '20'));
  await run('plan', '--out', 'plan.json');
  expect((await run('plan', ...approved)).stdout).not.toContain('Approved by');
  expect((await run('apply', 'plan.json', '--approved-by', 'ann', 'bob', ...FORM)).stdout).toContain('Approved by bob');
});

test('a message of several projects says what was applied, held, failed and drifted, and in which', async () => {
  const several = await severalProjects({ staging: '', eu: ', after: [staging]', us: '' }, { manifest: SEARCH });
  const { run, runWith, worlds } = several;
  const planned = (await run('plan', '--all-projects', ...FORM)).stdout;
  expect(planned).toContain('Plan for 3 projects: 3 to apply');
  for (const name of ['staging', 'eu', 'us'])
    expect(planned).toMatch(new RegExp(`• New: ${name} search – on for 10% of everyone \\(owner: search\\)`));
  const ran = await runWith({ env: { KEY_STAGING: '' } }, 'apply', '--all-projects', '--yes', ...FORM);
  const lines = ran.stdout.trimEnd().split('\n');
  expect(lines[0]).toBe('Applied to 3 projects: 1 failed, 1 held, 1 applied');
  expect(ran.stdout).toMatch(/• Failed: staging all – The environment variable KEY_STAGING is not set/);
  expect(ran.stdout).toMatch(/• Held: eu all – staging is not in sync/);
  expect(ran.stdout).toMatch(/• New: us search .*\(owner: search\)/);
  expect((await run('apply', '--all-projects', '--yes', ...FORM)).code).toBe(0);
  expect((await run('off', 'search', '-p', 'eu', '--yes', ...FORM)).stdout).toMatch(/^eu: .*with flagwright off/);
  await worlds.us.edit('search', { filters: { groups: [{ properties: [], rollout_percentage: 50 }] } });
  const drifted = await run('drift', '--all-projects', ...FORM);
  expect(drifted.code).toBe(2);
  expect(drifted.stdout).toMatch(/^Drift of 3 projects: .*2 /);
  expect(drifted.stdout).toMatch(/• Off for everybody: eu search .*\(owner: search\)/);
  expect(drifted.stdout).toMatch(/• Wider: us search .*\(owner: search\)/);
  expect(drifted.stdout.trimEnd().split('\n').length).toBeLessThanOrEqual(10);
});
