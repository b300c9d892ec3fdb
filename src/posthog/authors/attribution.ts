/** Who set the values of live resources that differ. These facts are not part of the plan's fingerprint. */

/** Keys are the ref of the change, then the path of the field; the path of a change without fields is empty. */
export type Attributions = ReadonlyMap<string, ReadonlyMap<string, Attribution>>;

export type Attribution = KnownAttribution | UnknownAttribution;

export interface KnownAttribution {
  readonly kind: 'known';
  /** E-mail address or name; absent if the service names nobody. */
  readonly by?: string;
  /** ISO 8601, as the service wrote it. */
  readonly at: string;
  readonly via: Via;
  /** The API client's own name. */
  readonly client?: string;
  /** The recorded run of flagwright. */
  readonly run?: string;
  /** The run was one of `off`. */
  readonly off?: { readonly reason?: string };
  /** The resource has had the value since this creation. */
  readonly created?: true;
}

/**
 * `web_or_key`: the web interface, or an API client that does not name itself: the log does not distinguish them. `api_client`: one that
 * does. `apply`: flagwright, here or elsewhere. `staff`: PostHog's staff, in the name of the user. `system`: no user.
 */
export type Via =
  'web_or_key' | 'api_client' | 'apply' | 'schedule' | 'experiment' | 'early_access' | 'staff' | 'system';

export interface UnknownAttribution {
  readonly kind: 'unknown';
  readonly reason: UnknownAuthor;
  /** The authors of overlapping edits, the newest first. */
  readonly people?: readonly string[];
}

/**
 * `forbidden`: this API key may not read the log. `unreadable`: the log could not be read. `too_old`: older than the log.
 * `too_long`: not in the part of the log that is read. `overlapping`: several edits made the value. `not_logged`: the log does
 * not have such changes.
 */
export type UnknownAuthor = 'forbidden' | 'unreadable' | 'too_old' | 'too_long' | 'overlapping' | 'not_logged';
