// The service that is measured against: started by a message, asked for its counts by another.

import { randomUUID } from 'node:crypto';
import { startEmbedded } from '../dist/embedded/service.js';

const counts = { requests: 0, writes: 0 };

process.on('message', async (message) => {
  if (message.counts) {
    process.send({ ...counts });
    Object.assign(counts, { requests: 0, writes: 0 });
    return;
  }
  const service = await startEmbedded({
    data: ':memory:',
    now: () => new Date(),
    randomUuid: randomUUID,
    onRequest({ method }) {
      counts.requests += 1;
      if (method !== 'GET') counts.writes += 1;
    },
    ...message.start,
  });
  process.send({ url: service.url });
});
process.on('disconnect', () => process.exit());
