/** Overlays that change single parts of the base's filters, from the command line. */

import { expect, test } from 'vitest';
import { stage } from '../helpers/stage.ts';

const TWO_PROJECTS = `projects:
  staging: { host: $HOST, project_id: "1" }
  production: { host: $HOST, project_id: "1" }
default_project: production
`;

const BASE = `flags:
  checkout:
    active: true
    filters:
      groups:
        - description: beta testers
          properties: [{ key: plan, type: person, operator: exact, value: [beta] }]
          rollout_percentage: 100
        - rollout_percentage: 25
      multivariate:
        variants:
          - { key: control, rollout_percentage: 50 }
          - { key: one-page, rollout_percentage: 50 }
      payloads:
        one-page: { color: red, steps: 1 }
`;

test('an overlay changes one condition, one variant and one payload, and the next plan is empty', async () => {
  const { workspace, run } = await stage(
    `${BASE}    projects:
      production:
        conditions: { beta testers: { rollout_percentage: 5 }, 2: null }
        variants:
          control: { rollout_percentage: 90 }
          one-page: { rollout_percentage: 10 }
        payloads: { one-page: { color: blue } }
`,
    TWO_PROJECTS,
  );
  expect((await run('apply', '-p', 'staging', '--yes')).code).toBe(0);

  const planned = await run('plan');
  for (const line of [
    'condition 1 · rollout_percentage  100% → 5%',
    'condition 2                       { rollout_percentage: 25 } → (none)  flags/main.yaml:18:9',
    'variant 2 · rollout_percentage    50% → 10%  flags/main.yaml:21:23',
    'payload one-page · color          red → blue  flags/main.yaml:22:33',
  ]) {
    expect(planned.stdout).toContain(line);
  }
  expect((await run('apply', '--yes')).code).toBe(0);
  expect((await run('plan', '--detailed-exitcode')).code).toBe(0);

  // An export of the project declares the same.
  expect((await run('export', '--dir', 'exported')).code).toBe(0);
  workspace.write(
    'flagwright.yaml',
    workspace.read('flagwright.yaml').replace(/^/, 'manifests: [exported/**/*.yaml]\n'),
  );
  expect((await run('plan', '--detailed-exitcode')).code).toBe(0);
});

test('an error names the place in the overlay, what exists, and the remedy', async () => {
  const { run } = await stage(
    `${BASE}    projects:
      production:
        conditions: { 3: { rollout_percentage: 5 } }
        variants: { control: { rollout_percentage: 90 } }
`,
    TWO_PROJECTS,
  );
  const { code, stdout } = await run('validate');
  expect(code).toBe(1);
  expect(stdout).toContain('flags/main.yaml:18:23');
  expect(stdout).toContain('Outside the overlay, the flag has no condition "3".');
  expect(stdout).toContain('Use 1 ("beta testers") or 2.');
  expect(stdout).toContain('flags/main.yaml:19:9');
  expect(stdout).toContain('The variants add up to 140, not 100.');
});

const AS_INIT = `projects:
  local: { service: embedded }
  production: { host: $HOST, project_id: "1" }
default_project: production
`;

test.each<[string, string, string[], RegExp]>([
  ['accept of a remote project edits the value that the embedded one shares', AS_INIT, [], /active: false\n$/],
  [
    'an overlay of the embedded project stays',
    AS_INIT,
    ['    projects: { local: { active: true } }\n'],
    /active: false\n {4}projects: \{ local: \{ active: true \} \}\n$/,
  ],
  [
    'a further remote project keeps the value',
    AS_INIT.replace('default', '  staging: { host: $HOST, project_id: "1" }\ndefault'),
    [],
    /active: true\n {4}projects:\n {6}production: \{ active: false \}\n$/,
  ],
])('%s', async (_name, config, more, expected) => {
  const { world, workspace, run } = await stage(`flags:\n  checkout:\n    active: true\n${more.join('')}`, config);
  expect((await run('apply', '--yes')).code).toBe(0);
  await world.edit('checkout', { active: false });
  expect(await run('accept', '--yes')).toMatchObject({ code: 0 });
  expect(workspace.read('flags/main.yaml')).toMatch(expected);
  expect((await run('plan', '--detailed-exitcode')).code).toBe(0);
});

test('accept of the embedded project leaves the value of a remote one', async () => {
  const { workspace, run } = await stage('flags:\n  checkout:\n    active: true\n', AS_INIT);
  expect((await run('apply', '--yes', '-p', 'local')).code).toBe(0);
  expect((await run('off', 'checkout', '--yes', '-p', 'local')).code).toBe(0);
  expect((await run('accept', '--yes', '-p', 'local')).code).toBe(0);
  expect(workspace.read('flags/main.yaml')).toContain('active: true\n    projects:\n      local: { active: false }');
});
