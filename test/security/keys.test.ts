/** A service that returns the key wherever it can; the helpers search all output and every file for it. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { startBroken } from '../helpers/broken-service.ts';
import { runCli, type Ran } from '../helpers/run.ts';
import { createWorkspace, type Workspace } from '../helpers/workspace.ts';
import { answer, hostileFlag, hostileRefusal, pageOf } from './hostile.ts';

const KEY = 'phx_echoed+key/0123456789ABCDEF';
/** A key that this run does not have, recognised by the form of the service's keys. */
const STRAY = 'phx_0123456789abcdefABCDEF0123456789abcdef';
const MANIFEST = 'flags:\n  checkout: { description: x, role_access: [] }\n  fresh: { active: true }\n';

type Reply = (response: ServerResponse, key: string) => void;

async function runAgainst(
  reply: Reply,
  argv: readonly string[],
  files: Readonly<Record<string, string>> = {},
): Promise<Ran & { workspace: Workspace }> {
  const { url } = await startBroken((request, response) => reply(response, keyIn(request)));
  const workspace = createWorkspace({ 'flags/a.yaml': MANIFEST, ...files });
  const env = { POSTHOG_HOST: url, POSTHOG_PROJECT_ID: '1', POSTHOG_API_KEY: KEY };
  const ran = await runCli(argv, { cwd: workspace.root, env });
  // Also not its beginning, where a string was truncated.
  expect(ran.stdout + ran.stderr).not.toContain(KEY.slice(0, 14));
  return { ...ran, workspace };
}

function keyIn(request: IncomingMessage): string {
  return request.headers.authorization ?? '';
}

const REFUSALS: readonly (readonly [string, Reply])[] = [
  ...[400, 401, 403, 404, 405, 409, 418, 422].map((status): readonly [string, Reply] => [
    `${status} with the key in every text`,
    (response, key) => answer(response, status, hostileRefusal(key)),
  ]),
  ['the key as the name of a field', (response, key) => answer(response, 400, { [key]: [key] })],
  [
    'the key at the length where strings are truncated',
    (response, key) => answer(response, 400, { detail: `${'x'.repeat(1975)}${key}${key}` }),
  ],
  [
    'a page instead of an answer',
    (response, key) => void response.writeHead(403, { 'content-type': 'text/html' }).end(`<h1>${key}</h1>`),
  ],
  ['a success without JSON', (response, key) => void response.end(`{"count": ${key}`)],
  [
    'a success of another shape',
    (response, key) => answer(response, 200, { results: [{ id: key }], count: key, next: key }),
  ],
  [
    'a redirect to elsewhere',
    (response, key) => void response.writeHead(302, { location: `https://evil.example/?${key}` }).end(),
  ],
  [
    'a redirect within',
    (response, key) => void response.writeHead(302, { location: `/x/${encodeURIComponent(key)}` }).end(),
  ],
];

/** Answers that make the client retry; the deadline only ends the retries. */
const REPEATED: readonly (readonly [string, Reply])[] = [
  ['a wrong header', (response, key) => void response.socket?.end(`HTTP/1.1 200 ${key}\r\n${key}\r\n\r\n`)],
  [
    'a wrong length',
    (response, key) => void response.socket?.end(`HTTP/1.1 200 OK\r\ncontent-length: ${key}\r\n\r\n${key}`),
  ],
];

describe.each([
  ...REFUSALS.map((refusal) => [...refusal, []] as const),
  ...REPEATED.map((answered) => [...answered, ['--deadline', '500ms']] as const),
])('%s', (_, reply, deadline) => {
  test.each([
    [['plan', '-v']],
    [['plan', '-f', 'json', '-o', 'plan.json']],
    [['apply', '-y', '-v', '-f', 'json']],
    [['flags', 'get', '1', '-v']],
    [['persons', 'list', '-v']],
    [['doctor', '-v']],
    [['doctor', '-f', 'json']],
    [['doctor', '-f', 'markdown']],
  ])('never shows: %j', async (argv) => {
    const ran = await runAgainst(reply, [...argv, ...deadline]);
    expect(ran.code).toBe(1);
    expect(ran.stderr).not.toContain('bug of flagwright');
  });
});

describe('flags that contain the key', () => {
  const asFlags: Reply = (response, key) => answer(response, 200, pageOf([hostileFlag(1, key)]));

  test.each([
    [['plan', '-v']],
    [['plan', '-f', 'json', '-o', 'plan.json']],
    [['plan', '--out', 'saved.json']],
    [['drift', '-f', 'json']],
    [['apply', '-y', '-v']],
    [['flags', 'list', '-f', 'csv']],
    [['flags', 'list', '-f', 'jsonl', '-o', 'flags.jsonl']],
    [['flags', 'get', 'checkout']],
    [['export']],
    [['export', '--group-by', 'flag']],
  ])('are shown and written without it: %j', async (argv) => {
    expect((await runAgainst(asFlags, argv)).stderr).not.toContain('bug of flagwright');
  });
});

test.each([
  [`flags:\n  a: { description: "${STRAY}", unknown: "${STRAY}" }\n`],
  [`flags:\n  a: { description: [${STRAY}] }\n`],
  [`flags:\n  a: {${STRAY}: x, description: [\n`],
  [`flags:\n  ${STRAY}: 5\n`],
  [`flags:\n  a: { role_access: [${STRAY}], only_in: [${STRAY}] }\n`],
  [`${STRAY}: 1\n`],
])('a key in a manifest is not repeated with the line: %#', async (text) => {
  const { root } = createWorkspace({ 'flags/a.yaml': text });
  const ran = await runCli(['validate'], { cwd: root });
  const document = await runCli(['validate', '-f', 'json'], { cwd: root });
  expect(ran.code).toBe(1);
  expect(document.stdout).not.toContain(STRAY.slice(0, 12));
  expect(ran.stdout + ran.stderr).not.toContain(STRAY.slice(0, 12));
});
