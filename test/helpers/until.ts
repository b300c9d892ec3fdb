/** Waits until a check passes, however long the machine needs. */

/** The real timer, before a test holds the timers. */
const { setTimeout: startTimer } = globalThis;
const PAUSE_MS = 2;
/** Shorter than the limit on a test, so the failure of a test that hangs says what it waited for. */
const HANGS_MS = 150_000;

export async function until(check: () => void | Promise<void>): Promise<void> {
  for (let waitedMs = 0; ; waitedMs += PAUSE_MS) {
    try {
      return await check();
    } catch (error) {
      if (waitedMs >= HANGS_MS) throw error;
    }
    await new Promise((resolve) => startTimer(resolve, PAUSE_MS));
  }
}
