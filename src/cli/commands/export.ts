/** `flagwright export`. */

import { command, type CommandDeclaration } from '../line/command.ts';
import { choice, list, onOff, onUnless, text, withDefault } from '../line/parameters.ts';
import type { Execute, Session } from '../session/session.ts';

export const EXPORT: CommandDeclaration<Execute> = command({
  name: 'export',
  summary: 'write the live flags of a project as manifests',
  description:
    'Writes the live flags of a project as manifests. A plan made from them has no changes. Never overwrites files without --force. With --format openfeature: prints the declared flags as a flag manifest of the OpenFeature CLI, without contacting the service; no option of the command applies.',
  parameters: {
    dir: withDefault(text('--dir <dir>', 'folder for the manifests'), 'flags'),
    groupBy: withDefault(
      choice('--group-by <grouping>', 'one file per key prefix, one per flag, or a single file', [
        'prefix',
        'flag',
        'single',
      ]),
      'prefix',
    ),
    roleAccess: onOff('--role-access', 'export role access too'),
    target: list('--target <key...>', 'only these flags (keys or globs) and the flags they depend on'),
    unmanaged: onOff('--unmanaged', 'only flags that no manifest declares for the project, in new files'),
    merge: onOff('--merge', 'add the differences of this project to the existing manifests, as overlays and only_in'),
    aliases: onUnless('--no-aliases', 'write ids; do not add names of roles and cohorts to flagwright.yaml'),
    cohorts: onUnless('--no-cohorts', 'do not declare the cohorts that the flags use'),
    early_access: onUnless('--no-early-access', 'do not declare the early access features of the flags'),
    dryRun: onOff('--dry-run', 'write nothing; show which files an export would write'),
    minimal: onOff(
      '--minimal',
      'omit default values, such as an empty list of tags; drift does not report their changes',
    ),
    full: onOff(
      '--full',
      'write defaults of conditions too, such as the type of a property, each part on its own lines',
    ),
    force: onOff('--force', 'overwrite existing files'),
  },
  examples: [
    'flagwright export -p production',
    'flagwright export -p production --unmanaged --dry-run',
    'flagwright export -p staging --merge',
    'flagwright export --dir exported --role-access',
    'flagwright export --format openfeature --output flags.json',
  ],
  reports: ['export'],
  exits: { 3: true },
  documents: ['openfeature'],
  unused: ['markdownLimit'],
  run: (options) => async (session) =>
    namesOpenFeature(session)
      ? (await import('../actions/export-openfeature.ts')).exportOpenFeature(session, options)
      : (await import('../actions/export.ts')).exportFlags(session, options),
});

function namesOpenFeature({ options: { format, report = [] } }: Session): boolean {
  return [format, ...report.map((one) => one.format)].includes('openfeature');
}
