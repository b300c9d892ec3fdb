/** Waits until a check passes, for as long as the machine needs. */

/** Taken before a test can hold the timers. */
const { setTimeout: startTimer } = globalThis;
const PAUSE_MS = 2;
/** Ends the wait of a test that hangs before the limit on its time does, so that the failure says what it waited for. */
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
