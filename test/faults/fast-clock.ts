/** A clock on which waits take a fraction of their time, for clients and services that wait for each other. */

import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../src/posthog/client/clock.ts';

const SPEED = 50;

export const fastClock: Clock = {
  now: () => performance.timeOrigin + performance.now() * SPEED,
  sleep: (ms, signal) => delay(Math.max(0, ms) / SPEED, undefined, signal === undefined ? {} : { signal }),
};

export const fastDate = (): Date => new Date(fastClock.now());
