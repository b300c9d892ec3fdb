/** Starts an embedded service for a test, and sends requests to it. */

import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { onTestFinished } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/base/json.ts';
import { startEmbedded, type EmbeddedOptions, type EmbeddedService } from '../src/index.ts';

export const FLAGS = '/api/projects/1/feature_flags/';

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON; an empty one is an empty object. */
  readonly body: JsonObject;
}

export interface Client {
  readonly service: EmbeddedService;
  readonly request: (
    method: string,
    path: string,
    body?: JsonValue,
    headers?: Record<string, string>,
  ) => Promise<Answered>;
  readonly get: (path: string) => Promise<Answered>;
  readonly post: (path: string, body: JsonValue) => Promise<Answered>;
  readonly patch: (path: string, body: JsonValue) => Promise<Answered>;
  /** Creates a flag and returns it; fails the test if it is refused. */
  readonly create: (body: JsonObject) => Promise<JsonObject>;
}

export const ROLES: Readonly<Record<string, string>> = {
  engineering: '0188a2d0-7b3c-7e61-9f61-2f6f2f6a1c11',
  support: '0188a2d0-7b3c-7e61-9f61-2f6f2f6a1c22',
};

/** Starts a service that stops after the test. */
export async function start(options: Partial<EmbeddedOptions> = {}): Promise<Client> {
  const service = await startEmbedded({
    data: ':memory:',
    projects: [{ id: '1', roles: ROLES, cohorts: { beta: 42 } }],
    now: () => new Date(),
    randomUuid: randomUUID,
    ...options,
  });
  onTestFinished(async () => service.close());
  return clientOf(service);
}

function clientOf(service: EmbeddedService): Client {
  const request: Client['request'] = async (method, path, body, headers = {}) => {
    const response = await fetch(`${service.url}${path}`, {
      method,
      headers: {
        authorization: 'Bearer phx_test',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const json = text === '' ? {} : (JSON.parse(text) as JsonObject);
    return { status: response.status, headers: response.headers, text, body: json };
  };
  return {
    service,
    request,
    get: async (path) => request('GET', path),
    post: async (path, body) => request('POST', path, body),
    patch: async (path, body) => request('PATCH', path, body),
    create: async (body) => {
      const { status, body: flag } = await request('POST', FLAGS, body);
      if (status !== 201) throw new Error(`Create answered ${status}: ${JSON.stringify(flag)}`);
      return flag;
    },
  };
}

export function fixture(name: string): JsonObject {
  return JSON.parse(readFileSync(new URL(`../../test/fixtures/${name}`, import.meta.url), 'utf8')) as JsonObject;
}

/** The path of an answered flag. */
export function pathOf(flag: JsonObject): string {
  return `${FLAGS}${JSON.stringify(flag['id'])}/`;
}

/** The flags of a page. */
export function results(page: Answered): JsonObject[] {
  return page.body['results'] as JsonObject[];
}

/** The keys of a page's flags, in order. */
export function keysOf(page: Answered): string {
  return results(page)
    .map(({ key }) => (typeof key === 'string' ? key : '?'))
    .join(' ');
}
