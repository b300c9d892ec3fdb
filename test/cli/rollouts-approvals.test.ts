/** Steps of rollouts that wait for an approval in the service, or that it refuses: no other rollout waits with them. */

// @module-tag untimely
import { describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/base/json.ts';
import { type Front, startFront } from '../helpers/front.ts';
import { CONFIG, REF } from '../helpers/git-stage.ts';
import { schemaErrors } from '../helpers/schemas.ts';
import { KEY, type StageOptions } from '../helpers/stage.ts';
import { hour as at, timedStage, type TimedStage } from '../helpers/timed-stage.ts';

const ANN = 'phx_ann_approves';

/** More than 50% needs an approval: `wide` waits for one, `narrow` never does. */
const MANIFEST = `flags:
  narrow:
    active: true
    rollout_percentage:
      steps:
        - { at: ${at(1)}, to: 10 }
        - { at: ${at(2)}, to: 20 }
        - { at: ${at(3)}, to: 30 }
  wide:
    active: true
    rollout_percentage:
      steps:
        - { at: ${at(1)}, to: 10 }
        - { at: ${at(2)}, to: 60 }
        - { at: ${at(5)}, to: 100 }
`;
const SEED: JsonValue = {
  members: [{ email: 'ann@example.org', api_key: ANN }],
  approval_policies: [
    {
      action_key: 'feature_flag.update',
      conditions: { type: 'before_after', field: 'rollout_percentage', operator: '>', value: 50 },
      approvers: ['ann@example.org'],
    },
  ],
};

interface Staged extends TimedStage {
  /** Ids of all change requests, whatever became of them. */
  readonly requests: () => Promise<readonly string[]>;
  readonly decide: (hours: number, id: string, decision: 'approve' | 'reject') => Promise<void>;
}

/** Applied at hours 0 and 1, before the step that needs an approval. */
async function staged(options: StageOptions = { seed: SEED }, config: string = CONFIG, front?: Front): Promise<Staged> {
  const here = await timedStage(MANIFEST, { ...options, config });
  if (front !== undefined) front.target = here.world.url;
  const ask = async (method: string, path: string, body?: JsonValue): Promise<JsonObject> => {
    const headers = { authorization: `Bearer ${method === 'GET' ? KEY : ANN}`, 'content-type': 'application/json' };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const url = `${here.world.url}/api/projects/1/change_requests/${path}`;
    const answer = await fetch(url, { method, headers, ...sent });
    expect(answer.ok).toBe(true);
    return (await answer.json()) as JsonObject;
  };
  for (const hours of [0, 1]) await here.runAt(hours, 'apply', '--yes');
  expect(await here.percentages()).toEqual({ narrow: 10, wide: 10 });
  return {
    ...here,
    requests: async () => ((await ask('GET', ''))['results'] as { id: string }[]).map(({ id }) => id),
    decide: async (hours, id, decision) => {
      here.setClock(hours);
      await ask('POST', `${id}/${decision}/`, { reason: 'too fast' });
    },
  };
}

test('a step that waits for an approval is asked for once, and the rollouts of other flags go on', async () => {
  const { runAt, percentages, requests, git } = await staged();
  expect(await runAt(2, 'apply', '--due')).toMatchObject({ code: 3 });
  expect(await percentages()).toEqual({ narrow: 20, wide: 10 });
  const [id = ''] = await requests();
  expect(git('log', '-1', '--format=%B', REF)).toMatch(/"key":"narrow".*"step":1/);
  expect(git('log', '-1', '--format=%B', REF)).toMatch(/"key":"wide".*"step":0/);

  const again = await runAt(2.3, 'apply', '--due');
  expect(again).toMatchObject({ code: 0 });
  expect(again.stderr).toContain(`waits for approval: change request ${id}`);
  expect(await runAt(3, 'apply', '--due')).toMatchObject({ code: 0 });
  expect(await percentages()).toEqual({ narrow: 30, wide: 10 });
  expect(await requests()).toEqual([id]);

  const { code, stdout } = await runAt(3.1, 'drift');
  expect(code).toBe(2);
  expect(stdout).toContain(`waits for approval: change request ${id}`);
  const plan = (await runAt(3.1, 'plan', '--due', '-f', 'json')).document();
  expect(schemaErrors('plan', plan as JsonObject)).toEqual([]);
  expect(plan).toMatchObject({ changes: [], approvals: [{ key: 'wide', state: 'open', asks: 'this_change' }] });
});

test('a late approval makes the step, and the next one keeps the declared distance from then', async () => {
  const { runAt, percentages, requests, decide } = await staged();
  await runAt(2, 'apply', '--due');
  const [id = ''] = await requests();
  await decide(4.5, id, 'approve');
  expect(await percentages()).toEqual({ narrow: 20, wide: 60 });
  const found = await runAt(4.6, 'apply', '--due');
  expect(found).toMatchObject({ code: 0 });
  expect(found.stderr).toContain('which no apply recorded');
  expect((await runAt(4.7, 'plan', '--due')).stdout).not.toContain('which no apply recorded');
  // Three hours lie between the two steps.
  await runAt(7.5, 'apply', '--due');
  expect(await requests()).toHaveLength(1);
  await runAt(7.6, 'apply', '--due');
  expect(await requests()).toHaveLength(2);
});

test('nobody is asked again for a step that was rejected, until a person asks', async () => {
  const { runAt, percentages, requests, decide } = await staged();
  await runAt(2, 'apply', '--due');
  const [id = ''] = await requests();
  await decide(2.1, id, 'reject');
  for (const hours of [2.3, 3, 9]) {
    const ran = await runAt(hours, 'apply', '--due');
    expect(ran).toMatchObject({ code: 0 });
    expect(ran.stderr).toContain(`change request ${id} asked for this change and was rejected by ann@example.org`);
    expect(ran.stderr).toContain('flagwright apply --target wide');
  }
  expect(await requests()).toEqual([id]);
  expect(await percentages()).toMatchObject({ wide: 10 });
  expect((await runAt(9, 'apply', '--target', 'wide', '--yes')).code).toBe(3);
  expect(await requests()).toHaveLength(2);
});

test('the apply of an unrelated merge asks for no step that was rejected', async () => {
  const { runAt, requests, decide, commit, percentages } = await staged();
  await runAt(2, 'apply', '--due');
  const [id = ''] = await requests();
  await decide(2.1, id, 'reject');
  commit({ 'flags/other.yaml': 'flags: { other: { active: true } }\n' });
  const ran = await runAt(2.3, 'apply', '--yes');
  expect(ran).toMatchObject({ code: 0 });
  expect(ran.stderr).toContain(`change request ${id} asked for this change and was rejected`);
  expect(await requests()).toEqual([id]);
  expect(await percentages()).toMatchObject({ narrow: 20, wide: 10 });
});

describe('where the API key cannot read change requests', () => {
  const WHY = 'the API key cannot read them';
  const UNKNOWN = `Change requests of the service are not known: ${WHY}`;
  const unread = async (): Promise<Staged> => {
    const front = await startFront();
    const here = await staged({ seed: SEED }, CONFIG.replace('$HOST', front.url), front);
    front.refuses = (_, path) => (path.includes('/change_requests/') ? 403 : undefined);
    return here;
  };

  test('a step is requested once, and waits: it may have been rejected', async () => {
    const { runAt, requests, percentages, decide, git } = await unread();
    expect(await runAt(2, 'apply', '--due')).toMatchObject({ code: 3 });
    const [id = ''] = await requests();
    expect(git('log', '-1', '--format=%B', REF)).toMatch(/"key":"wide".*"asked":1/);
    await decide(2.1, id, 'reject');
    for (const hours of [2.3, 3]) {
      const ran = await runAt(hours, 'apply', '--due');
      expect(ran).toMatchObject({ code: 0 });
      expect(ran.stderr).toContain(UNKNOWN);
    }
    expect(await requests()).toEqual([id]);
    expect(await percentages()).toEqual({ narrow: 30, wide: 10 });
  });

  test('a step that was requested and approved counts as made', async () => {
    const { runAt, requests, percentages, decide } = await unread();
    await runAt(2, 'apply', '--due');
    const [id = ''] = await requests();
    await decide(2.1, id, 'approve');
    await runAt(2.3, 'apply', '--due');
    expect(await percentages()).toEqual({ narrow: 20, wide: 60 });
    expect((await runAt(2.4, 'plan', '-f', 'json')).document()['changes']).toEqual([]);
  });

  test('plan and apply name it in each format, and ask for nothing again', async () => {
    const { runAt, commit, percentages, requests } = await unread();
    await runAt(2, 'apply', '--due');
    commit({ 'flags/other.yaml': 'flags: { other: { active: true } }\n' });
    for (const format of ['text', 'markdown', 'html', 'github'])
      expect((await runAt(2.2, 'plan', '-f', format)).stdout).toContain(UNKNOWN);
    const { warnings } = (await runAt(2.2, 'plan', '-f', 'json')).document();
    expect(warnings).toContainEqual({ code: 'not_known', key: 'change_requests', why: 'forbidden' });
    const ran = await runAt(2.2, 'apply', '--yes', '-f', 'json');
    expect(ran).toMatchObject({ code: 0 });
    expect(ran.stderr).toContain(UNKNOWN);
    expect(ran.document()).toMatchObject({ not_known: [{ key: 'change_requests', why: 'forbidden' }] });
    expect(schemaErrors('result', ran.document())).toEqual([]);
    expect(await percentages()).toMatchObject({ narrow: 20, wide: 10 });
    expect(await requests()).toHaveLength(1);
  });
});

describe('where the scheduled changes of the service are not known', () => {
  const answering = async (status: number): Promise<Staged> => {
    const front = await startFront();
    const here = await staged({ seed: SEED }, CONFIG.replace('$HOST', front.url), front);
    front.refuses = (_, path) => (path.includes('/scheduled_changes/') ? status : undefined);
    return here;
  };

  test.each([
    ['apply', '--due'],
    ['apply', '--yes'],
  ])('%s %s makes no due step after a request that failed', async (...argv) => {
    const { runAt, percentages } = await answering(500);
    const ran = await runAt(2, ...argv);
    expect(ran).toMatchObject({ code: 0 });
    expect(ran.stderr).toContain('the request failed. Steps of rollouts that are due wait for the next run');
    expect(await percentages()).toEqual({ narrow: 10, wide: 10 });
  });

  test('steps are made where the service lets no key read them', async () => {
    const { runAt, percentages } = await answering(403);
    expect((await runAt(2, 'apply', '--due')).stderr).toContain('services before autumn 2026 let no key');
    expect(await percentages()).toMatchObject({ narrow: 20 });
  });
});

test('the request of a run that was killed before it could record anything is found', async () => {
  const { runAt, requests, git } = await staged();
  const before = git('rev-parse', REF).trim();
  await runAt(2, 'apply', '--due');
  git('update-ref', REF, before);
  await runAt(2.2, 'apply', '--due');
  expect(await requests()).toHaveLength(1);
});

test('a step that the service refuses is made by a later run, and the steps of other flags are recorded', async () => {
  const match = { method: 'PATCH', path: '/api/projects/1/feature_flags/2/' };
  const refusal = { match, from: 2, count: 1, answer: { status: 400, code: 'invalid_input' } };
  const { runAt, percentages, git } = await staged({ faults: { faults: [refusal] } });
  const record = (): string => git('log', '-1', '--format=%B', REF);
  expect(await runAt(2, 'apply', '--due')).toMatchObject({ code: 3 });
  expect(await percentages()).toEqual({ narrow: 20, wide: 10 });
  expect(record()).toMatch(/"key":"narrow".*"step":1/);
  expect(record()).toMatch(/"key":"wide".*"step":0/);

  expect(await runAt(2.5, 'apply', '--due')).toMatchObject({ code: 0 });
  expect(await percentages()).toEqual({ narrow: 20, wide: 60 });
  // Half an hour late, as is the step after it.
  expect((await runAt(2.6, 'plan')).stdout).toContain('then 100% at 2026-12-01 13:30:00 UTC');
});
