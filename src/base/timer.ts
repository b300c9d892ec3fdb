/** Timers for any length of time: Node's own fire at once when set to more than 24.8 days. */

/** The limit of Node's timers: a signed 32-bit number of milliseconds. */
const LONGEST_MS = 2 ** 31 - 1;

export interface Timer {
  cancel(): void;
}

/** Calls `onTime` once after `ms` milliseconds, or never for `Infinity`. With `unref` it does not keep the process alive. */
export function startTimer(
  ms: number,
  onTime: () => void,
  { unref = false }: { readonly unref?: boolean } = {},
): Timer {
  let timer: NodeJS.Timeout;
  const wait = (left: number): void => {
    const now = Math.min(Math.max(left, 0), LONGEST_MS);
    timer = setTimeout(() => (left > now ? wait(left - now) : onTime()), now);
    if (unref) timer.unref();
  };
  wait(ms);
  return { cancel: () => clearTimeout(timer) };
}

/** Resolves after `ms` milliseconds; rejects with the signal's reason as soon as it aborts. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      timer.cancel();
      reject(signal?.reason as Error);
    };
    const timer = startTimer(ms, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
