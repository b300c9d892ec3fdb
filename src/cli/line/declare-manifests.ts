/** Declares the commands that write and compare manifests. */

import { Option, type Command } from 'commander';
import type { Commands } from './commands.ts';
import { examples } from './examples.ts';
import { addBaseOption, addWhoOptions } from './options.ts';

export function declareFirstFiles(program: Command, commands: Commands): void {
  declareInit(program, commands);
  declareValidate(program, commands);
  declareTest(program, commands);
}

/** Commands for projects that have manifests, or live flags. */
export function declareManifests(program: Command, commands: Commands): void {
  declareExport(program, commands);
  declareAccept(program, commands);
  declarePromote(program, commands);
  declareParity(program, commands);
  declareExplain(program, commands);
}

function declareInit(program: Command, commands: Commands): void {
  program
    .command('init')
    .summary('create the first files of a project')
    .description(
      'Writes flagwright.yaml, an example manifest, an example test and CI workflows. Existing files are kept.',
    )
    .option('--host <url>', 'host of a remote project to configure, named by --project (default: production)')
    .option('--project-id <id>', 'id of that project')
    .addOption(
      new Option('--ci <system>', 'the CI system to write a pipeline for').choices(['github', 'gitlab', 'none']),
    )
    .addHelpText(
      'after',
      examples([
        'flagwright init',
        'flagwright init --project staging --host https://eu.posthog.com --project-id 5678 --ci github',
      ]),
    )
    .action(commands.init);
}

function declareValidate(program: Command, commands: Commands): void {
  program
    .command('validate')
    .argument('[file...]', 'manifests and test files to check (default: all of the configuration)')
    .summary('check the configuration, the manifests and the test files offline')
    .description(
      'Checks the configuration, the manifests for every project, and the test files, without contacting the service.',
    )
    .option(
      '--base <commit>',
      'what policies compare with: a commit, none, or what was applied last (auto; the default)',
    )
    .option('--approved-by <name...>', 'who approved the change, for policies that ask for an approval')
    .addHelpText(
      'after',
      examples([
        'flagwright validate',
        'flagwright validate flags/checkout.yaml tests/checkout.yaml',
        'flagwright validate --format github',
        'flagwright validate --format gitlab --output gl-code-quality-report.json',
      ]),
    )
    .action(commands.validate);
}

function declareTest(program: Command, commands: Commands): void {
  program
    .command('test')
    .argument('[file...]', 'test files whose expectations to judge (default: all test files)')
    .summary('check what flags answer people, offline')
    .description(
      'Evaluates the declared flags for the people of the test files, without contacting the service, and exits with 2 if an answer is not the expected one.',
    )
    .option('--target <key...>', 'only expectations about these flags (keys or globs)')
    .addHelpText(
      'after',
      examples([
        'flagwright test',
        'flagwright test -p production tests/checkout.yaml',
        'flagwright test --target "checkout-*"',
        'flagwright test --report junit=tests.xml',
      ]),
    )
    .action(commands.test);
}

function declareExport(program: Command, commands: Commands): void {
  program
    .command('export')
    .summary('write the live flags of a project as manifests')
    .description(
      'Writes the live flags of a project as manifests. A plan made from them has no changes. Never overwrites files without --force.',
    )
    .option('--dir <dir>', 'folder for the manifests', 'flags')
    .addOption(
      new Option('--group-by <grouping>', 'one file per key prefix, one per flag, or a single file')
        .choices(['prefix', 'flag', 'single'])
        .default('prefix'),
    )
    .option('--role-access', 'export role access too (one request per flag)')
    .option('--target <key...>', 'only these flags (keys or globs) and the flags they depend on')
    .option('--unmanaged', 'only flags that no manifest declares for the project, in new files')
    .option('--merge', 'add what differs in this project to the existing manifests, as overlays and only_in')
    .option('--no-aliases', 'write ids; do not add names of roles and cohorts to flagwright.yaml')
    .option('--no-cohorts', 'do not declare the cohorts that the flags use')
    .option('--dry-run', 'write nothing; show which files an export would write')
    .option('--minimal', 'omit values that nobody chose, such as no tags; drift does not report their changes')
    .option('--force', 'overwrite existing files')
    .addHelpText(
      'after',
      examples([
        'flagwright export -p production',
        'flagwright export -p production --unmanaged --dry-run',
        'flagwright export -p staging --merge',
        'flagwright export --dir exported --role-access',
      ]),
    )
    .action(commands.export);
}

function declareAccept(program: Command, commands: Commands): void {
  const command = program
    .command('accept')
    .argument('[key...]', 'flags to accept (keys or globs; default: all that differ)')
    .summary('take live values over into the manifests')
    .description(
      'Writes what is live into the manifests, in the layer that gives each value, and changes no other text and no other project.',
    )
    .option('--target <key...>', 'only these flags (keys or globs)')
    .option('--only <path...>', 'only these fields: active, conditions.2.rollout_percentage, role_access')
    .addOption(
      new Option('--layer <layer>', 'write for all projects, or for this one in an overlay').choices([
        'base',
        'project',
      ]),
    )
    .option('--pending', 'also undo what git changed since the last apply')
    .option('--unmanaged', 'declare these flags and cohorts, which no manifest names')
    .option('--patch', 'print the changes as a patch for git apply; write nothing')
    .option('-y, --yes', 'write without confirmation');
  addWhoOptions(command);
  addBaseOption(command)
    .addHelpText(
      'after',
      examples([
        'flagwright accept -p production',
        'flagwright accept new-checkout --only conditions.2.rollout_percentage --yes',
        'flagwright accept --patch | git apply',
        'flagwright accept --unmanaged "checkout-*"',
        'flagwright accept --unmanaged "cohort:Beta testers"',
      ]),
    )
    .action(commands.accept);
}

function declarePromote(program: Command, commands: Commands): void {
  program
    .command('promote')
    .argument('<key...>', 'flags to promote (keys or globs)')
    .summary('copy flags from one project to another in the manifests')
    .description(
      'Writes what the manifests declare for one project into those of another, and changes no other text, flag or project. Plan and apply follow as usual.',
    )
    .requiredOption('--from <project>', 'the project that has the values')
    .requiredOption('--to <project>', 'the project that gets them')
    .option(
      '--only <part...>',
      'only these parts: conditions, variants, payloads, active, rollout, description, tags, role_access',
    )
    .option('--live', 'take the live values; needs the key of the project --from')
    .option('--patch', 'print the changes as a patch for git apply; write nothing')
    .option('-y, --yes', 'write without confirmation')
    .addHelpText(
      'after',
      examples([
        'flagwright promote new-checkout --from staging --to production',
        'flagwright promote new-checkout --from staging --to production --only variants,rollout',
        'flagwright promote "checkout-*" --from staging --to production --patch',
        'flagwright promote new-checkout cohort:beta --from staging --to production',
      ]),
    )
    .action(commands.promote);
}

function declareExplain(program: Command, commands: Commands): void {
  program
    .command('explain')
    .argument('<flag>', 'a flag, or one of its fields: new-checkout, new-checkout.conditions.2.rollout_percentage')
    .summary('show where the values of a flag come from')
    .description(
      'Shows for each value of a flag the file and the layer that give it, what it replaces, who changed the line last in git, what is live, and who edited that last.',
    )
    .option('--offline', 'do not contact the service')
    .addHelpText(
      'after',
      examples([
        'flagwright explain new-checkout -p production',
        'flagwright explain new-checkout.conditions.2.rollout_percentage -p production',
        'flagwright explain new-checkout.variants.control --offline --format json',
      ]),
    )
    .action(commands.explain);
}

function declareParity(program: Command, commands: Commands): void {
  program
    .command('parity')
    .summary('show where projects differ')
    .description(
      'Shows where the flags and declared cohorts of several projects differ, and exits with 2 if no manifest declares a difference. Compares the manifests, or with --live the services.',
    )
    .option('--from <project>', 'the project to compare with --to (default: all projects are compared)')
    .option('--to <project>', 'the other project')
    .option('--live', 'compare the live flags; needs the keys of all these projects')
    .option('--declared', 'also show the differences that the manifests declare')
    .option('--target <key...>', 'only these flags (keys or globs)')
    .addHelpText(
      'after',
      examples([
        'flagwright parity --declared',
        'flagwright parity --from staging --to production --live',
        'flagwright parity --live --format csv --output parity.csv',
      ]),
    )
    .action(commands.parity);
}
