/** A project on a bad day, with a fixed clock: 30 flags that change, policies that refuse many of them, and edits of two people in the service. */

import { createRepository, GIT_ENV, type TestRepository } from './repository.ts';
import { runCli, type Ran } from './run.ts';
import { startWorld, type World } from './world.ts';

export interface BusyProject {
  readonly repository: TestRepository;
  readonly world: World;
  readonly run: (...argv: string[]) => Promise<Ran>;
  /** Another change of the same flags is committed an hour later: other numbers, the same rules. */
  readonly nextHour: () => void;
}

const KEY = 'phx_planted_key_0123456789';
const ANN = 'phx_ann_0123456789';
const BOB = 'phx_bob_0123456789';
const APPLIED = Date.UTC(2026, 0, 12, 9, 0, 0);
const EDITED = Date.UTC(2026, 0, 13, 16, 30, 0);
const NOW = Date.UTC(2026, 0, 14, 8, 0, 0);

const configFor = (url: string): string => `projects:
  production: { host: ${url}, project_id: "1" }
protected: [login-form]
limits: { deletes: 10, updates_percent: 100, deletes_percent: 100 }
`;
const POLICIES = `policies:
  rules:
    - rule: freeze
      deny: [{ from: 2026-01-14, to: 2026-01-15, zone: UTC }]
      keys: ['shop-*']
    - { rule: max-widen, points: 25 }
    - { rule: require, tags: ['owner:*'], level: warning }
`;

const SHOPS = [
  ['at', 'de', 'ch', 'fr', 'it', 'es', 'pt'],
  ['nl', 'be', 'lu', 'dk', 'se', 'no', 'fi'],
  ['pl', 'cz', 'sk', 'hu', 'ro', 'bg', 'gr'],
].flat();

/** `next`: after the change that is reviewed. */
function manifests(next: boolean, more = 0): Readonly<Record<string, string>> {
  const shop = (country: string, index: number): string => `  shop-${country}:
    description: The shop in ${country.toUpperCase()}
    active: true
    tags: [owner:shop]
    rollout_percentage: ${next ? 20 + more + (index % 3) * 20 : 10}
`;
  return {
    'flags/shop.yaml': `flags:\n${SHOPS.map(shop).join('')}`,
    'flags/web.yaml': `flags:
  login-form:
    description: The form to log in
    active: ${!next}
    tags: [owner:web]
    rollout_percentage: 100
  new-checkout:
    description: One-page checkout
    active: true
    tags: [owner:web]
    filters:
      groups:
        - properties:
            - { key: email, type: person, operator: icontains, value: '@acme.com' }
          rollout_percentage: 100
        - properties:
            - { key: country, type: person, operator: exact, value: [US] }
          rollout_percentage: ${next ? 30 : 10}
${next ? '' : '  old-banner:\n    active: true\n    rollout_percentage: 100\n  old-footer:\n    active: true\n    rollout_percentage: 100\n'}${
      next ? '  old-banner: { deleted: true }\n  old-footer: { deleted: true }\n' : ''
    }  price-test:
    active: true
    tags: [owner:web]
    filters:
      groups: [{ properties: [], rollout_percentage: 100 }]
      multivariate:
        variants:
          - { key: control, rollout_percentage: ${next ? 20 : 50} }
          - { key: lower, rollout_percentage: ${next ? 80 : 50} }
      payloads: { lower: { percent: ${next ? 15 : 10} } }
  search-box:
    active: true
    tags: [owner:web]
    rollout_percentage: ${next ? 60 : 50}
  help-center:
    description: ${next ? 'Help beside each form' : 'Help next to each form'}
    active: true
    tags: [owner:support]
    rollout_percentage: 50
  ${next ? 'chat-window' : 'chat-box'}:
    active: true
    tags: [owner:support]
    rollout_percentage: 40
${next ? '    previous_keys: [chat-box]\n' : ''}  recommendations:
    active: true
    tags: [owner:data]
    unknown_members: allow
    filters:
      groups: [{ properties: [], rollout_percentage: 25 }]
      ranking_model: ${next ? 'm4' : 'm3'}
${next ? '  gift-cards:\n    description: Pay with a gift card\n    active: true\n    rollout_percentage: 20\n' : ''}`,
  };
}

/** The manifests of yesterday are applied, people edited the service since, and the manifests of today are committed. */
export async function startBusyProject(onEnd: (end: () => Promise<void>) => void): Promise<BusyProject> {
  let now = APPLIED;
  const world = await startWorld('posthog', SEED, { now: () => new Date(now) });
  onEnd(async () => world.close());
  const repository = createRepository({
    'flagwright.yaml': configFor(world.url),
    '.gitignore': '.flagwright/\n',
    ...manifests(false),
  });
  const env = { ...GIT_ENV, HOME: repository.root, POSTHOG_API_KEY: KEY };
  const run: BusyProject['run'] = async (...argv) => runCli(argv, { cwd: repository.root, env, now });
  const apply = async (): Promise<void> => {
    const { code, stdout, stderr } = await run('apply', '--yes');
    if (code !== 0) throw new Error(stdout + stderr);
  };
  await apply();
  // The policies of what was applied last count.
  repository.commit({ 'flagwright.yaml': configFor(world.url) + POLICIES });
  await apply();
  now = EDITED;
  await editAs(world, ANN, 'new-checkout', { active: false });
  await editAs(world, ANN, 'search-box', { filters: { groups: [{ properties: [], rollout_percentage: 100 }] } });
  await editAs(world, ANN, 'help-center', { tags: ['owner:support', 'hotfix'] });
  await editAs(world, BOB, 'shop-de', { filters: { groups: [{ properties: [], rollout_percentage: 0 }] } });
  await editAs(world, BOB, 'price-test', { name: 'Lower prices' });
  now = NOW;
  repository.commit(manifests(true));
  const nextHour = (): void => {
    now += 3_600_000;
    repository.commit(manifests(true, 5));
  };
  return { repository, world, run, nextHour };
}

const SEED = {
  flags: [
    {
      id: 901,
      key: 'survey-welcome',
      name: 'Made by a survey',
      active: true,
      filters: { groups: [{ properties: [], rollout_percentage: 100 }] },
    },
    {
      id: 902,
      key: 'Old Beta <b>',
      name: '',
      active: true,
      filters: { groups: [{ properties: [], rollout_percentage: 100 }] },
    },
  ],
  members: [
    { email: 'ann@example.org', api_key: ANN },
    { email: 'bob@example.org', api_key: BOB },
  ],
};

async function editAs(world: World, key: string, flag: string, body: object): Promise<void> {
  const found = (await world.client.listFlags()).find((one) => one.key === flag);
  const answer = await fetch(`${world.url}/api/projects/1/feature_flags/${found?.id}/`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (answer.status !== 200) throw new Error(await answer.text());
}
