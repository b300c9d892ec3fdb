/** Looking ahead and back at rollouts over time with `--at`. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { CONFIG, gitStage, type GitStage } from '../helpers/git-stage.ts';
import { schemaErrors } from '../helpers/schemas.ts';

const STEPPED = `flags:
  checkout:
    active: true
    rollout_percentage:
      steps: [{ at: 2026-12-01T09:00Z, to: 10 }, { at: 2026-12-02T09:00Z, to: 50 }, { at: 2026-12-05T09:00Z, to: 100 }]
`;
const FREEZE = `policies:
  rules:
    - { rule: freeze, deny: [{ from: 2026-12-05T00:00, to: 2026-12-06T00:00, zone: UTC }], level: warning }
`;

/** Applied on the 2nd of December, an hour late: the last step is an hour later too. */
async function applied(config: string = CONFIG): Promise<GitStage> {
  let now = Date.parse('2026-12-01T09:05:00Z');
  const here = await gitStage(config, { manifest: STEPPED, now: () => new Date(now) });
  await here.runWith({ now }, 'apply', '--yes');
  now = Date.parse('2026-12-02T10:00:00Z');
  const runWith: GitStage['runWith'] = async (options, ...argv) => here.runWith({ now, ...options }, ...argv);
  expect(await runWith({}, 'apply', '--due')).toMatchObject({ code: 0 });
  return { ...here, runWith, run: async (...argv) => runWith({}, ...argv) };
}

describe('plan --at', () => {
  test.each([
    ['2026-12-05T10:59+01:00', []],
    ['2026-12-05T11:00+01:00', [100]],
    ['2026-12-02T08:59Z', [10]],
    ['2026-11-30T00:00Z', [0]],
  ])('%s shows the percentage of then', async (at, expected) => {
    const { run } = await applied();
    const ran = await run('plan', '--at', at, '-f', 'json');
    expect(ran).toMatchObject({ code: 0 });
    const document = ran.document();
    expect(schemaErrors('plan', document)).toEqual([]);
    const changes = document['changes'] as readonly { readonly fields: readonly { readonly after: unknown }[] }[];
    expect(changes.flatMap(({ fields }) => fields.map(({ after }) => after))).toEqual(expected);
    expect(document['at']).toBe(new Date(at).toISOString());
  });

  test('says in each format that it is for another time', async () => {
    const { run } = await applied();
    for (const format of ['text', 'markdown', 'html', 'sarif']) {
      const { stdout } = await run('plan', '--at', '2026-12-24T12:00Z', '-f', format);
      expect(stdout).toContain('As planned for 2026-12-24 12:00:00 UTC');
      expect(stdout).not.toContain('overdue');
    }
  });

  test('is judged by the policies of then', async () => {
    const { run } = await applied(CONFIG + FREEZE);
    expect((await run('plan', '--at', '2026-12-05T12:00Z')).stdout).toContain('(freeze)');
    expect((await run('plan', '--at', '2026-12-06T12:00Z')).stdout).not.toContain('(freeze)');
  });

  test('is neither saved nor applied', async () => {
    const { run, root } = await applied();
    const saved = await run('plan', '--at', '2026-12-24T12:00Z', '--out', 'plan.json');
    expect(saved).toMatchObject({ code: 1 });
    expect(saved.stderr).toContain('--at and --out cannot be used together');
    await run('plan', '--at', '2026-12-24T12:00Z', '-f', 'json', '-o', 'plan.json');
    expect(readFileSync(path.join(root, 'plan.json'), 'utf8')).toContain('"at"');
    const refused = await run('apply', 'plan.json');
    expect(refused).toMatchObject({ code: 1 });
    expect(refused.stderr).toContain('It was made for another time (--at)');
    expect((await run('show', 'plan.json')).stdout).toContain('As planned for 2026-12-24');
  });

  test('works against a snapshot, whose age is that of now', async () => {
    const { run } = await applied();
    await run('snapshot', '--out', 'live.json');
    const ran = await run('plan', '--against', 'live.json', '--max-age', '1h', '--at', '2026-12-05T12:00Z');
    expect(ran).toMatchObject({ code: 0 });
    expect(ran.stdout).toContain('50% → 100%');
  });

  test.each(['2026-12-24', '2026-12-24T12:00', '2026-02-30T12:00Z', 'soon'])('%s is no time', async (at) => {
    const { run } = await applied();
    const ran = await run('plan', '--at', at);
    expect(ran).toMatchObject({ code: 1 });
    expect(ran.stderr).toContain('2026-12-01T09:00+01:00');
  });
});

test('validate and test look at another time too', async () => {
  const { run, write } = await applied(CONFIG + FREEZE);
  write('tests/a.yaml', 'people: { ada: }\nexpect: [{ person: ada, flags: { checkout: true } }]\n');
  write('flags/main.yaml', STEPPED.replace('active: true', 'active: true\n    description: New'));
  expect((await run('validate')).stdout).not.toContain('(freeze)');
  expect((await run('validate', '--at', '2026-12-05T12:00Z')).stdout).toContain('(freeze)');
  expect((await run('test')).code).toBe(2);
  expect((await run('test', '--at', '2026-12-05T09:00Z')).code).toBe(0);
});
