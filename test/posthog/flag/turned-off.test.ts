import { expect, test } from 'vitest';
import { revertedValues } from '../../../src/posthog/flag/snapshot.ts';

test('a change takes back what a run of off wrote, except where git changed it since', () => {
  const fields = [
    { path: '/active', before: false, after: true, divergence: 'drifted' },
    { path: '/name', before: 'a', after: 'b', divergence: 'drifted' },
    { path: '/filters/groups/0/rollout_percentage', before: 0, after: 5, divergence: 'pending' },
    { path: '/filters/groups/1/rollout_percentage', before: 0, after: 5 },
  ] as const;
  const paths = ['/active', ...[0, 1].map((index) => `/filters/groups/${index}/rollout_percentage`)];
  expect(revertedValues(fields, { paths })).toEqual([fields[0], fields[3]]);
  expect(revertedValues(fields, { paths: [] })).toEqual([]);
});
