import { describe, expect, onTestFinished, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { cloneOf, createRepository } from '../../helpers/repository.ts';
import { runCli, type Ran } from '../../helpers/run.ts';
import { schemaErrors } from '../../helpers/schemas.ts';
import { createWorkspace, type Workspace } from '../../helpers/workspace.ts';
import { startWorld } from '../../helpers/world.ts';

/** The manifests are committed on 2026-01-01. */
const NOW = Date.parse('2026-06-01T00:00:00Z');
const ENV = { POSTHOG_API_KEY: 'phx_planted_key_0123456789' };
const OLD = '2025-01-01T00:00:00Z';
const RECENT = '2026-05-30T00:00:00Z';
const EVERYBODY = { groups: [{ properties: [], rollout_percentage: 100 }] };
const SOME = { groups: [{ properties: [], rollout_percentage: 10 }] };

interface Seeded extends JsonObject {
  readonly key: string;
}

const flag = (key: string, more: JsonObject = {}): Seeded => ({
  key,
  name: '',
  active: true,
  filters: EVERYBODY,
  created_at: OLD,
  updated_at: OLD,
  last_called_at: OLD,
  tags: [],
  ...more,
});

const FLAGS: readonly Seeded[] = [
  flag('to-disable'),
  flag('to-deploy', { last_called_at: RECENT }),
  flag('to-archive', { active: false }),
  flag('to-delete', { active: false, archived: true }),
  flag('to-clean', { last_called_at: RECENT }),
  flag('in-use', { filters: SOME, last_called_at: RECENT }),
  flag('never-known', { filters: SOME, last_called_at: null }),
  flag('web-only'),
];
const MANIFEST = `flags:
  to-disable: { active: true, rollout_percentage: 100 }
  to-deploy: { active: true, rollout_percentage: 100 }
  to-archive: { active: false, rollout_percentage: 100 }
  to-delete: { active: false, rollout_percentage: 100, fields: { archived: true } }
  to-clean: { active: true, rollout_percentage: 100, tags: ['owner:growth'] }
  in-use: { active: true, rollout_percentage: 10 }
  never-known: { active: true, rollout_percentage: 10 }
`;
const CODE = `posthog.isFeatureEnabled('to-clean');
posthog.isFeatureEnabled('in-use');
`;

interface Stage {
  readonly work: Workspace;
  readonly asked: readonly string[];
  readonly run: (argv?: readonly string[], at?: Workspace) => Promise<Ran>;
}

interface StageOptions {
  readonly flags?: readonly Seeded[];
  readonly files?: Readonly<Record<string, string>>;
  readonly config?: string;
  readonly faults?: readonly JsonValue[];
  readonly profile?: 'posthog' | 'posthog-2023';
  readonly make?: (files: Readonly<Record<string, string>>) => Workspace;
}

async function stage({ flags = FLAGS, files, config, faults, make = createRepository }: StageOptions = {}): Promise<Stage> {
  const asked: string[] = [];
  const seed = flags.map((one, index) => ({ id: index + 1, ...one }));
  const world = await startWorld('posthog', seed as unknown as JsonValue, {
    now: () => new Date(NOW),
    onRequest: ({ method, path }) => void asked.push(`${method} ${path}`),
    ...(faults === undefined ? {} : { faults: { faults } as unknown as JsonValue }),
  });
  onTestFinished(() => world.close());
  const work = make({
    'flagwright.yaml': `projects: { production: { host: "${world.url}", project_id: "1" } }\n${config ?? ''}`,
    'flags/a.yaml': MANIFEST,
    'src/a.ts': CODE,
    ...files,
  });
  return {
    work,
    asked,
    run: (argv = [], at = work) => runCli(['stale', ...argv], { cwd: at.root, env: ENV, now: NOW }),
  };
}

interface Shown {
  readonly key: string;
  readonly next_step: string;
  readonly signals: Readonly<Record<string, string>>;
  readonly task?: string | null;
}

function shown(ran: Ran): readonly Shown[] {
  expect(ran).toMatchObject({ code: 0 });
  expect(schemaErrors('stale', ran.document())).toEqual([]);
  return (ran.document() as unknown as { flags: readonly Shown[] }).flags;
}

function steps(ran: Ran): Readonly<Record<string, string>> {
  return Object.fromEntries(shown(ran).map(({ key, next_step }) => [key, next_step]));
}

const JSON_OF = ['--format', 'json'];

describe('next steps', () => {
  test('each flag has the step that its evidence allows', async () => {
    const { run } = await stage();
    expect(steps(await run(JSON_OF))).toEqual({
      'never-known': 'wait',
      'to-archive': 'archive',
      'to-clean': 'remove_code',
      'to-delete': 'delete',
      'to-deploy': 'deploy',
      'to-disable': 'disable',
    });
  });

  test('text shows the evidence, the owner and what to do', async () => {
    const { run } = await stage();
    const { stdout } = await run(['to-disable', 'to-clean']);
    expect(stdout).toBe('');
  });
});
