/** The catalogue of a project: what is live, declared, edited and coming, over HTTP, with git and code. */

import { expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import type { CatalogFlagView, CatalogView } from '../../../src/report/model/catalog.ts';
import { createRepository, git, type TestRepository } from '../../helpers/repository.ts';
import { runCli, type Ran } from '../../helpers/run.ts';
import { schemaErrors } from '../../helpers/schemas.ts';
import { openWorld, type World } from '../../helpers/world.ts';

const NOW = Date.parse('2026-06-01T00:00:00Z');
const ENV = { POSTHOG_API_KEY: 'phx_planted_key_0123456789' };
const GERMANS = { properties: [{ key: 'country', type: 'person', operator: 'exact', value: ['DE'] }] };
const ADDRESSES = { properties: [{ key: 'email', type: 'person', operator: 'exact', value: ['zoe@acme.example'] }] };
const MANIFEST = `flags:
  germany:
    description: For customers in Germany
    active: true
    tags: ['team:growth']
    filters: { groups: [{ properties: [{ key: country, type: person, operator: exact, value: [DE] }], rollout_percentage: 100 }] }
  everybody: { active: true, rollout_percentage: 100 }
  stepped:
    active: true
    rollout_percentage:
      from: 10
      steps: [{ at: 2026-06-03T08:00:00Z, to: 50 }, { at: 2026-06-09T08:00:00Z, to: 100 }]
  unborn: { active: true, rollout_percentage: 100 }
`;
const CONFIG = `policies:
  rules:
    - { rule: freeze, deny: [{ from: 2026-06-05, to: 2026-06-07, zone: UTC }] }
    - { rule: expires, tag: 'expires:' }
`;

interface Stage {
  readonly work: TestRepository;
  readonly world: World;
  readonly asked: readonly string[];
  readonly run: (...argv: readonly string[]) => Promise<Ran>;
}

async function stage(
  flags: readonly JsonObject[] = LIVE,
  files: Readonly<Record<string, string>> = {},
): Promise<Stage> {
  const seed = flags.map((one, index) => ({ id: index + 1, active: true, name: '', tags: [], ...one }));
  const asked: string[] = [];
  const world = await openWorld('posthog', seed as unknown as JsonValue, {
    now: () => new Date(NOW),
    onRequest: ({ path }) => void asked.push(path),
  });
  const work = createRepository({
    'flagwright.yaml': `projects: { production: { host: "${world.url}", project_id: "1" } }\n${CONFIG}`,
    'flags/a.yaml': MANIFEST,
    'tests/people.yaml': 'people:\n  hans: { properties: { country: DE } }\n  mary: { properties: { country: UK } }\n',
    'src/a.ts': "posthog.isFeatureEnabled('germany');\n",
    ...files,
  });
  return {
    work,
    world,
    asked,
    run: async (...argv) => runCli(['catalog', ...argv], { cwd: work.root, env: ENV, now: NOW }),
  };
}

const LIVE: readonly JsonObject[] = [
  {
    key: 'germany',
    name: 'For customers in Germany',
    tags: ['team:growth'],
    filters: { groups: [{ ...GERMANS, rollout_percentage: 100 }] },
  },
  { key: 'everybody', filters: { groups: [{ properties: [], rollout_percentage: 50 }] } },
  { key: 'stepped', filters: { groups: [{ properties: [], rollout_percentage: 10 }] } },
  { key: 'by-hand', filters: { groups: [ADDRESSES] } },
];

function viewOf(ran: Ran): CatalogView {
  expect(ran.stdout).toContain('made_at');
  expect(schemaErrors('catalog', ran.document())).toEqual([]);
  return ran.document() as unknown as CatalogView;
}

function flagIn({ flags }: CatalogView, key: string): CatalogFlagView {
  const found = flags.find((flag) => flag.key === key);
  if (found === undefined) throw new Error(`There is no ${key}.`);
  return found;
}

test('says of each flag for whom it is on, and how it stands to git', async () => {
  const { run } = await stage();
  const view = viewOf(await run('-f', 'json'));
  const states = Object.fromEntries(
    view.flags.map(({ key, states: [state] }) => [key, state && [state.word, state.standing, state.who]]),
  );
  expect(states).toEqual({
    'by-hand': ['some', 'unmanaged', 'people whose email is hidden-address'],
    everybody: ['some', 'differs', '50% of everyone'],
    germany: ['some', 'in_sync', 'people whose country is DE'],
    stepped: ['some', 'in_sync', '10% of everyone'],
    unborn: ['missing', 'pending', 'nobody: the project does not have it'],
  });
  expect(view.projects).toMatchObject([{ name: 'production', source: 'live', read_at: '2026-06-01T00:00:00.000Z' }]);
});

test('names the owner, the code, the answers of people and the commit', async () => {
  const { run } = await stage();
  const germany = flagIn(viewOf(await run('-f', 'json')), 'germany');
  expect(germany).toMatchObject({
    description: 'For customers in Germany',
    owner: { name: 'growth', by: 'tag' },
    place: { file: 'flags/a.yaml', line: 2 },
    code: { verdict: 'read', places: [{ file: 'src/a.ts', line: 1 }] },
    answers: [
      { person: 'hans', project: 'production', value: 'on' },
      { person: 'mary', project: 'production', value: 'off' },
    ],
    changed: { by: 'Ana', source: 'git' },
  });
  expect(germany.changes).toMatchObject([{ source: 'git', words: 'New: on for 100% of condition 1 (country is DE)' }]);
});

test('the calendar has steps and freezes in the order of time', async () => {
  const { run } = await stage();
  const { calendar } = viewOf(await run('-f', 'json'));
  expect(calendar.map(({ at, kind, key, words }) => [at.slice(0, 10), kind, key, words])).toEqual([
    ['2026-06-03', 'step', 'stepped', '50%'],
    ['2026-06-05', 'freeze', undefined, 'no changes are allowed (UTC)'],
    ['2026-06-09', 'step', 'stepped', '100%'],
  ]);
});

test('tells what a later commit changed, and who edited the flag in the service', async () => {
  const { run, work, world } = await stage();
  work.write('flags/a.yaml', MANIFEST.replace('everybody: { active: true', 'everybody: { active: false'));
  git(work.root, 'commit', '-qam', 'Turn it off');
  await world.edit('germany', { active: false });
  const view = viewOf(await run('-f', 'json'));
  expect(flagIn(view, 'everybody').changes?.map(({ words }) => words)).toEqual([
    'The flag is disabled, and off for everybody',
    'New: on for everyone',
  ]);
  expect(flagIn(view, 'germany').changes?.[0]).toMatchObject({
    source: 'service',
    words: 'The flag is disabled, and off for everybody',
  });
  expect(flagIn(view, 'germany').states[0]).toMatchObject({ word: 'off', who: 'nobody: it is switched off' });
});

test('--declared asks no service and says so', async () => {
  const { run, asked } = await stage();
  const view = viewOf(await run('--declared', '-f', 'json'));
  expect(asked).toEqual([]);
  expect(view.projects).toMatchObject([{ source: 'manifests' }]);
  expect(view.notes[0]).toContain('The service was not asked');
  expect(flagIn(view, 'everybody').states[0]).toMatchObject({ word: 'all', who: 'everyone', standing: 'unread' });
});

test('shows addresses only if asked', async () => {
  const { run } = await stage();
  expect((await run('-f', 'json')).stdout).not.toContain('zoe@acme.example');
  expect(flagIn(viewOf(await run('--addresses', '-f', 'json')), 'by-hand').states[0]?.who).toContain(
    'zoe@acme.example',
  );
});

test('a project that cannot be read is unread, and the others are shown', async () => {
  const { run, work, world } = await stage();
  work.write(
    'flagwright.yaml',
    `projects:
  production: { host: "${world.url}", project_id: "1" }
  staging: { host: "http://127.0.0.1:9", project_id: "1" }
${CONFIG}`,
  );
  const ran = await run('-f', 'json', '--deadline', '30s');
  expect(ran.code).toBe(1);
  const view = ran.document() as unknown as CatalogView;
  expect(view.projects.map(({ source }) => source)).toEqual(['live', 'unread']);
  expect(flagIn(view, 'germany').states.map(({ word }) => word)).toEqual(['some', 'unknown']);
  expect(view.notes[0]).toContain('staging was not read');
});

test('fails if no project can be read', async () => {
  const { run, work } = await stage();
  work.write('flagwright.yaml', 'projects: { production: { host: "http://127.0.0.1:9", project_id: "1" } }\n');
  const ran = await run();
  expect(ran.code).toBe(1);
  expect(ran.stdout).toBe('');
});
