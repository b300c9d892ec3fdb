/** What is left to do after `init`: keys, secrets and settings, in order, with commands to copy. */

import { isLoopback } from '../../base/service-host.ts';
import type { Forge } from '../../loop/git/forge.ts';
import { version } from '../line/version.ts';
import {
  CONFIGURATION_FILE,
  environmentOf,
  EXAMPLE,
  keysOf,
  SCOPES,
  VERSION_FILE,
  type InitialProject,
  type PipelineFiles,
} from './init-templates.ts';

export interface Initial {
  /** None: the files have an example. */
  readonly projects: readonly InitialProject[];
  readonly forges: readonly Forge[];
  readonly branch: string;
  readonly pipelines: PipelineFiles;
  /** The files that this run wrote, relative to the folder. */
  readonly written: readonly string[];
  /** The path from the folder to the top of the checkout, with a slash at its end; empty for the top. */
  readonly up: string;
  readonly hasGitlabFile: boolean;
  /** The forges that have the pipeline of other projects, with the settings of the repository. */
  readonly second: readonly Forge[];
  /** Absent: this run wrote the configuration. */
  readonly configured?:
    | {
        readonly file: string;
        readonly hasProject: boolean;
        readonly isExported: boolean;
        readonly isShared: boolean;
        /** The files and folders beside the configuration that have the manifests. */
        readonly manifests: readonly string[];
      }
    | undefined;
  /** The remote of the repository. */
  readonly remote?: string;
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
  const { projects, configured } = initial;
  if (projects.length === 0)
    return [
      {
        title: 'Try the example flags of the project local.',
        lines: ['flagwright validate', 'flagwright plan', 'flagwright apply'],
      },
    ];
  const isExported = configured?.isExported === true;
  if (!isExported) return [...configurationSteps(initial), keyStep(projects, ['read']), exportStep(projects)];
  return configured.hasProject
    ? []
    : [...configurationSteps(initial), keyStep(projects, ['read']), mergeStep(projects)];
}

/** Without the steps that are done: what is in the repository is seen there, and what the forge stores stands beside the pipeline. */
function pipelineSteps(initial: Initial): readonly PrintedStep[] {
  const { forges, second, configured, written, pipelines, up } = initial;
  const projects = initial.projects.length > 0 ? initial.projects : [EXAMPLE];
  const added = forges.filter((forge) => configured === undefined || written.includes(`${up}${pipelines[forge]}`));
  const isExported = configured?.isExported === true;
  // GitLab reads no pipeline that this file does not include.
  const isUnread = forges.includes('gitlab') && !added.includes('gitlab') && !initial.hasGitlabFile;
  const rights = [...(isExported && second.length > 0 ? [] : ['read' as const]), 'write' as const];
  return [
    ...configurationSteps(initial),
    ...sharingSteps(initial),
    ...(added.length > 0 ? [keyStep(projects, rights)] : []),
    ...(isExported ? [] : [exportStep(projects)]),
    ...added.flatMap((forge) => FORGE_STEPS[forge](projects, initial)),
    // A forge's step may be what lets the key read the project.
    ...(isExported && (second.length > 0 ? added.length > 0 : !configured.hasProject) ? [mergeStep(projects)] : []),
    ...(isUnread ? [includeStep(initial)] : []),
    ...(configured === undefined || written.length > 0 || !isExported || isUnread ? [commitStep(initial)] : []),
  ];
}

function configurationSteps({ projects: [project], configured }: Initial): readonly PrintedStep[] {
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

/** Without it, only the jobs know what was applied last. */
function sharingSteps({ projects, configured, remote }: Initial): readonly PrintedStep[] {
  if (projects.length === 0 || remote === undefined || configured === undefined || configured.isShared) return [];
  return [
    {
      title: `Add the remote to ${configured.file}, so that every clone knows what the jobs applied last.`,
      lines: [`base: { push: ${remote} }`],
    },
  ];
}

function keyStep(projects: readonly InitialProject[], rights: readonly ('read' | 'write')[]): PrintedStep {
  const scopes = rights.flatMap((right) => [
    `to ${right}:`,
    ...SCOPES.map((scope) => `  ${scope[right]}${scope.when === 'flags' ? '' : ` (for ${scope.when})`}`),
  ]);
  const mayBeEmbedded = projects.some(({ host }) => isLoopback(new URL(host).hostname));
  const lines = mayBeEmbedded ? ['`flagwright serve` has no such page: any text is a key there.', ...scopes] : scopes;
  const keys = rights.length === 1 ? 'a personal API key' : 'two personal API keys';
  const pageOf = ({ host, projectId }: InitialProject): string =>
    `project ${projectId}: ${host}/settings/user-api-keys`;
  const [first = EXAMPLE] = projects;
  if (projects.length <= 1) return { title: `Create ${keys}, limited to ${pageOf(first)}`, lines };
  const pages = projects.map((project) => `for ${project.name}, limited to ${pageOf(project)}`);
  return { title: `Create ${keys} for each project.`, lines: [...pages, ...lines] };
}

function exportStep(projects: readonly InitialProject[]): PrintedStep {
  return {
    title: `Write the existing flags as manifests, with ${keysThat('read', exportKeys(projects))}.`,
    lines: [...exportKeys(projects), `npx flagwright export --project ${projects.map(({ name }) => name).join(',')}`],
  };
}

/** Of further projects: the manifests that are there were written for others. */
function mergeStep(projects: readonly InitialProject[]): PrintedStep {
  return {
    title: 'Write what the project has of its own into the manifests, with the key that reads.',
    lines: [...exportKeys(projects), ...projects.map(({ name }) => `npx flagwright export --merge --project ${name}`)],
  };
}

/** `the key that reads`, `the keys that read`. */
function keysThat(verb: 'read' | 'write', keys: readonly string[] = ['one']): string {
  return keys.length === 1 ? `the key that ${verb}s` : `the keys that ${verb}`;
}

function exportKeys(projects: readonly InitialProject[]): readonly string[] {
  return (keysOf(projects) ?? ['POSTHOG_API_KEY']).map((variable) => `export ${variable}=phx_…`);
}

/** The setting of a repository on GitHub. */
const SETTING: PrintedStep = {
  title: 'Allow workflows to open the pull request about drift.',
  lines: [
    `gh api --method PUT 'repos/{owner}/{repo}/actions/permissions/workflow' -F can_approve_pull_request_reviews=true`,
  ],
};

const FORGE_STEPS: Readonly<
  Record<Forge, (projects: readonly InitialProject[], initial: Initial) => readonly PrintedStep[]>
> = {
  github: (projects, { branch, second }) => {
    const environment = environmentOf(projects);
    const keys = keysOf(projects);
    const [project = EXAMPLE] = projects;
    return [
      second.includes('github') && keys === undefined
        ? { title: `Let the key in the secret POSTHOG_READ_KEY read project ${project.projectId} too.` }
        : {
            title: `Store ${keysThat('read', keys)} as ${keys === undefined || keys.length === 1 ? 'a secret' : 'secrets'} of the repository.`,
            lines: (keys ?? ['POSTHOG_READ_KEY']).map((key) => `gh secret set ${key}`),
          },
      {
        title: `Create the environment ${environment}, for the branch ${branch} only, and store ${keysThat('write', keys)} there.`,
        lines: [
          `gh api --method PUT 'repos/{owner}/{repo}/environments/${environment}' -F 'deployment_branch_policy[protected_branches]=false' -F 'deployment_branch_policy[custom_branch_policies]=true'`,
          `gh api --method POST 'repos/{owner}/{repo}/environments/${environment}/deployment-branch-policies' -f name='${branch}'`,
          ...(keys ?? ['POSTHOG_API_KEY']).map((key) => `gh secret set ${key} --env ${environment}`),
        ],
      },
      ...(second.includes('github') ? [] : [SETTING]),
    ];
  },
  gitlab: (projects, initial) => {
    const { branch, second } = initial;
    const isSecond = second.includes('gitlab');
    const environment = environmentOf(projects);
    const keys = keysOf(projects);
    const [project = EXAMPLE] = projects;
    const toWrite = (keys ?? ['POSTHOG_WRITE_KEY']).map((key) => `${key} --masked --protected --scope ${environment}`);
    const toRead = (keys ?? ['POSTHOG_READ_KEY']).map((key) => `${key} --masked`);
    const readsAlready = isSecond && keys === undefined;
    const tokens: PrintedStep = {
      title: 'Create two project access tokens: Settings > Access tokens.',
      lines: ['notes: role Reporter, scope api', 'drift: role Developer, scopes api and write_repository'],
    };
    const variables = [
      ...(readsAlready ? [] : toRead),
      ...toWrite,
      ...(isSecond ? [] : ['FLAG_NOTES_TOKEN --masked', 'FLAG_DRIFT_TOKEN --masked --protected']),
    ];
    return [
      ...(readsAlready
        ? [{ title: `Let the key in the variable POSTHOG_READ_KEY read project ${project.projectId} too.` }]
        : isSecond
          ? []
          : [tokens]),
      {
        title: readsAlready
          ? 'Store the key that writes as a variable. The line waits for the value, which it does not show.'
          : 'Store the keys and the tokens as variables. Each line waits for a value, which it does not show.',
        lines: variables.map((variable) => `read -rs VALUE && printf %s "$VALUE" | glab variable set ${variable}`),
      },
      includeStep(initial),
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

function includeStep({ hasGitlabFile, up, pipelines: { gitlab: file } }: Initial): PrintedStep {
  return {
    title: hasGitlabFile
      ? `Include the jobs in ${up}.gitlab-ci.yml, under include. If it lists stages, they must have test and deploy.`
      : `Include the jobs in ${up}.gitlab-ci.yml.`,
    lines: [hasGitlabFile ? `- local: ${file}` : `printf 'include:\\n  - local: ${file}\\n' > ${up}.gitlab-ci.yml`],
  };
}

function commitStep({ forges, branch, up, pipelines, configured, written, projects }: Initial): PrintedStep {
  const included = forges.includes('gitlab') ? [`${up}.gitlab-ci.yml`] : [];
  const atTop = [...forges.map((forge) => `${up}${pipelines[forge]}`), `${up}.flagwright-ci`, ...included];
  const files =
    configured === undefined
      ? // The example tests may be gone by then: `export` tells how to remove the examples.
        [CONFIGURATION_FILE, 'flags', ...(projects.length === 0 ? ['tests'] : []), ...atTop]
      : [
          // A further project, what is merged from it and the remote are edits of these.
          configured.file,
          ...(configured.isExported ? configured.manifests : ['flags']),
          ...written.map((file) => file.replace(VERSION_FILE, '.flagwright-ci')),
          ...included,
        ];
  const hasVersion = configured === undefined || written.includes(`${up}${VERSION_FILE}`);
  return {
    title: hasVersion
      ? `Commit the files, with a lock of the version in ${up}${VERSION_FILE}, and merge them into ${branch}.`
      : `Commit the files, and merge them into ${branch}.`,
    lines: [
      ...(hasVersion ? packageLines(`${up}.flagwright-ci`) : []),
      `git add ${files.join(' ')} && git commit -m 'Manage feature flags as code'`,
    ],
  };
}

/** Until the package is published, its file stands beside the version. */
function packageLines(folder: string): readonly string[] {
  const file = `flagwright-${version()}.tgz`;
  return [
    '# flagwright is not on the npm registry yet: npm pack in a clone makes the package.',
    `cp CLONE/${file} ${folder}/`,
    `npm install --package-lock-only --save-dev --ignore-scripts --prefix ${folder} ${folder}/${file}`,
  ];
}
