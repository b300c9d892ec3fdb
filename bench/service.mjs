// The service under the measured command: one message starts it, another asks for its request counts.

import { randomUUID } from 'node:crypto';
import { startEmbedded } from '../dist/index.js';

const counts = { requests: 0, writes: 0 };

process.on('message', (message) => {
  if (message.start) void start(message.start);
  else tellCounts();
});
process.on('disconnect', () => process.exit());

/** `copies`: how many services, each with data of its own. */
async function start({ copies = 1, ...options }) {
  const urls = [];
  for (let copy = 0; copy < copies; copy += 1) {
    const service = await startEmbedded({
      data: ':memory:',
      now: () => new Date(),
      randomUuid: randomUUID,
      onRequest({ method }) {
        counts.requests += 1;
        if (method !== 'GET') counts.writes += 1;
      },
      ...options,
    });
    urls.push(service.url);
  }
  process.send({ urls });
}

/** Requests and writes since the last call, and the CPU time of the process so far. */
function tellCounts() {
  const { user, system } = process.cpuUsage();
  process.send({ ...counts, cpuMs: (user + system) / 1000 });
  Object.assign(counts, { requests: 0, writes: 0 });
}
