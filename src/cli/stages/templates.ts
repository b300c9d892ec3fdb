/** Fills in the templates of the files that `init` writes: a configuration, a first manifest, two pipelines. */

import { readPackageFile } from '../line/package-file.ts';
import { version } from '../line/version.ts';

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

/** Without a project, an example stands in: as a comment in the configuration, and by name in the pipelines. */
export function fillTemplates(project?: InitialProject): readonly NewFile[] {
  const names = project ?? EXAMPLE;
  const configuration = readTemplate('flagwright.yaml');
  return [
    { path: CONFIGURATION_FILE, text: fill(project ? configuration : withEntryInComment(configuration), names) },
    { path: 'flags/example.yaml', text: fill(readTemplate('example.yaml'), names) },
    { path: '.github/workflows/flags.yml', text: fill(readTemplate('github.yml'), names) },
    { path: '.gitlab/flags.gitlab-ci.yml', text: fill(readTemplate('gitlab.yml'), names) },
  ];
}

const EXAMPLE: InitialProject = { name: 'production', host: 'https://us.posthog.com', projectId: '5678' };

function readTemplate(name: string): string {
  return readPackageFile(`templates/${name}`);
}

function withEntryInComment(configuration: string): string {
  return configuration.replace(ENTRY, (entry) => `  #\n${entry.replace(/^ {2}/gm, '  # ')}`);
}

const ENTRY = /^ {2}<project>:\n(?: {4}.*\n)+/m;

function fill(template: string, { name, host, projectId }: InitialProject): string {
  return template
    .replaceAll('<project>:', `${isPlain(name) ? name : `'${name}'`}:`)
    .replaceAll('<project>', name)
    .replaceAll('<host>', host)
    .replaceAll('<project_id>', projectId)
    .replaceAll('<version>', version().split('.', 2).join('.'));
}

/** Whether YAML reads the name as a string without quotes; short names may be words with a meaning (`on`, `null`). */
function isPlain(name: string): boolean {
  return /^[a-z]{5,}[a-z0-9-]*$/.test(name) && name !== 'false';
}
