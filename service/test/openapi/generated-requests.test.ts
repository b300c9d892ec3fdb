/**
 * Requests that are generated from the OpenAPI document, valid and invalid ones: every answer is as documented, none is
 * an unexpected server error, and a body that the document forbids is refused.
 */

import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/base/json.ts';
import { readDescription } from '../contract/description.ts';
import { SEED } from '../contract/seed.ts';
import { holdsAsync } from '../../../test/helpers/runs.ts';
import { start, type Client } from '../harness.ts';

/** Requests that the real service, too, answers with a server error (docs/embedded/persons.md). */
const DELIBERATE = [/\/role_access\/?\?/, /\/role_access\/$/, /\/persons\/cohorts\//];

const SAMPLES: Readonly<Record<string, readonly string[]>> = {
  project_id: ['1', '@current'],
  projectId: ['1'],
  organizationId: ['@current'],
  id: ['1', '2', '3', '999'],
  flagId: ['1', '999'],
  version: ['1', '2'],
  key: ['everybody', 'unknown'],
};

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly query: readonly string[];
  readonly required: readonly string[];
  /** Names of the members that the document describes; `undefined` without a body. */
  readonly members: readonly string[] | undefined;
  /** `undefined` without a body. */
  readonly isValidBody: ((body: JsonValue | undefined) => boolean) | undefined;
}

const VALUES: readonly JsonValue[] = ['', 'a', '1', 1, 0, -1, 2.5, true, null, [], ['a'], [1], {}, { groups: [] }];

function requestTo({ path, query, members }: Operation): fc.Arbitrary<{ target: string; body: JsonValue | undefined }> {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const text = fc.oneof(fc.constantFrom('', '1', 'true', 'a', '[]', '{}', 'null'), fc.string({ maxLength: 12 }));
  const value = fc.oneof(fc.constantFrom(...VALUES), fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<JsonValue>);
  const body = members === undefined ? fc.constant(undefined) : fc.oneof(value, dictionaryOf(members, value));
  return fc
    .tuple(
      fc.tuple(...names.map((name) => fc.constantFrom(...(SAMPLES[name] ?? ['1', 'x'])))),
      fc.dictionary(fc.constantFrom(...query, 'unknown'), text, { maxKeys: 3 }),
      body,
    )
    .map(([found, parameters, sent]) => {
      let index = 0;
      const filled = path.replaceAll(/\{\w+\}/g, () => found[index++] ?? '');
      const search = new URLSearchParams(parameters).toString();
      return { target: search === '' ? filled : `${filled}?${search}`, body: sent };
    });
}

function dictionaryOf(members: readonly string[], value: fc.Arbitrary<JsonValue>): fc.Arbitrary<JsonValue> {
  return fc.dictionary(fc.constantFrom(...members, 'unknown'), value, { maxKeys: 6 });
}

async function readOperations(client: Client): Promise<{ operations: Operation[]; document: JsonObject }> {
  const { body: document } = await client.get('/openapi.json');
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema({ $id: 'document', ...document });
  const paths = document['paths'] as Readonly<Record<string, Readonly<Record<string, JsonObject>>>>;
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => method !== 'parameters')
      .map(([method, described]) => describeOperation({ path, method, described, ajv })),
  );
  return { operations, document };
}

function describeOperation(given: { path: string; method: string; described: JsonObject; ajv: Ajv2020 }): Operation {
  const { path, method, described, ajv } = given;
  const parameters = (described['parameters'] ?? []) as { name: string; required?: boolean }[];
  const request = described['requestBody'] as { required?: boolean } | undefined;
  const pointer = `document#/paths/${encodeURIComponent(path.replaceAll('/', '~1'))}/${method}/requestBody/content/application~1json/schema`;
  const validate = request === undefined ? undefined : ajv.compile({ $ref: pointer });
  const isValidBody =
    validate === undefined
      ? undefined
      : (body: JsonValue | undefined): boolean => (body === undefined ? request?.required !== true : validate(body));
  return {
    method: method.toUpperCase(),
    path,
    query: parameters.map(({ name }) => name),
    required: parameters.filter(({ required }) => required === true).map(({ name }) => name),
    members: request === undefined ? undefined : membersOf(JSON.stringify(request), ajv),
    isValidBody,
  };
}

function membersOf(request: string, ajv: Ajv2020): string[] {
  const [, name = ''] = /schemas\/(\w+)"/.exec(request) ?? [];
  const schema = ajv.getSchema(`document#/components/schemas/${name}`)?.schema;
  return isJsonObject(schema) && isJsonObject(schema['properties']) ? Object.keys(schema['properties']) : ['token'];
}

describe.each(['documented', 'posthog'] as const)('the document of the profile %s', (profile) => {
  test('holds for generated requests', async () => {
    const client = await start({ profile, projects: [{ id: '1' }], seed: SEED });
    const { operations, document } = await readOperations(client);
    const description = readDescription(document);
    const request = fc
      .constantFrom(...operations)
      .chain((operation) => requestTo(operation).map((sent) => ({ ...sent, operation })));
    await holdsAsync(400, [request], async ({ operation, target, body }) => {
      const { method, isValidBody } = operation;
      const response = await fetch(`${client.service.url}${target}`, {
        method,
        headers: { authorization: 'Bearer k', ...(body !== undefined && { 'content-type': 'application/json' }) },
        ...(body !== undefined && method !== 'GET' && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      const { status } = response;
      const contentType = response.headers.get('content-type') ?? '';
      if (status >= 500)
        expect(
          DELIBERATE.some((pattern) => pattern.test(target)),
          `${method} ${target}`,
        ).toBe(true);
      description.check({ method, path: target, status, contentType, text });
      if (isValidBody !== undefined && !isValidBody(body)) {
        expect(status, `${method} ${target} ${JSON.stringify(body)}`).toBeGreaterThanOrEqual(400);
      }
    });
  });

  test('names every parameter and body that a request needs', async () => {
    const client = await start({ profile, projects: [{ id: '1' }], seed: SEED });
    const { operations } = await readOperations(client);
    for (const { method, path, required, isValidBody } of operations) {
      const target = path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => SAMPLES[name]?.[0] ?? '1');
      const { status } = await client.request(method, target);
      const needs = required.length > 0 || isValidBody?.(undefined) === false;
      if (needs) expect([method, path, status >= 400]).toEqual([method, path, true]);
    }
  });
});
