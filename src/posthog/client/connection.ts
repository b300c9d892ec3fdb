/** A connection to the service: one pool, one pace and one key for all calls, to an address that is checked before the key is sent to it. */

import { setMaxListeners } from 'node:events';
import pLimit from 'p-limit';
import { FlagwrightError } from '../../base/errors.ts';
import { defined } from '../../base/optional.ts';
import { type ServiceHost, parseHost } from '../../base/service-host.ts';
import {
  systemClock,
  waitOut,
  type Clock,
  budgetWindows,
  createPace,
  requestsPerHour,
  type Pace,
  type Window,
} from './pace.ts';
import type { Emit, ServiceEvent } from './events.ts';
import { createRedactor } from './answer.ts';
import { CLIENT_NAME, type Operations } from './request-spec.ts';
import type { Proxies } from './proxies.ts';
import { createDownload, createSend, waitToRepeat, type SendContext } from './send.ts';
import type { ServiceError } from './service-error.ts';
import { createTransport } from './transport.ts';

export interface ClientOptions {
  /** `https://us.posthog.com`. Plain http is accepted for loopback only. */
  readonly host: string;
  /** A number as a string, or `@current`. */
  readonly projectId: string;
  /** Personal API key. Sent only to `host`, and never part of an error or an event. */
  readonly apiKey: string;
  /** The environment variable that holds the key, so that errors can name it. */
  readonly keyVariable?: string;
  /** The service's limit; the client uses 80% of it, and ten times that per hour. Absent, or on loopback: no budget. */
  readonly requestsPerMinute?: number;
  /** Windows that replace those of `requestsPerMinute`, also on loopback; each allows at least 1 request. */
  readonly windows?: readonly Window[];
  /** Shared with other clients of the same budget, instead of its own (`paceOf`). */
  readonly pace?: Pace;
  /** Connections of the pool, and requests in flight; default 8. */
  readonly concurrency?: number;
  /** The limit of one attempt, from connecting to the end of the body; default 30,000. */
  readonly timeoutMs?: number;
  /** The limit of one answer; default 64 MB. */
  readonly maxBodyBytes?: number;
  /** Makes each call once and reports its failure: nothing is repeated, and no 429 is waited out. */
  readonly once?: boolean;
  /** Waits for the end of an outage before the first answer too; otherwise only writes do. */
  readonly urgent?: boolean;
  /**
   * Ends every wait and every request with `aborted`. The code is `deadline` when the reason is a `FlagwrightError`
   * of that code or a timeout of `AbortSignal.timeout`, otherwise `interrupted`. With a signal, a call waits out any number of
   * answers 429, each for an hour at most; without one, for half an hour in all.
   */
  readonly signal?: AbortSignal;
  /** Once aborted, a write that still waits for its turn is not sent and fails with `aborted`, as above. */
  readonly stop?: AbortSignal;
  /** Milliseconds until `stop` aborts by itself: a longer wait after 429 is not begun, and the call fails with `rate_limited`. */
  readonly leftMs?: () => number;
  readonly clock?: Clock;
  /** Returns 0 to below 1, for jitter. */
  readonly random?: () => number;
  readonly userAgent?: string;
  /** Proxies between this machine and the host; this machine itself is reached without one. */
  readonly proxies?: Proxies | undefined;
  readonly onEvent?: (event: ServiceEvent) => void;
}

export interface ClientBudget {
  /** The hourly allowance; absent without a shared budget. */
  readonly requestsPerHour?: number;
  /** The least time in milliseconds until this many more requests are sent, given budget and pauses. */
  leastMs(requests: number): number;
  /** Call this when so many requests are about to follow: listeners are told (`ahead`) if these will have to wait. */
  announce(operation: string, requests: number): void;
}

/** A shorter wait is not announced. */
const LEAST_ANNOUNCED_MS = 1000;

export interface ClientStats {
  /** Sent so far, including repetitions. */
  readonly requests: number;
  readonly retries: number;
  /** Time of all pauses after 429, including the whole of the pause under way. */
  readonly pausedMs: number;
  /** The mean time that requests of each operation (a method of this client) waited for their answers. */
  readonly latencyMs: Readonly<Record<string, number>>;
}

/** The calls over a connection, and the facts about it. */
export interface Connection {
  readonly operations: Operations;
  readonly budget: ClientBudget;
  stats(): ClientStats;
  /** Waits by the client's clock before something is looked up again. Once the client is stopped, for a moment at most. */
  wait(ms: number): Promise<boolean>;
  /** Waits before a write is sent again that failed so, and that a look-up did not find. `false`: it is not sent again. */
  waitToRepeat(error: ServiceError, sent: number): Promise<boolean>;
  /** Aborts every request in flight and closes all connections. */
  close(): Promise<void>;
}

/** Throws `config_invalid` for a host or a key that cannot be used. Nothing is sent until an operation is called. */
export function connect(options: ClientOptions): Connection {
  const address = parseAddress(options.host);
  const clock = options.clock ?? systemClock;
  const concurrency = options.concurrency ?? 8;
  const transport = createTransport(address.origin, concurrency, {
    startTimer: clock.startTimer,
    proxies: address.loopback ? undefined : options.proxies,
  });
  const counters = { requests: 0, retries: 0 };
  const answers = new Map<string, { readonly count: number; readonly waitedMs: number }>();
  const callee = { host: address.origin, ...defined({ keyVariable: options.keyVariable }) };
  const emit: Emit = (event) => {
    if (event.kind === 'response') {
      const { count, waitedMs } = answers.get(event.operation) ?? { count: 0, waitedMs: 0 };
      answers.set(event.operation, { count: count + 1, waitedMs: waitedMs + event.waitedMs });
    }
    try {
      options.onEvent?.(event);
    } catch {
      // A listener that throws must not turn a write that succeeded into one that failed.
    }
  };
  const pace = options.pace ?? paceOf(options);
  const context: SendContext = {
    transport,
    callee,
    origin: address.origin,
    headers: headersFor(options),
    pace,
    clock,
    random: options.random ?? Math.random,
    counters,
    redactor: createRedactor(options.apiKey),
    limit: pLimit(concurrency),
    timeoutMs: options.timeoutMs ?? 30_000,
    maxBodyBytes: options.maxBodyBytes ?? 64_000_000,
    once: options.once === true,
    urgent: options.urgent === true,
    emit,
    ...defined({ leftMs: options.leftMs }),
    ...(options.signal === undefined ? {} : { signal: ownSignal([options.signal]) }),
    ...(options.stop === undefined ? {} : { stop: ownSignal([options.stop, options.signal ?? options.stop]) }),
  };
  const operations: Operations = {
    send: createSend(context),
    download: createDownload(context),
    projectPath: projectPath(address, options.projectId),
    apiPath: `${address.basePath}/api`,
    // The service names it, so its id is a UUID or `@current`.
    organizationPath: (id: string) =>
      `${address.basePath}/api/organizations/${encodeURIComponent(id).replaceAll('%40', '@')}`,
    concurrency,
    callee,
  };
  const perMinute = address.loopback ? undefined : options.requestsPerMinute;
  return {
    operations,
    budget: {
      ...(perMinute === undefined ? {} : { requestsPerHour: requestsPerHour(perMinute) }),
      leastMs: (requests) => pace.leastMs(requests),
      announce: (operation, requests) => {
        const waitMs = pace.leastMs(requests);
        if (waitMs >= LEAST_ANNOUNCED_MS) emit({ kind: 'ahead', operation, requests, waitMs });
      },
    },
    wait: (ms) => waitOut(clock, ms, context),
    waitToRepeat: (error, sent) => waitToRepeat(context, error, sent),
    stats: () => {
      const means = [...answers].map(([operation, { count, waitedMs }]) => [operation, waitedMs / count] as const);
      return { ...counters, pausedMs: pace.pausedMs(), latencyMs: Object.fromEntries(means) };
    },
    close: () => transport.close(),
  };
}

/** The pace that keeps the budget of these options. Clients that share it keep the budget together. */
export function paceOf(
  options: Pick<ClientOptions, 'host' | 'windows' | 'requestsPerMinute' | 'clock' | 'random'>,
): Pace {
  const { host, windows, requestsPerMinute, clock = systemClock, random = Math.random } = options;
  const isFree = parseAddress(host).loopback || requestsPerMinute === undefined;
  return createPace({ windows: windows ?? (isFree ? [] : budgetWindows(requestsPerMinute)), clock, random });
}

function headersFor(options: ClientOptions): Record<string, string> {
  if (!/^[\x21-\x7e]+$/.test(options.apiKey)) {
    throw new FlagwrightError('config_invalid', 'The API key is empty or contains invalid characters.', {
      remedy: 'Check the variable for spaces and line breaks.',
    });
  }
  return {
    authorization: `Bearer ${options.apiKey}`,
    accept: 'application/json',
    // A compressed body could unfold to any size.
    'accept-encoding': 'identity',
    'user-agent': options.userAgent ?? 'flagwright',
    'x-posthog-client': CLIENT_NAME,
  };
}

/** Follows the caller's signals. Every request listens to it, so Node's limit of listeners is lifted. */
function ownSignal(signals: AbortSignal[]): AbortSignal {
  const own = AbortSignal.any(signals);
  setMaxListeners(0, own);
  return own;
}

/** Parses a host. Throws `config_invalid` for a host that must not receive a key. */
export function parseAddress(host: string): ServiceHost {
  const parsed = parseHost(host);
  if (!('kind' in parsed)) return parsed;
  const [message, remedy] = {
    'not-http': [
      'The host of a project is not an http or https URL.',
      'Write it with its scheme: https://us.posthog.com',
    ],
    unwanted: [
      'The host of a project has parts beyond scheme, host, port and path.',
      'Remove the user name, the password, the query and the fragment.',
    ],
    'plain-http': [
      `The host ${parsed.shown} must start with https:// (the API key would be sent unencrypted).`,
      'Use https. Plain http is allowed on localhost only.',
    ],
  }[parsed.kind] as [message: string, remedy: string];
  throw new FlagwrightError('config_invalid', message, { remedy });
}

/** The path of a project's resources. Throws `config_invalid` for an id that would change the path's meaning. */
export function projectPath(address: ServiceHost, projectId: string): string {
  if (projectId === '' || projectId === '.' || projectId === '..') {
    throw new FlagwrightError('config_invalid', `'${projectId}' is not the id of a project.`);
  }
  // `@current` is an id that the service accepts.
  return `${address.basePath}/api/projects/${encodeURIComponent(projectId).replaceAll('%40', '@')}`;
}
