/** Drives a real Chromium over its debugging pipe, without a library: opens a page, measures it, and presses keys. */

import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Readable, Writable } from 'node:stream';

/** Where Debian, other distributions and CI systems have it. */
const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Absent on a machine without Chromium: its tests are skipped. */
export const CHROMIUM: string | undefined = PLACES.find((place) => existsSync(place));

export interface View {
  readonly width: number;
  readonly scheme?: 'light' | 'dark';
  readonly media?: 'screen' | 'print';
}

export interface Browser {
  /** Shows a file or an address, and forgets what the page before it said. */
  open(place: string, view: View): Promise<void>;
  /** The value of an expression in the page. */
  evaluate<Value>(expression: string): Promise<Value>;
  press(key: 'Tab' | 'ArrowRight' | 'Enter' | 'Escape' | '/'): Promise<void>;
  /** A PNG of the page from its top; without a height of the whole page. */
  picture(height?: number): Promise<Buffer>;
  /** What the page wrote to the console, and what the browser says of it. */
  messages(): readonly string[];
  close(): Promise<void>;
}

const OPTIONS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-quic',
  '--disable-dev-shm-usage',
  '--hide-scrollbars',
  '--remote-debugging-pipe',
];

export async function openBrowser(program: string): Promise<Browser> {
  const profile = mkdtempSync(path.join(tmpdir(), 'chromium-'));
  const child = spawn(program, [...OPTIONS, `--user-data-dir=${profile}`, 'about:blank'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
  });
  const messages: string[] = [];
  const { send, nextEvent } = connect(child, (method, params) => {
    if (method === 'Log.entryAdded') messages.push(textOf(params['entry']));
    if (method === 'Runtime.consoleAPICalled' || method === 'Runtime.exceptionThrown') messages.push(textOf(params));
    // A dialog holds the page until somebody answers.
    if (method === 'Page.javascriptDialogOpening') {
      messages.push(textOf(params));
      void call('Page.handleJavaScriptDialog', { accept: false });
    }
  });
  const { targetId } = await send('Target.createTarget', { url: 'about:blank' });
  const { sessionId } = await send('Target.attachToTarget', { targetId, flatten: true });
  const call = async (method: string, params: Params = {}): Promise<Params> => send(method, params, String(sessionId));
  for (const domain of ['Page', 'Runtime', 'Log']) await call(`${domain}.enable`);
  await call('Emulation.setFocusEmulationEnabled', { enabled: true });
  return {
    open: async (place, { width, scheme = 'light', media = 'screen' }) => {
      const size = { width, height: 900, deviceScaleFactor: 1, mobile: false };
      await call('Emulation.setDeviceMetricsOverride', size);
      const features = [{ name: 'prefers-color-scheme', value: scheme }];
      await call('Emulation.setEmulatedMedia', { media, features });
      messages.length = 0;
      const loaded = nextEvent('Page.loadEventFired');
      await call('Page.navigate', { url: place.includes('://') ? place : `file://${place}` });
      await loaded;
    },
    evaluate: async <Value>(expression: string) => {
      const { result, exceptionDetails } = await call('Runtime.evaluate', { expression, returnByValue: true });
      if (exceptionDetails !== undefined) throw new Error(JSON.stringify(exceptionDetails));
      return (result as { readonly value: Value }).value;
    },
    press: async (key) => {
      const code = { Tab: 9, ArrowRight: 39, Enter: 13, Escape: 27, '/': 191 }[key];
      const text = key === 'Enter' ? { text: '\r' } : key === '/' ? { text: key } : {};
      for (const type of ['keyDown', 'keyUp'])
        await call('Input.dispatchKeyEvent', { type, key, code: key, windowsVirtualKeyCode: code, ...text });
    },
    picture: async (height) => {
      const { cssContentSize } = await call('Page.getLayoutMetrics');
      const { width, height: all } = cssContentSize as { readonly width: number; readonly height: number };
      const clip = { x: 0, y: 0, width, height: Math.min(height ?? all, all), scale: 1 };
      const { data } = await call('Page.captureScreenshot', { clip, captureBeyondViewport: true });
      return Buffer.from(String(data), 'base64');
    },
    messages: () => messages,
    close: async () => {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      // It ends its own processes then, which write to the profile until the last.
      await send('Browser.close');
      await ended;
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

type Params = Readonly<Record<string, unknown>>;

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Params;
  readonly result?: Params;
  readonly error?: unknown;
}

interface Connection {
  readonly send: (method: string, params?: Params, sessionId?: string) => Promise<Params>;
  readonly nextEvent: (method: string) => Promise<void>;
}

/** Each message is JSON that ends with a zero character. */
function connect(child: ChildProcess, onEvent: (method: string, params: Params) => void): Connection {
  const [input, output] = [child.stdio[3] as Writable, child.stdio[4] as Readable];
  const waiting = new Map<number, (message: Message) => void>();
  const expected = new Map<string, () => void>();
  let rest = '';
  let last = 0;
  output.setEncoding('utf8').on('data', (text: string) => {
    const texts = (rest + text).split('\0');
    rest = texts.pop() ?? '';
    for (const one of texts) take(JSON.parse(one) as Message);
  });
  const take = (message: Message): void => {
    if (message.id !== undefined) return waiting.get(message.id)?.(message);
    onEvent(message.method ?? '', message.params ?? {});
    expected.get(message.method ?? '')?.();
  };
  return {
    send: async (method, params = {}, sessionId) =>
      new Promise((resolve, reject) => {
        last += 1;
        waiting.set(last, ({ result = {}, error }) => {
          if (error === undefined) resolve(result);
          else reject(new Error(`${method}: ${JSON.stringify(error)}`));
        });
        input.write(
          `${JSON.stringify({ id: last, method, params, ...(sessionId === undefined ? {} : { sessionId }) })}\0`,
        );
      }),
    nextEvent: async (method) => new Promise((resolve) => expected.set(method, resolve)),
  };
}

function textOf(value: unknown): string {
  return JSON.stringify(value);
}
