/** The steps after `init`: which there are, in which order, and that nothing in them is left open. */

import { describe, expect, test } from 'vitest';
import { nextSteps, type Initial } from '../../../src/cli/actions/init-steps.ts';
import { version } from '../../../src/cli/line/version.ts';

const PROJECT = { name: 'prod', host: 'https://x.example', projectId: '7', apiKeyVariable: 'POSTHOG_API_KEY' };
const SEVERAL = [
  { ...PROJECT, name: 'staging', projectId: '6', apiKeyVariable: 'STAGING_KEY' },
  { ...PROJECT, apiKeyVariable: 'PROD_KEY' },
];
const FILE = `flagwright-${version()}.tgz`;
const PIPELINES = { github: '.github/workflows/flags.yml', gitlab: '.gitlab/flags.gitlab-ci.yml' };
const OWN = { github: '.github/workflows/flags-prod.yml', gitlab: '.gitlab/flags-prod.gitlab-ci.yml' };
const INITIAL: Initial = {
  projects: [PROJECT],
  forges: [],
  branch: 'trunk',
  pipelines: PIPELINES,
  written: [],
  second: [],
  up: '',
  hasGitlabFile: false,
};
const CONFIGURED = {
  ...{ file: 'flagwright.yaml', hasProject: true, isExported: true, isShared: true },
  manifests: ['features', 'flags'],
};

function stepsOf(more: Partial<Initial>): readonly (readonly string[])[] {
  const text = nextSteps({ ...INITIAL, ...more });
  if (text === 'Nothing is left to do.\n') return [];
  const [head, ...lines] = text.trimEnd().split('\n');
  expect(head).toBe('Next, in this order:');
  const steps: string[][] = [];
  for (const line of lines) {
    if (/^ *\d+\. \S/.test(line)) steps.push([line]);
    else steps.at(-1)?.push(line);
  }
  return steps;
}

const titles = (more: Partial<Initial>): readonly string[] =>
  stepsOf(more).map(([title = '']) => title.replace(/^ *\d+\. /, ''));

const KEY = (keys: string): string => `Create ${keys}, limited to project 7: https://x.example/settings/user-api-keys`;
const EXPORT = 'Write the existing flags as manifests, with the key that reads.';
const MERGE = 'Write what the project has of its own into the manifests, with the key that reads.';
const REPLACE = 'Replace the example project in flagwright.yaml and in the pipeline with yours: name, host, id.';
const KEPT = 'flagwright.yaml exists and was kept: add the project prod to it by hand, under projects.';
const COMMIT =
  'Commit the files, with a lock of the version in .flagwright-ci/package.json, and merge them into trunk.';
const GITHUB = [
  'Store the key that reads as a secret of the repository.',
  'Create the environment prod, for the branch trunk only, and store the key that writes there.',
  'Allow workflows to open the pull request about drift.',
];
const GITLAB = [
  'Create two project access tokens: Settings > Access tokens.',
  'Store the keys and the tokens as variables. Each line waits for a value, which it does not show.',
  'Include the jobs in .gitlab-ci.yml.',
  'Create a schedule for the drift job.',
];

describe('the steps', () => {
  test.each<[string, Partial<Initial>, readonly string[]]>([
    ['of the example alone', { projects: [] }, ['Try the example flags of the project local.']],
    ['without pipelines', {}, [KEY('a personal API key'), EXPORT]],
    [
      'with a configuration that was there',
      { configured: { ...CONFIGURED, hasProject: false, isExported: false } },
      [KEPT, KEY('a personal API key'), EXPORT],
    ],
    ['on GitHub', { forges: ['github'] }, [KEY('two personal API keys'), EXPORT, ...GITHUB, COMMIT]],
    ['on GitLab', { forges: ['gitlab'] }, [KEY('two personal API keys'), EXPORT, ...GITLAB, COMMIT]],
    [
      'of a further project without pipelines',
      { configured: { ...CONFIGURED, hasProject: false } },
      [KEPT, KEY('a personal API key'), MERGE],
    ],
    ['without pipelines, with all that is done', { configured: CONFIGURED }, []],
    [
      'on GitHub, where clones read no record of what was applied',
      { forges: ['github'], remote: 'upstream', configured: { ...CONFIGURED, isShared: false } },
      ['Add the remote to flagwright.yaml, so that every clone knows what the jobs applied last.'],
    ],
    ['on GitHub, without a remote', { forges: ['github'], configured: { ...CONFIGURED, isShared: false } }, []],
    ['on GitHub, with all that is done', { forges: ['github'], configured: CONFIGURED }, []],
    [
      'on GitHub, where the flags were not exported',
      { forges: ['github'], configured: { ...CONFIGURED, isExported: false } },
      [EXPORT, 'Commit the files, and merge them into trunk.'],
    ],
    [
      'on GitHub, for a second project',
      { forges: ['github'], second: ['github'], pipelines: OWN, written: [OWN.github], configured: CONFIGURED },
      [
        KEY('a personal API key'),
        'Let the key in the secret POSTHOG_READ_KEY read project 7 too.',
        GITHUB[1] ?? '',
        MERGE,
        'Commit the files, and merge them into trunk.',
      ],
    ],
    [
      'on GitLab, for a second project',
      {
        ...{ forges: ['gitlab'], second: ['gitlab'], pipelines: OWN, written: [OWN.gitlab], configured: CONFIGURED },
        hasGitlabFile: true,
      },
      [
        KEY('a personal API key'),
        'Let the key in the variable POSTHOG_READ_KEY read project 7 too.',
        'Store the key that writes as a variable. The line waits for the value, which it does not show.',
        'Include the jobs in .gitlab-ci.yml, under include. If it lists stages, they must have test and deploy.',
        MERGE,
        'Commit the files, and merge them into trunk.',
      ],
    ],
    [
      'on GitHub, for several projects',
      { projects: SEVERAL, forges: ['github'] },
      [
        'Create two personal API keys for each project.',
        'Write the existing flags as manifests, with the keys that read.',
        'Store the keys that read as secrets of the repository.',
        'Create the environment flags, for the branch trunk only, and store the keys that write there.',
        GITHUB[2] ?? '',
        COMMIT,
      ],
    ],
    [
      'on GitLab, for several projects',
      { projects: SEVERAL, forges: ['gitlab'] },
      [
        'Create two personal API keys for each project.',
        'Write the existing flags as manifests, with the keys that read.',
        ...GITLAB,
        COMMIT,
      ],
    ],
    ['on both', { forges: ['github', 'gitlab'] }, [KEY('two personal API keys'), EXPORT, ...GITHUB, ...GITLAB, COMMIT]],
  ])('%s', (_, more, expected) => {
    expect(titles(more)).toEqual(expected);
  });

  test('of the example on a forge begin with its replacement', () => {
    const [first, second] = stepsOf({ projects: [], forges: ['github'] });
    expect(first).toEqual([
      ` 1. ${REPLACE}`,
      '      The example is production, https://us.posthog.com, 5678. Or delete these files and run init --host … --project-id ….',
    ]);
    expect(second?.[0]).toContain('limited to project 5678: https://us.posthog.com/settings');
  });

  test('are aligned, also when there are ten', () => {
    const lines = stepsOf({ forges: ['github', 'gitlab'] });
    expect(lines.map(([title]) => title?.slice(0, 4))).toEqual(
      Array.from({ length: 10 }, (_, at) => `${String(at + 1).padStart(3)}.`),
    );
    expect(lines[1]?.slice(1)).toEqual([
      '       export POSTHOG_API_KEY=phx_…',
      '       npx flagwright export --project prod',
    ]);
  });

  test('say which scopes which key has', () => {
    const [one] = stepsOf({});
    const [two] = stepsOf({ forges: ['github'] });
    const uses = ['', ' (for declared cohorts)', ' (for early access features)', ' (for access to flags)'];
    expect(one?.[1]).toBe('      to read:');
    expect(one?.slice(2).map((line) => line.replace(/^.*?(?: \(|$)/, ' (').replace(/ \($/, ''))).toEqual(uses);
    expect(two?.filter((line) => line.trim().startsWith('to '))).toEqual(['      to read:', '      to write:']);
    expect([
      one?.some((line) => line.includes(':write')),
      two?.some((line) => line.includes('feature_flag:write')),
    ]).toEqual([false, true]);
  });

  test.each([
    ['http://127.0.0.1:8000', true],
    ['http://localhost:8000', true],
    ['https://x.example', false],
  ])('at %s, say that a key of the embedded service is any text: %j', (host, isSaid) => {
    const [key] = stepsOf({ projects: [{ ...PROJECT, host }] });
    expect(key?.includes('      `flagwright serve` has no such page: any text is a key there.')).toBe(isSaid);
  });

  test('have one key of each of several projects, by the name of its variable', () => {
    const text = nextSteps({ ...INITIAL, projects: SEVERAL, forges: ['github', 'gitlab'] });
    for (const line of [
      'for staging, limited to project 6: https://x.example/settings/user-api-keys\n',
      'export STAGING_KEY=phx_…\n',
      'npx flagwright export --project staging,prod\n',
      'gh secret set STAGING_KEY\n',
      'gh secret set PROD_KEY --env flags\n',
      'glab variable set PROD_KEY --masked\n',
      'glab variable set PROD_KEY --masked --protected --scope flags\n',
    ])
      expect(text).toContain(line);
    expect(text).not.toMatch(/POSTHOG_\w+_KEY/);
  });

  test('name the entry that a kept configuration lacks', () => {
    expect(stepsOf({ configured: { ...CONFIGURED, hasProject: false } })[0]?.[1]).toBe(
      "      prod: { host: https://x.example, project_id: '7' }",
    );
  });

  test('include the jobs where the file is, and by hand in one that exists', () => {
    const include = (more: Partial<Initial>): readonly string[] =>
      stepsOf({ forges: ['gitlab'], ...more }).find(([title]) => title?.includes('Include')) ?? [];
    expect(include({ up: '../' })).toEqual([
      ' 5. Include the jobs in ../.gitlab-ci.yml.',
      "      printf 'include:\\n  - local: .gitlab/flags.gitlab-ci.yml\\n' > ../.gitlab-ci.yml",
    ]);
    expect(include({ hasGitlabFile: true })).toEqual([
      ' 5. Include the jobs in .gitlab-ci.yml, under include. If it lists stages, they must have test and deploy.',
      '      - local: .gitlab/flags.gitlab-ci.yml',
    ]);
  });

  test.each<[Partial<Initial>, string]>([
    [{ forges: ['github'], up: '../' }, 'flagwright.yaml flags ../.github/workflows/flags.yml ../.flagwright-ci'],
    [{ forges: ['gitlab'] }, 'flagwright.yaml flags .gitlab/flags.gitlab-ci.yml .flagwright-ci .gitlab-ci.yml'],
  ])('commit every file of %j', (more, files) => {
    const { up = '' } = more;
    expect(
      stepsOf(more)
        .at(-1)
        ?.slice(1)
        .map((line) => line.trim()),
    ).toEqual([
      '# flagwright is not on the npm registry yet: npm pack in a clone makes the package.',
      `cp CLONE/${FILE} ${up}.flagwright-ci/`,
      `npm install --package-lock-only --save-dev --ignore-scripts --prefix ${up}.flagwright-ci ${up}.flagwright-ci/${FILE}`,
      `git add ${files} && git commit -m 'Manage feature flags as code'`,
    ]);
  });

  test.each([
    [true, 'flagwright.yaml features flags .github/workflows/flags-prod.yml'],
    [false, 'flagwright.yaml flags .github/workflows/flags-prod.yml'],
  ])('commit what a further project changes beside its pipeline, exported: %s', (isExported, files) => {
    const pipelines = { ...INITIAL.pipelines, github: '.github/workflows/flags-prod.yml' };
    const configured = { ...CONFIGURED, isExported, hasProject: false };
    const last = stepsOf({
      forges: ['github'],
      second: ['github'],
      written: [pipelines.github],
      pipelines,
      configured,
    });
    expect(last.at(-1)?.at(-1)?.trim()).toBe(`git add ${files} && git commit -m 'Manage feature flags as code'`);
  });

  test('are commands for the environment and the branch', () => {
    const text = nextSteps({ ...INITIAL, forges: ['github', 'gitlab'] });
    for (const command of [
      'gh secret set POSTHOG_READ_KEY\n',
      "gh api --method PUT 'repos/{owner}/{repo}/environments/prod' -F 'deployment_branch_policy[protected_branches]=false' -F 'deployment_branch_policy[custom_branch_policies]=true'\n",
      "gh api --method POST 'repos/{owner}/{repo}/environments/prod/deployment-branch-policies' -f name='trunk'\n",
      'gh secret set POSTHOG_API_KEY --env prod\n',
      "gh api --method PUT 'repos/{owner}/{repo}/actions/permissions/workflow' -F can_approve_pull_request_reviews=true\n",
      'read -rs VALUE && printf %s "$VALUE" | glab variable set POSTHOG_READ_KEY --masked\n',
      'glab variable set POSTHOG_WRITE_KEY --masked --protected --scope prod\n',
      'glab variable set FLAG_NOTES_TOKEN --masked\n',
      'glab variable set FLAG_DRIFT_TOKEN --masked --protected\n',
      "glab schedule create --cron '17 6 * * *' --description 'Flag drift' --ref trunk\n",
      'notes: role Reporter, scope api\n',
      'drift: role Developer, scopes api and write_repository\n',
    ])
      expect(text).toContain(command);
    expect(nextSteps({ ...INITIAL, projects: [] })).toContain('      flagwright validate\n      flagwright plan\n');
  });
});
