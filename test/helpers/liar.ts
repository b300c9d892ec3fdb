/** A service whose answers to writes are replaced, as a proxy, a login page or a cache does. */

import { onTestFinished } from 'vitest';
import { createClient, type ServiceClient } from '../../src/posthog/service-client.ts';
import { serve, type Reply, type SeenRequest } from '../posthog/client/support/server.ts';
import { forward } from './gate.ts';
import type { World } from './world.ts';

/** A replaced answer to one write, and whether the service executes the write anyway. */
export interface Lie {
  readonly reply: Reply;
  readonly carriedOut: boolean;
}

export interface Liar {
  readonly client: ServiceClient;
  /** Every request of the client. */
  readonly seen: readonly SeenRequest[];
}

/** `lie` gets each request, with the number of the write from 1, or 0 for a read. `undefined` forwards the request. */
export async function startLiar(
  world: World,
  lie: (write: number, request: SeenRequest) => Lie | undefined | Promise<Lie | undefined>,
): Promise<Liar> {
  let writes = 0;
  const { host, seen } = await serve(async (request) => {
    if (request.method !== 'GET') writes += 1;
    const reply = await lie(request.method === 'GET' ? 0 : writes, request);
    if (reply === undefined) return forward(world.url, request);
    if (reply.carriedOut) await forward(world.url, request);
    return reply.reply;
  });
  const client = createClient({ host, projectId: '1', apiKey: 'phx_test' });
  onTestFinished(() => client.close());
  return { client, seen };
}
