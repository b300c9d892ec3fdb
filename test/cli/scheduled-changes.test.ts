/** Changes that the service is to make by itself, in plan, drift and apply over HTTP. */

import { expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/base/json.ts';
import type { Profile } from '../../service/src/index.ts';
import { runCli, type Ran } from '../helpers/run.ts';
import { createWorkspace } from '../helpers/workspace.ts';
import { openWorld } from '../helpers/world.ts';

const SEED: JsonValue = {
  flags: [
    { id: 1, key: 'search', active: false, filters: { groups: [{ rollout_percentage: 5 }] } },
    { id: 2, key: 'other', filters: { groups: [{ rollout_percentage: 5 }] } },
  ],
  scheduled_changes: [
    {
      id: 12,
      flag: 'search',
      payload: { operation: 'update_status', value: true },
      scheduled_at: '2026-12-01T09:00:00Z',
    },
    {
      id: 13,
      flag: 'other',
      payload: { operation: 'update_status', value: false },
      scheduled_at: '2026-12-01T09:00:00Z',
    },
    {
      id: 14,
      flag: 1,
      payload: { operation: 'update_status', value: true },
      scheduled_at: '2026-11-01T09:00:00Z',
      executed_at: '2026-11-01T09:00:10Z',
    },
  ],
};
const TEXT = 'Schedule 12 changes search on 2026-12-01 09:00:00 UTC (turns it on).';
const IN_SYNC = 'flags:\n  search: { active: false, rollout_percentage: 5 }\n';

async function stage(
  profile: Profile,
  { manifest = IN_SYNC, faults }: { readonly manifest?: string; readonly faults?: JsonValue } = {},
): Promise<{ readonly paths: readonly string[]; readonly run: (...argv: string[]) => Promise<Ran> }> {
  const paths: string[] = [];
  const onRequest = ({ path }: { readonly path: string }): void => void paths.push(path);
  const world = await openWorld(profile, SEED, { onRequest, ...(faults === undefined ? {} : { faults }) });
  const workspace = createWorkspace({ 'flags/main.yaml': manifest });
  const env = { POSTHOG_HOST: world.url, POSTHOG_PROJECT_ID: '1', POSTHOG_API_KEY: 'phx_test' };
  return { paths, run: async (...argv) => runCli(argv, { cwd: workspace.root, env }) };
}

function asksIn(paths: readonly string[]): number {
  return paths.filter((path) => path.includes('scheduled_changes')).length;
}

test.each(['plan', 'drift'])('%s warns of what is scheduled for a declared flag', async (command) => {
  const { run, paths } = await stage('posthog');
  const ran = await run(command);
  expect(ran.code).toBe(0);
  expect(ran.stdout + ran.stderr).toContain(TEXT);
  expect(ran.stdout + ran.stderr).not.toContain('Schedule 13');
  expect(asksIn(paths)).toBe(1);
  expect((await run(command, '-f', 'markdown')).stdout).toContain('Schedule 12 changes');
  const { warnings } = JSON.parse((await run(command, '-f', 'json')).stdout) as { warnings: unknown };
  expect(warnings).toEqual([
    { code: 'scheduled', key: 'search', id: 12, at: '2026-12-01T09:00:00Z', operation: 'update_status', value: true },
  ]);
});

test('apply asks too, and a saved plan with the warning is applied without asking again', async () => {
  const { run, paths } = await stage('posthog', { manifest: IN_SYNC.replace('5', '7') });
  expect((await run('plan', '--out', 'plan.json')).stdout).toContain(TEXT);
  expect(await run('apply', '-y', 'plan.json')).toMatchObject({ code: 0 });
  expect(asksIn(paths)).toBe(1);
  expect(await run('apply', '-y')).toMatchObject({ code: 0 });
  expect(asksIn(paths)).toBe(2);
  expect((await run('plan', '--detailed-exitcode')).code).toBe(0);
});

test('a service of 2023 is not asked', async () => {
  const { run, paths } = await stage('documented');
  const ran = await run('plan');
  expect(ran.code).toBe(0);
  expect(ran.stdout).not.toContain('Schedule');
  expect(asksIn(paths)).toBe(0);
});

const UNKNOWN = 'Scheduled changes of the service are not known';

test.each([
  ['403', { status: 403 }, 'the API key cannot read them (scope feature_flag:read'],
  ['400', { status: 400 }, 'the request failed'],
])('an answer %s is said once, and is never none', async (_status, answer, why) => {
  const faults = { faults: [{ match: { operation: 'listScheduledChanges' }, count: 99, answer }] };
  for (const command of [['drift'], ['plan'], ['explain', 'search']]) {
    const { run } = await stage('posthog', { faults });
    const ran = await run(...command);
    expect(ran.code).toBe(0);
    expect(ran.stdout.split(`${UNKNOWN}: ${why}`)).toHaveLength(2);
    const { scheduled } = JSON.parse((await run(...command, '-f', 'json')).stdout) as JsonObject;
    expect(scheduled).toEqual({ changes: [], unknown: answer.status === 403 ? 'forbidden' : 'failed' });
    if (command[0] !== 'explain') expect((await run(...command, '-f', 'markdown')).stdout).toContain(UNKNOWN);
  }
});

test('a service without them (404) has none, and nothing is said', async () => {
  const faults = { faults: [{ match: { operation: 'listScheduledChanges' }, answer: { status: 404 } }] };
  const { run, paths } = await stage('posthog', { faults });
  const ran = await run('drift');
  expect(ran.code).toBe(0);
  expect(ran.stdout + ran.stderr).not.toMatch(/schedule/i);
  expect(asksIn(paths)).toBe(1);
});

test('a slow list is waited for', async () => {
  const faults = { faults: [{ match: { operation: 'listScheduledChanges' }, latency: { ms: 300 } }] };
  const { run } = await stage('posthog', { faults });
  expect((await run('plan')).stdout).toContain(TEXT);
});

/** Two schedules that append, one under them that repeats, one that waits for its approval and one that was rejected. */
const BUSY: JsonObject = {
  flags: [{ id: 1, key: 'search', active: true, filters: { groups: [{ rollout_percentage: 5 }] } }],
};

const LATER = { record_id: '1', model_name: 'FeatureFlag', scheduled_at: '2126-12-01T09:00:00Z' };

async function post(url: string, path: string, body: JsonValue): Promise<JsonObject> {
  const headers = { authorization: 'Bearer k', 'content-type': 'application/json' };
  const response = await fetch(`${url}/api/projects/1/${path}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  expect([path, response.status]).toEqual([path, 201]);
  return (await response.json()) as JsonObject;
}

async function stageBusy(
  manifest: string,
): Promise<{ run: Awaited<ReturnType<typeof stage>>['run']; request: string }> {
  const world = await openWorld('posthog', BUSY);
  const schedule = async (
    day: number,
    operation: string,
    value: JsonValue,
    more: JsonObject = {},
  ): Promise<JsonObject> =>
    post(world.url, 'scheduled_changes/', {
      ...LATER,
      scheduled_at: `2126-12-0${day}T09:00:00Z`,
      payload: { operation, value },
      ...more,
    });
  const policy = { action_key: 'feature_flag.disable', approver_config: { quorum: 1, users: [1] } };
  await post(world.url, 'approval_policies/', policy);
  const everybody = (percent: number): JsonObject => ({ groups: [{ properties: [], rollout_percentage: percent }] });
  await schedule(1, 'add_release_condition', everybody(20));
  await schedule(2, 'add_release_condition', everybody(50));
  const { change_request: request } = await schedule(3, 'update_status', false);
  await schedule(4, 'update_status', true, {
    is_recurring: true,
    recurrence_interval: 'weekly',
    end_date: '2127-01-01T00:00:00Z',
  });
  await schedule(5, 'archive', true);
  const workspace = createWorkspace({ 'flags/main.yaml': manifest });
  const env = { POSTHOG_HOST: world.url, POSTHOG_PROJECT_ID: '1', POSTHOG_API_KEY: 'phx_test' };
  const run = async (...argv: string[]): Promise<Ran> => runCli(argv, { cwd: workspace.root, env });
  return { run, request: (request as { id: string }).id };
}

const DECLARED = 'flags:\n  search: { active: true, rollout_percentage: 5 }\n';

test.each([['plan'], ['drift'], ['explain', 'search']])(
  '%s says what they do, to whom, and who has to approve',
  async (...command) => {
    const { run, request } = await stageBusy(DECLARED);
    const { stdout, code } = await run(...command);
    expect(code).toBe(0);
    const lines = stdout.split('\n').map((line) => line.replace(/^[\s•·!-]+/, ''));
    const start = lines.findIndex((line) => line.includes('Schedule 1 changes'));
    expect(
      lines
        .slice(start, start + 16)
        .join('\n')
        .replaceAll(request, 'REQUEST'),
    ).toMatchInlineSnapshot(`
      "warning  Schedule 1 changes search on 2126-12-01 09:00:00 UTC (adds conditions).
      widen: condition 2 (everyone) is new, for 20% of its people
      impact: of everyone, 15% get the flag
      warning  Schedule 2 changes search on 2126-12-02 09:00:00 UTC (adds conditions).
      widen: condition 3 (everyone) is new, for 50% of its people
      impact: of everyone, 30% get the flag
      warning  Schedule 3 changes search on 2126-12-03 09:00:00 UTC (turns it off).
      waits for approval: change request REQUEST of embedded@example.org is not decided yet, and without a decision it is not made
      kill: the flag is disabled, and off for everybody
      impact: of everyone, 50% lose the flag
      warning  Schedule 4 changes search on 2126-12-04 09:00:00 UTC (turns it on, weekly).
      repeats until 2127-01-01 00:00:00 UTC
      enable: the flag is enabled
      impact: of everyone, 50% get the flag
      warning  Schedule 5 changes search on 2126-12-05 09:00:00 UTC (archive).
      what it changes is not known to this release"
    `);
    expect(stdout).toContain(`change request ${request} of embedded@example.org is not decided yet`);
    const { scheduled } = JSON.parse((await run(...command, '-f', 'json')).stdout) as {
      scheduled: { changes: JsonObject[] };
    };
    expect(
      scheduled.changes.map(({ outcome, impact }) => [
        outcome,
        (impact as JsonObject[] | undefined)?.map((one) => one['up_to']),
      ]),
    ).toMatchInlineSnapshot(`
      [
        [
          "made",
          [
            {
              "changesPayload": 0,
              "changesVariant": 0,
              "turnsOff": 0,
              "turnsOn": 15,
            },
          ],
        ],
        [
          "made",
          [
            {
              "changesPayload": 0,
              "changesVariant": 0,
              "turnsOff": 0,
              "turnsOn": 30,
            },
          ],
        ],
        [
          "made",
          [
            {
              "changesPayload": 0,
              "changesVariant": 0,
              "turnsOff": 50,
              "turnsOn": 0,
            },
          ],
        ],
        [
          "made",
          [
            {
              "changesPayload": 0,
              "changesVariant": 0,
              "turnsOff": 0,
              "turnsOn": 50,
            },
          ],
        ],
        [
          "unknown",
          undefined,
        ],
      ]
    `);
  },
);

/** What a plan changes, what is scheduled, and what is said of both. */
test.each<[string, string, readonly JsonObject[], readonly string[]]>([
  [
    'both conditions',
    '{ active: true, rollout_percentage: 10 }',
    [{ operation: 'add_release_condition', value: { groups: [{}] } }],
    ['conditions'],
  ],
  [
    'both the state',
    '{ active: false, rollout_percentage: 5 }',
    [{ operation: 'update_status', value: true }],
    ['active'],
  ],
  [
    'an unknown operation',
    '{ active: false, rollout_percentage: 5 }',
    [{ operation: 'archive', value: true }],
    ['active'],
  ],
  ['other parts', '{ active: true, rollout_percentage: 10 }', [{ operation: 'update_status', value: false }], []],
  ['the same state', '{ active: false, rollout_percentage: 5 }', [{ operation: 'update_status', value: false }], []],
  ['nothing', '{ active: true, rollout_percentage: 5 }', [{ operation: 'update_status', value: false }], []],
])('a plan and a schedule of %s', async (_what, flag, payloads, parts) => {
  const world = await openWorld('posthog', {
    flags: [{ id: 1, key: 'search', active: true, filters: { groups: [{ rollout_percentage: 5 }] } }],
  });
  for (const payload of payloads) await post(world.url, 'scheduled_changes/', { ...LATER, payload });
  const workspace = createWorkspace({ 'flags/main.yaml': `flags:\n  search: ${flag}\n` });
  const env = { POSTHOG_HOST: world.url, POSTHOG_PROJECT_ID: '1', POSTHOG_API_KEY: 'phx_test' };
  const run = async (...argv: string[]): Promise<Ran> => runCli(argv, { cwd: workspace.root, env });
  const { hazards } = JSON.parse((await run('plan', '-f', 'json')).stdout) as { hazards: JsonObject[] };
  expect(hazards.map((hazard) => [hazard['code'], hazard['parts']])).toEqual(
    parts.length === 0 ? [] : [['schedule_conflict', parts]],
  );
  expect((await run('apply', '-y')).code).toBe(parts.length === 0 ? 0 : 4);
  if (parts.length === 0) return;
  const refused = await run('plan');
  expect(refused.stdout).toContain(`the service is to change its ${parts.join(' and ')} too`);
  expect(refused.stdout).toContain('--allow-risky search');
  expect((await run('apply', '-y', '--allow-risky', 'search')).code).toBe(0);
  expect((await run('plan', '--detailed-exitcode')).code).toBe(0);
});
