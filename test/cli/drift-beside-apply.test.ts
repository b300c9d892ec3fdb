/** `drift` while the built command applies to the same project from the same clone: it reports no state between two. */

import { expect, test } from 'vitest';
import { cli, startCli } from '../helpers/cli.ts';
import { killAt, manifest, PERMITTED, scene, startHeld } from '../helpers/killed-run.ts';
import { schemaErrors } from '../helpers/schemas.ts';

test('drift names the run that writes to its project, and reports no difference of that moment', async () => {
  const staged = await scene('posthog');
  const { hold, ended } = startHeld(staged, ['apply', '-y'], { write: 5, when: 'before' });
  await hold.arrived(1);
  const beside = await staged.runBuilt('drift', '-f', 'json');
  const document = JSON.parse(beside.stdout) as { readonly error: { readonly run: { readonly name: string } } };
  expect(schemaErrors('error', document)).toEqual([]);
  expect([beside.code, document.error]).toMatchObject([
    3,
    { code: 'run_under_way', run: { started_at: expect.stringMatching(/Z$/) as string } },
  ]);
  const { name } = document.error.run;
  expect((await staged.run('history', '-f', 'json')).document()).toMatchObject({
    runs: [{ run: name, state: 'running' }],
  });
  const words = new RegExp(
    `^error {2}Run ${name} writes to environment since \\S+ \\S+ UTC, in another process.*\\n.*remove \\S*${name}\\.lock\\.1\\.$`,
    'm',
  );
  const text = await staged.runBuilt('drift');
  expect(text).toMatchObject({ code: 3, stdout: '', stderr: expect.stringMatching(words) as string });
  for (const format of ['markdown', 'html', 'github', 'gitlab', 'sarif', 'junit'] as const) {
    const { code, stdout } = await staged.runBuilt('drift', '-f', format);
    expect([format, code, stdout]).toEqual([format, 3, expect.stringContaining(name) as string]);
  }
  hold.open();
  expect((await ended).code).toBe(0);
  expect((await staged.runBuilt('drift')).code).toBe(0);
});

test('what drift read while a run began, wrote and ended is not reported', async () => {
  const staged = await scene('posthog');
  const hold = staged.gate.hold(({ method }, number) => method === 'GET' && number === 1);
  const reading = startCli(['drift', '-f', 'json'], { cwd: staged.workspace.root, env: staged.env });
  await hold.arrived(1);
  expect((await staged.run('apply', '-y')).code).toBe(0);
  hold.open();
  const { code, stdout } = await reading.ended;
  const { error } = JSON.parse(stdout) as { readonly error: object };
  expect([code, error]).toMatchObject([
    3,
    { code: 'run_under_way', message: expect.stringMatching(/ wrote to .* while it was read/) as string },
  ]);
  expect(error).toMatchObject({ run: { ended_at: expect.any(String) as string } });
});

test('a run that was killed is not under way: drift reports what it left, and that it is unfinished', async () => {
  const staged = await scene('posthog');
  expect((await staged.run('apply', '-y')).code).toBe(0);
  staged.workspace.write('flags/main.yaml', manifest('after'));
  await killAt(staged, ['apply', '-y', ...PERMITTED], { write: 5, when: 'after' });
  const { code, stderr } = await staged.runBuilt('drift');
  expect([code, stderr]).toEqual([2, expect.stringMatching(/Run \S+ of this project is unfinished/) as string]);
});

test('a run of another project is none of this one', async () => {
  const staged = await scene('posthog');
  const { hold, ended } = startHeld(staged, ['apply', '-y'], { write: 1, when: 'before' });
  await hold.arrived(1);
  const env = { ...staged.env, POSTHOG_PROJECT_ID: '2' };
  const other = await cli(['drift', '-f', 'json'], { cwd: staged.workspace.root, env });
  expect(other.stdout).not.toContain('run_under_way');
  hold.open();
  await ended;
});
