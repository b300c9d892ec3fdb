/** The comment on pull requests from forks: a job of the base takes their manifests as data, whatever a fork puts into them. */

// @module-tag untimely
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { compareStrings } from '../../src/base/compare-strings.ts';
import { startGithub } from '../helpers/forge.ts';
import { commentFork, propose, shownIn } from '../helpers/fork.ts';
import { commit, git, githubJob, HALF, KEY, push, startCi, type Ci } from '../helpers/pipeline.ts';

const MORE = HALF.replace('50', '60');
const write = (file: string, text: string): string =>
  `mkdir -p "$(dirname ${file})"; cat > ${file} <<'END'\n${text}\nEND`;

/** Ten levels of nine aliases each. */
const BOMB = [
  'a0: &a0 [x, x, x, x, x, x, x, x, x]',
  ...Array.from({ length: 9 }, (_, at) => `a${at + 1}: &a${at + 1} [${Array(9).fill(`*a${at}`).join(', ')}]`),
  'flags: *a9',
].join('\n');

/** A repository that has published its snapshot. */
async function start(): Promise<Ci> {
  const ci = await startCi(HALF, startGithub);
  push(ci);
  await githubJob(ci, 'drift', { values: { 'env.PUBLISH_SNAPSHOT': 'true' } });
  return ci;
}

test('a change of a fork is planned and commented without a key, and a newer commit replaces the text', async () => {
  const ci = await start();
  await ci.world.close();
  const program = ci.workspace.read('.bin/flagwright');
  ci.workspace.write('.bin/flagwright', program.replace('\n', '\nenv | cut -d= -f1 > .variables\n'));
  const first = propose(ci, write('flags/main.yaml', MORE));
  expect((await commentFork(ci, first.head)).code).toBe(0);
  expect(shownIn(ci)).toMatch(/^<!-- flagwright plan production -->\n### Plan for `production`\n/);
  expect(shownIn(ci)).toContain('50% → 60%');
  expect(shownIn(ci)).toContain('impact: ');
  expect(shownIn(ci)).toContain('Made from a snapshot of ');
  expect(shownIn(ci)).toContain(
    'From a fork: its manifests, with the configuration, policies and exceptions of `main`.',
  );
  expect(shownIn(ci)).toContain(`Plan of commit \`${first.head.slice(0, 12)}\``);

  const variables = new Set(ci.workspace.read('.variables').trim().split('\n'));
  for (const name of ['PWD', 'SHLVL', '_']) variables.delete(name);
  expect([...variables].toSorted(compareStrings)).toEqual(['HOME', 'PATH']);

  const second = propose(ci, write('flags/main.yaml', HALF.replace('50', '70')));
  expect((await commentFork(ci, second.head)).code).toBe(0);
  expect(ci.forge.comments.map(({ text }) => /50% → \d+%/.exec(text)?.[0])).toEqual(['50% → 70%']);
});

test('all that decides is of the base: configuration, exceptions and policies of the fork are not taken', async () => {
  const ci = await start();
  const head = commit(ci, {
    'flagwright.yaml': `${ci.workspace.read('flagwright.yaml')}policies: { rules: [{ rule: max-widen, points: 5 }] }\n`,
  });
  push(ci);
  const evil = 'projects: { production: { host: "http://127.0.0.1:1", project_id: "1" } }';
  const pull = propose(
    ci,
    [
      write('flagwright.yaml', evil),
      write('flags/flagwright.yaml', evil),
      write(
        'exceptions.yaml',
        'exceptions: [{ rule: max-widen, keys: ["*"], reason: mine, until: 9999-12-31, granted_by: me }]',
      ),
      write('.npmrc', 'registry=http://127.0.0.1:1'),
      write('.gitattributes', '* filter=evil'),
      write('flags/main.yaml', 'flags:\n  checkout: { active: true, rollout_percentage: 90 }\n'),
    ].join('\n'),
  );
  expect((await commentFork(ci, pull.head)).code).toBe(0);
  expect(shownIn(ci)).toContain("turns on for 40% of a condition's people in one step; the limit is 5%");
  expect(git(ci, 'rev-parse', 'HEAD')).toBe(head);
  expect(git(ci, 'status', '--porcelain', '--', 'flags', 'flagwright.yaml', '.gitattributes')).toBe(
    'M flags/main.yaml',
  );
});

test('a fork gets no file of the machine, no variable and no command into the comment', async () => {
  const ci = await start();
  ci.workspace.write('.secret', `token: ${KEY}\n`);
  const secret = path.join(ci.workspace.root, '.secret');
  const attacks: readonly (readonly [string, string, RegExp])[] = [
    ['a link to the environment', 'ln -sf /proc/self/environ flags/main.yaml', /`flags\/main\.yaml` is a link/],
    ['a link to a secret', `ln -s ${secret} flags/x.yaml`, /`flags\/x\.yaml` is a link/],
    ['a linked folder', 'rm -r flags; ln -s /etc flags', /`flags` is a link/],
    ['a folder behind a link', 'ln -s / flags/root', /`flags\/root` is a link/],
    [
      'another repository',
      'git update-index --add --cacheinfo "160000,$(git rev-parse HEAD),flags/sub"; mkdir flags/sub',
      /`flags\/sub` is a link or another repository/,
    ],
    ['a name with a command', write("$'flags/a\\n::error::x.yaml'", 'flags: {}'), /is not the plain name of a file/],
    [
      'a variable',
      write('flags/main.yaml', 'flags:\n  checkout: { description: "${POSTHOG_API_KEY}" }'),
      /POSTHOG_API_KEY/,
    ],
    [
      'text of all sorts',
      write(
        'flags/main.yaml',
        'flags:\n  checkout: { active: true, description: "</details>\\n@everyone\\n```\\n/close" }',
      ),
      /description/,
    ],
    ['a file of 2 MB', 'head -c 2000000 /dev/zero > flags/big.yaml', /`flags\/big\.yaml` has more than 1 MB/],
    ['many files', 'for i in {1..101}; do echo "flags: {}" > flags/$i.yaml; done', /More than 100 manifests/],
    ['aliases that multiply', write('flags/main.yaml', BOMB), /flags\/main\.yaml/],
    ['bytes that are no text', "printf '\\xff\\xfe\\x00' > flags/main.yaml", /flags\/main\.yaml/],
    ['a manifest that is wrong', write('flags/main.yaml', 'flags:\n  checkout: { active: 7 }'), /flags\/main\.yaml:2:/],
  ];
  for (const [name, script, words] of attacks) {
    ci.forge.comments.length = 0;
    const { code } = await commentFork(ci, propose(ci, script).head);
    expect([name, code, shownIn(ci)]).toEqual([name, 0, expect.stringMatching(words) as string]);
    expect(shownIn(ci), name).not.toContain(KEY);
    expect(shownIn(ci), name).not.toContain('root:');
    expect(shownIn(ci), name).not.toMatch(/^(?:::|\/close|@everyone|<\/details>)/m);
  }
});

describe('nothing is written', () => {
  test('where the pull request is another one by now, or nothing of it is to be planned', async () => {
    const ci = await start();
    const pull = propose(ci, write('flags/main.yaml', MORE));
    const log = async (head: string, run: object = {}): Promise<string> => (await commentFork(ci, head, { run })).log;
    expect(await log('a'.repeat(40))).toContain('No open pull request to main has this commit');
    expect(
      await log(pull.head, { head_repository: { id: 3, full_name: 'other/shop', owner: { login: 'stranger' } } }),
    ).toContain('No open pull request');
    const own = { id: 1, full_name: 'acme/shop', owner: { login: 'acme' } };
    for (const run of [{ head_repository: own }, { head_repository: null }, { event: 'push' }])
      expect(await log(pull.head, run)).toContain('not the run of a pull request from a fork');
    pull.state = 'closed';
    expect(await log(pull.head)).toContain('No open pull request');
    pull.state = 'open';
    // The fork pushes while the plan is made.
    ci.forge.faults.push({ on: 'GET /git/blobs/', meanwhile: () => void (pull.head = 'b'.repeat(40)) });
    expect(await log(pull.head)).toContain('has a newer commit');
    expect(await log(propose(ci, write('notes.txt', 'no flags')).head)).toContain('changes no manifest');
    git(ci, 'push', '-q', 'origin', '--delete', 'refs/flagwright/snapshot/production');
    expect(await log(pull.head)).toContain('No snapshot of production is published');
    expect(ci.forge.comments).toEqual([]);
  });

  test('by a change that conflicts with the branch, or that the branch has overtaken, but why', async () => {
    const ci = await start();
    const pull = propose(ci, write('flags/main.yaml', MORE));
    pull.mergeable = false;
    expect((await commentFork(ci, pull.head)).code).toBe(0);
    expect(shownIn(ci)).toContain('It conflicts with the branch');
    pull.mergeable = true;
    commit(ci, { 'flags/main.yaml': HALF.replace('50', '80') });
    push(ci);
    expect((await commentFork(ci, pull.head)).code).toBe(0);
    expect(shownIn(ci)).toContain('`flags/main.yaml` is newer on the branch: update the pull request.');
    expect(ci.forge.comments).toHaveLength(1);
  });
});
