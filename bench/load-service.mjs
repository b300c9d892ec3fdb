// A service with many flags and persons that reports its CPU time.

import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbedded } from '../dist/index.js';
import { makeProject } from './fixtures.mjs';

const folder = mkdtempSync(join(tmpdir(), 'flagwright-load-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
process.on('disconnect', () => process.exit());
process.on('SIGTERM', () => process.exit());
process.on('message', (message) => {
  if (message.start) void start(message.start);
  else process.send({ ms: (process.cpuUsage().user + process.cpuUsage().system) / 1000 });
});

async function start({ flags, persons }) {
  const project = makeProject({ flags, files: 200 });
  rmSync(project.folder, { recursive: true });
  const { url } = await startEmbedded({
    data: join(folder, 'service.db'),
    seed: { ...project.seed, persons: Array.from({ length: persons }, (_, index) => person(index)) },
    now: () => new Date(),
    randomUuid: randomUUID,
  });
  process.send({ url });
}

function person(index) {
  return {
    distinct_ids: [`user-${index}`],
    created_at: new Date(Date.UTC(2025, 0, 1) + index * 60_000).toISOString(),
    properties: {
      email: `user${index}@team${index % 97}.example`,
      name: `User ${index}`,
      plan: ['free', 'pro', 'enterprise'][index % 3],
      seats: index % 50,
      country: ['DE', 'FR', 'US'][index % 3],
      $os: 'Linux',
      $browser: 'Firefox',
      $initial_referrer: 'https://search.example/?q=feature+flags',
    },
  };
}
