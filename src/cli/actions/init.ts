/** `flagwright init`: writes the files of a new project from templates, keeps existing files, and lists the manual steps after it. */

import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { FlagwrightError } from '../../base/errors.ts';
import { DEFAULT_API_KEY_VARIABLE } from '../../config/config.ts';
import { checkHost } from '../../config/projects.ts';
import { findSharedAt, type Forge, type SharedAt } from '../../loop/git/forge.ts';
import { openRepository } from '../../loop/git/repository.ts';
import { gitEnvironment } from '../../loop/git/run-git.ts';
import { exists } from '../../loop/journal/disk.ts';
import { scopesOfKind, type ScopeUse } from '../../posthog/key-scopes.ts';
import type { KindName } from '../../posthog/kind-types.ts';
import type { FileOutcome } from '../../report/report.ts';
import { appliedRef } from '../applied/applied-record.ts';
import type { ExitCode } from '../line/exit.ts';
import { version, readPackageFile } from '../line/version.ts';
import { refuseLinkOut, writeAll, type FileWrite } from '../session/files.ts';
import type { Session } from '../session/session.ts';

export interface InitOptions {
  readonly host?: string;
  readonly projectId?: string;
  /** The system to write a pipeline for; absent: the one that the remote or the folder shows. */
  readonly ci?: Forge | 'none';
}

export async function init(session: Session, options: InitOptions): Promise<ExitCode> {
  const project = initialProject(session, options);
  const { cwd } = session.context;
  const around = await lookAround(session);
  const forges = await chooseForges(session, options, around);
  const { branch, folder, up } = around;
  const top = path.resolve(cwd, up);
  const files: FileOutcome[] = [];
  const writes: FileWrite[] = [];
  const kept: string[] = [];
  for (const { path: name, text, isAtTop } of fillTemplates({ project, forges, branch, folder })) {
    const file = isAtTop === true ? path.posix.join(up, name) : name;
    const target = path.resolve(cwd, file);
    await refuseLinkOut(isAtTop === true ? top : cwd, path.dirname(target));
    const isKept = await exists(target);
    if (isKept) kept.push(name);
    else writes.push({ file, text, before: null });
    files.push({ file, status: isKept ? 'kept' : 'written' });
  }
  const hasGitlabFile = await exists(path.join(top, '.gitlab-ci.yml'));
  await writeAll(session, writes);
  await session.publish({ kind: 'files', files });
  await session.note(`\n${pipelineNote({ ...around, forges, kept })}\n`);
  await session.note(nextSteps({ project, forges, kept, hasGitlabFile, ...around }));
  return 0;
}

interface FolderAround extends SharedAt {
  readonly branch: string;
  /** git names no branch that can be in a workflow. */
  readonly isGuessed: boolean;
  /** The path from the top of the checkout to the folder, with a slash at its end; empty for the top. */
  readonly folder: string;
  /** The path from the folder to the top of the checkout, with a slash at its end; empty for the top. */
  readonly up: string;
}

/** Asks git about the folder, which may be outside a repository, or on a machine without git. */
async function lookAround({ context, interrupts }: Session): Promise<FolderAround> {
  const env = gitEnvironment(context.env, [DEFAULT_API_KEY_VARIABLE]);
  const opened = await openRepository({ folder: context.cwd, env, signal: interrupts.stop });
  if (opened.kind !== 'open') return { branch: 'main', isGuessed: true, folder: '', up: '' };
  const { branch, ...shared } = await findSharedAt(opened.repository);
  const isKnown = branch !== undefined && PLAIN.test(branch);
  const { prefix, top } = opened.repository;
  const folder = prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`;
  const way = folder.replaceAll(/[^/]+\//g, '../');
  // The top cannot be named from a folder that a symbolic link leads to.
  const up = (await realpath(path.resolve(context.cwd, way))) === top ? way : `${top}/`;
  return { ...shared, branch: isKnown ? branch : 'main', isGuessed: !isKnown, folder, up };
}

/** Other names of branches and folders would be patterns in a workflow. */
const PLAIN = /^[\w./-]+$/;

/** The remote says where the repository is shared, else the folders of a forge. */
async function chooseForges(
  { context }: Session,
  { ci }: InitOptions,
  { forge, folder, up }: FolderAround,
): Promise<readonly Forge[]> {
  if (folder !== '' && !PLAIN.test(folder)) return [];
  if (ci !== undefined) return ci === 'none' ? [] : [ci];
  if (forge !== undefined) return [forge];
  const traces: readonly (readonly [Forge, string])[] = [
    ['github', '.github'],
    ['gitlab', '.gitlab-ci.yml'],
    ['gitlab', '.gitlab'],
  ];
  const found = new Set<Forge>();
  for (const [name, trace] of traces) if (await exists(path.resolve(context.cwd, up, trace))) found.add(name);
  return [...found];
}

type Pipelines = FolderAround & { readonly forges: readonly Forge[]; readonly kept: readonly string[] };

/** Names the pipelines and their branch: a workflow for the wrong branch never runs, without a message. */
function pipelineNote({ forges, branch, isGuessed, host, kept, folder, up }: Pipelines): string {
  if (folder !== '' && !PLAIN.test(folder)) {
    return `No pipeline was written: ${folder} would be a pattern in it. Rename the folder, and run init again.`;
  }
  if (forges.length === 0) {
    const why = host === undefined ? 'git has no remote here' : `${host} may be GitHub or GitLab`;
    return `No pipeline was written: ${why}. For one: flagwright init --ci github, or --ci gitlab.`;
  }
  const old = forges.map((forge) => PIPELINES[forge]).filter((file) => kept.includes(file));
  if (old.length > 0) {
    return `${old.map((file) => `${up}${file}`).join(', ')} exists and was kept unread. For the current version, rename it and run init again.`;
  }
  if (!forges.includes('github')) return `${up}${PIPELINES.gitlab} applies the default branch of the project.`;
  const guess = isGuessed ? ': a guess, since git names no branch. Change it there if it is wrong' : '';
  return `${up}${PIPELINES.github} applies the branch ${branch}${guess}.`;
}

/** Every later run reads these values, so they are checked like the configuration. */
function initialProject(
  { options: { project: name = 'production' } }: Session,
  { host, projectId }: InitOptions,
): InitialProject | undefined {
  if (host === undefined && projectId === undefined) return undefined;
  if (host === undefined || projectId === undefined) {
    throw new FlagwrightError('usage', '--host and --project-id must be used together.');
  }
  const checked = checkHost(host);
  if ('problem' in checked) {
    const words = `--host ${checked.args.host} must start with https:// (the API key would be sent unencrypted).`;
    throw new FlagwrightError('usage', words);
  }
  if (!/^(\d+|@current)$/.test(projectId)) {
    throw new FlagwrightError('usage', `--project-id ${projectId} is not the number of a project or @current.`);
  }
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(name) && name !== 'local')
    return { name, host: checked.host, projectId };
  const words = `--project ${name} is not a valid name: use letters, digits, '.', '_' and '-', and not local.`;
  throw new FlagwrightError('usage', words);
}

interface NewFile {
  /** Relative to the folder of the project, with `/`; of a pipeline and its version, to the top of the checkout. */
  readonly path: string;
  readonly text: string;
  /** Forges read pipelines only there. */
  readonly isAtTop?: true;
}

/** A project of a real service, as the configuration names it; every member is checked. */
interface InitialProject {
  readonly name: string;
  readonly host: string;
  readonly projectId: string;
}

const CONFIGURATION_FILE = 'flagwright.yaml';

/** The file from which jobs take the version of flagwright, in a form that Renovate and Dependabot update. */
const VERSION_FILE = '.flagwright-ci/package.json';

const PIPELINES: Readonly<Record<Forge, string>> = {
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
