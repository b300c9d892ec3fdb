// Applies 1,000 creates within a budget of requests a minute, with time scaled down, and prints the duration.

import { applyPlan, buildPlan, createClient } from '../dist/index.js';

// The library has no windows of a budget, so the row bundles them: `node bench/apply-at-rate.mjs PER_MINUTE SCALE PACE`.
const [perMinute, scale] = process.argv.slice(2).map(Number);
const { budgetWindows } = await import(process.argv[4]);
const windows = budgetWindows(perMinute).map(({ requests, durationMs }) => ({
  requests,
  durationMs: durationMs / scale,
}));
const client = createClient({
  host: process.env.POSTHOG_HOST,
  projectId: process.env.POSTHOG_PROJECT_ID,
  apiKey: process.env.POSTHOG_API_KEY,
  windows,
  concurrency: 10,
});
const place = { file: 'bench.yaml', line: 1, column: 1 };
const flags = Array.from({ length: 1000 }, (_, index) => ({
  kind: 'declared',
  key: `flag-${index}`,
  previousKeys: [],
  fields: { name: `Flag ${index}` },
  places: { place },
}));
const options = {
  project: { name: 'bench', host: process.env.POSTHOG_HOST, project_id: process.env.POSTHOG_PROJECT_ID },
  scope: { include: ['*'], exclude: [] },
  limits: { deletes: 0, deletes_percent: 0, updates_percent: 0 },
  protected: [],
  allow: { protected: [] },
  prune: false,
};
const plan = buildPlan({ flags }, { flags: [], roleAccess: {} }, options);

const start = performance.now();
const { outcomes, requests } = await applyPlan(plan, client, { concurrency: 10 });
const ms = performance.now() - start;
const { pausedMs } = client.stats();
await client.close();
const [{ requests: inWindow, durationMs }] = windows;
const leastMs = Math.floor((requests - 1) / inWindow) * durationMs;
console.log(JSON.stringify({ ms, leastMs, requests, failed: 1000 - outcomes.applied, pausedMs }));
