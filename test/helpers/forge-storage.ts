/** The host that GitHub redirects downloads of artifacts to. It refuses a request with a token, as the real one does. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { ReviewState } from './forge-reviews.ts';
import { zipOf } from './zip.ts';

export async function startStorage({ reviewed }: ReviewState): Promise<string> {
  const server = createServer(({ url = '', headers }, response) => {
    const [, number, signature] = /^\/(\d+)\?sig=(.*)$/.exec(url) ?? [];
    const plan = reviewed.find((request) => String(request.number) === number)?.plan;
    const isFine = plan !== undefined && signature === 'secret' && headers.authorization === undefined;
    response.writeHead(isFine ? (plan.downloadStatus ?? 200) : 403);
    response.end(
      isFine
        ? (plan.archive ?? zipOf({ 'plan.json': plan.text, 'flag-review.json': plan.review ?? '{}' }))
        : '<Error/>',
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
