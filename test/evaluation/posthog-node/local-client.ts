/** posthog-node in local evaluation, with definitions from the embedded service, and that service's own values. */

import { randomUUID } from 'node:crypto';
import { PostHog } from 'posthog-node';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../src/base/json.ts';
import { startEmbedded } from '../../../service/src/index.ts';
import type { EvaluationContext, EvaluationInput, Subject } from '../../../src/evaluation/input.ts';
import type { Flag, Property } from '../../../src/posthog/flag/model/flag.ts';

export interface LocalClient {
  /** By flag key: the value, and the payload where there is one. Flags that the library cannot tell are not there. */
  evaluate(subject: Subject): Promise<LocalAnswer>;
  /** The same, as the service evaluates it. */
  ask(subject: Subject): Promise<LocalAnswer>;
  close(): Promise<void>;
}

interface LocalAnswer {
  readonly values: Readonly<Record<string, unknown>>;
  readonly payloads: Readonly<Record<string, unknown>>;
}

interface RemoteAnswer {
  readonly featureFlags: Readonly<Record<string, unknown>>;
  readonly featureFlagPayloads: Readonly<Record<string, string>>;
}

/** Starts the service with these flags and the library with the service, and waits for the definitions. */
export async function startLocalClient({ flags, context }: Omit<EvaluationInput, 'subject'>): Promise<LocalClient> {
  const service = await startEmbedded({
    data: ':memory:',
    profile: 'posthog',
    seed: seedOf(flags, context),
    now: () => context.now,
    randomUuid: randomUUID,
  });
  const options = { host: service.url, personalApiKey: 'phx_test', preloadFeatureFlags: true };
  const client = new PostHog('phc_1', options);
  if (!(await client.waitForLocalEvaluationReady(5000))) throw new Error('posthog-node did not take the definitions.');
  return {
    evaluate: (subject) => evaluateLocally(client, subject),
    ask: async (subject) => evaluateRemotely(service.url, subject),
    async close() {
      await client.shutdown();
      await service.close();
    },
  };
}

function seedOf(flags: readonly Flag[], context: EvaluationContext): JsonObject {
  return {
    flags: flags.map((flag) => stored(flag, flags)),
    group_types: Object.entries(context.groupTypes).map(([index, name]) => ({
      group_type_index: Number(index),
      group_type: name,
    })),
    cohorts: Object.entries(context.cohorts).map(([id, cohort]) => ({
      id: Number(id),
      name: `Cohort ${id}`,
      ...(cohort.kind === 'dynamic' && { filters: { properties: cohort.properties } }),
    })),
  };
}

async function evaluateLocally(client: PostHog, subject: Subject): Promise<LocalAnswer> {
  const device = subject.deviceId === undefined ? {} : { $device_id: subject.deviceId };
  const { featureFlags, featureFlagPayloads } = await client.getAllFlagsAndPayloads(subject.distinctId, {
    onlyEvaluateLocally: true,
    personProperties: { ...subject.personProperties, ...device },
    groups: Object.fromEntries(Object.entries(subject.groups).map(([type, key]) => [type, String(key)])),
    groupProperties: { ...subject.groupProperties },
  });
  return { values: featureFlags ?? {}, payloads: featureFlagPayloads ?? {} };
}

async function evaluateRemotely(url: string, subject: Subject): Promise<LocalAnswer> {
  const { distinctId, deviceId, personProperties, groups, groupProperties } = subject;
  const body = JSON.stringify({
    token: 'phc_1',
    distinct_id: distinctId,
    groups,
    person_properties: personProperties,
    group_properties: groupProperties,
    ...(deviceId !== undefined && { $device_id: deviceId }),
  });
  const answered = (await (await fetch(`${url}/flags/`, { method: 'POST', body })).json()) as RemoteAnswer;
  const payloads = Object.entries(answered.featureFlagPayloads).map(([key, text]) => [
    key,
    JSON.parse(text) as unknown,
  ]);
  return { values: answered.featureFlags, payloads: Object.fromEntries(payloads) };
}

/** The service stores conditions on other flags by id. */
function stored(flag: Flag, flags: readonly Flag[]): JsonObject {
  const ids = new Map(flags.map(({ id, key }) => [key, id]));
  const rewrite = (value: JsonValue | undefined): JsonValue => {
    if (isJsonArray(value)) return value.map(rewrite);
    if (!isJsonObject(value)) return value ?? null;
    const object = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, rewrite(member)]));
    const key = String((value as Property).key);
    return value['type'] === 'flag' ? { ...object, key: String(ids.get(key) ?? key) } : object;
  };
  return rewrite(flag) as JsonObject;
}
