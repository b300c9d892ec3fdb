/** The programs of docs/openfeature.md run against `serve --manifests`: in Node.js, and in a page of another origin. */

import { execFile } from 'node:child_process';
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { expect, onTestFinished, test } from 'vitest';
import { CHROMIUM, openBrowser } from '../helpers/browser.ts';
import { runCli } from '../helpers/run.ts';
import { createWorkspace, type Workspace } from '../helpers/workspace.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const TEXT = readFileSync(path.join(ROOT, 'docs/openfeature.md'), 'utf8');
const FILES = Object.fromEntries(
  [...TEXT.matchAll(/```(?:js|yaml|python)\n(?:\/\/|#) (\S+)\n(.*?)```/gs)].map(([, name = '', text = '']) => [
    name,
    text,
  ]),
);

interface Serving {
  readonly workspace: Workspace;
  readonly url: string;
  readonly stderr: () => string;
}

/** Serves the manifests of the page until the test ends, and points its programs to the service. */
async function serve(): Promise<Serving> {
  const workspace = createWorkspace({ ...FILES, 'package.json': '{"type": "module"}' });
  symlinkSync(path.join(ROOT, 'node_modules'), path.join(workspace.root, 'node_modules'));
  let interrupt = (): void => undefined;
  let stderr = '';
  const ended = runCli(['serve', '--manifests', '--port', '0', '-v', '-f', 'json', '-o', 'served.json'], {
    cwd: workspace.root,
    onStart: (stop) => (interrupt = stop),
    onStderr: (written) => (stderr = written),
  });
  onTestFinished(async () => {
    interrupt();
    await ended;
  });
  await expect.poll(() => existsSync(path.join(workspace.root, 'served.json'))).toBe(true);
  const { url } = JSON.parse(workspace.read('served.json')) as { url: string };
  for (const [name, text] of Object.entries(FILES)) {
    if (name.endsWith('.js')) workspace.write(name, text.replace('http://127.0.0.1:8765', url));
  }
  return { workspace, url, stderr: () => stderr };
}

test('every program and manifest names its file', () => {
  expect(Object.keys(FILES)).toHaveLength([...TEXT.matchAll(/```(?:js|yaml|python)\n/g)].length);
});

test('the program for Node.js prints what the page says', async () => {
  const { workspace, url, stderr } = await serve();
  const { stdout } = await promisify(execFile)(process.execPath, ['server.js'], { cwd: workspace.root });
  expect(stdout).toBe(/prints\n\n```text\n(.*?)```/s.exec(TEXT)?.[1]);
  await expect.poll(stderr).toContain(`For an OpenFeature SDK (OFREP): new OFREPProvider({ baseUrl: '${url}' }).`);
});

test.skipIf(CHROMIUM === undefined)('the page follows edits of the manifests, and keeps nothing', async () => {
  const { workspace, stderr } = await serve();
  const { outputFiles } = await build({
    absWorkingDir: workspace.root,
    entryPoints: ['page.js'],
    bundle: true,
    format: 'esm',
    write: false,
  });
  const page = createServer((_, response) => {
    const script = (outputFiles[0]?.text ?? '').replaceAll('</script', '<\\/script');
    response.setHeader('Content-Type', 'text/html; charset=utf-8');
    response.end(`<!doctype html><body></body><script type="module">${script}</script>`);
  });
  await new Promise<void>((resolve) => page.listen(0, '127.0.0.1', resolve));
  const browser = await openBrowser(CHROMIUM ?? '');
  onTestFinished(async () => {
    await browser.close();
    page.close();
  });
  await browser.open(`http://127.0.0.1:${(page.address() as AddressInfo).port}/`, { width: 800 });
  const shown = async (): Promise<string> => browser.evaluate('document.body.textContent');
  await expect.poll(shown).toBe('one-page');
  await expect.poll(stderr).toContain('POST /ofrep/v1/evaluate/flags 304');
  const manifest = FILES['flags/checkout.yaml'] ?? '';
  workspace.write('flags/checkout.yaml', manifest.replaceAll('one-page', 'two-pages'));
  await expect.poll(shown).toBe('two-pages');
  expect(await browser.evaluate('localStorage.length')).toBe(0);
  expect(browser.messages().filter((message) => /CORS|"level":"error"/.test(message))).toEqual([]);
});
