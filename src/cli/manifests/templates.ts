/** Fills in the templates of the files that `init` writes: a configuration, a first manifest, a first test, two pipelines. */

import { version, readPackageFile } from '../line/version.ts';

export interface NewFile {
  /** Relative to the folder of the project, with `/`. */
  readonly path: string;
  readonly text: string;
}

/** A project of a real service, as the configuration names it; every member is checked. */
export interface InitialProject {
  readonly name: string;
  readonly host: string;
  readonly projectId: string;
}

export const CONFIGURATION_FILE = 'flagwright.yaml';

export type CiSystem = 'github' | 'gitlab';

const PIPELINES: Readonly<Record<CiSystem, string>> = {
  github: '.github/workflows/flags.yml',
  gitlab: '.gitlab/flags.gitlab-ci.yml',
};

export const CI_SYSTEMS = Object.keys(PIPELINES) as readonly CiSystem[];

/** Without a project, an example stands in: as a comment in the configuration, and by name in the pipelines. */
export function fillTemplates(project?: InitialProject, systems: readonly CiSystem[] = CI_SYSTEMS): readonly NewFile[] {
  const names = project ?? EXAMPLE;
  const configuration = readTemplate('flagwright.yaml');
  return [
    { path: CONFIGURATION_FILE, text: fill(project ? configuration : withoutProject(configuration), names) },
    { path: 'flags/example.yaml', text: fill(readTemplate('example.yaml'), names) },
    { path: 'tests/example.yaml', text: fill(readTemplate('tests.yaml'), names) },
    ...systems.map((system) => ({ path: PIPELINES[system], text: fill(readTemplate(`${system}.yml`), names) })),
  ];
}

const EXAMPLE: InitialProject = { name: 'production', host: 'https://us.posthog.com', projectId: '5678' };

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

function fill(template: string, { name, host, projectId }: InitialProject): string {
  return template
    .replaceAll('<project>:', `${yamlString(name)}:`)
    .replaceAll('<default_project>', yamlString(name))
    .replaceAll('<project>', name)
    .replaceAll('<host>', host)
    .replaceAll('<project_id>', projectId)
    .replaceAll('<version>', version().split('.', 2).join('.'));
}

function yamlString(name: string): string {
  return isPlain(name) ? name : `'${name}'`;
}

/** Whether YAML reads the name as a string without quotes; short names may be words with a meaning (`on`, `null`). */
function isPlain(name: string): boolean {
  return /^[a-z]{5,}[a-z0-9-]*$/.test(name) && name !== 'false';
}
