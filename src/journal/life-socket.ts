/**
 * A socket in the file system on which a process listens for as long as it lives: all processes of one kernel that reach
 * the folder can ask, also from another container, where the process itself cannot be seen.
 */

import { createConnection, createServer } from 'node:net';
import path from 'node:path';

/** Ends the listening. */
export type StopListening = () => void;

/** Systems cut longer names; 104 bytes with an end mark are the fewest that any of them takes. */
const LONGEST_NAME = 103;

/** Never rejects: where there can be no such socket, nobody listens. */
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

/** `unknown` where no process ever listened, or where it cannot be asked. */
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

/** The name from the root, else from the working directory, else none. */
function socketName(file: string): string | undefined {
  const names = [path.resolve(file), path.relative('', file)];
  return names.find((name) => Buffer.byteLength(name) <= LONGEST_NAME);
}
