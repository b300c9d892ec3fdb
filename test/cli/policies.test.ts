/** Policies from the command line: judged by plan and apply, from the base commit, with approvals and exceptions. */

// @module-tag untimely
import { describe, expect, test } from 'vitest';
import { CONFIG, gitStage, LATER, type GitStage } from '../helpers/git-stage.ts';
import { schemaErrors } from '../helpers/schemas.ts';
import { MANIFEST } from '../helpers/stage.ts';

const MAX_25 = `${CONFIG}policies:
  rules:
    - rule: max-widen
      points: 25
`;

const APPROVED = `${CONFIG}policies:
  approvers: [ann]
  rules:
    - { rule: max-widen, points: 25, level: approve }
    - { rule: no-personal-data }
`;

const EMAIL = MANIFEST.replace(
  'rollout_percentage: 10',
  'filters: { groups: [{ rollout_percentage: 10, properties: [{ key: email, value: [ann@corp.test], operator: exact, type: person }] }] }',
);

/** The first state is applied, with policies or without. */
async function applied(config: string): Promise<GitStage> {
  const here = await gitStage(config);
  expect((await here.run('apply', '--yes', '--approved-by', 'ann')).code).toBe(0);
  return here;
}

describe('policies', () => {
  test('refuse a change in plan and apply, and name the rule, the manifest and the remedy', async () => {
    const here = await applied(MAX_25);
    here.write('flags/main.yaml', LATER);
    const plan = await here.run('plan', '--detailed-exitcode');
    expect(plan.code).toBe(4);
    expect(plan.stdout).toContain('Apply would refuse this plan (exit code 4):');
    expect(plan.stdout).toContain(
      "checkout turns on for 50% of a condition's people in one step; the limit is 25% (max-widen).",
    );
    expect(plan.stdout).toContain('Broken rules: 1 error');
    const applying = await here.run('apply', '--yes');
    expect(applying.code).toBe(4);
    expect(applying.stderr).toContain('Refused:');
    here.write('flags/main.yaml', MANIFEST.replace('rollout_percentage: 10', 'rollout_percentage: 35'));
    expect((await here.run('apply', '--yes')).code).toBe(0);
  });

  test('are documents: plan, saved plan, error', async () => {
    const here = await applied(MAX_25);
    here.write('flags/main.yaml', LATER);
    const plan = (await here.run('plan', '-f', 'json', '--out', 'plan.json')).document();
    expect(schemaErrors('plan', plan)).toEqual([]);
    expect(plan['policy']).toMatchObject({
      source: { from: 'base', differs: false },
      findings: [
        {
          rule: 'max-widen',
          level: 'error',
          key: 'checkout',
          ref: 'flag:checkout',
          place: { file: 'flags/main.yaml' },
          policy: { file: 'flagwright.yaml', line: 6 },
        },
      ],
    });
    expect(schemaErrors('plan', JSON.parse(here.read('plan.json')))).toEqual([]);
    expect((await here.run('show', 'plan.json')).stdout).toContain('(max-widen).');
    const refused = await here.run('apply', 'plan.json', '-f', 'json');
    expect(refused.code).toBe(4);
    expect(schemaErrors('error', refused.document())).toEqual([]);
    expect(refused.document()['error']).toMatchObject({ code: 'refused', findings: [{ rule: 'max-widen' }] });
    expect((await here.run('plan', '-f', 'markdown')).stdout).toContain(
      '**✗ Apply would refuse this plan (exit code 4)**',
    );
  });

  test('are one list with the safety rules, and each format names the line of the rule', async () => {
    const here = await applied(`${MAX_25}protected: [search]\n`);
    here.write('flags/main.yaml', `${LATER.replace(/ {2}search:[^]*/, '')}  search: { deleted: true }\n`);
    const plan = await here.run('plan', '-f', 'json');
    const commit = here.git('rev-parse', 'HEAD');
    expect(schemaErrors('plan', plan.document())).toEqual([]);
    expect(plan.document()['broken_rules']).toMatchObject([
      { rule: 'protected', sort: 'safety', key: 'search', place: { line: 6 }, set_by: 'protected' },
      {
        rule: 'max-widen',
        sort: 'policy',
        key: 'checkout',
        place: { line: 5 },
        origin: { from: 'configuration', place: { file: 'flagwright.yaml', line: 6 }, commit },
        text: expect.stringContaining('(max-widen).'),
      },
    ]);
    const text = (await here.run('plan')).stdout;
    const rule = `Rule: flagwright.yaml:6:7 at commit ${commit.slice(0, 12)}.`;
    expect(text).toContain(`Apply would refuse this plan (exit code 4):
  search is protected, but the plan would delete it (protected). flags/main.yaml:6:13
    Leave it unchanged in the manifests, or first unprotect it in a separate change.
    Or get an exception, in exceptions.yaml: rule: protected, keys: [search]
    Or allow it in this run with --allow-protected search
    Rule: flagwright.yaml:8:13 at commit ${commit.slice(0, 12)}.
  checkout turns on for 50% of a condition's people in one step; the limit is 25% (max-widen). flags/main.yaml:5:5 Change the manifests, or get an exception.
    ${rule}
`);
    for (const format of ['github', 'gitlab', 'sarif', 'json', 'html', 'markdown']) {
      const { stdout } = await here.run('plan', '-f', format);
      expect(stdout, format).toContain('protected');
      expect(stdout, format).toContain(format === 'json' ? commit : 'flagwright.yaml:6:7');
    }
    const refused = await here.run('apply', '--yes', '-f', 'json');
    expect(schemaErrors('error', refused.document())).toEqual([]);
    expect(refused.document()['error']).toMatchObject({
      broken_rules: [
        { rule: 'protected', place: { line: 6 } },
        { rule: 'max-widen', origin: { commit } },
      ],
    });
    const junit = (await here.run('apply', '--yes', '-f', 'junit')).stdout;
    expect(junit).toContain('hazard/protected');
    expect(junit).toContain(rule);
    expect((await here.run('validate', '-f', 'junit')).stdout).toContain(rule);
  });

  test('come from the base, so that a change cannot get rid of them', async () => {
    const here = await applied(MAX_25);
    for (const config of [CONFIG, MAX_25.replace('points: 25', 'points: 100'), '{']) {
      here.write('flags/main.yaml', LATER);
      if (config !== '{') here.write('flagwright.yaml', config.replaceAll('$HOST', here.world.url));
      else here.git('mv', 'flagwright.yaml', 'flagwright.yml');
      const plan = await here.run('plan', '--detailed-exitcode');
      expect(plan.code).toBe(4);
      if (config !== '{') expect(plan.stdout).toContain('a change of `policies` counts once it is applied');
    }
  });

  test('that a change adds count from the next apply on', async () => {
    const here = await applied(CONFIG);
    here.write('flagwright.yaml', MAX_25.replaceAll('$HOST', here.world.url));
    here.write('flags/main.yaml', LATER);
    here.commit();
    expect((await here.run('apply', '--yes')).code).toBe(0);
    here.write('flags/main.yaml', MANIFEST);
    expect((await here.run('apply', '--yes')).code).toBe(0);
    here.write('flags/main.yaml', LATER);
    expect((await here.run('apply', '--yes')).code).toBe(4);
  });

  test('are those of the checkout without a base', async () => {
    const here = await gitStage(MAX_25);
    here.write('flags/main.yaml', LATER);
    const plan = (await here.run('plan', '-f', 'json')).document();
    expect(plan['policy']).toMatchObject({
      source: { from: 'checkout', why: 'no_base' },
      findings: [{ rule: 'max-widen' }],
    });
  });

  test('ask for an approval, which may come after the plan was saved', async () => {
    const here = await applied(APPROVED);
    here.write('flags/main.yaml', LATER);
    expect((await here.run('plan', '--out', 'plan.json')).stderr).toContain('flagwright apply plan.json');
    expect((await here.run('apply', 'plan.json')).code).toBe(4);
    expect((await here.run('apply', 'plan.json', '--approved-by', 'eve')).code).toBe(4);
    const plan = await here.run('plan', '--detailed-exitcode', '--approved-by', 'eve', 'ann');
    expect([plan.code, plan.stdout]).toEqual([2, expect.stringContaining('Approved by ann.')]);
    expect((await here.run('apply', 'plan.json', '--approved-by', 'ann')).code).toBe(0);
  });

  test('are lifted by a file where the run names who grants it', async () => {
    const here = await applied(APPROVED);
    here.write('flags/main.yaml', EMAIL);
    const exception = (more: string): void =>
      here.write(
        'exceptions.yaml',
        `exceptions:\n  - { rule: no-personal-data, keys: ["check*"], reason: she asked, ${more} }\n`,
      );
    exception('granted_by: ann, until: 9999-12-31');
    expect(await here.run('apply', '--yes')).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('checkout names people in condition 1: 1 e-mail address (no-personal-data).'),
    });
    const plan = await here.run('plan', '--detailed-exitcode', '--approved-by', 'ann');
    expect([plan.code, plan.stdout]).toEqual([
      2,
      expect.stringContaining('Exception by ann until 9999-12-31: she asked.'),
    ]);
    exception('granted_by: ann, until: 2020-01-01');
    expect((await here.run('plan', '--detailed-exitcode', '--approved-by', 'ann')).stdout).toContain(
      'expired on 2020-01-01',
    );
    exception('granted_by: eve, until: 9999-12-31');
    expect((await here.run('plan', '--approved-by', 'eve')).stdout).toContain('eve is not one of the approvers');
    exception('granted_by: ann, until: 2026-02-30');
    expect(await here.run('plan')).toMatchObject({ code: 1, stderr: expect.stringContaining('exceptions.yaml:2') });
  });

  test('are expressions of your own as well, which the base judges by and validate checks', async () => {
    const own = (when: string): string =>
      `${CONFIG}policies:\n  rules:\n    - { name: small-steps, when: '${when}', message: Smaller steps }\n`;
    const here = await applied(own('change.widens > 30.0 && before.present'));
    here.write('flags/main.yaml', LATER);
    const plan = await here.run('plan', '-f', 'json', '--detailed-exitcode');
    expect(plan.code).toBe(4);
    expect(schemaErrors('plan', plan.document())).toEqual([]);
    expect(plan.document()['policy']).toMatchObject({
      findings: [{ rule: 'small-steps', level: 'error', facts: { what: 'own', message: 'Smaller steps' } }],
    });
    expect(await here.run('apply', '--yes')).toMatchObject({
      code: 4,
      stderr: expect.stringMatching(/checkout .*Smaller steps.*\(small-steps\)/),
    });
    here.write('flagwright.yaml', own('change.widen > 30.0').replaceAll('$HOST', here.world.url));
    expect(await here.run('validate')).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(
        /flagwright\.yaml:\d+:42[\s\S]*Change has no field widen \(policy "small-steps"\)[\s\S]*Did you mean widens\?/,
      ),
    });
  });

  test('with a mistake end every run', async () => {
    const here = await gitStage(`${CONFIG}policies:
  rules:
    - { rule: max-widn, points: 5 }
    - { rule: freeze, deny: [{ from: 2026-02-30, to: 2026-12-01, zone: Mars/Base }], projects: [mian] }
    - { rule: freeze, deny: [{ days: [mon], from: "25:00", zone: UTC }] }
    - { rule: naming, patterns: ["a(b"], points: 1 }
`);
    const { code, stdout } = await here.run('validate');
    expect(code).toBe(1);
    for (const part of ['max-widen', '25:00', 'points']) expect(stdout).toContain(part);
    here.write(
      'flagwright.yaml',
      `${CONFIG.replaceAll('$HOST', here.world.url)}policies:
  rules:
    - { rule: freeze, deny: [{ from: 2026-02-30, to: 2026-12-01, zone: Mars/Base }], projects: [mian] }
    - { rule: freeze, deny: [{ from: 2026-12-02, to: 2026-12-01, zone: UTC }] }
    - { rule: naming, patterns: ["+(b)"] }
`,
    );
    const later = await here.run('validate');
    for (const word of ['2026-02-30', 'Mars/Base', 'mian', 'The window from', 'parenthesis'])
      expect(later.stdout).toContain(word);
  });

  test('are judged by validate without a key, against the base', async () => {
    const here = await applied(`${MAX_25}    - { rule: experiment-running }\n`);
    const offline = { env: { POSTHOG_API_KEY: '' } };
    expect(await here.runWith(offline, 'validate')).toMatchObject({ code: 0 });
    here.write('flags/main.yaml', LATER);
    const found = await here.runWith(offline, 'validate');
    expect(found.code).toBe(4);
    expect(found.stdout).toContain('Policies refuse the changes for main (exit code 4):');
    expect(found.stdout).toContain('(max-widen). flags/main.yaml:5');
    const document = (await here.runWith(offline, 'validate', '-f', 'json')).document();
    expect(schemaErrors('validation', document)).toEqual([]);
    expect(document).toMatchObject({ valid: true, policies: [{ project: 'main', findings: [{ rule: 'max-widen' }] }] });
    expect((await here.runWith(offline, 'validate', '-f', 'github')).stdout).toContain(
      '::error file=flags/main.yaml,line=5',
    );
    expect((await here.runWith(offline, 'validate', '-f', 'gitlab')).stdout).toContain(
      '"check_name": "policy/max-widen"',
    );
    expect((await here.runWith(offline, 'validate', '-f', 'markdown')).stdout).toContain('Policies refuse');
    expect((await here.runWith(offline, 'validate', '--base', 'none')).code).toBe(0);
    here.commit();
    expect((await here.runWith(offline, 'validate', '--base', 'HEAD')).code).toBe(0);
    expect((await here.runWith(offline, 'validate', '--base', 'HEAD~1')).code).toBe(4);
    expect((await here.runWith(offline, 'validate', '--base', 'nowhere')).code).toBe(1);
  });

  test('ask another project first, for what the base declares for it where nothing was applied there', async () => {
    const here = await gitStage(
      CONFIG.replace('limits', '  staging: { service: embedded }\ndefault_project: main\nlimits') +
        'policies: { rules: [{ rule: no-direct-production, projects: [main], first: staging }] }\n',
    );
    // Nothing is recorded yet: what the commit declares counts.
    expect((await here.run('apply', '--yes')).stderr).toContain('no commit shows what it declares');
    expect((await here.run('apply', '--yes', '--base', 'HEAD')).code).toBe(0);
    here.write('flags/main.yaml', LATER);
    const plan = await here.run('plan', '--detailed-exitcode');
    expect([plan.code, plan.stdout]).toEqual([
      4,
      expect.stringContaining(
        'checkout gets values that the project staging must have first: conditions.1.rollout_percentage',
      ),
    ]);
    const staged = MANIFEST.replace(
      'rollout_percentage: 10',
      'rollout_percentage: 10\n    projects: { staging: { rollout_percentage: 60 } }',
    );
    here.write('flags/main.yaml', staged);
    here.commit();
    here.write('flags/main.yaml', LATER);
    expect((await here.run('plan', '--detailed-exitcode', '--base', 'HEAD')).code).toBe(2);
  });

  test('freeze changes by the clock of the run, in the zone of the window, over summer time', async () => {
    const here = await gitStage(`${CONFIG}policies:
  rules:
    - rule: freeze
      deny:
        - { from: 2026-03-29T01:00, to: 2026-03-29T04:00, zone: Europe/Berlin }
        - { from: 2026-03-29T01:00, to: 2026-03-29T04:00, zone: America/New_York }
`);
    const codeAt = async (moment: string): Promise<number> =>
      (await here.runWith({ now: Date.parse(moment) }, 'plan', '--detailed-exitcode')).code;
    const codes = {
      // In Berlin the window has two hours, since 02:00 to 03:00 does not exist.
      '2026-03-28T23:59:59Z': 2,
      '2026-03-29T00:00:00Z': 4,
      '2026-03-29T01:59:59Z': 4,
      '2026-03-29T02:00:00Z': 2,
      // In New York it is as long as it says.
      '2026-03-29T04:59:59Z': 2,
      '2026-03-29T05:00:00Z': 4,
      '2026-03-29T07:59:59Z': 4,
      '2026-03-29T08:00:00Z': 2,
    };
    for (const [moment, code] of Object.entries(codes)) expect([moment, await codeAt(moment)]).toEqual([moment, code]);
  });

  test('about flags that do not change stay in a saved plan, and hold for former names there', async () => {
    const here = await gitStage(
      `${CONFIG}policies:\n  rules:\n    - { rule: max-widen, points: 25, keys: [other, old] }\n`,
    );
    await here.world.client.createFlag({ key: 'base', filters: { groups: [{ rollout_percentage: 90 }] } });
    const [base] = (await here.world.client.listFlags()).filter(({ key }) => key === 'base');
    const off = { key: String(base?.id), type: 'flag', operator: 'flag_evaluates_to', value: false };
    await here.world.client.createFlag({
      key: 'other',
      filters: { groups: [{ properties: [off], rollout_percentage: 60 }] },
    });
    here.write('flags/main.yaml', 'flags:\n  base: { active: false }\n');
    const codes = async (...options: string[]): Promise<number[]> => {
      expect((await here.run('plan', '--out', 'plan.json', ...options)).code).toBe(0);
      const runs = [await here.run('apply', 'plan.json'), await here.run('apply', '--yes', ...options)];
      for (const { stderr } of runs) expect(stderr).toContain('(max-widen)');
      return runs.map(({ code }) => code);
    };
    expect(await codes('--allow-risky', 'base')).toEqual([4, 4]);
    here.write(
      'flags/main.yaml',
      'flags:\n  base: { previous_keys: [old], rollout_percentage: 100 }\n  x: { active: true }\n',
    );
    await here.world.edit('base', { filters: { groups: [{ rollout_percentage: 10 }] } });
    expect(await codes()).toEqual([4, 4]);
  });

  test('about flags that do not change are not lifted by an approval that a saved plan has', async () => {
    const rule = '{ rule: max-widen, points: 25, keys: [other], level: approve }';
    const here = await gitStage(`${CONFIG}policies:\n  approvers: [ann]\n  rules: [${rule}]\n`);
    const base = await here.world.client.createFlag({ key: 'base', filters: { groups: [{ rollout_percentage: 90 }] } });
    const off = { key: String(base.id), type: 'flag', operator: 'flag_evaluates_to', value: false };
    await here.world.client.createFlag({
      key: 'other',
      filters: { groups: [{ properties: [off], rollout_percentage: 60 }] },
    });
    here.write('flags/main.yaml', 'flags:\n  base: { rollout_percentage: 10 }\n');
    const plan = await here.run('plan', '--out', 'plan.json', '--approved-by', 'ann');
    expect([plan.code, here.read('plan.json')]).toEqual([0, expect.stringContaining('"lifted"') as string]);
    const refused = await here.run('apply', 'plan.json');
    expect([refused.code, refused.stderr]).toEqual([4, expect.stringContaining('(max-widen)') as string]);
    expect(await here.run('apply', 'plan.json', '--approved-by', 'ann')).toMatchObject({ code: 0 });
  });

  test('about running experiments stay in a saved plan, which must have been judged', async () => {
    const here = await gitStage(`${CONFIG}policies: { rules: [{ rule: experiment-running }] }\n`);
    expect((await here.run('apply', '--yes')).code).toBe(0);
    here.write('flags/main.yaml', LATER);
    expect((await here.run('plan', '--out', 'plan.json')).code).toBe(0);
    const { policy: _, ...unjudged } = JSON.parse(here.read('plan.json')) as Record<string, unknown>;
    here.write('unjudged.json', JSON.stringify(unjudged));
    const refused = await here.run('apply', 'unjudged.json');
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('was not judged by the policies')]);
    expect((await here.run('apply', 'plan.json')).code).toBe(0);
  });
});
