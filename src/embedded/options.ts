/** What the embedded service is started with, and what starting it gives. */

import type { JsonValue } from '../base/json.ts';
import type { RateLimit } from './answering/rate-limit.ts';
import type { RequestRecord, Sleep } from './answering/request.ts';
import type { Declaration } from './declare/declaration.ts';
import type { Profile } from './handler/profile.ts';
import type { NamedProject } from './seed/register.ts';

export interface EmbeddedOptions {
  /** Path of the database file, made where there is none; `:memory:` keeps nothing. */
  readonly data: string;
  readonly profile?: Profile;
  /** Default `127.0.0.1`. */
  readonly host?: string;
  /** Default 0: any free port. */
  readonly port?: number;
  /** Default: the one project `1`. */
  readonly projects?: readonly NamedProject[];
  /** Bearer tokens that are accepted. Default: any that is not empty. */
  readonly apiKeys?: readonly string[];
  /** A seed document (`schemas/seed.schema.json`), loaded into its project only while that has no flags. */
  readonly seed?: JsonValue;
  /** Whether a seed's flags are loaded, or only what else it holds, where flags are declared. Default true. */
  readonly seedFlags?: boolean;
  /** Milliseconds added to each answer; answers wait side by side. */
  readonly latencyMs?: number;
  readonly rateLimit?: RateLimit;
  /** A script of faults (`schemas/faults.schema.json`): what shall go wrong, and when. See `docs/faults.md`. */
  readonly faults?: JsonValue;
  /** How long a request may take to arrive, in milliseconds. Default 30,000. */
  readonly requestTimeoutMs?: number;
  readonly now: () => Date;
  /** How latency and the pauses of a dripping body pass. Default: in real time. */
  readonly sleep?: Sleep;
  readonly randomUuid: () => string;
  readonly onRequest?: (record: RequestRecord) => void;
}

export interface EmbeddedService {
  /** `http://host:port`, without a slash at the end. */
  readonly url: string;
  readonly port: number;
  /** Makes flags what is declared, in one step: what is answered is the state before or the state after. */
  declare(declaration: Declaration): void;
  /** Finishes what is being answered, then closes the port and the database. */
  close(): Promise<void>;
}
