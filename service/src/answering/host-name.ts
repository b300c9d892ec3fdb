/** Decides which host names the service answers under. */

import { forbidden } from '../handler/envelope.ts';

/**
 * Refuses public domain names: a web page can point its own domain at this machine (DNS rebinding) and would then call
 * the service as same-origin. Addresses, names without a dot and private names are accepted.
 */
export function refuseStrangeName(origin: string): void {
  const name = URL.canParse(origin) ? new URL(origin).hostname : '';
  if (/^(?:\[.*\]|[\d.]+|[^.]+|.*\.(?:localhost|internal|local|test))$/.test(name)) return;
  throw forbidden('The embedded service answers only under local names.');
}
