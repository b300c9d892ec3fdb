/** A service whose answers to writes are replaced on their way: what a proxy, a login page or a cache may do. */

import { onTestFinished } from 'vitest';
import { createClient, type ServiceClient } from '../../src/posthog/client/client.ts';
import { serve, type Reply, type SeenRequest } from '../posthog/client/support/server.ts';
import { forward } from './gate.ts';
import type { World } from './world.ts';

/** What takes the place of the answer to one write, and whether the service carries the write out all the same. */
export interface Lie {
  readonly reply: Reply;
  readonly carriedOut: boolean;
}

export interface Liar {
  readonly client: ServiceClient;
  /** Every request that was made through it. */
  readonly seen: readonly SeenRequest[];
}

/** `lie` is asked for each request, writes counted from 1 and reads being 0; without one the request goes through. */
export async function startLiar(
  world: World,
  lie: (write: number, request: SeenRequest) => Lie | undefined | Promise<Lie | undefined>,
): Promise<Liar> {
  let writes = 0;
  const { host, seen } = await serve(async (request) => {
    if (request.method !== 'GET') writes += 1;
    const told = await lie(request.method === 'GET' ? 0 : writes, request);
    if (told === undefined) return forward(world.url, request);
    if (told.carriedOut) await forward(world.url, request);
    return told.reply;
  });
  const client = createClient({ host, projectId: '1', apiKey: 'phx_test' });
  onTestFinished(() => client.close());
  return { client, seen };
}
