/** A proxy that sees every request which writes, what was live right before it and what right after it, and that fails as networks and services do. */

import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { World } from '../../helpers/world.ts';
import { type Fact, factsBetween, type Live, readLive } from './live.ts';

interface Seen {
  readonly request: string;
  readonly facts: readonly Fact[];
  readonly after: Live;
}

/** What happens to one request. `lost`: it is executed, and its answer does not arrive. `unsent`: it does not arrive. */
export type Fate = 'lost' | 'unsent' | number;

export interface Watch {
  readonly url: string;
  world: World | undefined;
  live: Live;
  /** The requests that wrote since it was emptied. */
  seen: Seen[];
  /** Of the nth request that writes, from 1. */
  fateOf: (nth: number) => Fate | undefined;
  /** Before the nth request that writes, and before each that reads: people who edit, and interrupts. */
  before: (nth: number | 'read') => Promise<void> | void;
  /** Reads again what people changed. */
  readonly refresh: () => Promise<readonly Fact[]>;
  /** Waits for the requests that a killed run left. */
  readonly settle: () => Promise<unknown>;
}

export async function startWatch(): Promise<Watch> {
  let turn: Promise<unknown> = Promise.resolve();
  let writes = 0;
  const inTurn = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    const result = turn.then(work);
    turn = result.catch(() => undefined);
    return result;
  };
  const refresh = async (): Promise<readonly Fact[]> => {
    const world = watch.world as World;
    const now = await readLive(world, watch.live, () => true);
    const facts = factsBetween(watch.live, now);
    watch.live = now;
    return facts;
  };
  const server = createServer((request, response) => {
    void (async () => {
      const { method = 'GET', url = '/' } = request;
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const { authorization = '' } = request.headers;
      const pass = async (): Promise<Answer> => {
        const body = method === 'GET' ? {} : { body: Buffer.concat(chunks) };
        const headers = { authorization, 'content-type': 'application/json' };
        const answer = await fetch((watch.world as World).url + url, { method, headers, ...body });
        return { answer, body: Buffer.from(await answer.arrayBuffer()) };
      };
      if (method === 'GET') {
        await watch.before('read');
        return send(response, await pass());
      }
      await inTurn(async () => {
        writes = watch.seen.length === 0 ? 1 : writes + 1;
        await watch.before(writes);
        const fate = watch.fateOf(writes);
        const before = watch.live;
        if (fate === 'unsent' || typeof fate === 'number') {
          watch.seen.push({ request: `${method} ${url} → ${fate}`, facts: [], after: before });
          if (fate === 'unsent') return response.destroy();
          const retry = fate === 429 ? { 'retry-after': '1' } : {};
          return response.writeHead(fate, { 'content-type': 'application/json', ...retry }).end('{}');
        }
        const passed = await pass();
        const facts = await refresh();
        const told = `${method} ${url} ${String(Buffer.concat(chunks))} → ${passed.answer.status}${fate === 'lost' ? ', lost' : ''}`;
        watch.seen.push({ request: told, facts, after: watch.live });
        return fate === 'lost' ? response.destroy() : send(response, passed);
      });
    })().catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const watch: Watch = {
    ...{
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      world: undefined,
      live: new Map(),
      seen: [],
    },
    ...{ fateOf: () => undefined, before: () => undefined, refresh, settle: () => inTurn(async () => undefined) },
  };
  return watch;
}

interface Answer {
  readonly answer: Response;
  readonly body: Buffer;
}

function send(response: ServerResponse, { answer, body }: Answer): void {
  const { headers, status } = answer;
  const type = headers.get('content-type') ?? 'application/json';
  response.writeHead(status, { 'content-type': type, date: headers.get('date') ?? '' }).end(body);
}
