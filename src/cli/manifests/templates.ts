/** The files that `init` writes, from templates, and the manual steps after it, in the required order, with commands to copy. */

import type { Forge } from '../../git/forge.ts';
import { scopesOfKind, type ScopeUse } from '../../posthog/key-scopes.ts';
import type { KindName } from '../../posthog/kind-types.ts';
import { appliedRef } from '../applied/applied-record.ts';
import { version, readPackageFile } from '../line/version.ts';

export interface NewFile {
  /** Relative to the folder of the project, with `/`; of a pipeline and its version, to the top of the checkout. */
  readonly path: string;
  readonly text: string;
  /** Forges read pipelines only there. */
  readonly isAtTop?: true;
}

/** A project of a real service, as the configuration names it; every member is checked. */
export interface InitialProject {
  readonly name: string;
  readonly host: string;
  readonly projectId: string;
}

const CONFIGURATION_FILE = 'flagwright.yaml';

/** The file from which jobs take the version of flagwright, in a form that Renovate and Dependabot update. */
const VERSION_FILE = '.flagwright-ci/package.json';

export const PIPELINES: Readonly<Record<Forge, string>> = {
  github: '.github/workflows/flags.yml',
  gitlab: '.gitlab/flags.gitlab-ci.yml',
};

interface Filling {
  /** Absent: an example stands in, as a comment in the configuration, and by name in the pipelines. */
  readonly project?: InitialProject | undefined;
  readonly forges?: readonly Forge[];
  readonly branch?: string | undefined;
  /** The path from the top of the checkout to the folder of the project, `shop/flags/`; empty for the top. */
  readonly folder?: string;
}

export function fillTemplates({
  project,
  forges = [],
  branch = 'main',
  folder = '',
}: Filling = {}): readonly NewFile[] {
  const template = (name: string): string => fill(readTemplate(name), project ?? EXAMPLE, branch);
  const configuration = readTemplate('flagwright.yaml');
  const files: readonly NewFile[] = [
    {
      path: CONFIGURATION_FILE,
      text: fill(project ? configuration : withoutProject(configuration), project ?? EXAMPLE, branch),
    },
    { path: 'flags/example.yaml', text: template('example.yaml') },
    { path: 'tests/example.yaml', text: template('tests.yaml') },
  ];
  if (forges.length === 0) return files;
  return [
    ...files,
    ...forges.map((forge) => ({
      path: PIPELINES[forge],
      text: inFolder(INTO_FOLDER[forge](template(`${forge}.yml`), folder), folder, project ?? EXAMPLE),
      isAtTop: true as const,
    })),
    { path: VERSION_FILE, text: template('ci-package.json'), isAtTop: true },
  ];
}

/** Names the folder to the jobs, where it is not the top. */
const INTO_FOLDER: Readonly<Record<Forge, (text: string, folder: string) => string>> = {
  github: (text, folder) =>
    folder === ''
      ? text
      : text
          .replaceAll(/(with: \{ command: \w+)/g, `$1, folder: '${folder.slice(0, -1)}'`)
          .replaceAll(/^( +)(command: \w+\n)/gm, `$1$2$1folder: '${folder.slice(0, -1)}'\n`),
  gitlab: (text, folder) =>
    folder === '' ? text : text.replace(/^( +)(PROJECT: .*\n)/m, `$1$2$1FLAG_FOLDER: '${folder.slice(0, -1)}'\n`),
};

function inFolder(text: string, folder: string, project: InitialProject): string {
  const ref = appliedRef({ file: CONFIGURATION_FILE }, project, { prefix: folder.slice(0, -1) }) ?? '';
  return text
    .replaceAll('<folder>', folder)
    .replaceAll('<applied_ref>', ref)
    .replaceAll('<snapshot_ref>', ref.replace('/applied/', '/snapshot/'));
}

const EXAMPLE: InitialProject = { name: 'production', host: 'https://us.posthog.com', projectId: '5678' };

/** What each kind is called in the list of scopes. */
const USES: Readonly<Record<KindName, string>> = {
  flag: 'flags',
  cohort: 'declared cohorts',
  early_access: 'early access features',
  role_access: 'access to flags',
};

interface KeyScopes {
  readonly when: string;
  readonly read: string;
  readonly write: string;
}

const SCOPES: readonly KeyScopes[] = (Object.keys(USES) as readonly KindName[]).map((kind) => {
  const listed = (unneeded: ScopeUse): string =>
    scopesOfKind(kind)
      .flatMap(({ scope, use }) => (use === unneeded ? [] : [scope]))
      .join(', ');
  // Writing includes reading.
  return { when: USES[kind], read: listed('applies'), write: listed('runs') };
});

function readTemplate(name: string): string {
  return readPackageFile(`templates/${name}`);
}

/** The entry of the project becomes a comment, and `local` the default. */
function withoutProject(configuration: string): string {
  return configuration
    .replace(ENTRY, (entry) => `  #\n${entry.replace(/^ {2}/gm, '  # ')}`)
    .replace('default_project: <default_project>', 'default_project: local');
}

const ENTRY = /^ {2}<project>:\n(?: {4}.*\n)+/m;

function fill(template: string, { name, host, projectId }: InitialProject, branch: string): string {
  return template
    .replaceAll('<project>:', `${yamlString(name)}:`)
    .replaceAll('<default_project>', yamlString(name))
    .replaceAll('<project>', name)
    .replaceAll('<host>', host)
    .replaceAll('<project_id>', projectId)
    .replaceAll('<branch>', yamlString(branch))
    .replaceAll('<ref>', branch)
    .replaceAll('<read_scopes>', scopeLines('read'))
    .replaceAll('<write_scopes>', scopeLines('write'))
    .replaceAll('<version>', version());
}

function scopeLines(right: 'read' | 'write'): string {
  return SCOPES.map((scopes) => `${scopes[right]} (${scopes.when})`).join(';\n#     ') + ';';
}

function yamlString(name: string): string {
  return isPlain(name) ? name : `'${name}'`;
}

/** Whether YAML reads the name as a string without quotes; short names may be words with a meaning (`on`, `null`). */
function isPlain(name: string): boolean {
  return name === 'main' || (/^[a-z]{5,}[a-z0-9-]*$/.test(name) && name !== 'false');
}

export interface Initial {
  /** Absent: the files have an example. */
  readonly project: InitialProject | undefined;
  readonly forges: readonly Forge[];
  readonly branch: string;
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
