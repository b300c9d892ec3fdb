/** Waits until a check passes, for as long as the machine needs: only the time limit of the test itself ends the wait. */

import { vi } from 'vitest';

/** The longest time that a timer of Node takes. */
const FOREVER_MS = 2 ** 31 - 1;

export async function until(check: () => void | Promise<void>): Promise<void> {
  await vi.waitFor(check, { timeout: FOREVER_MS, interval: 5 });
}
