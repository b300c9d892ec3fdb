/** The command line for commander: every command, option and example, without behaviour. */

import { Command, Help, Option } from 'commander';
import type { Commands, KnownCommands } from './commands.ts';
import { declareCompletion } from './declare-completion.ts';
import { examples } from './examples.ts';
import { refuseOtherFormats, refuseTextAsData } from './formats.ts';
import { addGlobalOptions, addPermissionOptions, addPlanningOptions, wholeNumber } from './options.ts';
import { parseRateLimit } from './rate-limit.ts';
import { refuseUnusedOptions, usesOption } from './unused-options.ts';

const LARGEST_PORT = 65_535;
const DEFAULT_PORT = 8765;
const DEFAULT_HISTORY = 20;
const LONGEST_LATENCY_MS = 600_000;

export function createProgram({ commands, groups }: KnownCommands): Command {
  const program = addGlobalOptions(new Command('flagwright'))
    .description(
      'Manages PostHog feature flags and their role access as code: YAML manifests that you plan, apply and check for drift.',
    )
    .configureHelp({
      showGlobalOptions: true,
      sortSubcommands: false,
      optionDescription: describeOption,
      visibleGlobalOptions: listUsedOptions,
    })
    .helpOption('-h, --help', 'print help')
    .helpCommand('help [command]', 'print help for a command')
    .addHelpText('after', examples(['flagwright init', 'flagwright validate', 'flagwright plan', 'flagwright apply']));
  declareInit(program, commands);
  declareValidate(program, commands);
  declarePlan(program, commands);
  declareShow(program, commands);
  declareApply(program, commands);
  declareUndo(program, commands);
  declareHistory(program, commands);
  declareDrift(program, commands);
  declareExport(program, commands);
  declareServe(program, commands);
  declareCompletion(program, commands);
  for (const { name, summary, description, declare } of groups) {
    const parent = program.command(name).summary(summary).description(description);
    declare?.(parent);
  }
  return program.hook('preAction', (_program, command) => {
    refuseUnusedOptions(program, command);
    refuseOtherFormats(program, command);
    refuseTextAsData(program, command);
  });
}

/** As commander describes it, without `(default: false)` for switches. */
function describeOption(option: Option): string {
  const described = option.defaultValue === false ? new Option(option.flags, option.description) : option;
  return new Help().optionDescription(described);
}

function listUsedOptions(command: Command): Option[] {
  const help = new Help();
  help.showGlobalOptions = true;
  return help.visibleGlobalOptions(command).filter((option) => usesOption(command, option));
}

function declareInit(program: Command, commands: Commands): void {
  program
    .command('init')
    .summary('create the first files of a project')
    .description('Writes flagwright.yaml, an example manifest and CI workflows. Existing files are kept.')
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
    .argument('[file...]', 'manifests to check (default: all manifests of the configuration)')
    .summary('check the configuration and the manifests offline')
    .description('Checks the configuration and the manifests for every project, without contacting the service.')
    .addHelpText(
      'after',
      examples([
        'flagwright validate',
        'flagwright validate flags/checkout.yaml --format json',
        'flagwright validate --format github',
        'flagwright validate --format gitlab --output gl-code-quality-report.json',
      ]),
    )
    .action(commands.validate);
}

function declarePlan(program: Command, commands: Commands): void {
  const command = program
    .command('plan')
    .summary('show what apply would change')
    .description('Shows what apply would change, field by field. Writes nothing to the service.')
    .option('--out <file>', 'save the plan to a file for apply')
    .option('--detailed-exitcode', 'exit with 2 if there are changes, with 4 if apply would refuse them');
  addPlanningOptions(command)
    .addHelpText(
      'after',
      examples([
        'flagwright plan',
        'flagwright plan -p production --out plan.json',
        'flagwright plan --target "checkout-*"',
      ]),
    )
    .action(commands.plan);
}

function declareShow(program: Command, commands: Commands): void {
  program
    .command('show')
    .argument('<plan>', 'a plan saved with plan --out or undo --out')
    .summary('print a saved plan')
    .description('Prints a saved plan as plan printed it. Reads no configuration and does not contact the service.')
    .addHelpText(
      'after',
      examples([
        'flagwright show plan.json',
        'flagwright show plan.json --format json',
        'flagwright show plan.json --format markdown --output comment.md',
      ]),
    )
    .action(commands.show);
}

function declareApply(program: Command, commands: Commands): void {
  const command = program
    .command('apply')
    .argument('[plan]', 'a plan saved with plan --out; applied exactly, without confirmation')
    .summary('make the project match the manifests')
    .description('Applies a saved plan; without one, makes a plan, asks for confirmation and applies it.')
    .option('-y, --yes', 'skip the confirmation; required without a terminal')
    .option('--resume [run]', 'finish an interrupted run (default: the newest run of the project)')
    .option('--journal <path>', 'record the run in this folder; with --resume, the folder or file that has the run')
    .option('--no-journal', 'do not record the run; it can then be neither resumed nor undone');
  addPlanningOptions(command)
    .addHelpText(
      'after',
      examples([
        'flagwright apply',
        'flagwright apply plan.json',
        'flagwright apply -p staging --yes --allow-deletes 10',
        'flagwright apply --resume',
      ]),
    )
    .action(commands.apply);
}

function declareUndo(program: Command, commands: Commands): void {
  const command = program
    .command('undo')
    .argument(
      '[run]',
      'a run listed by history, a beginning of its name, last or last-2 (default: the newest run that applied something)',
    )
    .summary('revert a run')
    .description(
      'Makes a plan that reverts a recorded run, asks for confirmation and applies it; with --out, saves it for apply.',
    )
    .option('--out <file>', 'save the plan to a file for apply, and apply nothing')
    .option('-y, --yes', 'skip the confirmation; required without a terminal')
    .option('--partial', 'undo the rest if some changes cannot be undone')
    .option('--target <key...>', 'undo only the changes of these flags (keys or globs) and of those they depended on')
    .option('--journal <path>', 'folder or file of the journal (default: .flagwright/journal beside flagwright.yaml)')
    .option('--no-journal', 'do not record the undo; it can then be neither resumed nor undone');
  addPermissionOptions(command)
    .addHelpText(
      'after',
      examples([
        'flagwright undo',
        'flagwright undo 20260131T120000123Z-8a3f --out undo.json',
        'flagwright undo last-2 --target "checkout-*"',
        'flagwright undo --partial',
      ]),
    )
    .action(commands.undo);
}

function declareHistory(program: Command, commands: Commands): void {
  program
    .command('history')
    .argument('[run]', 'a run to show with each of its changes: its name, a beginning of it, last or last-2')
    .summary('list recorded runs')
    .description('Lists the recorded runs of apply and undo, newest first. Does not contact the service.')
    .option('-n, --limit <n>', 'maximum number of runs', wholeNumber(1), DEFAULT_HISTORY)
    .option('--journal <path>', 'folder or file of the journal (default: .flagwright/journal beside flagwright.yaml)')
    .addHelpText(
      'after',
      examples([
        'flagwright history',
        'flagwright history -p production',
        'flagwright history last',
        'flagwright history 20260131T120000123Z-8a3f',
      ]),
    )
    .action(commands.history);
}

function declareDrift(program: Command, commands: Commands): void {
  program
    .command('drift')
    .summary('show where live flags differ from the manifests')
    .description(
      'Shows where live flags differ from the manifests, and exits with 2 if anything drifted. Lists unmanaged flags in scope.',
    )
    .option('--target <key...>', 'only these flags (keys or globs)')
    .option('--unmanaged', 'count unmanaged flags in scope as drift')
    .addHelpText(
      'after',
      examples(['flagwright drift -p production', 'flagwright drift --format json --output drift.json']),
    )
    .action(commands.drift);
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

function declareServe(program: Command, commands: Commands): void {
  program
    .command('serve')
    .summary('run the embedded service')
    .description(
      'Runs the embedded service on a loopback address and prints the environment variables that point a client to it.',
    )
    .option('--host <host>', 'loopback address to listen on', '127.0.0.1')
    .option('--port <port>', 'port to listen on; 0 picks a free one', wholeNumber(0, LARGEST_PORT), DEFAULT_PORT)
    .option('--project-id <id...>', 'ids of the projects to serve (default: 1)')
    .option('--data <file>', 'database file; :memory: keeps nothing (default: in memory)')
    .option('--seed <file>', 'initial flags, roles, persons and events, loaded if the project is empty')
    .option('--manifests', 'serve the flags of the manifests, and reload them when a file changes')
    .addOption(
      new Option(
        '--profile <profile>',
        'behave as documented, or as PostHog does (default: as configured, or documented)',
      ).choices(['documented', 'posthog']),
    )
    .option('--latency <ms>', 'delay of each response in milliseconds', wholeNumber(0, LONGEST_LATENCY_MS))
    .option('--rate-limit <n/unit>', 'respond with 429 above this rate: 480/m, 10/s, 4800/h', parseRateLimit)
    .option('--faults <file>', 'script of faults to inject (docs/faults.md)')
    .addHelpText(
      'after',
      examples([
        'flagwright serve',
        'flagwright serve --data flags.db --seed seed.json',
        'flagwright serve --project-id 1 --project-id 2',
        'flagwright serve --profile posthog --latency 50 --rate-limit 480/m',
        'flagwright serve --manifests -p production',
        'flagwright serve --faults faults.yaml',
      ]),
    )
    .action(commands.serve);
}
