/** The files that `init` writes, filled in from templates: the configuration, the examples, and the pipelines of projects. */

import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Forge } from '../../loop/git/forge.ts';
import { scopesOfKind, type ScopeUse } from '../../posthog/key-scopes.ts';
import type { KindName } from '../../posthog/kind-types.ts';
import { appliedRef } from '../applied/applied-record.ts';
import { version, readPackageFile } from '../line/version.ts';

interface NewFile {
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

export const CONFIGURATION_FILE = 'flagwright.yaml';
export const EXAMPLE_MANIFEST = 'flags/example.yaml';
const EXAMPLES: readonly (readonly [file: string, template: string])[] = [
  [EXAMPLE_MANIFEST, 'example.yaml'],
  ['tests/example.yaml', 'tests.yaml'],
];

/** The file from which jobs take the version of flagwright, in a form that Renovate and Dependabot update. */
export const VERSION_FILE = '.flagwright-ci/package.json';

/** What coding agents are told, where they look for it. */
const SKILL_FILE = '.agents/skills/flagwright/SKILL.md';

export type PipelineFiles = Readonly<Record<Forge, string>>;

export const PIPELINES: PipelineFiles = {
  github: '.github/workflows/flags.yml',
  gitlab: '.gitlab/flags.gitlab-ci.yml',
};

/** `second`: the forges whose usual file is another project's. */
export function pipelineFiles(project: InitialProject | undefined, second: readonly Forge[]): PipelineFiles {
  const own = (forge: Forge): string =>
    second.includes(forge) ? PIPELINES[forge].replace('/flags.', `/flags-${project?.name}.`) : PIPELINES[forge];
  return { github: own('github'), gitlab: own('gitlab') };
}

interface Filling {
  /** Absent: an example stands in, as a comment in the configuration, and by name in the pipelines. */
  readonly project?: InitialProject | undefined;
  readonly forges?: readonly Forge[];
  readonly branch?: string | undefined;
  /** The path from the top of the checkout to the folder of the project, `shop/flags/`; empty for the top. */
  readonly folder?: string;
  /** There is a configuration, so the examples are left out, and the workflow for forks comes in. */
  readonly isConfigured?: boolean;
  /** The forges whose usual pipeline is another project's. */
  readonly second?: readonly Forge[];
  /** With instructions for coding agents. */
  readonly agents?: boolean;
}

/** The configuration comes first. */
export function fillTemplates({
  project,
  forges = [],
  branch = 'main',
  folder = '',
  isConfigured = false,
  second = [],
  agents = false,
}: Filling = {}): readonly NewFile[] {
  const template = (name: string): string => fill(readTemplate(name), project ?? EXAMPLE, branch);
  const configuration = readTemplate('flagwright.yaml');
  const files: readonly NewFile[] = [
    {
      path: CONFIGURATION_FILE,
      text: fill(project ? configuration : withoutProject(configuration), project ?? EXAMPLE, branch),
    },
    ...(isConfigured ? [] : EXAMPLES.map(([file, name]) => ({ path: file, text: readTemplate(name) }))),
    ...(agents ? [{ path: SKILL_FILE, text: readTemplate('skill.md'), isAtTop: true as const }] : []),
  ];
  if (forges.length === 0) return files;
  const own = pipelineFiles(project, second);
  const pipeline = (forge: Forge, name: string): string => {
    const text = inFolder(INTO_FOLDER[forge](template(name), folder), folder, project ?? EXAMPLE);
    return second.includes(forge) ? APART[forge](text, project?.name ?? '') : text;
  };
  const forks = own.github.replace('/flags', '/flags-forks');
  return [
    ...files,
    ...forges.map((forge) => ({ path: own[forge], text: pipeline(forge, `${forge}.yml`), isAtTop: true as const })),
    ...(isConfigured && forges.includes('github')
      ? [{ path: forks, text: pipeline('github', 'github-forks.yml'), isAtTop: true as const }]
      : []),
    { path: VERSION_FILE, text: template('ci-package.json'), isAtTop: true },
  ];
}

/** The examples that a folder still has as `init` wrote them. */
export async function findExamples(root: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const [file, name] of EXAMPLES) {
    const text = await readFile(path.join(root, file), 'utf8').catch(() => undefined);
    if (text === readTemplate(name)) found.push(file);
  }
  return found;
}

/** Names a pipeline and its jobs apart from those of another project. */
const APART: Readonly<Record<Forge, (text: string, name: string) => string>> = {
  github: (text, name) =>
    text
      .replaceAll('workflows/flags.yml', `workflows/flags-${name}.yml`)
      .replace(/^name: flags(.*)$/m, `name: flags-${name}$1`)
      .replace('workflows: [flags]', `workflows: [flags-${name}]`),
  gitlab: (text, name) =>
    text
      .replaceAll('/flags.gitlab-ci.yml', `/flags-${name}.gitlab-ci.yml`)
      .replaceAll(/^flags:(\w+):$/gm, `flags-${name}:$1:`)
      .replaceAll('[flags:plan]', `['flags-${name}:plan']`)
      .replaceAll(/^\.flags(.*):/gm, `.flags-${name}$1:`)
      .replaceAll('extends: .flags', `extends: .flags-${name}`),
};

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

export const EXAMPLE: InitialProject = { name: 'production', host: 'https://us.posthog.com', projectId: '5678' };

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

export const SCOPES: readonly KeyScopes[] = (Object.keys(USES) as readonly KindName[]).map((kind) => {
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
