/** Declares the commands that make plans, apply them, and look back at what was applied. */

import type { Command } from 'commander';
import type { Commands } from './commands.ts';
import { examples } from './examples.ts';
import {
  addBaseOption,
  addPermissionOptions,
  addPlanningOptions,
  addWhoOptions,
  duration,
  wholeNumber,
} from './options.ts';
import { personsOption } from './persons-option.ts';

const DEFAULT_HISTORY = 20;

export function declarePlans(program: Command, commands: Commands): void {
  declarePlan(program, commands);
  declareShow(program, commands);
  declareSnapshot(program, commands);
  declareApply(program, commands);
  declareUndo(program, commands);
  declareHistory(program, commands);
  declareDrift(program, commands);
}

function declarePlan(program: Command, commands: Commands): void {
  const command = program
    .command('plan')
    .summary('show what apply would change')
    .description('Shows what apply would change, field by field. Writes nothing to the service.')
    .option('--out <file>', 'save the plan to a file for apply')
    .option('--against <file>', 'plan against a snapshot in place of the service, without a key')
    .option('--max-age <duration>', 'with --against: refuse a snapshot that is older: 90m, 24h, 7d', duration)
    .option('--impact', 'say how many people get something else by each change')
    .addOption(personsOption())
    .option('--blast-radius', 'with --impact: show how many people the service counts in each changed condition')
    .option('--detailed-exitcode', 'exit with 2 if there are changes, with 4 if apply would refuse them');
  addPlanningOptions(command)
    .addHelpText(
      'after',
      examples([
        'flagwright plan',
        'flagwright plan -p production --out plan.json',
        'flagwright plan --impact',
        'flagwright plan --impact --persons people.csv',
        'flagwright plan --impact --persons live:5000 --blast-radius',
        'flagwright plan --target "checkout-*"',
        'flagwright plan -p production --against snapshot.json',
        'flagwright plan -p production --against snapshot.json --max-age 24h',
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

function declareSnapshot(program: Command, commands: Commands): void {
  program
    .command('snapshot')
    .summary('save the live state of the project for plans without a key')
    .description('Saves the live state of the project to a file without secrets.')
    .requiredOption('--out <file>', 'the file to write')
    .addHelpText('after', examples(['flagwright snapshot -p production --out snapshot.json']))
    .action(commands.snapshot);
}

function declareApply(program: Command, commands: Commands): void {
  const command = program
    .command('apply')
    .argument('[plan]', 'a plan saved with plan --out; applied exactly, without confirmation')
    .summary('make the project match the manifests')
    .description('Applies a saved plan; without one, makes a plan, asks for confirmation and applies it.')
    .option('-y, --yes', 'skip the confirmation; required without a terminal')
    .option('--resume [run]', 'finish an interrupted run (default: the newest run of the project)')
    .option('--move-base', 'record the commit also if it does not contain the one that was applied last')
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
  const command = program
    .command('drift')
    .summary('show where live flags differ from the manifests')
    .description(
      'Shows where live flags differ from the manifests, and exits with 2 if anything drifted. Lists unmanaged flags in scope.',
    )
    .option('--target <key...>', 'only these flags (keys or globs)')
    .option('--unmanaged', 'count unmanaged flags in scope as drift')
    .option('--pending', 'count changes of the manifests that are not applied yet')
    .option(
      '--ignore <place...>',
      'ignore differences of these flags (KEY, also a glob), or at a place in them (KEY:PATH)',
    )
    .option('--baseline <file>', 'ignore the known drift in a file, each entry until it expires')
    .option('--write-baseline <file>', 'write what drifted to a new file of known drift, and exit with 0');
  addWhoOptions(command);
  addBaseOption(command)
    .addHelpText(
      'after',
      examples([
        'flagwright drift -p production',
        'flagwright drift -p production --who',
        'flagwright drift --format json --output drift.json',
      ]),
    )
    .action(commands.drift);
}
