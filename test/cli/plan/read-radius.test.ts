/** How many people match, as far as the service says: one reason that it gives no counts ends all further questions. */

import { expect, test } from 'vitest';
import { createRadiusReader } from '../../../src/cli/plan/read-radius.ts';
import type { RadiusQuery } from '../../../src/impact/blast-radius.ts';
import type { Failure } from '../../../src/posthog/client/failure.ts';
import { ServiceError } from '../../../src/posthog/client/service-error.ts';

const facts = { operation: 'userBlastRadius', method: 'POST', path: '/', attempts: 1, mayHaveHappened: false };
const failing = (failure: Failure): ServiceError => new ServiceError({ ...facts, failure });
const refused = (detail: string): Failure => ({ kind: 'validation', status: 400, code: null, attr: null, detail });

/** Each question gets the next answer; an error is thrown. */
async function ask(
  answers: readonly unknown[],
  queries: readonly Partial<RadiusQuery>[],
): Promise<{ readonly counts: readonly unknown[]; readonly requests: number; readonly why: string | undefined }> {
  const left = [...answers];
  const client = {
    userBlastRadius: async (): Promise<never> => {
      const answer = left.shift();
      if (answer instanceof Error) throw answer;
      return Promise.resolve(answer as never);
    },
  };
  const { ask: one, requests, unavailable } = createRadiusReader(client, 1);
  const counts = await Promise.all(queries.map((query) => one({ condition: {}, ...query })));
  return { counts, requests: requests(), why: unavailable() };
}

test('people and groups are counted, and a condition that the service refuses is one question only', async () => {
  const counted = { affected: 3, total: 10 };
  const asked = await ask([counted, failing(refused('No.')), counted], [{}, {}, { groupTypeIndex: 0 }]);
  expect(asked).toEqual({
    counts: [
      { kind: 'people', ...counted },
      { kind: 'refused', detail: 'No.' },
      { kind: 'groups', ...counted },
    ],
    requests: 3,
    why: undefined,
  });
});

test.each<[Failure, string]>([
  [{ kind: 'not_found', detail: null }, 'this service does not have the endpoint user_blast_radius (404)'],
  [{ kind: 'forbidden', detail: null }, 'the service refuses it (403); the API key needs the scope feature_flag:read'],
  [{ kind: 'timeout', timeoutMs: 5 }, 'the service did not answer: no complete answer within 5 ms'],
])('after %j nothing more is asked', async (failure, why) => {
  expect(await ask([failing(failure), { affected: 1, total: 1 }], [{}, {}])).toEqual({
    counts: [undefined, undefined],
    requests: 1,
    why,
  });
});

test('the first of two reasons is said', async () => {
  const client = {
    userBlastRadius: async (query: RadiusQuery): Promise<never> => {
      throw failing(
        query.groupTypeIndex === 0 ? { kind: 'not_found', detail: null } : { kind: 'forbidden', detail: null },
      );
    },
  };
  const reader = createRadiusReader(client, 2);
  await Promise.all([reader.ask({ condition: {}, groupTypeIndex: 0 }), reader.ask({ condition: {} })]);
  expect(reader.unavailable()).toContain('(404)');
});

test.each<[string, Error]>([
  ['the end of the run', failing({ kind: 'aborted', reason: new Error('stop') } as unknown as Failure)],
  ['a fault of the program', new TypeError('x is undefined')],
])('%s is no answer of the service', async (_, error) => {
  await expect(ask([error], [{}])).rejects.toBe(error);
});
