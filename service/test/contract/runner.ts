/** Runs a behaviour against a host, and checks the answers against it and against the OpenAPI document. */

import { expect } from 'vitest';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/base/json.ts';
import type { Profile } from '../../src/index.ts';
import type { Behaviour, Expectation, Step } from './behaviour.ts';

export interface Target {
  readonly host: string;
  readonly projectId: string;
  readonly apiKey: string;
  readonly profile: Profile;
  /** Checks an answer against the document; absent for a real project, which has unknown fields. */
  readonly check?: (answered: Answered) => void;
  /** The prefix of every created key. */
  readonly prefix: string;
}

export interface Answered {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
}

export async function run(behaviour: Behaviour, target: Target): Promise<void> {
  const { host } = new URL(target.host);
  const kept: Record<string, string> = { prefix: target.prefix, project: target.projectId, host };
  const created: number[] = [];
  try {
    for (const step of behaviour.steps) {
      const answered = await ask(step, { target, kept });
      if (answered.method === 'POST' && answered.path.endsWith('/feature_flags/') && answered.status === 201) {
        created.push(Number((JSON.parse(answered.text) as JsonObject)['id']));
      }
      verify(step, answered, { target, kept });
      target.check?.(answered);
      for (const [name, pointer] of Object.entries(step.keep ?? {})) kept[name] = valueAt(answered.text, pointer);
    }
  } finally {
    for (const id of created) await remove(id, target);
  }
}

interface Exchange {
  readonly target: Target;
  readonly kept: Readonly<Record<string, string>>;
}

async function ask(step: Step, { target, kept }: Exchange): Promise<Answered> {
  const [method = '', below = ''] = filled(step.ask, kept).split(' ', 2);
  const path = below.startsWith('//') ? below.slice(1) : `/api/projects/${target.projectId}${below}`;
  const body = step.raw ?? (step.body === undefined ? undefined : JSON.stringify(step.body));
  const response = await fetch(`${target.host}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${target.apiKey}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...step.headers,
    },
    ...(body !== undefined && { body: filled(body, kept) }),
  });
  const answered = {
    method,
    path,
    status: response.status,
    contentType: response.headers.get('content-type') ?? '',
    text: await response.text(),
  };
  for (const [name, value] of Object.entries(expectationOf(step, target.profile).headers ?? {})) {
    expect([name, response.headers.get(name)]).toEqual([name, value]);
  }
  return answered;
}

function expectationOf({ expect: expected }: Step, profile: Profile): Expectation {
  return 'documented' in expected ? expected[profile] : expected;
}

function verify(step: Step, { status, text }: Answered, { target, kept }: Exchange): void {
  const expected = expectationOf(step, target.profile);
  expect({ ask: step.ask, status, text }).toMatchObject({ ask: step.ask, status: expected.status });
  if (expected.text !== undefined) expect(text).toBe(expected.text);
  for (const [pointer, names] of Object.entries(expected.members ?? {})) {
    const members = JSON.parse(valueAt(text, pointer)) as JsonObject;
    expect([pointer, Object.keys(members).toSorted()]).toEqual([pointer, names.toSorted()]);
  }
  if (expected.body === undefined) return;
  const wanted = JSON.parse(filled(JSON.stringify(expected.body), kept)) as JsonObject;
  const body = JSON.parse(text) as JsonValue;
  // An empty object or list is compared exactly.
  if (Object.keys(wanted).length === 0) expect(body).toEqual(wanted);
  else expect(body).toMatchObject(wanted);
}

/** Replaces `{name}` by the value kept under that name. */
function filled(text: string, kept: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => kept[name] ?? whole);
}

function valueAt(text: string, pointer: string): string {
  let value: unknown = JSON.parse(text);
  for (const name of pointer.split('/').slice(1)) {
    value = Array.isArray(value) ? (value as unknown[])[Number(name)] : isJsonObject(value) ? value[name] : undefined;
  }
  return typeof value === 'string' ? value : JSON.stringify(value);
}

async function remove(id: number, { host, projectId, apiKey }: Target): Promise<void> {
  await fetch(`${host}/api/projects/${projectId}/feature_flags/${id}/`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ deleted: true }),
  });
}
