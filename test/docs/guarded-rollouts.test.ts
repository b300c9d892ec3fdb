/** The recipes of docs/guarded-rollouts.md, run by bash and jq with stand-ins for the programs that ask: no data is no verdict, and no answer is no file. */

import { spawnSync } from 'node:child_process';
import { chmodSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { stringifyJson } from '../../src/base/json-text.ts';
import type { JsonValue } from '../../src/base/json.ts';
import { readVerdicts } from '../../src/config/verdicts.ts';
import { createWorkspace } from '../helpers/workspace.ts';

const PAGE = readFileSync(path.resolve(import.meta.dirname, '../../docs/guarded-rollouts.md'), 'utf8');

/** The code below `With NAME…:`. */
function recipe(name: string): string {
  const [, code = ''] = new RegExp(`^With (?:a )?${name}[^\\n]*:\\n\\n\`\`\`sh\\n(.*?)\`\`\``, 'ms').exec(PAGE) ?? [];
  expect(code).toContain('> verdicts.json');
  return code;
}

/** What the recipe says of `error-budget` if the program prints this; absent: it fails. */
async function said(name: string, program: string, answer: JsonValue | undefined): Promise<string> {
  const workspace = createWorkspace({
    answer: answer === undefined ? '' : stringifyJson(answer),
    [`bin/${program}`]: `#!/bin/sh\ncat answer\n${answer === undefined ? 'exit 22\n' : ''}`,
  });
  const bin = path.join(workspace.root, 'bin');
  chmodSync(path.join(bin, program), 0o755);
  const env = { ...process.env, PATH: `${bin}:${process.env['PATH']}`, PROMETHEUS: 'http://p', MONITOR: '1' };
  const ran = spawnSync('bash', ['--norc', '-eu', '-c', recipe(name)], {
    cwd: workspace.root,
    encoding: 'utf8',
    env: {
      ...env,
      ...{ DD_API_KEY: 'a', DD_APP_KEY: 'b' },
      ...{ POSTHOG_API_KEY: 'c', POSTHOG_HOST: 'http://h', POSTHOG_PROJECT_ID: '1' },
    },
  });
  expect(ran.stderr).toBe('');
  const file = { path: path.join(workspace.root, 'verdicts.json'), file: 'verdicts.json' };
  const sightingOf = await readVerdicts(file).catch(() => undefined);
  if (sightingOf === undefined) return 'not a file of verdicts';
  const sighting = sightingOf('error-budget');
  if (sighting.says === 'unknown') return sighting.why;
  expect(Date.parse(sighting.at ?? '')).toBeGreaterThan(Date.parse('2026-01-01T00:00:00Z'));
  return `${sighting.says}: ${sighting.reason}`;
}

const measured = (value: string): JsonValue => [{ metric: {}, value: [1_796_130_000.781, value] }];
const counted = (...counts: readonly number[]): JsonValue => ({ results: [counts] });

const hasJq = spawnSync('bash', ['-c', 'command -v jq']).status === 0;

describe.skipIf(!hasJq)('a recipe', () => {
  test.each<readonly [name: string, program: string, what: string, answer: JsonValue | undefined, says: string]>([
    ['Prometheus', 'promtool', 'few errors', measured('0.002'), 'pass: 0.002 of requests fail'],
    ['Prometheus', 'promtool', 'none', measured('0'), 'pass: 0 of requests fail'],
    ['Prometheus', 'promtool', 'many', measured('0.04'), 'hold: 0.04 of requests fail'],
    ['Prometheus', 'promtool', 'no data', [], 'not_in_file'],
    ['Prometheus', 'promtool', 'no requests', measured('NaN'), 'not_in_file'],
    ['Prometheus', 'promtool', 'a failure', undefined, 'not a file of verdicts'],
    ['Datadog', 'curl', 'OK', { overall_state: 'OK' }, 'pass: the monitor says OK'],
    ['Datadog', 'curl', 'a warning', { overall_state: 'Warn' }, 'hold: the monitor says Warn'],
    ['Datadog', 'curl', 'an alert', { overall_state: 'Alert' }, 'hold: the monitor says Alert'],
    ['Datadog', 'curl', 'no data', { overall_state: 'No Data' }, 'not_in_file'],
    ['Datadog', 'curl', 'nothing', {}, 'not_in_file'],
    ['Datadog', 'curl', 'a failure', undefined, 'not a file of verdicts'],
    ['HogQL', 'curl', 'few errors', counted(3, 4000), 'pass: 3 of 4000 events failed'],
    ['HogQL', 'curl', 'many', counted(400, 4000), 'hold: 400 of 4000 events failed'],
    ['HogQL', 'curl', 'few events', counted(0, 100), 'not_in_file'],
    ['HogQL', 'curl', 'no events', counted(0, 0), 'not_in_file'],
    ['HogQL', 'curl', 'no rows', { results: [] }, 'not_in_file'],
    ['HogQL', 'curl', 'a failure', undefined, 'not a file of verdicts'],
  ])('with %s and %s says of %s what the page says', async (name, program, _, answer, says) => {
    expect(await said(name, program, answer)).toBe(says);
  });
});
