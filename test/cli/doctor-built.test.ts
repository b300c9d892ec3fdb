/** `doctor` as it is built, against a service whose certificate nobody trusts: Node alone reads the variable that names further certificates. */

// @module-tag untimely
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { cli } from '../helpers/cli.ts';
import { createWorkspace } from '../helpers/workspace.ts';

const FOLDER = path.join(import.meta.dirname, '../fixtures/self-signed');
const CERTIFICATE = path.join(FOLDER, 'certificate.pem');

test('a certificate that nobody trusts is a problem, unless NODE_EXTRA_CA_CERTS names it', async () => {
  const server = createServer(
    { cert: readFileSync(CERTIFICATE), key: readFileSync(path.join(FOLDER, 'key.pem')) },
    (request, response) => {
      const isKey = request.url?.startsWith('/api/personal_api_keys/') === true;
      const body = isKey
        ? { label: 'CI', scopes: ['*'], scoped_teams: [], scoped_organizations: [] }
        : { count: 0, next: null, previous: null, results: [] };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    },
  );
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => server.close().closeAllConnections());
  const { root: cwd } = createWorkspace({
    'flags/a.yaml': 'flags: { a: { active: true } }\n',
    'flagwright.yaml': `projects:\n  main: { host: "https://127.0.0.1:${(server.address() as AddressInfo).port}", project_id: "1" }\n`,
  });
  const examine = async (env: Readonly<Record<string, string>>): Promise<unknown> => {
    const given = { POSTHOG_API_KEY: 'phx_doctors_own_key_0123456789', ...env };
    const { code, stdout } = await cli(['doctor', '-f', 'json'], { cwd, env: given });
    const { results } = JSON.parse(stdout) as { readonly results: readonly { code: string; status: string }[] };
    return { code, problems: results.filter(({ status }) => status === 'problem').map((one) => one.code) };
  };
  expect(await examine({})).toEqual({ code: 1, problems: ['certificate_refused'] });
  expect(await examine({ NODE_EXTRA_CA_CERTS: CERTIFICATE })).toEqual({ code: 0, problems: [] });
});
