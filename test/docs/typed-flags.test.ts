/** The page docs/typed-flags.md: its commands write modules that compile with each SDK and read the flags of a service. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { InMemoryProvider, OpenFeature } from '@openfeature/server-sdk';
import { InMemoryProvider as WebProvider, OpenFeature as WebOpenFeature } from '@openfeature/web-sdk';
import { PostHog } from 'posthog-node';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { cli } from '../helpers/cli.ts';
import { compile } from '../helpers/compile.ts';
import { createEvent } from '../helpers/event.ts';
import { stage } from '../helpers/stage.ts';
import { createWorkspace, type Workspace } from '../helpers/workspace.ts';

const TEXT = readFileSync(path.join(import.meta.dirname, '../../docs/typed-flags.md'), 'utf8');
const FILES = Object.fromEntries(
  [...TEXT.matchAll(/```(?:ts|yaml)\n(?:\/\/|#) (\S+)\n(.*?)```/gs)].map(([, name = '', text = '']) => [name, text]),
);
const MANIFEST = FILES['flags/checkout.yaml'] ?? '';

const USES = {
  'posthog-js': `import { posthog } from 'posthog-js';
import { newCheckout, searchV2, type FlagKey } from './flags.js';
export const key: FlagKey = newCheckout.key;
export const value: 'one-page' | 'three-steps' | false = newCheckout.value(posthog);
export const hint: string | undefined = newCheckout.payload(posthog)?.hint;
export const none: undefined = searchV2.payload(posthog);
// @ts-expect-error there is no such variant
export const wrong: boolean = newCheckout.value(posthog) === 'two-steps';
// @ts-expect-error there is no such member
newCheckout.payload(posthog)?.colour;
`,
  'posthog-node': FILES['src/checkout.ts'] ?? '',
  'openfeature-server': `import { OpenFeature } from '@openfeature/server-sdk';
import { newCheckout, searchV2 } from './flags.js';
const client = OpenFeature.getClient();
const context = { targetingKey: 'ada-7' };
export const value: 'one-page' | 'three-steps' | false = await newCheckout.value(client, context);
export const isOn: boolean = await searchV2.isOn(client);
export const steps: number | undefined = (await newCheckout.payload(client, context))?.steps;
`,
  'openfeature-web': `import { OpenFeature } from '@openfeature/web-sdk';
import { newCheckout, searchV2 } from './flags.js';
const client = OpenFeature.getClient();
export const value: 'one-page' | 'three-steps' | false = newCheckout.value(client);
export const isOn: boolean = searchV2.isOn(client);
export const steps: number | undefined = newCheckout.payload(client)?.steps;
`,
} as const;

/** The folder of the page, with the module that the command writes, compiled together with a program that uses it. */
async function generateFor(sdk: keyof typeof USES): Promise<Workspace> {
  const workspace = createWorkspace({ ...FILES, 'src/checkout.ts': USES[sdk] });
  const argv = ['generate', 'typescript', '--sdk', sdk, '--out', 'src/flags.ts'];
  const ran = await cli(argv, { cwd: workspace.root });
  expect(ran).toMatchObject({ code: 0, stdout: '+ written  src/flags.ts\n', stderr: '' });
  expect(await cli([...argv, '--check'], { cwd: workspace.root })).toMatchObject({
    code: 0,
    stdout: '= current  src/flags.ts\n',
  });
  expect(compile(workspace)).toBe('');
  return workspace;
}

interface Accessor {
  readonly value: (...args: readonly unknown[]) => unknown;
  readonly isOn: (...args: readonly unknown[]) => unknown;
  readonly payload: (...args: readonly unknown[]) => unknown;
}

async function load<Module>({ root }: Workspace, file: string): Promise<Module> {
  return (await import(/* @vite-ignore */ pathToFileURL(path.join(root, 'out/src', file)).href)) as Module;
}

describe('docs/typed-flags.md', () => {
  it('names each file of its code', () => {
    expect(Object.keys(FILES)).toHaveLength([...TEXT.matchAll(/```(?:ts|yaml)\n/g)].length);
  });

  it('shows what the command writes', async () => {
    const { read } = await generateFor('posthog-node');
    const [shown = ''] = /(?<=```text\n).*?(?=```)/s.exec(TEXT) ?? [];
    for (const part of shown.split('…\n')) expect(read('src/flags.ts')).toContain(part);
  });

  it('reads flags of the embedded service with posthog-js, and its types find errors', async () => {
    const { newCheckout, searchV2 } = await load<Readonly<Record<'newCheckout' | 'searchV2', Accessor>>>(
      await generateFor('posthog-js'),
      'flags.js',
    );
    const { world, run } = await stage(MANIFEST);
    expect(await run('apply', '--yes')).toMatchObject({ code: 0 });
    vi.stubGlobal('navigator', { onLine: true, userAgent: 'node' });
    onTestFinished(() => void vi.unstubAllGlobals());
    const { posthog } = await import('posthog-js');
    const loaded = createEvent();
    const client = posthog.init('phc_1', {
      api_host: world.url,
      persistence: 'memory',
      bootstrap: { distinctID: 'ada-7' },
      before_send: () => null,
      // The library compresses with what only browsers have.
      disable_compression: true,
      disable_external_dependency_loading: true,
      autocapture: false,
      capture_pageview: false,
    });
    client.onFeatureFlags(() => loaded.happen());
    await loaded.happened;
    expect([newCheckout.value(client), newCheckout.isOn(client), newCheckout.payload(client)]).toEqual([
      'one-page',
      true,
      { steps: 1 },
    ]);
    expect([typeof searchV2.value(client), searchV2.payload(client)]).toEqual(['boolean', undefined]);
  });

  it('reads flags of the embedded service with posthog-node', async () => {
    const workspace = await generateFor('posthog-node');
    const { world, run } = await stage(MANIFEST);
    expect(await run('apply', '--yes')).toMatchObject({ code: 0 });
    const client = new PostHog('phc_1', { host: world.url, flushAt: 1 });
    onTestFinished(async () => client.shutdown());
    const { stepsFor } = await load<{ stepsFor: (posthog: PostHog, id: string) => Promise<number> }>(
      workspace,
      'checkout.js',
    );
    expect(await stepsFor(client, 'ada-7')).toBe(1);
    const { newCheckout, searchV2 } = await load<Readonly<Record<'newCheckout' | 'searchV2', Accessor>>>(
      workspace,
      'flags.js',
    );
    const flags = await client.evaluateFlags('ada-7');
    expect([newCheckout.value(flags), newCheckout.isOn(flags), newCheckout.payload(flags)]).toEqual([
      'one-page',
      true,
      { steps: 1 },
    ]);
    const unknown = { getFlag: () => 'holdout-7', getFlagPayload: () => ({ steps: 9 }) };
    expect([newCheckout.value(unknown), newCheckout.isOn(unknown), newCheckout.payload(unknown)]).toEqual([
      false,
      false,
      undefined,
    ]);
    expect(searchV2.value({ getFlag: () => undefined, getFlagPayload: () => undefined })).toBe(false);
    expect(searchV2.value({ getFlag: () => true, getFlagPayload: () => undefined })).toBe(true);
  });

  const PROVIDED = {
    'new-checkout': { variants: { on: 'one-page', off: '' }, defaultVariant: 'on', disabled: false },
    'search-v2': { variants: { on: true, off: false }, defaultVariant: 'on', disabled: false },
  };

  it('reads flags with OpenFeature on a server', async () => {
    await OpenFeature.setProviderAndWait('typed', new InMemoryProvider(PROVIDED));
    const client = OpenFeature.getClient('typed');
    const { newCheckout, searchV2 } = await load<Readonly<Record<'newCheckout' | 'searchV2', Accessor>>>(
      await generateFor('openfeature-server'),
      'flags.js',
    );
    expect(await newCheckout.value(client, { targetingKey: 'ada-7' })).toBe('one-page');
    expect(await searchV2.value(client)).toBe(true);
    expect(await searchV2.isOn(client)).toBe(true);
    // The provider has a string under this key, and answers the fallback.
    expect(await newCheckout.payload(client)).toBeUndefined();
    const off = { 'new-checkout': { ...PROVIDED['new-checkout'], defaultVariant: 'off' } };
    await OpenFeature.setProviderAndWait('typed', new InMemoryProvider(off));
    expect([await newCheckout.value(client), await newCheckout.isOn(client)]).toEqual([false, false]);
    const payload = { variants: { on: { steps: 1 } }, defaultVariant: 'on', disabled: false };
    await OpenFeature.setProviderAndWait('typed', new InMemoryProvider({ 'new-checkout': payload }));
    expect(await newCheckout.payload(client)).toEqual({ steps: 1 });
  });

  it('reads flags with OpenFeature in a browser', async () => {
    await WebOpenFeature.setProviderAndWait('typed', new WebProvider(PROVIDED));
    const client = WebOpenFeature.getClient('typed');
    const { newCheckout, searchV2 } = await load<Readonly<Record<'newCheckout' | 'searchV2', Accessor>>>(
      await generateFor('openfeature-web'),
      'flags.js',
    );
    expect([newCheckout.value(client), searchV2.isOn(client), newCheckout.payload(client)]).toEqual([
      'one-page',
      true,
      undefined,
    ]);
  });
});
