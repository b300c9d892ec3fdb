/** A catalogue over HTTP: a repository with manifests, tests and code, and a service that nearly has the same flags. */

import { expect } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import type { CatalogFlagView, CatalogView } from '../../../src/report/model/catalog.ts';
import { createRepository, type TestRepository } from '../../helpers/repository.ts';
import { runCli, type Ran } from '../../helpers/run.ts';
import { schemaErrors } from '../../helpers/schemas.ts';
import { openWorld, type World, type WorldOptions } from '../../helpers/world.ts';

export const NOW = Date.parse('2026-06-01T00:00:00Z');
const ENV = { POSTHOG_API_KEY: 'phx_planted_key_0123456789' };
const GERMANS = { properties: [{ key: 'country', type: 'person', operator: 'exact', value: ['DE'] }] };
const ADDRESSES = { properties: [{ key: 'email', type: 'person', operator: 'exact', value: ['zoe@acme.example'] }] };
export const MANIFEST = `flags:
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
export const CONFIG = `policies:
  rules:
    - { rule: freeze, deny: [{ from: 2026-06-05, to: 2026-06-07, zone: UTC }] }
    - { rule: expires, tag: 'expires:' }
`;

export interface Stage {
  readonly work: TestRepository;
  readonly world: World;
  readonly asked: readonly string[];
  readonly run: (...argv: readonly string[]) => Promise<Ran>;
}

export async function stage(
  flags: readonly JsonObject[] = LIVE,
  files: Readonly<Record<string, string>> = {},
  options: Pick<WorldOptions, 'faults'> = {},
): Promise<Stage> {
  const seed = flags.map((one, index) => ({ id: index + 1, active: true, name: '', tags: [], ...one }));
  const asked: string[] = [];
  const world = await openWorld('posthog', seed as unknown as JsonValue, {
    now: () => new Date(NOW),
    ...options,
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

export function viewOf(ran: Ran): CatalogView {
  expect(ran.stdout).toContain('made_at');
  expect(schemaErrors('catalog', ran.document())).toEqual([]);
  return ran.document() as unknown as CatalogView;
}

export function flagIn({ flags }: CatalogView, key: string): CatalogFlagView {
  const found = flags.find((flag) => flag.key === key);
  if (found === undefined) throw new Error(`There is no ${key}.`);
  return found;
}
