/** Opens and closes the port of the server. */

import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FlagwrightError } from '../../../src/base/errors.ts';

/** The longest wait of a close for answers in progress before it cuts their connections. */
const CLOSE_GRACE_MS = 5000;

/** Throws `FlagwrightError` with code `usage` if the port cannot be opened. */
export async function listen(
  server: Server,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<{ url: string; port: number }> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const place = `${host}:${port}`;
      const message =
        cause.code === 'EADDRINUSE' ? `${place} is already in use` : `Cannot listen on ${place}: ${cause.message}`;
      reject(new FlagwrightError('usage', message, { cause }));
    });
    server.listen({ host, port, backlog: 1024 }, resolve);
  });
  // A listening server on TCP has an address and a port.
  const address = server.address() as AddressInfo;
  return { url: `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`, port: address.port };
}

/** Finishes answers in progress; closes idle connections at once. */
export async function close(server: Server): Promise<void> {
  const cut = setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MS);
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
  clearTimeout(cut);
}
