/** Many projects in one run. */

import { expect, onTestFinished, test, vi } from 'vitest';
import { TextMemo } from '../../src/base/text-memo.ts';
import { forward } from '../helpers/gate.ts';
import { runCli } from '../helpers/run.ts';
import { TWO_FLAGS } from '../helpers/several-projects.ts';
import { turns } from '../helpers/timers.ts';
import { createWorkspace } from '../helpers/workspace.ts';
import { openWorld } from '../helpers/world.ts';
import { serve } from '../posthog/client/support/server.ts';

const ALL = '--all-projects';

test('at most eight projects are read at once, and each manifest is parsed once', async () => {
  const names = Array.from({ length: 20 }, (_, index) => `p${index}`);
  const world = await openWorld('posthog');
  let [open, most] = [0, 0];
  const { host } = await serve(async (request) => {
    open += 1;
    most = Math.max(most, open);
    // All that may come at once have come, since every other one waits for an answer.
    await turns(50);
    return forward(world.url, request).finally(() => (open -= 1));
  });
  const lines = names.map((name) => `  ${name}: { host: "${host}", project_id: "1", api_key_env: KEY }\n`);
  const text = `# of twenty projects\n${TWO_FLAGS}`;
  const { root } = createWorkspace({ 'flagwright.yaml': `projects:\n${lines.join('')}`, 'flags/main.yaml': text });
  const parsing = vi.spyOn(TextMemo.prototype, 'get');
  onTestFinished(() => void vi.restoreAllMocks());
  const ran = await runCli(['plan', ALL], { cwd: root, env: { KEY: 'phx_planted_key_0123456789' } });
  expect([ran.code, most <= 8, most > 1]).toEqual([0, true, true]);
  const parsed = parsing.mock.calls.flatMap(([, given], call) =>
    given === text ? [parsing.mock.results[call]?.value] : [],
  );
  expect(parsed.length).toBeGreaterThan(1);
  expect(new Set(parsed).size).toBe(1);
});
