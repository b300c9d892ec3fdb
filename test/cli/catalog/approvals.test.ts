/** The catalogue of a service in which changes wait for an approval: what waits is said of the flag, and nobody is told to apply it again. */

import { expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { CONFIG, gitStage, type GitStage } from '../../helpers/git-stage.ts';
import { hour as at, timedStage } from '../../helpers/timed-stage.ts';
import { flagIn, viewOf } from './stage.ts';

const ANN = 'phx_ann_approves';
const WIDE = { type: 'before_after', field: 'rollout_percentage', operator: '>', value: 50 };
const SEED: JsonValue = {
  members: [{ email: 'ann@example.org', api_key: ANN }],
  flags: ['checkout', 'search'].map((key, index) => ({
    id: index + 1,
    key,
    active: true,
    filters: { groups: [{ properties: [], rollout_percentage: 25 }] },
  })),
  approval_policies: [
    { action_key: 'feature_flag.update', conditions: WIDE, approvers: ['ann@example.org'] },
    { action_key: 'feature_flag.disable', approvers: ['ann@example.org'] },
  ],
};
const manifest = (percent: number): string =>
  `flags:\n  checkout: { active: true, rollout_percentage: ${percent} }\n  search: { active: true, rollout_percentage: 25 }\n`;

async function ask(
  { world }: GitStage,
  path: string,
  body: JsonObject,
  { method = 'POST', key = ANN }: { readonly method?: string; readonly key?: string } = {},
): Promise<JsonObject> {
  const answer = await fetch(`${world.url}/api/projects/1/${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return (await answer.json()) as JsonObject;
}

/** A wide rollout was merged and applied, and waits since then. Returns the id of its request. */
async function waiting(): Promise<readonly [GitStage, string]> {
  const here = await gitStage(CONFIG, { manifest: manifest(25), seed: SEED });
  expect(await here.run('apply', '--yes')).toMatchObject({ code: 0 });
  here.commit({ 'flags/main.yaml': manifest(60) });
  const ran = await here.run('apply', '--yes', '-f', 'json');
  expect(ran.code).toBe(3);
  const { changes } = ran.document() as { changes: readonly { readonly change_request?: { readonly id: string } }[] };
  return [here, changes[0]?.change_request?.id ?? ''];
}

test('what an apply asked for waits for an approval, and not for an apply', async () => {
  const [here, id] = await waiting();
  const { states, next } = flagIn(viewOf(await here.run('catalog', '-f', 'json')), 'checkout');
  const url = `${here.world.url}/project/1/approvals/${id}`;
  const words = `waits for approval: change request ${id} of embedded asks for this change`;
  expect(states[0]).toMatchObject({
    standing: 'pending',
    differences: [{ words: 'condition 1 (everyone): 25% → 60%' }],
    requests: [{ id, state: 'open', words, url }],
  });
  expect(next).toEqual({
    step: 'decide_request',
    words: 'Decide about what waits in PostHog',
    reason: `In main: ${words}.`,
  });
  const page = (await here.run('catalog', '-f', 'html')).stdout;
  expect(page).toContain(`<b><a href="${url}">Approval</a>:</b> ${words}`);
});

test('what people rejected is asked for again by no advice', async () => {
  const [here, id] = await waiting();
  await ask(here, `change_requests/${id}/reject/`, { reason: 'too fast' });
  const { states, next } = flagIn(viewOf(await here.run('catalog', '-f', 'json')), 'checkout');
  expect(states[0]).toMatchObject({ standing: 'pending', requests: [{ id, state: 'rejected' }] });
  expect(next).toMatchObject({
    step: 'decide_rejected',
    reason: `In main: change request ${id} asked for this change and was rejected by ann (too fast).`,
  });
});

test('what somebody asks for in PostHog is told of a flag that is as git says, and is no difference', async () => {
  const here = await gitStage(CONFIG, { manifest: manifest(25), seed: SEED });
  expect(await here.run('apply', '--yes')).toMatchObject({ code: 0 });
  const { change_request: request } = await ask(
    here,
    'feature_flags/2/',
    { active: false },
    { method: 'PATCH', key: 'phx_other' },
  );
  const { id } = request as { readonly id: string };
  const view = viewOf(await here.run('catalog', '-f', 'json'));
  const { states, next } = flagIn(view, 'search');
  const words = `change request ${id} of embedded is open for this flag: the flag is disabled, and off for everybody`;
  expect(states[0]).toMatchObject({ word: 'some', standing: 'in_sync', requests: [{ id, state: 'open', words }] });
  expect(next).toMatchObject({ step: 'decide_request' });
  expect(flagIn(view, 'checkout').states[0]).not.toHaveProperty('requests');
  await ask(here, `change_requests/${id}/reject/`, { reason: 'no' });
  const after = flagIn(viewOf(await here.run('catalog', '-f', 'json')), 'search');
  expect([after.states[0]?.requests, after.next]).toEqual([undefined, undefined]);
});

/** Somebody asks in PostHog for a flag. Returns the id of the request. */
async function askFor(here: GitStage, flag: JsonObject): Promise<string> {
  const { change_request: request } = await ask(here, 'feature_flags/', flag, { key: 'phx_other' });
  return (request as { readonly id: string }).id;
}

const ENABLING: JsonValue = {
  ...SEED,
  approval_policies: [{ action_key: 'feature_flag.enable', approvers: ['ann@example.org'] }],
};
const HALF = { groups: [{ properties: [], rollout_percentage: 50 }] };

test('a flag whose creation waits is shown before git or PostHog has it', async () => {
  const here = await gitStage(CONFIG, { manifest: manifest(25), seed: ENABLING });
  const id = await askFor(here, { key: 'fresh', name: 'For customers in Germany', filters: HALF });
  const { states, next, removal } = flagIn(viewOf(await here.run('catalog', '-f', 'json')), 'fresh');
  const words = `change request ${id} of embedded is open for this flag: the flag is created; on for 50% of everyone`;
  const url = `${here.world.url}/project/1/approvals/${id}`;
  expect(states).toEqual([
    {
      project: 'main',
      word: 'missing',
      who: 'nobody: the project does not have it',
      standing: 'unmanaged',
      requests: [{ id, state: 'open', words, url }],
    },
  ]);
  expect([next?.step, removal]).toEqual(['decide_request', undefined]);
  expect((await here.run('catalog')).stdout).toContain('fresh: missing [unmanaged, waiting], nobody');
  const page = (await here.run('catalog', '-f', 'html')).stdout;
  expect(page).toMatch(/<b>fresh<\/b>.*<li class=unmanaged data-w>.*is open for this flag: the flag is created/);

  await ask(here, `change_requests/${id}/reject/`, { reason: 'no' });
  expect(viewOf(await here.run('catalog', '-f', 'json')).flags.map(({ key }) => key)).not.toContain('fresh');
});

test('a creation for which git has to wait is shown of both flags', async () => {
  const more = `${manifest(25)}  ours: { active: true, rollout_percentage: 25 }\n`;
  const here = await gitStage(CONFIG, { manifest: more, seed: ENABLING });
  const id = await askFor(here, { key: 'fresh', filters: HALF });
  const view = viewOf(await here.run('catalog', '-f', 'json'));
  const wordsOf = (key: string): unknown => flagIn(view, key).states[0]?.requests?.map(({ words }) => words);
  expect(wordsOf('fresh')).toEqual([expect.stringContaining('the flag is created')]);
  expect(wordsOf('ours')).toEqual([
    `change request ${id} of embedded is open for the creation of fresh: the service takes one creation at a time`,
  ]);
});

test('a creation that the scope leaves out is not shown', async () => {
  const here = await gitStage(`${CONFIG}scope: { exclude: ['out-*'] }\n`, { manifest: manifest(25), seed: ENABLING });
  await askFor(here, { key: 'out-there', filters: HALF });
  const { flags } = viewOf(await here.run('catalog', '-f', 'json'));
  expect(flags.map(({ key }) => key)).toEqual(['checkout', 'search']);
});

test('a creation is no news of a flag that somebody else has created since', async () => {
  const here = await gitStage(CONFIG, { manifest: manifest(25), seed: ENABLING });
  await askFor(here, { key: 'fresh', filters: HALF });
  await ask(here, 'feature_flags/', { key: 'fresh', active: false, filters: HALF });
  const { states } = flagIn(viewOf(await here.run('catalog', '-f', 'json')), 'fresh');
  expect(states).toEqual([expect.not.objectContaining({ requests: expect.anything() })]);
});

test('a due step that waits for an approval is not late', async () => {
  const steps = `{ steps: [{ at: ${at(1)}, to: 10 }, { at: ${at(2)}, to: 60 }] }`;
  const stepped = `flags:\n  wide: { active: true, rollout_percentage: ${steps} }\n`;
  const here = await timedStage(stepped, { seed: SEED });
  for (const hours of [0, 1]) await here.runAt(hours, 'apply', '--yes');
  expect(await here.runAt(2, 'apply', '--due')).toMatchObject({ code: 3 });
  const { states, next } = flagIn(viewOf(await here.runAt(40, 'catalog', '-f', 'json')), 'wide');
  expect(states[0]).toMatchObject({ requests: [{ state: 'open' }] });
  expect(next).toMatchObject({ step: 'decide_request' });
});

test.each([
  [403, 'Give the key the scope `approvals:read`.'],
  [400, 'the request failed.'],
])('requests that cannot be read (%s) are noted', async (status, words) => {
  const faults = { faults: [{ match: { operation: 'listChangeRequests' }, count: 99, answer: { status } }] };
  const here = await gitStage(CONFIG, { manifest: manifest(25), seed: SEED, faults });
  const { notes } = viewOf(await here.run('catalog', '-f', 'json'));
  expect(notes.find(({ what }) => what === 'requests')).toEqual({
    what: 'requests',
    project: 'main',
    words: expect.stringContaining(words),
  });
});
