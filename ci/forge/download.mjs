// Reads a file from the address that the forge redirects to: of another host, which gets no token.

import { Failure } from '../failure.mjs';
import { proxyFor } from './proxies.mjs';

/** Returns the bytes; undefined if the file has more than `most`. */
export async function download(address, { seconds, most }) {
  try {
    // A second redirect is none of the forge's.
    const response = await fetch(address, {
      ...proxyFor(address),
      redirect: 'error',
      signal: AbortSignal.timeout(seconds * 1000),
    });
    if (!response.ok) throw new Failure(`The download of an artifact was answered with ${response.status}. ${AGAIN}`);
    return await readAtMost(response.body, most);
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure(`The download of an artifact broke off (${error?.cause?.code ?? error?.name}). ${AGAIN}`);
  }
}

const AGAIN = 'Run the job again.';

async function readAtMost(body, most) {
  const chunks = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    // Ends the loop, and with it the connection.
    if (size > most) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
