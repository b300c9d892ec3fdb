import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { identityOf, withProject, withProjects } from '../../../src/cli/project/open-project.ts';
import { createSecrets } from '../../../src/cli/session/session-parts.ts';
import type { Session } from '../../../src/cli/session/session.ts';
import type { ProjectConfig } from '../../../src/config/config.ts';
import { runCli, type Ran } from '../../helpers/run.ts';
import { watchSession } from '../../helpers/watched-session.ts';
import { createWorkspace } from '../../helpers/workspace.ts';

const MANIFEST = 'flags:\n  a: { active: true }\n';
const NOTE = 'using the project local of the embedded service (.flagwright/local.db)';

describe('a project of the embedded service without data', () => {
  test.each([
    [['plan'], 0],
    [['drift'], 2],
    [['flags', 'list'], 0],
    [['flags', 'get', 'none'], 1],
    [['persons', 'list'], 0],
    [['history'], 0],
    [['apply'], 4],
    [['apply', '--yes', '--target', 'none'], 1],
    [['undo', '--yes'], 1],
    [['export', '--dir', 'out'], 0],
  ])('%j says which project it uses, and creates no data', async (argv, code) => {
    const root = folder();
    expect(await at(root, ...argv)).toMatchObject({ code, stderr: expect.stringContaining(NOTE) as string });
    expect(existsSync(path.join(root, '.flagwright'))).toBe(false);
  });

  test.each([[['apply', '--yes']], [['persons', 'create', '--set', 'a=1']]])(
    '%j creates the data, which the next run reads',
    async (argv) => {
      const root = folder();
      expect((await at(root, ...argv)).code).toBe(0);
      expect(existsSync(path.join(root, '.flagwright/local.db'))).toBe(true);
      expect(existsSync(path.join(root, '.flagwright/.gitignore'))).toBe(true);
      if (argv[0] === 'apply') expect((await at(root, 'drift')).code).toBe(0);
      else expect((await at(root, 'persons', 'list', '-f', 'json')).stdout).toContain('"a"');
    },
  );

  test('needs no note with --quiet or with a configuration', async () => {
    const root = folder();
    expect((await at(root, 'plan', '--quiet')).stderr).toBe('');
    writeFileSync(path.join(root, 'flagwright.yaml'), 'manifests: [flags/*.yaml]\n');
    expect((await at(root, 'plan')).stderr).toBe('');
  });
});

describe('remote projects that are opened', () => {
  const remote = (name: string, host: string, requestsPerMinute: number, apiKeyVariable = 'KEY'): ProjectConfig =>
    ({ service: 'remote', name, host, projectId: '5', requestsPerMinute, apiKeyVariable }) as ProjectConfig;
  const [first, second, third] = [
    remote('first', 'https://x.example', 600),
    remote('second', 'https://x.example', 60, 'OTHER_KEY'),
    remote('third', 'https://y.example', 600),
  ] as const;

  function sessionWith(env: Readonly<Record<string, string>>): {
    readonly session: Session;
    readonly redact: (text: string) => string;
  } {
    const secrets = createSecrets();
    const { session } = watchSession({ context: { env } });
    return { session: { ...session, secrets }, redact: (text) => secrets.redact(text) };
  }

  test('have an identity before', () => {
    expect(identityOf(first)).toEqual({ name: 'first', host: 'https://x.example', project_id: '5' });
    const embedded = { service: 'embedded', name: 'local', projectId: '1', data: '/x' } as ProjectConfig;
    expect(identityOf(embedded)).toEqual({ name: 'local', host: 'embedded', project_id: '1' });
  });

  test.each([
    ['those of a host and key share its smallest budget', 'phx_first_key', {}, true],
    ['those of two keys have a budget each', 'phx_other_key', {}, false],
    ['those of two keys share one that is named', 'phx_other_key', { requestBudget: 'ours' }, true],
  ])('are passed in their order, %s, and no key is shown', async (_, otherKey, budget, isShared) => {
    const { session, redact } = sessionWith({ KEY: 'phx_first_key', OTHER_KEY: otherKey });
    const projects = [third, { ...first, ...budget }, { ...second, ...budget }];
    const found = await withProjects(session, projects, async (opened) =>
      Promise.resolve(
        opened.map(
          ({ project, identity, client }) => [project.name, identity.name, client.budget.leastMs(3000)] as const,
        ),
      ),
    );
    expect(found.map(([name, identity]) => [name, identity])).toEqual(
      ['third', 'first', 'second'].map((name) => [name, name]),
    );
    const [alone, one, limited] = found.map(([, , ms]) => ms) as [number, number, number];
    expect(one === limited).toBe(isShared);
    expect(limited).toBeGreaterThan(2 * alone);
    expect(redact(`phx_first_key ${otherKey}`)).toBe('[redacted] [redacted]');
    expect(await withProjects(session, [], async (opened) => Promise.resolve(opened))).toEqual([]);
  });

  test('end their progress once, also after a failure and where there is no key', async () => {
    let ended = 0;
    const progress = { onService: () => undefined, end: () => void (ended += 1) } as never;
    const { session } = sessionWith({ KEY: 'phx_first_key' });
    await withProject(session, { project: first, progress }, async (opened) => {
      expect(await opened.forWriting()).toBe(opened.client);
      expect(ended).toBe(0);
    });
    expect(ended).toBe(1);
    const failing = withProject(session, { project: first, progress }, async () => Promise.reject(new Error('x')));
    await expect(failing).rejects.toThrow('x');
    expect(ended).toBe(2);
    const keyless = withProject(session, { project: second, progress }, async () => Promise.resolve(1));
    await expect(keyless).rejects.toMatchObject({ code: 'config_invalid' });
    expect(ended).toBe(3);
  });
});

function folder(): string {
  return createWorkspace({ 'flags/a.yaml': MANIFEST }).root;
}

async function at(root: string, ...argv: string[]): Promise<Ran> {
  return runCli(argv, { cwd: root });
}
