/** What a person sees in a terminal, on which a slow service is waited for: nothing of the progress is left there. */

import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { run } from '../../src/cli/run.ts';
import { createRepository, type TestRepository } from '../helpers/repository.ts';
import { openWorld } from '../helpers/world.ts';

const KEY = 'phx_planted_key_0123456789';
const PROGRESS = /^(?:reading|applying|verifying|counting) · /m;

/** Slower than the line of progress is rewritten. */
const SLOW = { faults: [{ latency: { ms: 150 }, count: 1000 }] };

async function slowProject(): Promise<TestRepository> {
  const flags = ['checkout', 'search'].map((key, index) => ({
    id: index + 1,
    key,
    active: true,
    filters: { groups: [{ rollout_percentage: 100, properties: [] }] },
  }));
  const world = await openWorld('posthog', flags, { faults: SLOW });
  return createRepository({
    'flagwright.yaml': `default_project: main\nprojects: { main: { host: "${world.url}", project_id: "1" }, other: { host: "${world.url}", project_id: "1" } }\nlimits: { updates_percent: 100 }\n`,
    'flags/main.yaml': 'flags:\n  checkout: { active: true, rollout_percentage: 100 }\n  search: { active: false }\n',
  });
}

/** The lines of a terminal that got this text: of each line, what was written after it was last erased. */
function screenOf(text: string): string {
  const lines = text.split('\n').map((line) => line.split(ERASE).at(-1));
  return stripVTControlCharacters(lines.join('\n'));
}

const ERASE = '\r\u001b[2K';

interface Seen {
  readonly code: number;
  readonly text: string;
}

/** Runs a command whose stdin, stdout and stderr are one terminal. `onText`: gets all that was written, and Ctrl-C. */
async function inTerminal(
  { root }: TestRepository,
  argv: readonly string[],
  {
    env = {},
    onText,
  }: {
    readonly env?: Readonly<Record<string, string>>;
    readonly onText?: (text: string, interrupt: () => void) => void;
  } = {},
): Promise<Seen> {
  let text = '';
  const listeners = new Set<() => void>();
  const output = {
    isTerminal: true,
    columns: 100,
    write: async (more: string) => {
      text += more;
      onText?.(text, () => listeners.forEach((listener) => listener()));
    },
  };
  const code = await run(argv, {
    cwd: root,
    env: { POSTHOG_API_KEY: KEY, TERM: 'xterm', HOME: root, ...env },
    system: { node: process.versions.node, platform: 'linux x64' },
    stdin: { isTerminal: true, readLine: async () => 'yes' },
    stdout: output,
    stderr: output,
    now: () => Date.now(),
    randomUuid: () => crypto.randomUUID(),
    onStopSignal: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  });
  return { code, text };
}

describe('nothing of the progress is left', () => {
  test.each([
    ['off checkout --yes', 0],
    ['off checkout search', 0],
    ['off nothing', 1],
    ['plan', 0],
    ['plan --impact', 0],
    ['apply', 0],
    ['apply --yes -f json', 0],
    ['drift', 2],
    ['accept checkout', 0],
    ['export --dry-run', 0],
    ['stale', 0],
    ['refs --live', 0],
    ['explain checkout', 0],
    ['snapshot --out live.snapshot', 0],
    ['flags list', 0],
    ['flags get checkout', 0],
  ])('by %s', async (line, code) => {
    const project = await slowProject();
    const seen = await inTerminal(project, line.split(' '));
    expect(PROGRESS.test(seen.text.replaceAll(ERASE, '\n'))).toBe(true);
    expect(screenOf(seen.text)).not.toMatch(PROGRESS);
    expect({ code: seen.code, text: screenOf(seen.text) }).toMatchObject({ code });
  });

  test.each(['off checkout --yes', 'plan', 'apply --yes'])('by %s that Ctrl-C ends', async (line) => {
    const project = await slowProject();
    let isStopped = false;
    const seen = await inTerminal(project, [...line.split(' '), '-p', 'main'], {
      onText: (text, interrupt) => {
        if (isStopped || !text.includes(' · ')) return;
        isStopped = true;
        interrupt();
      },
    });
    expect(seen.code).toBe(130);
    expect(screenOf(seen.text)).not.toMatch(PROGRESS);
  });
});

test('a dumb terminal gets no escape codes, unless it is asked for colours', async () => {
  const project = await slowProject();
  for (const line of ['off checkout --yes', 'plan', 'drift', 'off nothing', 'flags list']) {
    const seen = await inTerminal(project, [...line.split(' '), '-p', 'main'], { env: { TERM: 'dumb' } });
    expect(seen.text).toBe(stripVTControlCharacters(seen.text).replaceAll('\r', ''));
    expect(seen.text).not.toMatch(PROGRESS);
  }
  const coloured = await inTerminal(project, ['drift', '-p', 'main'], { env: { TERM: 'dumb', FORCE_COLOR: '1' } });
  expect(coloured.text).toContain('\u001b[');
  expect(coloured.text).not.toContain('\u001b[2K');
  const plain = await inTerminal(project, ['drift', '-p', 'main'], { env: { NO_COLOR: '1' } });
  expect(plain.text.replaceAll('\u001b[2K', '')).not.toContain('\u001b');
});
