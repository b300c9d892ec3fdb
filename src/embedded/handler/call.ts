/** What a handler receives and gives back: values only, no sockets. */

import type { JsonValue } from '../../base/json.ts';
import type { ProfileRules } from './profile.ts';
import type { Store } from '../store/store.ts';

/** One authenticated request to a known project. */
export interface Call {
  readonly projectId: string;
  /** What the path names: `id`, `flagId`. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** `undefined` where no body was sent. */
  readonly body: JsonValue | undefined;
  /** The caller's own origin and path, for links to other pages. */
  readonly url: string;
  /** The header `If-None-Match`, where it was sent. */
  readonly ifNoneMatch?: string;
}

/** A body that is no JSON, in parts that are made as they are sent. */
export interface TextBody {
  readonly type: string;
  readonly chunks: Iterable<string>;
}

export interface Answer {
  readonly status: number;
  /** Absent, without `text`: an empty body. */
  readonly body?: JsonValue;
  /** In place of `body`. */
  readonly text?: TextBody;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What all handlers share. */
export interface ServiceContext {
  readonly store: Store;
  readonly rules: ProfileRules;
  readonly now: () => Date;
  readonly randomUuid: () => string;
}

export type Handler = (service: ServiceContext, call: Call) => Answer;
