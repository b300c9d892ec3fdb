import { expect, test } from 'vitest';
import { changeRequestUrl } from '../../../src/posthog/names/page-url.ts';

test.each([
  ['https://us.posthog.com/', '12', 'cr-1', 'https://us.posthog.com/project/12/approvals/cr-1'],
  ['https://us.posthog.com', '12', 'a b/../c', 'https://us.posthog.com/project/12/approvals/a%20b%2F..%2Fc'],
  ['https://us.posthog.com', '@current', 'cr-1', undefined],
  ['embedded', '1', 'cr-1', undefined],
])('the page on %s of project %s', (host, project, id, url) => {
  expect(changeRequestUrl({ name: 'production', host, project_id: project }, id)).toBe(url);
});
