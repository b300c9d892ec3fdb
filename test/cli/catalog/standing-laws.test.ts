/** How flags stand to git, on the catalogue, held against what plan and drift say of the same state, over HTTP. */

import { env } from 'node:process';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import type { CatalogView } from '../../../src/report/model/catalog.ts';
import { gitStage, type GitStage } from '../../helpers/git-stage.ts';
import { runs } from '../../helpers/runs.ts';
import { schemaErrors } from '../../helpers/schemas.ts';

const CONFIG = `projects:
  main: { host: $HOST, project_id: "1" }
limits: { updates_percent: 100, deletes: 99, deletes_percent: 100 }
scope: { include: ["*"], exclude: ["survey-*"] }
`;

/** What a manifest says of a flag; `undefined`: nothing. */
interface Declared {
  readonly active: boolean;
  readonly share: number;
  readonly text: string;
  readonly former?: string;
  readonly deleted?: true;
}

const declaredFlag = fc.record({
  active: fc.boolean(),
  share: fc.constantFrom(0, 10, 100),
  text: fc.constantFrom('One', 'Two'),
});

type GitEdit = 'none' | 'active' | 'share' | 'text' | 'remove' | 'rename' | 'delete';
type LiveEdit = 'none' | 'active' | 'share' | 'text' | 'delete' | 'rename' | 'tags';

const scenario = fc.record({
  before: fc.option(declaredFlag, { freq: 6, nil: undefined }),
  git: fc.subarray<GitEdit>(['none', 'active', 'share', 'text', 'remove', 'rename', 'delete'], { maxLength: 2 }),
  born: declaredFlag,
  live: fc.subarray<LiveEdit>(['none', 'active', 'share', 'text', 'delete', 'rename', 'tags'], { maxLength: 2 }),
  applied: fc.constantFrom(true, false, false),
});

const world = fc.record({
  flags: fc.array(scenario, { minLength: 6, maxLength: 12 }),
  wild: fc.subarray(['wild', 'survey-1', 'a1-new']),
  recorded: fc.constantFrom(true, true, true, false),
});

interface PlannedChange {
  readonly action: string;
  readonly resource: string;
  readonly key: string;
  readonly fields?: readonly { readonly divergence?: 'pending' | 'drifted' | 'conflict' }[];
}

interface Differences {
  readonly base?: { readonly kind: string };
  readonly changes: readonly PlannedChange[];
  readonly unmanaged: readonly string[];
}

const seen: Record<string, number> = {};
afterAll(() => {
  if (env['PROPERTY_RUNS'] !== undefined) process.stdout.write(`standings: ${JSON.stringify(seen)}\n`);
});

test('is what plan and drift say', async () => {
  const property = fc.asyncProperty(world, async ({ flags, wild, recorded }) => {
    const before = new Map(flags.flatMap(({ before: one }, index) => (one ? [[`a${index}`, one] as const] : [])));
    const here = await gitStage(CONFIG, { manifest: manifestOf(before) });
    try {
      expect(await here.run('apply', '--yes')).toMatchObject({ code: 0 });
      if (!recorded) for (const ref of refs(here)) here.git('update-ref', '-d', ref);
      const wanted = new Map(flags.flatMap((one, index) => edited(`a${index}`, one)));
      here.commit({ 'flags/main.yaml': manifestOf(wanted) });
      const targets = [...wanted.keys()].filter((key) => flags[Number(/\d+/.exec(key)?.[0])]?.applied === true);
      if (targets.length > 0) await here.run('apply', '--yes', ...targets.flatMap((key) => ['--target', key]));
      await editLive(here, flags, wild);
      await compare(here, new Set(['always', ...wanted.keys()]));
    } finally {
      await here.world.close();
    }
  });
  // To find a smaller case takes minutes.
  await fc.assert(property, { numRuns: runs(24), endOnFailure: true });
}, 600_000);

/** At least one flag is always declared, since no manifest at all is an error. */
function manifestOf(flags: ReadonlyMap<string, Declared>): string {
  const lines = [...flags].map(([key, { active, share, text, former, deleted }]) =>
    deleted === true
      ? `  ${key}: { deleted: true }\n`
      : `  ${key}: { description: ${text}, active: ${active}, rollout_percentage: ${share}${former === undefined ? '' : `, previous_keys: [${former}]`} }\n`,
  );
  return `flags:\n  always: { active: true, rollout_percentage: 100 }\n${lines.join('')}`;
}

type Scenario = typeof scenario extends fc.Arbitrary<infer One> ? One : never;

function edited(key: string, { before, git, born }: Scenario): (readonly [string, Declared])[] {
  if (before === undefined) return git.includes('remove') ? [] : [[key, born]];
  if (git.includes('remove')) return [];
  if (git.includes('delete')) return [[key, { ...before, deleted: true }]];
  const flag = {
    active: git.includes('active') ? !before.active : before.active,
    share: git.includes('share') ? (before.share === 10 ? 25 : 10) : before.share,
    text: git.includes('text') ? `${before.text} more` : before.text,
  };
  return git.includes('rename') ? [[`${key}-new`, { ...flag, former: key }]] : [[key, flag]];
}

async function editLive(
  { world: { client } }: GitStage,
  flags: readonly Scenario[],
  wild: readonly string[],
): Promise<void> {
  const live = await client.listFlags();
  for (const [index, { live: edits }] of flags.entries()) {
    const flag = live.find(({ key }) => key === `a${index}` || key === `a${index}-new`);
    if (flag === undefined) continue;
    const body = {
      ...(edits.includes('active') ? { active: flag.active === false } : {}),
      ...(edits.includes('share') ? { filters: { groups: [{ properties: [], rollout_percentage: 77 }] } } : {}),
      ...(edits.includes('text') ? { name: 'Edited' } : {}),
      ...(edits.includes('tags') ? { tags: ['edited'] } : {}),
      ...(edits.includes('rename') ? { key: `b${index}` } : {}),
    };
    if (Object.keys(body).length > 0) await client.updateFlag(flag.id, body as never);
    if (edits.includes('delete')) await client.updateFlag(flag.id, { deleted: true } as never);
  }
  const taken = new Set((await client.listFlags()).map(({ key }) => key));
  for (const key of wild)
    if (!taken.has(key)) await client.createFlag({ key, name: '', active: true, filters: { groups: [{}] } } as never);
}

async function compare(here: GitStage, wanted: ReadonlySet<string>): Promise<void> {
  const [plan, drift] = await Promise.all(
    (['plan', 'drift'] as const).map(
      async (command) => (await here.run(command, '-f', 'json')).document() as unknown as Differences,
    ),
  );
  const ran = await here.run('catalog', '-f', 'json');
  expect([ran.code, ran.stderr]).toEqual([0, '']);
  const document = ran.document();
  expect(schemaErrors('catalog', document)).toEqual([]);
  const view = document as unknown as CatalogView;
  for (const source of [plan, drift].flatMap((one) => one ?? []).filter((one) => Array.isArray(one.changes))) {
    const expected = Object.fromEntries(view.flags.map(({ key }) => [key, standingIn(source, key, wanted)] as const));
    const said = Object.fromEntries(view.flags.map(({ key, states: [state] }) => [key, state?.standing]));
    expect(said).toEqual(expected);
    const changed = source.changes.flatMap(({ resource, key }) => (resource === 'flag' ? [key] : []));
    expect(Object.keys(said)).toEqual(expect.arrayContaining([...changed, ...source.unmanaged]));
    for (const standing of Object.values(said)) seen[String(standing)] = (seen[String(standing)] ?? 0) + 1;
  }
  const live = await here.world.client.listFlags();
  // Each flag of the service once, and what is declared and missing.
  const ids = view.flags.flatMap(({ states: [state] }) =>
    state?.url === undefined ? [] : [Number(state.url.split('/').at(-1))],
  );
  const inScope = live.filter(({ key }) => !key.startsWith('survey-'));
  expect(ids.toSorted((a, b) => a - b)).toEqual(inScope.map(({ id }) => id).toSorted((a, b) => a - b));
  const missing = view.flags.filter(({ states: [state] }) => state?.word === 'missing').map(({ key }) => key);
  for (const key of missing) expect(wanted.has(key), `${key} is missing`).toBe(true);
  expect(missing.filter((key) => live.some((flag) => flag.key === key))).toEqual([]);
}

/** A flag that has the former key of another one is not in git either, although no plan lists it. */
function standingIn({ base, changes, unmanaged }: Differences, key: string, wanted: ReadonlySet<string>): string {
  const own = changes.filter((change) => change.resource === 'flag' && change.key === key);
  if (own.length === 0) return unmanaged.includes(key) || !wanted.has(key) ? 'unmanaged' : 'in_sync';
  if (base?.kind !== 'commit') return own.every(({ action }) => action === 'create') ? 'pending' : 'differs';
  const sorts = new Set(own.flatMap(({ fields = [] }) => fields.map(({ divergence }) => divergence)));
  const isPending = sorts.has('pending') || sorts.has('conflict');
  const isDrifted = sorts.has('drifted') || sorts.has('conflict');
  return isPending && isDrifted ? 'both' : isPending ? 'pending' : 'drifted';
}

function refs(here: GitStage): string[] {
  return here
    .git('for-each-ref', '--format=%(refname)', 'refs/flagwright')
    .split('\n')
    .filter((one) => one !== '');
}
