/** Fills in the templates of the files that `init` writes: a configuration, a first manifest, a first test, pipelines and their version. */

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

export const CONFIGURATION_FILE = 'flagwright.yaml';

/** The file from which jobs take the version of flagwright, in a form that Renovate and Dependabot update. */
export const VERSION_FILE = '.flagwright-ci/package.json';

export const PIPELINES: Readonly<Record<Forge, string>> = {
  github: '.github/workflows/flags.yml',
  gitlab: '.gitlab/flags.gitlab-ci.yml',
};

interface Filling {
  /** Absent: an example stands in, as a comment in the configuration, and by name in the pipelines. */
  readonly project?: InitialProject | undefined;
  readonly forges?: readonly Forge[];
  /** The branch that is applied. */
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

export const EXAMPLE: InitialProject = { name: 'production', host: 'https://us.posthog.com', projectId: '5678' };

/** What each kind is called in the list of scopes. */
const USES: Readonly<Record<KindName, string>> = {
  flag: 'flags',
  cohort: 'declared cohorts',
  early_access: 'early access features',
  role_access: 'access to flags',
};

interface KeyScopes {
  /** What the scopes are for. */
  readonly when: string;
  readonly read: string;
  readonly write: string;
}

/** The scopes of the two keys of the jobs. */
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
