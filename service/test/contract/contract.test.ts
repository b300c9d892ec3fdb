/**
 * Runs one list of behaviours against the embedded service in both profiles and, if configured, against a real project.
 */

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { startEmbedded, type EmbeddedService } from '../../src/index.ts';
import { BEHAVIOURS } from './behaviours/index.ts';
import { readDescription, type Description } from './description.ts';
import { run, type Target } from './runner.ts';
import { NOW, SEED } from './seed.ts';
import { createTranscript, describeInterface } from './transcript.ts';

const API_KEY = 'phx_contract';

describe.each(['documented', 'posthog'] as const)('the embedded service, %s', (profile) => {
  let service: EmbeddedService;
  let document: JsonObject;
  let description: Description;
  const transcript = createTranscript();
  let target: Target;

  beforeAll(async () => {
    let uuids = 0;
    const randomUuid = (): string => `00000000-0000-4000-9000-${String((uuids += 1)).padStart(12, '0')}`;
    const options = { data: ':memory:', profile, seed: SEED, now: () => NOW, randomUuid };
    service = await startEmbedded(options);
    const answered = await fetch(`${service.url}/openapi.json`);
    document = (await answered.json()) as JsonObject;
    description = readDescription(document);
    const check: Target['check'] = (answered) => {
      description.check(answered);
      transcript.add(answered);
    };
    target = { host: service.url, projectId: '1', apiKey: API_KEY, profile, check, prefix: 'contract' };
  });

  afterAll(async () => service.close());

  // Sequentially, in one project: each behaviour leaves the seed unchanged.
  for (const behaviour of BEHAVIOURS.filter(({ only = profile }) => only === profile)) {
    test(behaviour.name, async () => run(behaviour, target));
  }

  test('every schema of the OpenAPI document is used', () => {
    expect(description.unused()).toEqual([]);
  });

  test('every operation of the OpenAPI document has answered', () => {
    expect(description.missing()).toEqual([]);
  });

  // What is meant to change is stored again by `npx vitest run service/test/contract/contract.test.ts -u`, and shows in review.
  test('each operation answers as before, in every member and sentence', async () => {
    await expect(transcript.text(service.url)).toMatchFileSnapshot(`answers/${profile}.txt`);
  });

  test('the OpenAPI document is as before', async () => {
    await expect(describeInterface(document).replaceAll(service.url, 'HOST')).toMatchFileSnapshot(
      `answers/${profile}-openapi.txt`,
    );
  });
});

const { POSTHOG_HOST: host, POSTHOG_PROJECT_ID: projectId, POSTHOG_API_KEY: apiKey } = process.env;

describe.runIf(host && projectId && apiKey)('a real project', () => {
  const prefix = `flagwright-contract-${randomUUID().slice(0, 8)}`;
  for (const behaviour of BEHAVIOURS.filter(({ real, only }) => real === true && only !== 'documented')) {
    test(behaviour.name, async () =>
      run(behaviour, {
        host: (host ?? '').replace(/\/$/, ''),
        projectId: projectId ?? '',
        apiKey: apiKey ?? '',
        profile: 'posthog',
        prefix,
      }),
    );
  }
});
