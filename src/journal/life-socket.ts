/**
 * A Unix socket on which a process listens for as long as it lives. Any process of the same kernel that reaches the folder
 * can connect, even from another container, where the process itself is not visible.
 */

import { createConnection, createServer } from 'node:net';
import path from 'node:path';

/** Closes the socket. */
export type StopListening = () => void;

/** Systems truncate longer names; the shortest limit is 104 bytes with the terminating zero. */
const LONGEST_NAME = 103;

/** Never rejects: where a socket is not possible, the process does not listen. */
export async function listenFromHere(file: string): Promise<StopListening> {
  const name = socketName(file);
  if (name === undefined) return () => undefined;
  const server = createServer((socket) => socket.destroy()).unref();
  await new Promise<void>((resolve) => {
    server.once('error', () => resolve());
    server.listen(name, resolve);
  });
  return () => void server.close();
}

/** `unknown` where no process ever listened, or where connecting is not possible. */
export async function askForLife(file: string): Promise<'alive' | 'gone' | 'unknown'> {
  const name = socketName(file);
  if (name === undefined) return 'unknown';
  return new Promise((resolve) => {
    const socket = createConnection(name);
    socket.once('connect', () => {
      socket.destroy();
      resolve('alive');
    });
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'ECONNREFUSED' ? 'gone' : 'unknown'));
  });
}

/** The absolute name, or the relative one where that is too long, or none. */
function socketName(file: string): string | undefined {
  const names = [path.resolve(file), path.relative('', file)];
  return names.find((name) => Buffer.byteLength(name) <= LONGEST_NAME);
}
