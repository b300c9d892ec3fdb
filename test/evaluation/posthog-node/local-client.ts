/** posthog-node in local evaluation: definitions from a server of our own, and no way to ask anybody else. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PostHog } from 'posthog-node';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../src/base/json.ts';
import type { Cohort, EvaluationInput, Subject } from '../../../src/evaluation/input.ts';
import type { Flag, Property } from '../../../src/model/flag.ts';

export interface LocalClient {
  /** By flag key: the value, and the payload where there is one. Flags that the library cannot tell are not there. */
  evaluate(subject: Subject): Promise<LocalAnswer>;
  close(): Promise<void>;
}

interface LocalAnswer {
  readonly values: Readonly<Record<string, unknown>>;
  readonly payloads: Readonly<Record<string, unknown>>;
}

/** Starts the library on these flags and waits until it has them. */
export async function startLocalClient({ flags, context }: Omit<EvaluationInput, 'subject'>): Promise<LocalClient> {
  const definitions = {
    flags: flags.map((flag) => withDependencyChains(flag, flags)),
    group_type_mapping: context.groupTypes,
    cohorts: treesOf(context.cohorts),
  };
  const server = createServer((request, response) => {
    const found = request.url?.startsWith('/flags/definitions?') === true;
    response.writeHead(found ? 200 : 404, { 'content-type': 'application/json' });
    response.end(found ? JSON.stringify(definitions) : '{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = new PostHog('phc_test', { host, personalApiKey: 'phx_test', preloadFeatureFlags: true });
  if (!(await client.waitForLocalEvaluationReady(5000))) throw new Error('posthog-node did not take the definitions.');
  return {
    evaluate: (subject) => evaluateLocally(client, subject),
    async close() {
      await client.shutdown();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
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

// Static cohorts are not among the definitions.
function treesOf(cohorts: Readonly<Record<string, Cohort>>): Record<string, JsonObject> {
  return Object.fromEntries(
    Object.entries(cohorts).flatMap(([id, cohort]) => (cohort.kind === 'dynamic' ? [[id, cohort.properties]] : [])),
  );
}

/** The service lists with every dependency all that it depends on, those first; nothing where they go in a circle. */
function withDependencyChains(flag: Flag, flags: readonly Flag[]): JsonValue {
  const rewrite = (value: JsonValue | undefined): JsonValue => {
    if (isJsonArray(value)) return value.map(rewrite);
    if (!isJsonObject(value)) return value ?? null;
    const object = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, rewrite(member)]));
    if (value['type'] !== 'flag') return object;
    return { ...object, dependency_chain: chainOf(String((value as Property).key), flags, [flag.key]) ?? [] };
  };
  return rewrite(flag);
}

function chainOf(key: string, flags: readonly Flag[], above: readonly string[]): string[] | undefined {
  if (above.includes(key)) return undefined;
  const flag = flags.find((candidate) => candidate.key === key);
  const properties = (flag?.filters?.groups ?? []).flatMap((condition) => condition.properties ?? []);
  const chain: string[] = [];
  for (const property of properties.filter(({ type }) => type === 'flag')) {
    const below = chainOf(String(property.key), flags, [...above, key]);
    if (below === undefined) return undefined;
    chain.push(...below);
  }
  return [...new Set([...chain, key])];
}
