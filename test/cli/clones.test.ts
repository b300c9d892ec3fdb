/** Two clones of one repository and a service that people edit, with the built command and the real git, from drift to agreement. */

// @module-tag untimely
import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { defined } from '../../src/base/optional.ts';
import { cli, type CliResult } from '../helpers/cli.ts';
import { cloneOf, createBare, createRepository, GIT_ENV, git, type TestRepository } from '../helpers/repository.ts';
import { schemaErrors } from '../helpers/schemas.ts';
import { openWorld, type World } from '../helpers/world.ts';

const REF = 'refs/flagwright/applied/main';
const FILE = 'flags/main.yaml';
const MANIFEST = `flags:
  # The one-page checkout.
  checkout:
    description: 'One page'   # as the team calls it
    active: true
    rollout_percentage: 10
  search:
    active: false
`;

interface Clone extends TestRepository {
  readonly run: (argv: readonly string[], input?: string) => Promise<CliResult>;
}

function toClone(repository: TestRepository): Clone {
  const env = { ...GIT_ENV, POSTHOG_API_KEY: 'phx_planted_key_0123456789' };
  const { root } = repository;
  return { ...repository, run: (argv, input) => cli(argv, { cwd: root, env, ...defined({ input }) }) };
}

/** A service, a bare repository, and two clones of it. `shared`: what says where the record of the last apply is. */
async function twoClones(
  shared = 'base: { push: origin }\n',
): Promise<{ world: World; bare: { root: string }; first: Clone; second: Clone }> {
  const world = await openWorld('posthog');
  const origin = createRepository({
    'flagwright.yaml': `projects:\n  main: { host: "${world.url}", project_id: "1" }\n${shared}`,
    '.gitignore': '.flagwright/\n',
    [FILE]: MANIFEST,
  });
  const bare = createBare();
  origin.git('push', '--quiet', `file://${bare.root}`, 'main');
  return { world, bare, first: toClone(cloneOf(bare)), second: toClone(cloneOf(bare)) };
}

/** An edit of a user, by the interface of the service. */
async function rollOut(world: World, percentage: number): Promise<void> {
  const [flag] = (await world.client.listFlags()).filter(({ key }) => key === 'checkout');
  const filters = { groups: [{ properties: [], rollout_percentage: percentage }] };
  const answer = await fetch(`${world.url}/api/projects/1/feature_flags/${flag?.id}/`, {
    method: 'PATCH',
    headers: { authorization: 'Bearer phx_of_a_user', 'content-type': 'application/json' },
    body: JSON.stringify({ filters }),
  });
  expect(answer.status).toBe(200);
}

async function liveRollout(world: World): Promise<unknown> {
  const flags = await world.client.listFlags();
  return flags.find(({ key }) => key === 'checkout')?.filters?.groups?.[0]?.rollout_percentage;
}

test('what one clone applied is the base of the other, which takes drift over for both', async () => {
  const { world, bare, first, second } = await twoClones();
  expect(await first.run(['apply', '--yes'])).toMatchObject({ code: 0 });
  expect(git(bare.root, 'rev-parse', `${REF}^1`)).toBe(first.git('rev-parse', 'HEAD'));

  await rollOut(world, 25);
  const drift = await second.run(['drift']);
  expect(drift.code).toBe(2);
  expect(drift.stdout).toContain('condition 1 · rollout_percentage  10% → 25%');
  expect(drift.stdout).toMatch(/changed by embedded@example\.org on .* UTC, in the web interface or with an API key/);
  expect(drift.stdout).toContain('1 edit in PostHog');
  const patch = await second.run(['accept', '--patch']);
  expect(patch).toMatchObject({ code: 0, stderr: '' });
  expect(second.read(FILE)).toBe(MANIFEST);
  const third = cloneOf(bare);
  third.write('accepted.patch', patch.stdout);
  third.git('apply', 'accepted.patch');
  expect(await second.run(['accept', '--yes'])).toMatchObject({ code: 0 });
  expect(second.read(FILE)).toBe(MANIFEST.replace('percentage: 10', 'percentage: 25'));
  expect(third.read(FILE)).toBe(second.read(FILE));

  second.commit();
  second.git('push', '--quiet', 'origin', 'main');
  first.git('pull', '--quiet', '--ff-only');
  expect(await first.run(['plan', '--detailed-exitcode'])).toMatchObject({ code: 0 });
});

test('a conflict is refused, and each way out that the refusal names works as it is pasted', async () => {
  const { world, first, second } = await twoClones();
  expect(await first.run(['apply', '--yes'])).toMatchObject({ code: 0 });
  await rollOut(world, 25);
  const merged = MANIFEST.replace('percentage: 10', 'percentage: 50');
  second.commit({ [FILE]: merged });

  const refused = await second.run(['apply', '--yes']);
  expect(refused.code).toBe(4);
  expect(await liveRollout(world)).toBe(25);
  const way = (words: RegExp): string => words.exec(refused.stderr)?.[1] ?? 'not named';
  const ownership = way(/declare for the flag (ownership: .*?\})/);
  const accept = way(/run flagwright (accept \S+)/);
  const override = way(/with (--override [\w-]+)/);

  second.write(FILE, merged.replace('    active: true\n', `    active: true\n    ${ownership}\n`));
  expect(await second.run(['apply', '--yes'])).toMatchObject({ code: 0 });
  expect(await liveRollout(world)).toBe(25);

  second.write(FILE, merged);
  expect(await second.run([...accept.split(' '), '--yes'])).toMatchObject({ code: 0 });
  expect(second.read(FILE)).toBe(MANIFEST.replace('percentage: 10', 'percentage: 25'));
  expect(await second.run(['plan', '--detailed-exitcode'])).toMatchObject({ code: 0 });

  second.write(FILE, merged);
  expect(await second.run(['apply', '--yes', ...override.split(' ')])).toMatchObject({ code: 0 });
  expect(await liveRollout(world)).toBe(50);
});

describe('a clone without a record of the last apply', () => {
  const isOn = async (world: World): Promise<boolean | undefined> =>
    (await world.client.listFlags()).find(({ key }) => key === 'checkout')?.active;

  test('does not turn a flag on that `off` turned off elsewhere after its commit', async () => {
    const { world, first, second } = await twoClones('');
    expect(await first.run(['apply', '--yes'])).toMatchObject({ code: 0 });
    expect(await first.run(['off', 'checkout', '--yes'])).toMatchObject({ code: 0 });
    const refused = await second.run(['apply', '--yes']);
    expect(refused.code).toBe(4);
    expect(refused.stderr.replaceAll(/\s+/g, ' ')).toMatch(
      /checkout was turned off by embedded@example\.org on .* UTC, after the checked-out commit was made; the plan would turn it on again/,
    );
    expect(await isOn(world)).toBe(false);
    expect(await second.run(['apply', '--yes', '--override', 'checkout'])).toMatchObject({ code: 0 });
    expect(await isOn(world)).toBe(true);
  });

  test.each<[string, (clone: Clone) => void]>([
    ['before its commit', (clone) => commitLater(clone)],
    ['of manifests that are not committed', (clone) => clone.write(FILE, `${MANIFEST}  # a draft\n`)],
  ])('warns before it turns a flag on that somebody turned off %s', async (_, change) => {
    const { world, first, second } = await twoClones('');
    expect(await first.run(['apply', '--yes'])).toMatchObject({ code: 0 });
    expect(await first.run(['off', 'checkout', '--yes'])).toMatchObject({ code: 0 });
    change(second);
    const planned = await second.run(['plan', '-f', 'json']);
    expect(planned.code).toBe(0);
    const document = JSON.parse(planned.stdout) as object;
    expect(schemaErrors('plan', document)).toEqual([]);
    expect(document).toMatchObject({
      hazards: [],
      warnings: [{ code: 'turned_off', key: 'checkout', by: 'embedded@example.org', at: expect.any(String) as string }],
    });
    expect((await second.run(['plan'])).stdout).toMatch(
      /checkout: embedded@example\.org turned it off in PostHog on .* UTC, and the plan turns it on again/,
    );
    expect(await second.run(['apply', '--yes'])).toMatchObject({ code: 0 });
    expect(await isOn(world)).toBe(true);
  });

  test('turns a flag on that nobody has turned off since it was created, without a word', async () => {
    const { world, second } = await twoClones('');
    await world.client.createFlag({ key: 'checkout', active: false });
    const planned = await second.run(['plan', '-f', 'json']);
    expect(JSON.parse(planned.stdout)).toMatchObject({ hazards: [], warnings: [] });
  });
});

/** The commits of the helper are of January. */
function commitLater({ root }: Clone): void {
  const later = new Date(Date.now() + 3_600_000).toISOString();
  const env = { ...GIT_ENV, GIT_COMMITTER_DATE: later };
  execFileSync('git', ['commit', '--quiet', '--amend', '--no-edit'], { cwd: root, env });
}
