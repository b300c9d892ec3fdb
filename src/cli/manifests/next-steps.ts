/** The manual steps after `init`, in the required order, with commands to copy. */

import type { Forge } from '../../git/forge.ts';
import { CONFIGURATION_FILE, EXAMPLE, PIPELINES, SCOPES, VERSION_FILE, type InitialProject } from './templates.ts';

export interface Initial {
  /** Absent: the files have an example. */
  readonly project: InitialProject | undefined;
  readonly forges: readonly Forge[];
  readonly branch: string;
  /** Files that existed. */
  readonly kept: readonly string[];
  /** The path from the folder to the top of the checkout, with a slash at its end; empty for the top. */
  readonly up: string;
  readonly hasGitlabFile: boolean;
}

interface PrintedStep {
  readonly title: string;
  readonly lines?: readonly string[];
}

export function nextSteps(initial: Initial): string {
  const steps = initial.forges.length === 0 ? localSteps(initial) : pipelineSteps(initial);
  const width = String(steps.length).length;
  const texts = steps.map(({ title, lines = [] }, index) =>
    [
      `${String(index + 1).padStart(width + 1)}. ${title}`,
      ...lines.map((line) => `${' '.repeat(width + 5)}${line}`),
    ].join('\n'),
  );
  return `Next, in this order:\n${texts.join('\n')}\n`;
}

function localSteps(initial: Initial): readonly PrintedStep[] {
  const { project } = initial;
  if (project === undefined)
    return [
      { title: 'Try the example flags of the project local.', lines: ['flagwright validate', 'flagwright plan'] },
    ];
  return [...configurationSteps(initial), keyStep(project, ['read']), exportStep(project)];
}

function pipelineSteps(initial: Initial): readonly PrintedStep[] {
  const { project = EXAMPLE, forges } = initial;
  return [
    ...configurationSteps(initial),
    keyStep(project, ['read', 'write']),
    exportStep(project),
    ...forges.flatMap((forge) => FORGE_STEPS[forge](project, initial)),
    commitStep(initial),
  ];
}

function configurationSteps({ project, kept }: Initial): readonly PrintedStep[] {
  if (project === undefined) {
    const { name, host, projectId } = EXAMPLE;
    return [
      {
        title: `Replace the example project in ${CONFIGURATION_FILE} and in the pipeline with yours: name, host, id.`,
        lines: [
          `The example is ${name}, ${host}, ${projectId}. Or delete these files and run init --host … --project-id ….`,
        ],
      },
    ];
  }
  if (!kept.includes(CONFIGURATION_FILE)) return [];
  const { name, host, projectId } = project;
  return [
    {
      title: `${CONFIGURATION_FILE} exists and was kept: add the project ${name} to it by hand, under projects.`,
      lines: [`${name}: { host: ${host}, project_id: '${projectId}' }`],
    },
  ];
}

function keyStep({ host, projectId }: InitialProject, rights: readonly ('read' | 'write')[]): PrintedStep {
  const lines = rights.flatMap((right) => [
    `to ${right}:`,
    ...SCOPES.map((scopes) => `  ${scopes[right]}${scopes.when === 'flags' ? '' : ` (for ${scopes.when})`}`),
  ]);
  const keys = rights.length === 1 ? 'a personal API key' : 'two personal API keys';
  return { title: `Create ${keys}, limited to project ${projectId}: ${host}/settings/user-api-keys`, lines };
}

function exportStep({ name }: InitialProject): PrintedStep {
  return {
    title: 'Write the existing flags as manifests, with the key that reads.',
    lines: ['export POSTHOG_API_KEY=phx_…', `npx flagwright export --project ${name}`],
  };
}

const FORGE_STEPS: Readonly<Record<Forge, (project: InitialProject, initial: Initial) => readonly PrintedStep[]>> = {
  github: ({ name }, { branch }) => [
    { title: 'Store the key that reads as a secret of the repository.', lines: ['gh secret set POSTHOG_READ_KEY'] },
    {
      title: `Create the environment ${name}, for the branch ${branch} only, and store the key that writes there.`,
      lines: [
        `gh api --method PUT 'repos/{owner}/{repo}/environments/${name}' -F 'deployment_branch_policy[protected_branches]=false' -F 'deployment_branch_policy[custom_branch_policies]=true'`,
        `gh api --method POST 'repos/{owner}/{repo}/environments/${name}/deployment-branch-policies' -f name='${branch}'`,
        `gh secret set POSTHOG_API_KEY --env ${name}`,
      ],
    },
    {
      title: 'Allow workflows to open the pull request about drift.',
      lines: [
        `gh api --method PUT 'repos/{owner}/{repo}/actions/permissions/workflow' -F can_approve_pull_request_reviews=true`,
      ],
    },
  ],
  gitlab: ({ name }, { branch, hasGitlabFile, up }) => [
    {
      title: 'Create two project access tokens: Settings > Access tokens.',
      lines: ['notes: role Reporter, scope api', 'drift: role Developer, scopes api and write_repository'],
    },
    {
      title: 'Store the keys and the tokens as variables. Each line waits for a value, which it does not show.',
      lines: [
        'POSTHOG_READ_KEY --masked',
        `POSTHOG_WRITE_KEY --masked --protected --scope ${name}`,
        'FLAG_NOTES_TOKEN --masked',
        'FLAG_DRIFT_TOKEN --masked --protected',
      ].map((variable) => `read -rs VALUE && printf %s "$VALUE" | glab variable set ${variable}`),
    },
    {
      title: hasGitlabFile
        ? `Include the jobs in ${up}.gitlab-ci.yml, under include. If it lists stages, they must have test and deploy.`
        : `Include the jobs in ${up}.gitlab-ci.yml.`,
      lines: [
        hasGitlabFile
          ? `- local: ${PIPELINES.gitlab}`
          : `printf 'include:\\n  - local: ${PIPELINES.gitlab}\\n' > ${up}.gitlab-ci.yml`,
      ],
    },
    {
      title: 'Create a schedule for the drift job.',
      lines: [`glab schedule create --cron '17 6 * * *' --description 'Flag drift' --ref ${branch}`],
    },
  ],
};

function commitStep({ forges, branch, up }: Initial): PrintedStep {
  const included = forges.includes('gitlab') ? ['.gitlab-ci.yml'] : [];
  const atTop = [...forges.map((forge) => PIPELINES[forge]), '.flagwright-ci', ...included];
  const files = [CONFIGURATION_FILE, 'flags', 'tests', ...atTop.map((file) => `${up}${file}`)];
  return {
    title: `Commit the files, with a lock of the version in ${up}${VERSION_FILE}, and merge them into ${branch}.`,
    lines: [
      `npm install --package-lock-only --ignore-scripts --prefix ${up}.flagwright-ci`,
      `git add ${files.join(' ')} && git commit -m 'Manage feature flags as code'`,
    ],
  };
}
