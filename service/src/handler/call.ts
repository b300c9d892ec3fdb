/** The input and output of handlers: values only, no sockets. */

import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import type { ProfileRules } from './profile.ts';
import type { Store } from '../store/store.ts';

/** One authenticated request to a known project. */
export interface Call {
  readonly projectId: string;
  /** The parameters of the path: `id`, `flagId`. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** `undefined` without a body. */
  readonly body: JsonValue | undefined;
  /** The JSON text of the body, where it is JSON. */
  readonly text?: string;
  /** Whether the body was a form, whose values are strings. */
  readonly isForm?: true;
  /** Origin and path as in the request, for links to other pages. */
  readonly url: string;
  /** The header `If-None-Match`. */
  readonly ifNoneMatch?: string;
}

/** A body other than JSON, in chunks that are produced while it is sent. */
export interface TextBody {
  readonly type: string;
  readonly chunks: Iterable<string>;
}

export interface Answer {
  readonly status: number;
  /** Absent, and no `text`: an empty body. */
  readonly body?: JsonValue;
  /** Replaces `body`. */
  readonly text?: TextBody;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The values that all handlers share. */
export interface ServiceContext {
  readonly store: Store;
  /** All projects of the service. */
  readonly projectIds: readonly string[];
  readonly rules: ProfileRules;
  readonly now: () => Date;
  readonly randomUuid: () => string;
  /** The client's own name in the request. */
  readonly client?: string;
  /** The member whose key the request has; absent for any other key. */
  readonly user?: JsonObject;
  /** What made the change where no request did, as the activity shows it. */
  readonly trigger?: JsonObject;
}

export type Handler = (service: ServiceContext, call: Call) => Answer;

export const EMBEDDED_DISTINCT_ID = 'embedded-user';

export const EMBEDDED_USER: JsonObject = {
  id: 1,
  uuid: '018a0000-0000-7000-8000-0000000000e0',
  distinct_id: EMBEDDED_DISTINCT_ID,
  first_name: 'Embedded',
  email: 'embedded@example.org',
};

/** The user's membership in the organization, of which the user is the owner. */
export const EMBEDDED_MEMBER_ID = '018a0000-0000-7000-8000-0000000000e1';

/** The organization of every project of the service. */
export const EMBEDDED_ORGANIZATION_ID = '018a0000-0000-7000-8000-0000000000e2';

/** The user who makes the request. */
export function userOf({ user = EMBEDDED_USER }: { readonly user?: JsonObject }): JsonObject {
  return user;
}
