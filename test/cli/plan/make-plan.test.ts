/** What a run reads of the service: change requests only where it shows them. */

import { expect, test } from 'vitest';
import { stage } from '../../helpers/stage.ts';

test.each([
  [['plan'], true],
  [['drift'], true],
  [['accept', 'checkout', '--patch'], false],
])('%j asks for change requests of the flags that it changes: %s', async (argv, asks) => {
  const urls: string[] = [];
  const onRequest = (request: { readonly path: string }): void => void urls.push(request.path);
  const { run, world } = await stage(undefined, undefined, { onRequest: onRequest as never });
  await world.client.createFlag({ key: 'checkout', active: false });
  urls.length = 0;
  expect((await run(...argv)).stderr).toBe('');
  expect(urls.some((url) => url.includes('change_requests'))).toBe(asks);
});
