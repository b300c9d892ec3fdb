/** The files that `init` writes, filled in from templates: the configuration, the examples, and the pipelines of projects. */

import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { DEFAULT_API_KEY_VARIABLE } from '../../config/config.ts';
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
  /** The environment variable of its key. */
  readonly apiKeyVariable: string;
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

/** `second`: the forges whose usual file is that of other projects. */
export function pipelineFiles(projects: readonly InitialProject[], second: readonly Forge[]): PipelineFiles {
  const own = (forge: Forge): string =>
    second.includes(forge) ? PIPELINES[forge].replace('/flags.', `/flags-${groupOf(projects)}.`) : PIPELINES[forge];
  return { github: own('github'), gitlab: own('gitlab') };
}

/** Names what there is once for all projects of a pipeline. Forges take no comma there. */
function groupOf(projects: readonly InitialProject[]): string {
  return projects.map(({ name }) => name).join('-');
}

/** The environment of the jobs that write. */
export function environmentOf(projects: readonly InitialProject[]): string {
  return projects.length > 1 ? 'flags' : groupOf(projects);
}

/**
 * The variables of the keys, for a pipeline that has secrets of their names: read keys for all jobs, and those that write for an
 * environment. Absent for one project with the usual variable: its two secrets have fixed names.
 */
export function keysOf(projects: readonly InitialProject[]): readonly string[] | undefined {
  const variables = [...new Set(projects.map(({ apiKeyVariable }) => apiKeyVariable))];
  return projects.length > 1 || variables[0] !== DEFAULT_API_KEY_VARIABLE ? variables : undefined;
}

interface Filling {
  /** Those of the pipelines, which do all in one job. None: an example stands in, as a comment in the configuration, and by name in the pipelines. */
  readonly projects?: readonly InitialProject[];
  readonly forges?: readonly Forge[];
  /** The remote that keeps the records of what was applied; absent: there is none. */
  readonly remote?: string | undefined;
  readonly branch?: string | undefined;
  /** The path from the top of the checkout to the folder of the project, `shop/flags/`; empty for the top. */
  readonly folder?: string;
  /** There is a configuration, so the examples are left out, and the workflow for forks comes in. */
  readonly isConfigured?: boolean;
  /** The forges whose usual pipeline is that of other projects. */
  readonly second?: readonly Forge[];
  /** With instructions for coding agents. */
  readonly agents?: boolean;
}

/** The configuration comes first. */
export function fillTemplates({
  projects = [],
  forges = [],
  remote,
  branch = 'main',
  folder = '',
  isConfigured = false,
  second = [],
  agents = false,
}: Filling = {}): readonly NewFile[] {
  const shown = projects.length > 0 ? projects : [EXAMPLE];
  // The jobs of the pipelines push the records to it.
  const isShared = projects.length > 0 && forges.length > 0 && remote !== undefined && PLAIN_REMOTE.test(remote);
  const template = readTemplate('flagwright.yaml');
  const configuration = isShared ? template.replace('# base: { push: origin }', `base: { push: ${remote} }`) : template;
  const files: readonly NewFile[] = [
    {
      path: CONFIGURATION_FILE,
      text: fill(projects.length > 0 ? configuration : withoutProject(configuration), shown, branch),
    },
    ...(isConfigured ? [] : EXAMPLES.map(([file, name]) => ({ path: file, text: readTemplate(name) }))),
    ...(agents ? [{ path: SKILL_FILE, text: readTemplate('skill.md'), isAtTop: true as const }] : []),
  ];
  if (forges.length === 0) return files;
  const own = pipelineFiles(projects, second);
  const pipeline = (forge: Forge, name: string): string => {
    const text = fill(withKeys(readTemplate(name), forge, keysOf(shown)), shown, branch);
    const placed = inFolder(INTO_FOLDER[forge](text, folder), folder, shown);
    return second.includes(forge) ? APART[forge](placed, groupOf(projects)) : placed;
  };
  const forks = own.github.replace('/flags', '/flags-forks');
  return [
    ...files,
    ...forges.map((forge) => ({ path: own[forge], text: pipeline(forge, `${forge}.yml`), isAtTop: true as const })),
    ...(isConfigured && forges.includes('github')
      ? [{ path: forks, text: pipeline('github', 'github-forks.yml'), isAtTop: true as const }]
      : []),
    { path: VERSION_FILE, text: fill(readTemplate('ci-package.json'), shown, branch), isAtTop: true },
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

/** Names a pipeline and its jobs apart from those of other projects. */
const APART: Readonly<Record<Forge, (text: string, name: string) => string>> = {
  github: (text, name) =>
    text
      .replaceAll('workflows/flags.yml', `workflows/flags-${name}.yml`)
      .replace(/^name: flags(.*)$/m, `name: flags-${name}$1`)
      .replace('workflows: [flags]', `workflows: [flags-${name}]`),
  gitlab: (text, name) =>
    text
      .replaceAll('/flags.gitlab-ci.yml', `/flags-${name}.gitlab-ci.yml`)
      .replaceAll(/\bflags:(?=\w)/g, `flags-${name}:`)
      .replaceAll(/^\.flags(.*):/gm, `.flags-${name}$1:`)
      .replaceAll('extends: .flags', `extends: .flags-${name}`),
};

/** Names the folder to the jobs, where it is not the top. */
const INTO_FOLDER: Readonly<Record<Forge, (text: string, folder: string) => string>> = {
  github: (text, folder) =>
    folder === ''
      ? text
      : text
          .replaceAll(/(with: \{ command: [\w-]+)/g, `$1, folder: '${folder.slice(0, -1)}'`)
          .replaceAll(/^( +)(command: \w+\n)/gm, `$1$2$1folder: '${folder.slice(0, -1)}'\n`),
  gitlab: (text, folder) =>
    folder === '' ? text : text.replace(/^( +)(PROJECT: .*\n)/m, `$1$2$1FLAG_FOLDER: '${folder.slice(0, -1)}'\n`),
};

function inFolder(text: string, folder: string, projects: readonly InitialProject[]): string {
  const [project = EXAMPLE] = projects.length > 1 ? [{ ...EXAMPLE, name: 'PROJECT' }] : projects;
  const ref = appliedRef({ file: CONFIGURATION_FILE }, project, { prefix: folder.slice(0, -1) }) ?? '';
  return text
    .replaceAll('<folder>', folder)
    .replaceAll('<applied_ref>', ref)
    .replaceAll('<snapshot_ref>', ref.replace('/applied/', '/snapshot/'));
}

/** A name that needs no quotes. */
const PLAIN_REMOTE = /^[a-z][\w-]*$/i;

export const EXAMPLE: InitialProject = {
  name: 'production',
  host: 'https://us.posthog.com',
  projectId: '5678',
  apiKeyVariable: DEFAULT_API_KEY_VARIABLE,
};

/** Says in the head of a pipeline, and gives its jobs, the keys that they have. */
function withKeys(text: string, forge: Forge, keys: readonly string[] | undefined): string {
  const words = KEY_WORDS[forge](keys);
  const named = text
    .replaceAll('<read_key>', words.read)
    .replaceAll('<write_key>', words.write)
    .replaceAll('<rollout_key>', words.rollout);
  return keys === undefined ? named : GIVE_KEYS[forge](named, keys);
}

const KEY_WORDS: Readonly<
  Record<Forge, (keys: readonly string[] | undefined) => Readonly<Record<'read' | 'write' | 'rollout', string>>>
> = {
  github: (keys) => ({
    read: keys === undefined ? 'the secret POSTHOG_READ_KEY' : `the ${namedText('secret', keys)}`,
    write: keys === undefined ? 'the secret POSTHOG_API_KEY' : alikeText('secret', keys),
    rollout: '',
  }),
  gitlab: (keys) => ({
    read: keys === undefined ? 'the masked variable POSTHOG_READ_KEY' : `the masked ${namedText('variable', keys)}`,
    write:
      keys === undefined
        ? 'the masked and protected variable POSTHOG_WRITE_KEY'
        : alikeText('masked and protected variable', keys),
    rollout: keys === undefined ? 'POSTHOG_WRITE_KEY is' : 'these are',
  }),
};

function namedText(noun: string, keys: readonly string[]): string {
  return keys.length === 1 ? `${noun} ${keys.join('')}` : `${noun}s ${keys.join(', ')}, one for each project`;
}

function alikeText(noun: string, keys: readonly string[]): string {
  return keys.length === 1 ? `a ${noun} of the same name` : `${noun}s of the same names`;
}

const GIVE_KEYS: Readonly<Record<Forge, (text: string, keys: readonly string[]) => string>> = {
  github: (text, keys) =>
    text.replaceAll(/^( +)api-key: .*\n +api-key-name: .*\n/gm, (_, indent: string) =>
      [`${indent}api-keys: |\n`, ...keys.map((key) => `${indent}  ${key}=\${{ secrets.${key} }}\n`)].join(''),
    ),
  gitlab: (text, keys) =>
    text.replaceAll(/^( +)POSTHOG_API_KEY: .*\n +FLAG_KEY_NAME: .*\n/gm, (_, indent: string) =>
      [`${indent}FLAG_API_KEYS: |\n`, ...keys.map((key) => `${indent}  ${key}=$${key}\n`)].join(''),
    ),
};

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

function fill(template: string, projects: readonly InitialProject[], branch: string): string {
  const names = projects.map(({ name }) => name);
  const [first = EXAMPLE] = projects;
  return template
    .replaceAll('<project>:', `${yamlString(first.name)}:`)
    .replaceAll('<default_project>', yamlString(first.name))
    .replaceAll('<needed>', `the project${names.length > 1 ? 's' : ''} \`${names.join('`, `')}\``)
    .replaceAll('<project>', names.join(','))
    .replaceAll('<group>', groupOf(projects))
    .replaceAll('<environment>', environmentOf(projects))
    .replaceAll('<host>', [...new Set(projects.map(({ host }) => host))].join(' '))
    .replaceAll('<project_id>', first.projectId)
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
