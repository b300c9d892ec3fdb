/** The commands that write manifests, compare their projects, or say where their values come from. */

import {
  isOfSeveral,
  choice,
  onOff,
  ALL_REMOTE,
  onUnless,
  text,
  withDefault,
  required,
  targets,
  VERDICTS,
} from '../line/options.ts';
import type { Format } from '../../report/formats/render.ts';
import type { ExitCode } from '../line/exit.ts';
import { EDITING } from './editing.ts';
import { command, type CommandDeclaration } from '../line/program.ts';
import type { ExportCommandOptions } from '../manifests/export-read.ts';
import type { Execute, Session } from '../session/session.ts';

/** Formats in which `export` prints the declared flags instead. */
const DOCUMENTS: Readonly<Partial<Record<Format, (...given: ExportGiven) => Promise<ExitCode>>>> = {
  openfeature: async (...given) => (await import('../code/generate.ts')).exportOpenFeature(...given),
};

type ExportGiven = readonly [session: Session, options: ExportCommandOptions];

export const MANIFESTS: readonly CommandDeclaration<Execute>[] = [
  command({
    name: 'export',
    group: 'Start:',
    summary: 'write the live flags of a project as manifests',
    description:
      'Writes the live flags of a project as manifests. A plan made from them has no changes. Never overwrites files without --force. --format openfeature instead prints the declared flags as a flag manifest for the OpenFeature CLI, without contacting the service or using the options below.',
    parameters: {
      dir: withDefault(text('--dir <dir>', 'folder for the manifests'), 'flags'),
      groupBy: withDefault(
        choice(
          '--group-by <grouping>',
          'one file per key prefix (misc.yaml for the rest), one per flag, or a single file',
          ['prefix', 'flag', 'single'],
        ),
        'prefix',
      ),
      roleAccess: onOff('--role-access', 'export role access too'),
      target: targets('only these flags (keys or globs) and the flags they depend on'),
      unmanaged: onOff('--unmanaged', 'only flags that no manifest declares for the project, in new files'),
      merge: onOff('--merge', 'add the differences of this project to the existing manifests, as overlays and only_in'),
      aliases: onUnless('--no-aliases', 'write ids; do not add names of roles and cohorts to flagwright.yaml'),
      cohorts: onUnless('--no-cohorts', 'do not declare the cohorts that the flags use'),
      early_access: onUnless('--no-early-access', 'do not declare the early access features of the flags'),
      dryRun: {
        ...onOff('--dry-run', 'write nothing; show which files an export would write'),
        // What the other projects add depends on the files that the first export writes.
        alone: 'shows the export of one project',
      },
      minimal: onOff(
        '--minimal',
        'omit every default value, such as `tags: []`; drift then does not report edits of these',
      ),
      full: onOff('--full', 'write defaults of fields and conditions too, so that drift reports every edit'),
      force: onOff('--force', 'overwrite existing files'),
    },
    examples: [
      'flagwright export -p production',
      'flagwright export -p production --unmanaged --dry-run',
      'flagwright export -p staging --merge',
      'flagwright export --dir exported --role-access',
      'flagwright export --format openfeature --output flags.json',
    ],
    reports: ['export', 'projects'],
    exits: { 3: 'flags were left out', 4: 'a file exists with other content' },
    documents: Object.keys(DOCUMENTS) as Format[],
    unused: ['markdownLimit'],
    projects: 'several',
    run: (options) => async (session) => {
      const document = documentNamed(session);
      if (document !== undefined) return document(session, options);
      return isOfSeveral(session.options)
        ? (await import('../actions/export-projects.ts')).exportProjects(session, options)
        : (await import('../actions/export.ts')).exportFlags(session, options);
    },
  }),
  ...EDITING,
  command({
    name: 'parity',
    group: 'Several projects:',
    summary: 'show where projects differ',
    description:
      'Shows where the flags, declared cohorts and declared early access features of several projects differ, and exits with 2 if there is a difference that no manifest declares. Compares the manifests, or with --live the services.',
    parameters: {
      from: text('--from <project>', 'the project to compare with --to (default: all projects are compared)'),
      to: text('--to <project>', 'the other project'),
      live: onOff('--live', 'compare the live flags; needs the API keys of all these projects'),
      declared: onOff('--declared', 'also show the differences that the manifests declare'),
      allFlags: onOff('--all-flags', 'show all flags, also those that do not differ, and declared differences'),
      target: targets('only these flags (keys or globs)'),
    },
    examples: [
      'flagwright parity --declared',
      'flagwright parity --from staging --to production --live',
      'flagwright parity -p staging,production --all-flags --format html --output parity.html',
      'flagwright parity --live --format csv --output parity.csv',
    ],
    reports: ['parity'],
    exits: { 2: 'there is a difference that no manifest declares' },
    projects: 'several',
    withoutProject: ALL_REMOTE,
    run: (options) => async (session) => (await import('../actions/parity.ts')).parity(session, options),
  }),
  command({
    name: 'projects',
    group: 'Several projects:',
    summary: 'list the projects of the configuration',
    description:
      'Lists the projects of flagwright.yaml with their host, id, API key variable and order, without contacting the service.',
    parameters: {},
    examples: ['flagwright projects', 'flagwright projects --format json'],
    reports: ['records'],
    unused: ['project', 'concurrency', 'markdownLimit'],
    run: () => async (session) => (await import('../actions/list-projects.ts')).listProjects(session),
  }),
  command({
    name: 'explain',
    group: 'Every day:',
    summary: 'show where the values of a flag come from',
    description:
      'For each value of a flag, shows which file sets it, for all projects or in an overlay; what it replaces; who last changed the line in git; the live value, and who last edited that.',
    parameters: {
      name: required(
        '<flag>',
        'a flag, or one of its fields: new-checkout, new-checkout.conditions.2.rollout_percentage',
      ),
      all: onOff('--all', 'also show default values that do not differ from the live ones'),
      offline: onOff('--offline', 'do not contact the service'),
      ...VERDICTS,
    },
    examples: [
      'flagwright explain new-checkout -p production',
      'flagwright explain new-checkout.conditions.2.rollout_percentage -p production',
      'flagwright explain new-checkout.variants.control --offline --format json',
    ],
    reports: ['explain'],
    unused: ['markdownLimit'],
    run: (options) => async (session) => (await import('../actions/explain.ts')).explain(session, options),
  }),
];

function documentNamed({ options: { format, report = [] } }: Session): (typeof DOCUMENTS)[Format] {
  const named = [format, ...report.map((one) => one.format)];
  return named.flatMap((one) => (one === undefined ? [] : (DOCUMENTS[one] ?? [])))[0];
}
