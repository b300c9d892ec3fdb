/** The options of the embedded service, and the running service. */

import type { JsonValue } from '../../src/base/json.ts';
import type { RateLimit } from './answering/rate-limit.ts';
import type { RequestRecord, Sleep } from './answering/request.ts';
import type { CheckRecord } from './alerts/checks.ts';
import type { ServiceClock } from './handler/clock.ts';
import type { ProjectDeclaration } from './declare/declaration.ts';
import type { AccessRoutes, Profile } from './handler/profile.ts';
import type { SeededProject } from './seed/register.ts';

export interface EmbeddedOptions {
  /** Path of the database file, created if missing; `:memory:` keeps nothing. */
  readonly data: string;
  readonly profile?: Profile;
  /** Default: those of the profile. */
  readonly accessRoutes?: AccessRoutes;
  /** Default `127.0.0.1`. */
  readonly host?: string;
  /** Default 0: any free port. */
  readonly port?: number;
  /** Default: the one project `1`. */
  readonly projects?: readonly SeededProject[];
  /** Accepted bearer tokens. Default: any that is not empty. */
  readonly apiKeys?: readonly string[];
  /** A seed document (`schemas/seed.schema.json`), loaded only into a project without flags and persons. */
  readonly seed?: JsonValue;
  /** Whether the flags of the seed are loaded, or only its other parts because flags are declared. Default true. */
  readonly seedFlags?: boolean;
  /** Milliseconds added to each answer; answers wait concurrently. */
  readonly latencyMs?: number;
  readonly rateLimit?: RateLimit;
  /** A fault script (`schemas/faults.schema.json`): what goes wrong, and when. See `docs/faults.md`. */
  readonly faults?: JsonValue;
  /** The time limit for a request to arrive, in milliseconds. Default 30,000. */
  readonly requestTimeoutMs?: number;
  /** The clock that drives the clock of the service. */
  readonly now: () => Date;
  /** The time of the service at its start, from which its clock runs on. Default: that of `now`. */
  readonly startAt?: Date;
  /** Whether the clock is also read and moved over HTTP, by a path that PostHog does not have. Default false. */
  readonly clockRoute?: boolean;
  /** Waits for latency and the pauses of a dripping body. Default: in real time. */
  readonly sleep?: Sleep;
  readonly randomUuid: () => string;
  readonly onRequest?: (record: RequestRecord) => void;
}

export interface EmbeddedService {
  /** `http://host:port`, without a trailing slash. */
  readonly url: string;
  readonly port: number;
  readonly clock: ServiceClock;
  /** Brings flags to the declaration in one step: every answer shows the state before or after it. */
  declare(declaration: ProjectDeclaration): void;
  /**
   * Checks an alert now, as PostHog does by itself; one that is disabled or snoozed is passed over. Throws `FlagwrightError` `usage` if there is none.
   */
  checkAlert(record: CheckRecord): void;
  /** Finishes answers in progress, then closes the port and the database. */
  close(): Promise<void>;
}
