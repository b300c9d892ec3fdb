/** A client of posthog-node for code under test: its answers are those of the manifests, and nothing leaves the process. */

import { PostHog, type EventMessage } from 'posthog-node';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { DeclaredFlags, LoadFlagsOptions } from '../../src/testing/api.ts';
import { stringifyJson } from '../../src/base/json-text.ts';
import { loadFlags } from '../../src/testing/index.ts';
import { createWorkspace } from '../helpers/workspace.ts';

const MANIFEST = `
flags:
  checkout:
    filters:
      groups:
        - properties: [{ key: plan, operator: exact, value: [pro] }]
        - { aggregation_group_type_index: 0, properties: [{ key: size, type: group, group_type_index: 0, operator: gt, value: '10' }] }
      multivariate: { variants: [{ key: one-page, rollout_percentage: 100 }] }
      payloads: { one-page: { steps: 1 } }
  search: { filters: { groups: [{ rollout_percentage: 100 }] } }
  off: { active: false }
  bare: { description: Conditions are left to the service }
`;

async function load(options: LoadFlagsOptions = {}): Promise<DeclaredFlags> {
  const { root } = createWorkspace({
    'flagwright.yaml': 'projects: { local: { service: embedded, profile: posthog } }',
    'flags/a.yaml': MANIFEST,
  });
  return loadFlags({ cwd: root, env: {}, ...options });
}

function connect(flags: DeclaredFlags, options: object = {}): PostHog {
  const client = flags.posthog(PostHog, options);
  onTestFinished(async () => client.shutdown());
  return client;
}

const PRO = { personProperties: { plan: 'pro' } };

describe('a client', () => {
  it('answers with each method as the manifests do', async () => {
    const client = connect(await load());
    expect(await client.isFeatureEnabled('checkout', 'ada', PRO)).toBe(true);
    expect(await client.isFeatureEnabled('checkout', 'zoe')).toBe(false);
    expect(await client.getFeatureFlag('checkout', 'ada', PRO)).toBe('one-page');
    expect(await client.getFeatureFlagPayload('checkout', 'ada')).toBeNull();
    expect(await client.getFeatureFlagResult('checkout', 'ada', PRO)).toMatchObject({
      key: 'checkout',
      enabled: true,
      variant: 'one-page',
      payload: { steps: 1 },
    });
    expect(await client.getAllFlags('ada', PRO)).toEqual({ checkout: 'one-page', search: true, off: false });
    expect(await client.getAllFlagsAndPayloads('ada', PRO)).toMatchObject({
      featureFlagPayloads: { checkout: { steps: 1 } },
    });
    const snapshot = await client.evaluateFlags('ada', PRO);
    expect([snapshot.getFlag('checkout'), snapshot.getFlagPayload('checkout'), snapshot.isEnabled('off')]).toEqual([
      'one-page',
      { steps: 1 },
      false,
    ]);
  });

  it('answers people side by side', async () => {
    const client = connect(await load());
    const asked = Array.from({ length: 20 }, async (_, index) =>
      client.getFeatureFlag('checkout', `p${index}`, index % 2 === 0 ? PRO : {}),
    );
    expect(await Promise.all(asked)).toEqual(Array.from({ length: 20 }, (_, index) => index % 2 === 0 && 'one-page'));
  });

  it('knows groups by the name of their type, and people whom the service knows', async () => {
    const flags = await load({ groupTypes: { company: 0 }, people: [{ id: 'ada', properties: { plan: 'pro' } }] });
    const client = connect(flags);
    expect(await client.getFeatureFlag('checkout', 'ada')).toBe('one-page');
    const groups = { groups: { company: 'acme' }, groupProperties: { company: { size: 11 } } };
    expect(await client.getFeatureFlag('checkout', 'zoe', groups)).toBe('one-page');
    expect(await client.getFeatureFlag('checkout', 'zoe', { groups: { company: 'acme' } })).toBe(false);
  });

  it('keeps the rest of the library: overrides, contexts and events, of which none is sent', async () => {
    const events: string[] = [];
    const before_send = (event: EventMessage): EventMessage => {
      events.push(event.event);
      return event;
    };
    const client = connect(await load(), { before_send });
    client.capture({ distinctId: 'ada', event: 'paid' });
    await client.getFeatureFlag('search', 'ada');
    await client.flush();
    expect(events).toEqual(expect.arrayContaining(['paid', '$feature_flag_called']));
    const inContext = await client.withContext({ distinctId: 'ada' }, async () => client.evaluateFlags(PRO));
    expect(inContext.getFlag('checkout')).toBe('one-page');
    client.overrideFeatureFlags({ search: false, bare: true });
    expect(await client.getFeatureFlag('search', 'ada')).toBe(false);
    expect(await client.getFeatureFlag('bare', 'ada')).toBe(true);
  });

  it('answers nothing where the library asks for nothing, as one that is disabled', async () => {
    const client = connect(await load(), { disabled: true });
    expect(await client.getFeatureFlag('search', 'ada')).toBeUndefined();
    await expect(client.getFeatureFlag('chekout', 'ada')).rejects.toThrow('No manifest declares');
  });

  it('has methods that a test may replace and restore', async () => {
    const client = connect(await load());
    const spy = vi.spyOn(client, 'getFeatureFlag').mockResolvedValue('replaced');
    expect(await client.getFeatureFlag('search', 'ada')).toBe('replaced');
    spy.mockRestore();
    expect(await client.getFeatureFlag('search', 'ada')).toBe(true);
    client.getFeatureFlag = async () => Promise.resolve(false);
    expect(await client.getFeatureFlag('search', 'ada')).toBe(false);
  });

  it('asks for no definitions, though it is given a key for them', async () => {
    const client = connect(await load(), { personalApiKey: 'phx_test', host: 'https://eu.posthog.com' });
    expect(await client.getFeatureFlag('search', 'ada')).toBe(true);
    expect(client.isLocalEvaluationReady()).toBe(false);
  });
});

describe('a call is rejected', () => {
  const UNDECLARED = 'No manifest declares a flag "chekout" for the project "local". Did you mean "checkout"?';
  const UNDECIDED = /^flags\/a\.yaml:\d+:3: the value of "bare" is unknown here/;
  const UNKNOWN_TYPE = 'The index of the group type "company" is unknown.';

  it('for a key that no manifest declares', async () => {
    const client = connect(await load());
    await expect(client.isFeatureEnabled('chekout', 'ada')).rejects.toThrow(UNDECLARED);
    await expect(client.getFeatureFlag('chekout', 'ada')).rejects.toThrow(UNDECLARED);
    await expect(client.getFeatureFlagPayload('chekout', 'ada')).rejects.toThrow(UNDECLARED);
    await expect(client.getFeatureFlagResult('chekout', 'ada')).rejects.toThrow(UNDECLARED);
    const snapshot = await client.evaluateFlags('ada');
    expect(() => snapshot.isEnabled('chekout')).toThrow(UNDECLARED);
    expect(() => snapshot.getFlag('chekout')).toThrow(UNDECLARED);
    expect(() => snapshot.getFlagPayload('chekout')).toThrow(UNDECLARED);
  });

  it('for a value that the manifests do not decide', async () => {
    const client = connect(await load());
    await expect(client.isFeatureEnabled('bare', 'ada')).rejects.toThrow(UNDECIDED);
    await expect(client.getFeatureFlag('bare', 'ada')).rejects.toThrow(UNDECIDED);
    const snapshot = await client.evaluateFlags('ada');
    expect(() => snapshot.isEnabled('bare')).toThrow(UNDECIDED);
  });

  it('for a type of groups without an index, and the next call is answered', async () => {
    const client = connect(await load());
    const company = { groups: { company: 'acme' } };
    await expect(client.getFeatureFlag('checkout', 'ada', company)).rejects.toThrow(UNKNOWN_TYPE);
    await expect(client.getAllFlags('ada', company)).rejects.toThrow(UNKNOWN_TYPE);
    await expect(client.evaluateFlags('ada', company)).rejects.toThrow(UNKNOWN_TYPE);
    expect(await client.getFeatureFlag('checkout', 'ada', PRO)).toBe('one-page');
  });
});

/** A release of the library with fewer methods, which shows what it is given. */
class EarlyRelease {
  readonly options: { readonly fetch: (url: string, init?: { readonly body?: unknown }) => Promise<Response> };
  constructor(_key: string, options: never) {
    this.options = options;
  }
  async getFeatureFlag(key: string, id: string): Promise<unknown> {
    const body = stringifyJson({ distinct_id: id, $device_id: 'x', device_id: 'd-1', anon_distinct_id: 'a-1' });
    const response = await this.options.fetch('http://flagwright.invalid/decide/?v=3', { body });
    return ((await response.json()) as { flags: Record<string, { variant: unknown; enabled: boolean }> }).flags[key];
  }
}

describe('an early release of the library', () => {
  it('keeps the methods that it has, and gets no others', async () => {
    const client = (await load()).posthog(EarlyRelease);
    expect(client).not.toHaveProperty('evaluateFlags');
    expect(client).not.toHaveProperty('getAllFlags');
    await expect(client.getFeatureFlag('chekout', 'ada')).rejects.toThrow('No manifest declares a flag "chekout"');
    expect(await client.getFeatureFlag('search', 'ada')).toMatchObject({ enabled: true, variant: null });
    expect(await client.getFeatureFlag('off', 'ada')).toMatchObject({ enabled: false });
  });

  it('is told of flags by each address for them, and that everything else arrived', async () => {
    const { options } = (await load()).posthog(EarlyRelease);
    const answerOf = async (path: string, body?: unknown): Promise<unknown> => {
      const response = await options.fetch(`http://flagwright.invalid${path}`, { body });
      expect([response.status, response.headers.get('content-type')]).toEqual([200, null]);
      const text = await response.text();
      expect(await response.json()).toEqual(JSON.parse(text));
      return JSON.parse(text);
    };
    const person = stringifyJson({ distinct_id: 'ada', person_properties: { plan: 'pro' } });
    for (const path of ['/flags', '/flags/', '/flags/?v=2', '/decide']) {
      expect(await answerOf(path, person), path).toMatchObject({
        errorsWhileComputingFlags: false,
        requestId: 'flagwright',
        flags: {
          checkout: {
            enabled: true,
            variant: 'one-page',
            reason: { code: 'condition_match', description: 'condition_match' },
            metadata: { id: 2, version: 1, payload: '{"steps":1}' },
          },
          search: { variant: null, metadata: { payload: null } },
        },
      });
    }
    for (const path of ['/batch/', '/flags/other', '/api/flags', '/my/decide']) {
      expect(await answerOf(path, person), path).toEqual({ status: 1 });
    }
    expect(await options.fetch('http://flagwright.invalid/batch/')).toMatchObject({ status: 200 });
    // Without a body that can be read, nobody is asked for: no flag has an answer.
    expect(await answerOf('/flags')).toMatchObject({ flags: {} });
  });

  it('has rollouts by device where the flag has', async () => {
    const manifest = `flags:
  device: { fields: { bucketing_identifier: device_id }, filters: { groups: [{ rollout_percentage: 50 }] } }
`;
    const { root } = createWorkspace({
      'flagwright.yaml': 'projects: { local: { service: embedded, profile: posthog } }',
      'flags/a.yaml': manifest,
    });
    const flags = await loadFlags({ cwd: root, env: {} });
    const client = flags.posthog(EarlyRelease);
    const expected = ['ada', 'bob'].map((id) => flags.evaluate({ id, device_id: 'd-1' }).isOn('device'));
    const asked = await Promise.all(['ada', 'bob'].map(async (id) => client.getFeatureFlag('device', id)));
    expect(asked.map((one) => (one as { enabled: boolean }).enabled)).toEqual(expected);
  });
});
