/** A rollout made in seconds: by the runs that CI would make, on a service of its own. */

import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { runCli, type Ran } from '../../helpers/run.ts';
import { schemaErrors } from '../../helpers/schemas.ts';
import { createWorkspace } from '../../helpers/workspace.ts';

const CONFIG = `projects:
  production: { host: https://us.posthog.com, project_id: '5', cohorts: { staff: 12 } }
  staging: { host: https://us.posthog.com, project_id: '6', cohorts: { staff: 13 } }
default_project: production
base: { push: origin }
`;
const JUDGED = `  "approvers": ["ben"], "rules": [
    { "rule": "max-widen", "points": 45 }]
`;
const BLOCKS = `base: { push: origin }
projects:
  production:
    # Where people are
    host: https://us.posthog.com
    project_id: '5'
    cohorts:
      staff: 12

`;
const FLAGS = `flags:
  checkout:
    active: true
    rollout_percentage:
      steps: [{ at: 2026-12-01T09:00+01:00, to: 10 }, { at: 2026-12-03T09:00+01:00, to: 50 }, { at: 2026-12-07T09:00+01:00, to: 100 }]
  staged:
    active: { steps: [{ at: 2026-12-02T08:00Z, to: true }] }
    filters:
      groups:
        - { properties: [{ key: id, type: cohort, value: staff }], rollout_percentage: 80 }
        - rollout_percentage: 5
  other: { active: true, rollout_percentage: 1 }
`;
const POLICIES = `policies: { approvers: [ben], rules: [{ rule: max-widen, points: 45, level: approve }] }\n`;

async function rehearse(argv: readonly string[], config: string = CONFIG, flags: string = FLAGS): Promise<Ran> {
  const { root } = createWorkspace({ 'flagwright.yaml': config, 'flags/a.yaml': flags });
  const before = readdirSync(root);
  const ran = await runCli(['rehearse', ...argv], { cwd: root });
  expect(readdirSync(root)).toEqual(before);
  return ran;
}

describe('rehearse', () => {
  test('makes each step at its time, without a key, and says who has the flag on', async () => {
    const ran = await rehearse(['checkout', 'staged']);
    expect([ran.code, ran.stderr]).toEqual([0, '']);
    expect(ran.stdout.split('\n').map((line) => line.trimEnd())).toEqual([
      'Rehearsal for production',
      '',
      '  2026-12-01 07:45:00 UTC  checkout  before          0% of everyone',
      '  2026-12-01 07:45:00 UTC  staged    before          0% of everyone',
      '  2026-12-01 08:00:00 UTC  checkout  step 1 of 3     10% of everyone',
      '  2026-12-02 08:00:00 UTC  staged    step 1 of 1     5% to 80% of everyone',
      '  2026-12-03 08:00:00 UTC  checkout  step 2 of 3     50% of everyone',
      '  2026-12-07 08:00:00 UTC  checkout  step 3 of 3     100% of everyone',
      '',
      'Rehearsal: 4 steps made of 2 flags',
      '',
    ]);
  });

  test('judges the named flags and what they depend on, and no other as a new one', async () => {
    const config = `${CONFIG}policies: { rules: [{ rule: max-widen, points: 45 }] }\n`;
    const wide = (key: string): string => `  ${key}: { active: true, rollout_percentage: 100 }\n`;
    const many = `${FLAGS}${Array.from({ length: 30 }, (_, at) => wide(`wide-${at}`)).join('')}`;
    // The steps of other rollouts are still ahead, so they are judged too.
    const one = many.replaceAll('to: 100', 'to: 90').replace('rollout_percentage: 80', 'rollout_percentage: 40');
    expect(await rehearse(['checkout'], config, one)).toMatchObject({ code: 0, stderr: '' });
    const refused = await rehearse(['checkout'], config, one.replace('to: 50', 'to: 80'));
    expect(refused.code).toBe(4);
    expect(refused.stderr).toContain('checkout turns on for 70%');
    expect(refused.stderr).not.toMatch(/wide-|\\n/);
    const onWide = one.replace(
      '- rollout_percentage: 5',
      '- { properties: [{ key: wide-0, type: flag, operator: flag_evaluates_to, value: true }], rollout_percentage: 5 }',
    );
    const dependent = await rehearse(['staged'], config, onWide);
    expect([dependent.code, dependent.stderr]).toEqual([
      4,
      expect.stringMatching(/wide-0 turns on for 100%/) as string,
    ]);
    expect(dependent.stderr).not.toContain('wide-1 ');
  });

  test('does not ask PostHog to take filters of other flags that it would refuse today', async () => {
    const old = `  old:
    fields: { filters: { groups: [{ properties: [{ key: age, type: person, operator: gt, value: 17 }] }] } }
  on-old:
    filters: { groups: [{ properties: [{ key: old, type: flag, operator: flag_evaluates_to, value: true }] }] }
`;
    expect(await rehearse(['checkout'], CONFIG, FLAGS + old)).toMatchObject({ code: 0, stderr: '' });
  });

  test('of late runs keeps the distance between steps', async () => {
    const { document } = await rehearse(['checkout', '--late', '1d', '-f', 'json']);
    expect(schemaErrors('rehearsal', document())).toEqual([]);
    expect(document()['moments']).toMatchObject([
      { step: 0 },
      { at: '2026-12-02T08:00:00.000Z', step: 1, on_percent: { least: 10, most: 10 } },
      { at: '2026-12-05T08:00:00.000Z', step: 2 },
      { at: '2026-12-10T08:00:00.000Z', step: 3 },
    ]);
  });

  test('counts the steps that one run makes at once, and not those that were made before', async () => {
    const flags = `flags:
  jumping: { active: true, rollout_percentage: { catch_up: latest, steps: [{ at: 2026-12-01T08:00Z, to: 10 }, { at: 2026-12-01T12:00Z, to: 50 }] } }
  both:
    active: { steps: [{ at: 2026-12-02T08:00Z, to: true }] }
    rollout_percentage: { steps: [{ at: 2026-01-01T08:00Z, to: 5, done: true }, { at: 2026-12-02T08:00Z, to: 10 }] }
`;
    const late = async (key: string): Promise<string> => (await rehearse([key, '--late', '1d'], CONFIG, flags)).stdout;
    expect(await late('jumping')).toMatch(/step 2 of 2 [^]*Rehearsal: 2 steps made of 1 flag\n/);
    expect(await late('both')).toMatch(/step 1 of 3 [^]*Rehearsal: 2 steps made of 1 flag\n/);
  });

  test('draws a page without scripts', async () => {
    const { stdout } = await rehearse(['checkout', '-f', 'html']);
    expect(stdout).toContain('<svg viewBox=');
    expect(stdout).not.toContain('<script');
    expect((await rehearse(['checkout', '-f', 'markdown'])).stdout).toContain('50% of everyone');
  });

  test('asks for the approvals of the review', async () => {
    const refused = await rehearse(['checkout'], CONFIG + POLICIES);
    expect(refused.code).toBe(4);
    expect(refused.stderr).toContain('max-widen');
    expect(refused.stderr).toContain('--approved-by');
    expect((await rehearse(['checkout', '--approved-by', 'ben'], CONFIG + POLICIES)).code).toBe(0);
  });

  test.each([
    ['of one line', CONFIG],
    ['of several lines, with a comment', BLOCKS],
    ['that is null', 'projects: { production: null }\n'],
    ['that nothing names', 'drift: revert\n'],
    [
      'in JSON',
      `{ "base": { "push": "origin" }, "projects": { "production": { "service": "embedded" } }, "policies": {\n${JUDGED}}}`,
    ],
    [
      'that is an alias',
      `${BLOCKS.replace('base: { push: origin }', '').replace('production:', 'all: &all')}  production: *all\n`,
    ],
  ])('names the rule where the configuration has it, behind a project %s', async (_, config) => {
    const whole = config.includes('rules') ? config : `${config}# Who decides\npolicies: {\n${JUDGED}}\n`;
    const line = whole.split('\n').findIndex((text) => text.includes('max-widen')) + 1;
    const argv = config.includes('production') ? ['-p', 'production'] : [];
    const refused = await rehearse(['checkout', ...argv], whole, FLAGS.replace('value: staff', 'value: 12'));
    expect([refused.code, refused.stderr]).toEqual([4, expect.stringContaining(`Rule: flagwright.yaml:${line}:5.`)]);
  });

  test('rehearses a configuration that keeps its values elsewhere, or in another file', async () => {
    const anchored = `base: &base { push: origin }\nx-kept: *base\n${CONFIG.replace('base: { push: origin }\n', '')}`;
    expect(await rehearse(['checkout'], anchored)).toMatchObject({ code: 0, stderr: '' });
    const { root } = createWorkspace({ 'of-prod.yaml': BLOCKS + POLICIES, 'flags/a.yaml': FLAGS });
    const ran = await runCli(['rehearse', 'checkout', '-c', 'of-prod.yaml'], { cwd: root });
    expect([ran.code, ran.stderr]).toEqual([4, expect.stringMatching(/Rule: of-prod.yaml:10:/)]);
  });

  test.each([
    [['chekout'], 'Did you mean "checkout"?'],
    [['other'], 'has no steps over time'],
    [['checkout', '-p', 'nowhere'], 'nowhere'],
  ])('%s is no rollout', async (argv, expected) => {
    const ran = await rehearse(argv);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain(expected);
  });
});
