/** Which calls of the client are made again after an answer that got lost: the service may have made what was written. */

import { expect, test } from 'vitest';
import type { ServiceClient } from '../../../../src/posthog/service-client.ts';
import { clientFor } from './client.ts';
import { serve } from './server.ts';

type Row = readonly [
  words: string,
  operation: string,
  call: (client: ServiceClient) => Promise<unknown>,
  requests: number,
];

export function testLostAnswers(rows: readonly Row[]): void {
  test.each(rows)('after an answer that got lost, %s (%s)', async (_words, operation, call, requests) => {
    const { host, seen } = await serve(() => ({ status: 503 }));
    const error = await call(clientFor(host)).catch((thrown: unknown) => thrown);
    expect(seen).toHaveLength(requests);
    expect(error).toMatchObject({ operation, failure: { kind: 'server' } });
  });
}
