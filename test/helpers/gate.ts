/** A gate in front of a service: holds the requests that a test picks until the test opens it. */

import type { ServerResponse } from 'node:http';
import { serve, type Reply, type SeenRequest } from '../posthog/client/support/server.ts';
import { createEvent } from './event.ts';
import { until } from './until.ts';

export interface Gate {
  readonly host: string;
  /** From now on, holds each request that `isHeld` picks until the hold is opened. Open an earlier hold first. */
  readonly hold: (isHeld: IsHeld, when?: 'before' | 'after') => Hold;
  /** Resolves once no request is passing the gate. */
  readonly idle: () => Promise<void>;
}

/** `number` counts the requests with this method since the hold began, from 1. */
type IsHeld = (request: SeenRequest, number: number) => boolean;

interface Hold {
  /** Resolves once this many requests are held: `before` the service sees them, or `after` it executed them. */
  readonly arrived: (count: number) => Promise<void>;
  /** Lets the held and all later requests through, except those whose sender is gone. */
  readonly open: () => void;
}

interface Holding extends Hold {
  readonly passage: (request: SeenRequest, when: 'before' | 'after') => Promise<void>;
}

export async function startGate(url: string): Promise<Gate> {
  let current: Holding | undefined;
  let passing = 0;
  const pass = async (request: SeenRequest, response: ServerResponse): Promise<Reply | undefined> => {
    const holding = current;
    await holding?.passage(request, 'before');
    if (response.destroyed) return undefined;
    passing += 1;
    const reply = await forward(url, request).finally(() => (passing -= 1));
    await holding?.passage(request, 'after');
    return reply;
  };
  const { host } = await serve(pass);
  return {
    host,
    hold: (isHeld, when = 'before') => (current = createHold(isHeld, when)),
    idle: () =>
      until(() => {
        if (passing > 0) throw new Error(`${passing} requests are passing the gate`);
      }),
  };
}

function createHold(isHeld: IsHeld, held: 'before' | 'after'): Holding {
  const opened = createEvent();
  const numbers = new Map<string, number>();
  const picked = new Set<SeenRequest>();
  let arrived = 0;
  return {
    passage: async (request, when) => {
      if (when === 'before') {
        const number = (numbers.get(request.method) ?? 0) + 1;
        numbers.set(request.method, number);
        if (isHeld(request, number)) picked.add(request);
      }
      if (when !== held || !picked.has(request)) return;
      arrived += 1;
      await opened.happened;
    },
    arrived: (count) =>
      until(() => {
        if (arrived < count) throw new Error(`${arrived} of ${count} requests have arrived`);
      }),
    open: opened.happen,
  };
}

/** Sends the request to the service and returns the answer. */
export async function forward(url: string, { method, url: path, headers, body }: SeenRequest): Promise<Reply> {
  const { authorization = '' } = headers;
  const response = await fetch(url + path, {
    method,
    headers: { authorization, ...(body === '' ? {} : { 'content-type': 'application/json' }) },
    ...(body === '' ? {} : { body }),
    redirect: 'manual',
  });
  return { status: response.status, body: Buffer.from(await response.arrayBuffer()) };
}
