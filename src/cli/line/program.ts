/** The command line as commander knows it: every command, option and example, and no behaviour. */

import { Command, Option } from 'commander';
import type { Commands, KnownCommands } from './commands.ts';
import { refuseOtherFormats } from './formats.ts';
import { addGlobalOptions, addPermissionOptions, addPlanningOptions, wholeNumber } from './options.ts';
import { parseRateLimit } from './rate-limit.ts';

const LARGEST_PORT = 65_535;
const DEFAULT_PORT = 8765;
const DEFAULT_HISTORY = 20;
const LONGEST_LATENCY_MS = 600_000;

export function createProgram({ commands, groups }: KnownCommands): Command {
  const program = addGlobalOptions(new Command('flagwright'))
    .description('Feature flags and their role access as code: YAML manifests, planned, applied and watched for drift.')
    .configureHelp({ showGlobalOptions: true, sortSubcommands: false })
    .helpCommand('help [command]', 'print help for a command')
    .addHelpText('after', examples(['flagwright init', 'flagwright validate', 'flagwright plan', 'flagwright apply']));
  declareInit(program, commands);
  declareValidate(program, commands);
  declarePlan(program, commands);
  declareApply(program, commands);
  declareUndo(program, commands);
  declareHistory(program, commands);
  declareDrift(program, commands);
  declareExport(program, commands);
  declareServe(program, commands);
  for (const { name, summary, description, declare } of groups) {
    const parent = program.command(name).summary(summary).description(description);
    declare?.(parent);
  }
  return program.hook('preAction', (_program, command) => refuseOtherFormats(program, command));
}

function declareInit(program: Command, commands: Commands): void {
  program
    .command('init')
    .summary('write the first files of a project')
    .description('Writes flagwright.yaml, a first manifest and CI workflows. Files that are there are left alone.')
    .option('--host <url>', 'host of the service with the project that --project names (default: production)')
    .option('--project-id <id>', 'id of that project')
    .addHelpText(
      'after',
      examples([
        'flagwright init',
        'flagwright init --project staging --host https://eu.posthog.com --project-id 5678',
      ]),
    )
    .action(commands.init);
}

function declareValidate(program: Command, commands: Commands): void {
  program
    .command('validate')
    .argument('[file...]', 'manifests to check (default: all that the configuration names)')
    .summary('check configuration and manifests offline')
    .description('Checks configuration and manifests for every project, without asking the service anything.')
    .addHelpText('after', examples(['flagwright validate', 'flagwright validate flags/checkout.yaml --format json']))
    .action(commands.validate);
}

function declarePlan(program: Command, commands: Commands): void {
  const command = program
    .command('plan')
    .summary('show what apply would do')
    .description('Shows what apply would do, field by field. Nothing is written to the service.')
    .option('--out <file>', 'save the plan, for apply')
    .option('--detailed-exitcode', 'exit with 2 when there are changes, and with 4 when apply would refuse them');
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

function declareApply(program: Command, commands: Commands): void {
  const command = program
    .command('apply')
    .argument('[plan]', 'a plan saved with plan --out; it is applied exactly, without a question')
    .summary('make a project as the manifests say')
    .description('Applies a saved plan, or plans, asks and applies.')
    .option('-y, --yes', 'do not ask; needed where no terminal is')
    .option('--resume [run]', 'finish a run that broke off, by default the newest of the project')
    .option('--no-journal', 'do not record the run; it can be neither resumed nor undone then');
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
    .argument('[run]', 'a run that history lists (default: the newest of the project that applied something)')
    .summary('take a run back')
    .description('Makes the plan that takes a recorded run back, shows it, asks and applies it, or saves it for apply.')
    .option('--out <file>', 'save the plan, for apply, and apply nothing')
    .option('-y, --yes', 'do not ask; needed where no terminal is')
    .option('--partial', 'take back the rest where some of it was changed after the run')
    .option('--no-journal', 'do not record the undo; it can be neither resumed nor undone then');
  addPermissionOptions(command)
    .addHelpText(
      'after',
      examples([
        'flagwright undo',
        'flagwright undo 20260131T120000123Z-8a3f --out undo.json',
        'flagwright undo --partial',
      ]),
    )
    .action(commands.undo);
}

function declareHistory(program: Command, commands: Commands): void {
  program
    .command('history')
    .argument('[run]', 'one run, with each of its changes')
    .summary('list the runs that were recorded')
    .description('Lists the runs that apply and undo recorded here, the newest first. The service is not asked.')
    .option('-n, --limit <n>', 'runs at most', wholeNumber(1), DEFAULT_HISTORY)
    .addHelpText(
      'after',
      examples([
        'flagwright history',
        'flagwright history -p production',
        'flagwright history 20260131T120000123Z-8a3f',
      ]),
    )
    .action(commands.history);
}

function declareDrift(program: Command, commands: Commands): void {
  program
    .command('drift')
    .summary('show what is live and not as declared')
    .description(
      'Shows what is live and not as declared, and exits with 2 when there is such. Unmanaged flags in scope are listed.',
    )
    .option('--target <key...>', 'only these flags (keys or globs)')
    .option('--unmanaged', 'let unmanaged flags in scope count as drift')
    .addHelpText(
      'after',
      examples(['flagwright drift -p production', 'flagwright drift --format json --output drift.json']),
    )
    .action(commands.drift);
}

function declareExport(program: Command, commands: Commands): void {
  program
    .command('export')
    .summary('write manifests from a project')
    .description(
      'Writes manifests from what is live in a project. A plan from them is empty. Files are never overwritten without --force.',
    )
    .option('--dir <dir>', 'folder for the manifests', 'flags')
    .addOption(
      new Option('--group-by <grouping>', 'files: one per key prefix, one per flag, or a single one')
        .choices(['prefix', 'flag', 'single'])
        .default('prefix'),
    )
    .option('--role-access', 'export role access too; costs one request for each flag')
    .option('--force', 'overwrite files that are there')
    .addHelpText(
      'after',
      examples(['flagwright export -p production', 'flagwright export --dir exported --role-access']),
    )
    .action(commands.export);
}

function declareServe(program: Command, commands: Commands): void {
  program
    .command('serve')
    .summary('run the embedded service')
    .description('Runs the embedded service on loopback and prints the variables that point a client at it.')
    .option('--host <host>', 'loopback address to listen on', '127.0.0.1')
    .option('--port <port>', 'port to listen on, 0 for any free one', wholeNumber(0, LARGEST_PORT), DEFAULT_PORT)
    .option('--data <file>', 'database file (default: in memory)')
    .option('--seed <file>', 'what to begin with: flags, roles, persons, events; loaded into an empty project')
    .option('--manifests', 'serve the flags of the manifests, and follow the files as they change')
    .addOption(
      new Option('--profile <profile>', 'how it behaves').choices(['documented', 'posthog']).default('documented'),
    )
    .option('--latency <ms>', 'milliseconds added to each answer', wholeNumber(0, LONGEST_LATENCY_MS))
    .option('--rate-limit <n/unit>', 'answer 429 beyond this: 480/m, 10/s, 4800/h', parseRateLimit)
    .option('--faults <file>', 'script of what shall go wrong (docs/faults.md)')
    .addHelpText(
      'after',
      examples([
        'flagwright serve',
        'flagwright serve --data flags.db --seed seed.json',
        'flagwright serve --profile posthog --latency 50 --rate-limit 480/m',
        'flagwright serve --manifests -p production',
        'flagwright serve --faults faults.yaml',
      ]),
    )
    .action(commands.serve);
}

function examples(commands: readonly string[]): string {
  return `\nExamples:\n${commands.map((command) => `  $ ${command}`).join('\n')}`;
}
