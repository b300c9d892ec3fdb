/** Three-way comparison from the command line, in a real repository of git: drift, known drift, --only-pending and --override. */

// @module-tag untimely
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createRepository, GIT_ENV, type TestRepository } from '../helpers/repository.ts';
import { runCli, type Ran } from '../helpers/run.ts';
import { schemaErrors } from '../helpers/schemas.ts';
import { openWorld, type World } from '../helpers/world.ts';

const KEY = 'phx_planted_key_0123456789';

const manifest = (description: string): string => `flags:
  checkout:
    description: ${description}
    active: true
    tags: [web]
    rollout_percentage: 10
`;

interface Scene {
  readonly world: World;
  readonly repository: TestRepository;
  readonly run: (...argv: string[]) => Promise<Ran>;
}

/** A flag that was applied from a commit. */
async function applied(): Promise<Scene> {
  const world = await openWorld('posthog');
  const repository = createRepository({
    'flagwright.yaml': `projects: { main: { host: ${world.url}, project_id: "1" } }\n`,
    '.gitignore': '.flagwright/\n',
    'flags/main.yaml': manifest('Checkout'),
  });
  const env = { ...GIT_ENV, HOME: repository.root, POSTHOG_API_KEY: KEY };
  const run: Scene['run'] = async (...argv) => runCli(argv, { cwd: repository.root, env });
  expect(await run('apply', '--yes')).toMatchObject({ code: 0 });
  return { world, repository, run };
}

test('a merge that is not applied is no drift, and drift may be known', async () => {
  const { world, repository, run } = await applied();
  repository.commit({ 'flags/main.yaml': manifest('One page') });
  const merged = await run('drift');
  expect(merged.stdout).toContain('not applied yet');
  expect(merged.stdout).not.toContain('last edited by');
  expect(merged.code).toBe(0);
  expect((await run('drift', '--pending')).code).toBe(2);
  const nothing = await run('drift', '--write-exceptions', 'exceptions.yaml');
  expect([nothing.code, nothing.stderr]).toEqual([0, 'No drift to write: exceptions.yaml was not written.\n']);

  await world.edit('checkout', { tags: ['hotfix'] });
  const drifted = await run('drift');
  expect(drifted.stdout).toContain('1 change in git, 1 edit in PostHog');
  expect(drifted.code).toBe(2);
  const ignored = await run('drift', '--ignore', 'checkout:tags');
  expect(ignored.stderr).toBe('');
  expect(ignored.code).toBe(0);
  const unused = await run('drift', '--ignore', 'checkout:active');
  expect(unused).toMatchObject({ code: 2 });
  expect(unused.stderr).toContain('--ignore checkout:active matches no difference.');
  expect((await run('drift', '--ignore', ':tags')).code).toBe(1);

  expect(await run('drift', '--write-exceptions', 'exceptions.yaml')).toMatchObject({ code: 0 });
  expect((await run('drift', '--write-exceptions', 'exceptions.yaml')).stderr).toBe(nothing.stderr);
  // The same difference in another project is not known.
  expect(readFileSync(path.join(repository.root, 'exceptions.yaml'), 'utf8')).toContain('projects: ["main"]');
  const known = await run('drift');
  expect(known.stdout).toContain('Ignored (shown as in git → in PostHog):\n  = checkout\n');
  expect(known.code).toBe(0);
  await world.edit('checkout', { tags: ['another'] });
  const moved = await run('drift');
  expect(moved.stderr).toContain('The known drift of checkout (exceptions.yaml:3:5) matches no difference.');
  expect(moved.code).toBe(2);
  // A plan knows nothing of it: it writes what git has.
  const plan = await run('plan');
  expect([plan.code, plan.stdout.includes('exceptions.yaml'), plan.stdout.includes('reverts an edit')]).toEqual([
    0,
    false,
    true,
  ]);
  const old = 'rule: drift, keys: [checkout], reason: a ramp, until: 2020-01-31, granted_by: ann';
  repository.write('exceptions.yaml', `exceptions:\n  - { ${old} }\n`);
  const expired = await run('drift');
  expect(expired.stderr).toContain('(exceptions.yaml:2:5) expired on 2020-01-31 and counts again.');
  expect(expired.code).toBe(2);
});

test('a flag that somebody switched off stays off, while the rest of a merge is applied', async () => {
  const { world, repository, run } = await applied();
  await world.edit('checkout', { active: false, tags: ['incident'] });
  repository.commit({ 'flags/main.yaml': manifest('One page') });

  const refused = await run('apply', '--yes');
  expect(refused.code).toBe(4);
  expect(refused.stderr).toContain('checkout was disabled in the service since the last apply');
  for (const way of ['--override checkout', 'flagwright accept checkout -p main', 'ownership: { active: observed }']) {
    expect(refused.stderr).toContain(way);
  }

  const planned = await run('plan', '--only-pending');
  const [changes, left] = planned.stdout.split('Left as it is in the service');
  expect(changes).not.toContain('changed by');
  expect(left).toMatch(/= checkout\n(?:.*→.*\n)+ +active: changed by .+ on .+, .+\n/);
  const document = JSON.parse((await run('plan', '--only-pending', '--format', 'json')).stdout);
  expect(document.attributions.map(({ ref, path: place }: { ref: string; path: string }) => [ref, place])).toEqual([
    ['flag:checkout', '/active'],
    ['flag:checkout', '/tags'],
  ]);
  const kept = await run('apply', '--only-pending', '--yes', '--format', 'json');
  expect(kept.code).toBe(0);
  expect(schemaErrors('result', kept.document())).toEqual([]);
  expect(kept.document()).toMatchObject({
    left: [{ ref: 'flag:checkout' }],
    attributions: [{ path: '/active', kind: 'known' }, { path: '/tags' }],
  });
  expect((await run('apply', '--only-pending', '--yes')).stdout).toMatch(
    /Nothing to apply[^]*Left as it is in the service[^]* +active: changed by .+ on .+, .+\n/,
  );
  const [flag] = await world.client.listFlags();
  expect(flag).toMatchObject({ name: 'One page', active: false, tags: ['incident'] });
  expect((await run('drift')).code).toBe(2);

  expect((await run('apply', '--override', 'check*', '--yes')).code).toBe(0);
  expect(await run('drift')).toMatchObject({ code: 0 });
});

test('what accept takes over of a conflict has the value of the base, and says that it replaces a merged change', async () => {
  const { world, repository, run } = await applied();
  await world.edit('checkout', { name: 'Live' });
  repository.commit({ 'flags/main.yaml': manifest('Merged') });
  const patch = await run('accept', 'checkout', '--patch', '--format', 'json');
  expect(schemaErrors('accept', patch.document())).toEqual([]);
  expect(patch.document()).toMatchObject({
    accepted: [{ changes: [{ before: 'Merged', after: 'Live', divergence: 'conflict', base: 'Checkout' }] }],
  });
  expect((await run('accept', 'checkout', '--yes')).stdout).toMatch(
    /description {2}.*Merged.* → .*Live.* {2}replaces a change that is not applied yet \(last applied: .*Checkout.*\)/,
  );
});

test('drift: keep leaves drift alone by default, and needs a base', async () => {
  const { world, repository, run } = await applied();
  repository.commit({
    'flagwright.yaml': `drift: keep\nprojects: { main: { host: ${world.url}, project_id: "1" } }\n`,
  });
  await world.edit('checkout', { tags: ['hotfix'] });
  expect((await run('plan')).stdout).toContain('Nothing to apply: 1 flag is left as it is');
  const without = await run('plan', '--base', 'none');
  expect(without.stdout).toContain('1 to update');
  expect(without.stderr).toContain('drift: keep has no effect yet');
  const asked = await run('plan', '--base', 'none', '--only-pending');
  expect(asked).toMatchObject({ code: 1 });
  expect(asked.stderr).toContain('--only-pending needs a base');
  expect((await run('plan', '--override', 'checkout')).stdout).toContain('1 to update');
});

test('an apply that changes nothing names what the manifests no longer declare', async () => {
  const { repository, run } = await applied();
  const other = 'flags:\n  search: { active: false }\n';
  repository.commit({ 'flags/main.yaml': `${manifest('Checkout')}  search: { active: false }\n` });
  expect(await run('apply', '--yes')).toMatchObject({ code: 0 });
  repository.commit({ 'flags/main.yaml': other });
  const nothing = await run('apply', '--yes', '--format', 'json');
  expect(nothing).toMatchObject({ code: 0 });
  expect(nothing.document()).toMatchObject({ changes: [], released: [{ key: 'checkout' }] });
});
