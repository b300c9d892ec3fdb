/** What is left to do after `init`: keys, secrets and settings, in order, with commands to copy. */

import type { Forge } from '../../loop/git/forge.ts';
import {
  CONFIGURATION_FILE,
  EXAMPLE,
  SCOPES,
  VERSION_FILE,
  type InitialProject,
  type PipelineFiles,
} from './init-templates.ts';

export interface Initial {
  /** Absent: the files have an example. */
  readonly project: InitialProject | undefined;
  readonly forges: readonly Forge[];
  readonly branch: string;
  readonly pipelines: PipelineFiles;
  /** The files that this run wrote, relative to the folder. */
  readonly written: readonly string[];
  /** The path from the folder to the top of the checkout, with a slash at its end; empty for the top. */
  readonly up: string;
  readonly hasGitlabFile: boolean;
  /** The forges that have the pipeline of another project, with the settings of the repository. */
  readonly second: readonly Forge[];
  /** Absent: this run wrote the configuration. */
  readonly configured?:
    { readonly file: string; readonly hasProject: boolean; readonly isExported: boolean } | undefined;
}

interface PrintedStep {
  readonly title: string;
  readonly lines?: readonly string[];
}

export function nextSteps(initial: Initial): string {
  const steps = initial.forges.length === 0 ? localSteps(initial) : pipelineSteps(initial);
  if (steps.length === 0) return 'Nothing is left to do.\n';
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
  const { project, configured } = initial;
  if (project === undefined)
    return [
      { title: 'Try the example flags of the project local.', lines: ['flagwright validate', 'flagwright plan'] },
    ];
  const isExported = configured?.isExported === true;
  if (!isExported) return [...configurationSteps(initial), keyStep(project, ['read']), exportStep(project)];
  return configured.hasProject ? [] : [...configurationSteps(initial), keyStep(project, ['read']), mergeStep(project)];
}

/** Without the steps that are done: what is in the repository is seen there, and what the forge stores stands beside the pipeline. */
function pipelineSteps(initial: Initial): readonly PrintedStep[] {
  const { project = EXAMPLE, forges, second, configured, written, pipelines, up } = initial;
  const added = forges.filter((forge) => configured === undefined || written.includes(`${up}${pipelines[forge]}`));
  const isExported = configured?.isExported === true;
  const rights = [...(isExported && second.length > 0 ? [] : ['read' as const]), 'write' as const];
  return [
    ...configurationSteps(initial),
    ...(added.length > 0 ? [keyStep(project, rights)] : []),
    ...(isExported ? [] : [exportStep(project)]),
    ...(isExported && (second.length > 0 ? added.length > 0 : !configured.hasProject) ? [mergeStep(project)] : []),
    ...added.flatMap((forge) => FORGE_STEPS[forge](project, initial)),
    ...(configured === undefined || written.length > 0 || !isExported ? [commitStep(initial)] : []),
  ];
}

function configurationSteps({ project, configured }: Initial): readonly PrintedStep[] {
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
  const { name, host, projectId } = project;
  if (configured === undefined || configured.hasProject) return [];
  return [
    {
      title: `${configured.file} exists and was kept: add the project ${name} to it by hand, under projects.`,
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

/** Of a further project: the manifests that are there were written for another one. */
function mergeStep({ name }: InitialProject): PrintedStep {
  return {
    title: 'Write what the project has of its own into the manifests, with the key that reads.',
    lines: ['export POSTHOG_API_KEY=phx_…', `npx flagwright export --merge --project ${name}`],
  };
}

/** The setting of a repository on GitHub. */
const SETTING: PrintedStep = {
  title: 'Allow workflows to open the pull request about drift.',
  lines: [
    `gh api --method PUT 'repos/{owner}/{repo}/actions/permissions/workflow' -F can_approve_pull_request_reviews=true`,
  ],
};

const FORGE_STEPS: Readonly<Record<Forge, (project: InitialProject, initial: Initial) => readonly PrintedStep[]>> = {
  github: ({ name, projectId }, { branch, second }) => [
    second.includes('github')
      ? { title: `Let the key in the secret POSTHOG_READ_KEY read project ${projectId} too.` }
      : { title: 'Store the key that reads as a secret of the repository.', lines: ['gh secret set POSTHOG_READ_KEY'] },
    {
      title: `Create the environment ${name}, for the branch ${branch} only, and store the key that writes there.`,
      lines: [
        `gh api --method PUT 'repos/{owner}/{repo}/environments/${name}' -F 'deployment_branch_policy[protected_branches]=false' -F 'deployment_branch_policy[custom_branch_policies]=true'`,
        `gh api --method POST 'repos/{owner}/{repo}/environments/${name}/deployment-branch-policies' -f name='${branch}'`,
        `gh secret set POSTHOG_API_KEY --env ${name}`,
      ],
    },
    ...(second.includes('github') ? [] : [SETTING]),
  ],
  gitlab: ({ name, projectId }, { branch, hasGitlabFile, up, second, pipelines }) => {
    const isSecond = second.includes('gitlab');
    const file = pipelines.gitlab;
    const writeKey = `POSTHOG_WRITE_KEY --masked --protected --scope ${name}`;
    const tokens: PrintedStep = {
      title: 'Create two project access tokens: Settings > Access tokens.',
      lines: ['notes: role Reporter, scope api', 'drift: role Developer, scopes api and write_repository'],
    };
    const variables = isSecond
      ? [writeKey]
      : ['POSTHOG_READ_KEY --masked', writeKey, 'FLAG_NOTES_TOKEN --masked', 'FLAG_DRIFT_TOKEN --masked --protected'];
    return [
      isSecond ? { title: `Let the key in the variable POSTHOG_READ_KEY read project ${projectId} too.` } : tokens,
      {
        title: isSecond
          ? 'Store the key that writes as a variable. The line waits for the value, which it does not show.'
          : 'Store the keys and the tokens as variables. Each line waits for a value, which it does not show.',
        lines: variables.map((variable) => `read -rs VALUE && printf %s "$VALUE" | glab variable set ${variable}`),
      },
      {
        title: hasGitlabFile
          ? `Include the jobs in ${up}.gitlab-ci.yml, under include. If it lists stages, they must have test and deploy.`
          : `Include the jobs in ${up}.gitlab-ci.yml.`,
        lines: [hasGitlabFile ? `- local: ${file}` : `printf 'include:\\n  - local: ${file}\\n' > ${up}.gitlab-ci.yml`],
      },
      // Its schedule starts the drift jobs of all projects.
      ...(isSecond
        ? []
        : [
            {
              title: 'Create a schedule for the drift job.',
              lines: [`glab schedule create --cron '17 6 * * *' --description 'Flag drift' --ref ${branch}`],
            },
          ]),
    ];
  },
};

function commitStep({ forges, branch, up, pipelines, configured, written }: Initial): PrintedStep {
  const included = forges.includes('gitlab') ? [`${up}.gitlab-ci.yml`] : [];
  const atTop = [...forges.map((forge) => `${up}${pipelines[forge]}`), `${up}.flagwright-ci`, ...included];
  const files =
    configured === undefined
      ? [CONFIGURATION_FILE, 'flags', 'tests', ...atTop]
      : [
          ...(configured.isExported ? [] : ['flags']),
          ...written.map((file) => file.replace(VERSION_FILE, '.flagwright-ci')),
          ...included,
        ];
  const hasVersion = configured === undefined || written.includes(`${up}${VERSION_FILE}`);
  return {
    title: hasVersion
      ? `Commit the files, with a lock of the version in ${up}${VERSION_FILE}, and merge them into ${branch}.`
      : `Commit the files, and merge them into ${branch}.`,
    lines: [
      ...(hasVersion ? [`npm install --package-lock-only --ignore-scripts --prefix ${up}.flagwright-ci`] : []),
      `git add ${files.join(' ')} && git commit -m 'Manage feature flags as code'`,
    ],
  };
}
