/** A session whose clock stands at another time, for commands that only look. */

import type { Session } from './session.ts';

/** The same session without a time. */
export function atTime(session: Session, at: number | undefined): Session {
  return at === undefined ? session : { ...session, context: { ...session.context, now: () => at, isMoved: true } };
}
