/** Who may ask: `Authorization: Bearer <key>`. */

import { unauthenticated } from './envelope.ts';

/** Throws a 401 unless the header carries an accepted key; without a list, any key that is not empty. */
export function authenticate(authorization: string | undefined, apiKeys: readonly string[] | undefined): void {
  const [scheme, ...rest] = (authorization ?? '').trim().split(/\s+/);
  if (scheme?.toLowerCase() !== 'bearer') {
    throw unauthenticated('not_authenticated', 'Authentication credentials were not provided.');
  }
  const key = rest.join(' ');
  if (key === '' || (apiKeys !== undefined && !apiKeys.includes(key))) {
    throw unauthenticated('authentication_failed', 'The personal API key is not valid.');
  }
}
