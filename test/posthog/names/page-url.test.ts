import { expect, test } from 'vitest';
import type { KindName } from '../../../src/posthog/kind-types.ts';
import { changeRequestUrl, pageUrl } from '../../../src/posthog/names/resource-name.ts';

test.each([
  ['https://us.posthog.com/', '12', 'cr-1', 'https://us.posthog.com/project/12/approvals/cr-1'],
  ['https://us.posthog.com', '12', 'a b/../c', 'https://us.posthog.com/project/12/approvals/a%20b%2F..%2Fc'],
  ['https://acme.com/posthog//', '12', 'cr-1', 'https://acme.com/posthog/project/12/approvals/cr-1'],
  ['https://us.posthog.com', '@current', 'cr-1', undefined],
  ['https://us.posthog.com', '12a', 'cr-1', undefined],
  ['https://us.posthog.com', 'a12', 'cr-1', undefined],
  ['embedded', '1', 'cr-1', undefined],
])('the page on %s of project %s', (host, project, id, url) => {
  expect(changeRequestUrl({ name: 'production', host, project_id: project }, id)).toBe(url);
});

test.each<[host: string, project: string, resource: KindName, id: number | undefined, url: string | undefined]>([
  ['https://us.posthog.com', '12', 'flag', 7, 'https://us.posthog.com/project/12/feature_flags/7'],
  ['https://us.posthog.com', '12', 'role_access', 7, 'https://us.posthog.com/project/12/feature_flags/7'],
  ['https://us.posthog.com', '12', 'early_access', 7, 'https://us.posthog.com/project/12/feature_flags/7'],
  ['https://us.posthog.com', '12', 'cohort', 7, 'https://us.posthog.com/project/12/cohorts/7'],
  ['https://acme.com/posthog//', '12', 'cohort', 7, 'https://acme.com/posthog/project/12/cohorts/7'],
  ['http://localhost:8000', '@current', 'flag', 7, 'http://localhost:8000/feature_flags/7'],
  ['http://localhost:8000', '12a', 'flag', 7, 'http://localhost:8000/feature_flags/7'],
  ['https://us.posthog.com', '12', 'flag', undefined, undefined],
  ['embedded', '12', 'flag', 7, undefined],
])('on %s of project %s, the page of %s %s is %s', (host, project, resource, id, url) => {
  const subject = id === undefined ? { resource } : { resource, id };
  expect(pageUrl({ name: 'production', host, project_id: project }, subject)).toBe(url);
});
