/** The place where a clone is hosted, by the addresses of its remotes and by its branches. */

import { describe, expect, test } from 'vitest';
import { findRepositoryName, findSharedAt } from '../../../src/loop/git/forge.ts';
import { cloneOf, createRepository, type TestRepository } from '../../helpers/repository.ts';
import { repositoryOf } from './support.ts';

function configure({ write, read }: TestRepository, ...sections: readonly string[]): void {
  write('.git/config', [read('.git/config').replace(/\n\[remote[^]*/, ''), ...sections].join('\n'));
}

const remote = (name: string, url: string): string => `[remote "${name}"]\n\turl = ${url}`;

test('the address of the remote says the host, the system and the name of the repository', async () => {
  const made = createRepository();
  const repository = await repositoryOf(made.root);
  for (const [address, host, forge, name] of [
    ['https://github.com/acme/web.git', 'github.com', 'github', 'github.com/acme/web'],
    ['https://github.com/acme/web', 'github.com', 'github', 'github.com/acme/web'],
    ['https://github.com/acme/web.git/', 'github.com', 'github', 'github.com/acme/web'],
    ['https://github.com/acme/web.github.io//', 'github.com', 'github', 'github.com/acme/web.github.io'],
    ['HTTPS://GitHub.com//acme/Web.git', 'github.com', 'github', 'github.com/acme/Web'],
    ['git@github.com:acme/web.git', 'github.com', 'github', 'github.com/acme/web'],
    ['github.com:/acme/web.git', 'github.com', 'github', 'github.com/acme/web'],
    ['ssh://git@gitlab.acme.com:2222/a/b/web.git', 'gitlab.acme.com', 'gitlab', 'gitlab.acme.com/a/b/web'],
    ['https://ana:secret@git.acme.com:8443/web', 'git.acme.com', undefined, 'git.acme.com/web'],
    ['git+ssh://code.acme.com/github/gitlab', 'code.acme.com', undefined, 'code.acme.com/github/gitlab'],
    ['/srv/github/web.git', undefined, undefined, undefined],
    ['../gitlab', undefined, undefined, undefined],
    ['file:///srv/github/web.git', undefined, undefined, undefined],
  ] as const) {
    configure(made, remote('origin', address));
    const { branch, ...shared } = await findSharedAt(repository);
    const expected = { remote: 'origin', ...(host && { host }), ...(forge && { forge }) };
    expect([address, shared]).toEqual([address, expected]);
    expect([address, await findRepositoryName(repository)]).toEqual([address, name]);
    expect(branch).toBe('main');
  }
});

test('of several remotes, origin counts, and otherwise the first', async () => {
  const made = createRepository();
  const repository = await repositoryOf(made.root);
  const [fork, upstream] = [remote('fork', 'https://github.com/ana/web'), remote('upstream', 'https://gitlab.com/a/w')];
  const found: unknown[] = [];
  for (const sections of [[], [upstream], [fork, upstream], [fork, remote('origin', 'https://git.acme.com/x')]]) {
    configure(made, ...sections);
    found.push((await findSharedAt(repository)).host, await findRepositoryName(repository));
  }
  expect(found).toEqual([
    ...[undefined, undefined],
    ...['gitlab.com', 'gitlab.com/a/w'],
    ...['github.com', 'github.com/ana/web'],
    ...['git.acme.com', 'git.acme.com/x'],
  ]);
});

describe('the default branch', () => {
  const branchOf = async ({ root }: Pick<TestRepository, 'root'>): Promise<string | undefined> =>
    (await findSharedAt(await repositoryOf(root))).branch;

  test('is that of the remote, whatever it is called and whatever is checked out', async () => {
    const origin = createRepository({ 'a.txt': 'a' });
    origin.git('branch', '--move', 'release/next');
    const clone = cloneOf(origin, '--origin=acme');
    clone.git('checkout', '--quiet', '-b', 'main');
    expect(await branchOf(clone)).toBe('release/next');
  });

  test('without one, is a usual name that is checked out or exists, and otherwise what is checked out', async () => {
    const made = createRepository({ 'a.txt': 'a' });
    made.git('checkout', '--quiet', '--detach');
    made.git('branch', '--quiet', '--delete', '--force', 'main');
    expect(await branchOf(made)).toBeUndefined();
    made.git('checkout', '--quiet', '-b', 'topic/x');
    expect(await branchOf(made)).toBe('topic/x');
    made.git('branch', 'develop');
    expect(await branchOf(made)).toBe('topic/x');
    made.git('config', 'init.defaultBranch', 'develop');
    expect(await branchOf(made)).toBe('develop');
    made.git('config', 'init.defaultBranch', 'gone');
    made.git('branch', 'master');
    expect(await branchOf(made)).toBe('master');
    made.git('update-ref', 'refs/remotes/origin/main', 'HEAD');
    expect(await branchOf(made)).toBe('main');
    made.git('update-ref', '-d', 'refs/remotes/origin/main');
    made.git('update-ref', 'refs/remotes/other/main', 'HEAD');
    expect(await branchOf(made)).toBe('master');
  });

  test('of a repository without a commit is the one that the first commit makes', async () => {
    const made = createRepository();
    made.git('symbolic-ref', 'HEAD', 'refs/heads/first');
    expect(await branchOf(made)).toBe('first');
    made.git('config', 'init.defaultBranch', 'first');
    expect(await branchOf(made)).toBe('first');
  });
});
