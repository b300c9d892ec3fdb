/** The commands of the loop: check the manifests, plan, apply, revert, and find drift. */

import { InvalidArgumentError } from 'commander';
import {
  APPROVED_BY,
  isOfSeveral,
  PLANNING,
  VERDICTS,
  journal,
  PERMISSION,
  BASE,
  WHO,
  choice,
  text,
  texts,
  list,
  onOff,
  outFile,
  time,
  required,
  type Parameter,
  whole,
  withDefault,
  AT,
  targets,
} from '../line/options.ts';
import { type CommandExits, EXIT_CODES } from '../line/exit.ts';
import { command, type CommandDeclaration } from '../line/program.ts';
import type { Running } from '../project/over-projects.ts';
import { type Execute, atTime } from '../session/session.ts';

const RESUME: Parameter<string | true | undefined> = {
  syntax: '--resume [run]',
  description: 'finish an interrupted run (default: the newest run of the project)',
  alone: 'finishes the run of one project (apply without it does what is left in all)',
};

const DEFAULT_LIMIT = 20;

const { 1: failed, 3: incomplete, 4: refused, 5: stale, 130: interrupted } = EXIT_CODES;
const OF_A_RUN: CommandExits = { 1: failed, 3: incomplete, 4: refused, 5: stale, 130: interrupted };

export const LOOP: readonly CommandDeclaration<Execute>[] = [
  command({
    name: 'init',
    group: 'Start:',
    summary: 'create the first files of a project',
    description:
      'Writes flagwright.yaml, an example manifest, an example test and CI workflows. Existing files are kept.',
    parameters: {
      host: text('--host <url>', 'host of a new remote project, named by --project (default: production)'),
      projectId: text('--project-id <id>', 'id of that project'),
      ci: choice('--ci <system>', 'the CI system to write a pipeline for', ['github', 'gitlab', 'none']),
      agents: onOff('--agents', 'also write a skill for coding agents, in .agents/skills/flagwright'),
    },
    examples: [
      'flagwright init',
      'flagwright init --project staging --host https://eu.posthog.com --project-id 5678 --ci github',
      'flagwright init --project production --ci github',
      'flagwright init --agents',
    ],
    reports: ['files'],
    unused: ['config', 'concurrency', 'deadline', 'report', 'markdownLimit'],
    withoutProject: 'production with --host, otherwise all',
    run: (options) => async (session) => (await import('../actions/init.ts')).init(session, options),
  }),
  command({
    name: 'validate',
    group: 'Every day:',
    summary: 'check the configuration, the manifests and the test files offline',
    description:
      'Checks the configuration, the manifests for every project, and the test files, without contacting the service.',
    parameters: {
      files: texts('[file...]', 'manifests and test files to check (default: all of the configuration)'),
      base: text(
        '--base <commit>',
        'what policies compare with: auto (what was applied last; the default), a commit, or none',
      ),
      ...APPROVED_BY,
      ...AT,
    },
    examples: [
      'flagwright validate',
      'flagwright validate flags/checkout.yaml tests/checkout.yaml',
      'flagwright validate --format github',
      'flagwright validate --format gitlab --output gl-code-quality-report.json',
    ],
    reports: ['validation'],
    projects: 'several',
    exits: { 4: 'a policy refuses the changes' },
    unused: ['concurrency'],
    withoutProject: 'all',
    run: (options) => async (session) =>
      (await import('../actions/validate.ts')).validate(atTime(session, options.at), options),
  }),
  command({
    name: 'test',
    group: 'Every day:',
    summary: 'check which values people get from flags, offline',
    description:
      'Evaluates the declared flags for the people in the test files, without contacting the service, and exits with 2 if a result is not the expected one.',
    parameters: {
      files: texts('[file...]', 'test files to check (default: all test files)'),
      target: targets('only expectations about these flags (keys or globs)'),
      ...AT,
    },
    examples: [
      'flagwright test',
      'flagwright test -p production tests/checkout.yaml',
      'flagwright test --target "checkout-*"',
      'flagwright test --report junit=tests.xml',
    ],
    reports: ['test'],
    projects: 'several',
    exits: { 2: 'a result is not the expected one' },
    unused: ['concurrency'],
    withoutProject: 'all',
    run: (options) => async (session) =>
      (await import('../actions/test.ts')).test(atTime(session, options.at), options),
  }),
  command({
    name: 'plan',
    group: 'Every day:',
    summary: 'show what apply would change',
    description: 'Shows what apply would change, field by field. Writes nothing to the service.',
    parameters: {
      out: { ...text('--out <file>', 'save the plan to a file for apply'), parse: outFile },
      against: text('--against <file>', 'use a snapshot instead of the service; needs no key'),
      maxAge: time('--max-age <duration>', 'with --against: refuse a snapshot that is older: 90m, 24h, 7d'),
      impact: onOff('--impact', 'show how many people each change affects'),
      persons: {
        ...text('--persons <file>', 'with --impact: also count the people in a file'),
        parse: (file: string, earlier: string | undefined): string => {
          if (earlier === undefined) return file;
          throw new InvalidArgumentError('It can be used once. Merge the files of people into one.');
        },
      },
      ...AT,
      detailedExitcode: onOff(
        '--detailed-exitcode',
        'exit with 2 if there are changes, with 4 if apply would refuse them',
      ),
      ...PLANNING,
    },
    examples: [
      'flagwright plan',
      'flagwright plan -p production --out plan.json',
      'flagwright plan --all-projects',
      'flagwright plan --at 2026-12-24T12:00+01:00',
      'flagwright plan --impact --persons people.csv',
      'flagwright plan --target "checkout-*"',
      'flagwright plan -p production --against snapshot.json --max-age 24h',
    ],
    reports: ['plan', 'projects'],
    exits: {
      2: 'with --detailed-exitcode: there are changes',
      4: 'with --detailed-exitcode: apply would refuse the plan',
      5: 'the snapshot is older than --max-age allows',
    },
    projects: 'several',
    run: (options) => async (session) =>
      isOfSeveral(session.options)
        ? (await import('../actions/plan-projects.ts')).planProjects(session, options)
        : (await import('../actions/plan.ts')).plan(session, options),
  }),
  command({
    name: 'show',
    group: 'Review:',
    summary: 'print a saved plan',
    description: 'Prints a saved plan as plan printed it. Reads no configuration and does not contact the service.',
    parameters: {
      file: required('<plan>', 'a plan saved with plan --out or undo --out'),
    },
    examples: [
      'flagwright show plan.json',
      'flagwright show plan.json --format json',
      'flagwright show plan.json --format markdown --output comment.md',
    ],
    reports: ['plan'],
    unused: ['project', 'config', 'concurrency', 'deadline'],
    run: (options) => async (session) => (await import('../actions/show.ts')).show(session, options.file),
  }),
  command({
    name: 'snapshot',
    group: 'Review:',
    summary: 'save the live state of the project for plans without a key',
    description: 'Saves the live state of the project to a file without secrets.',
    parameters: {
      out: { ...required('--out <file>', 'the file to write'), parse: outFile },
    },
    examples: ['flagwright snapshot -p production --out snapshot.json'],
    reports: ['files'],
    unused: ['markdownLimit'],
    run: (options) => async (session) => (await import('../actions/snapshot.ts')).snapshot(session, options),
  }),
  command({
    name: 'apply',
    group: 'Every day:',
    summary: 'make the project match the manifests',
    description: 'Applies a saved plan; without one, makes a plan, asks for confirmation and applies it.',
    parameters: {
      file: text('[plan]', 'a plan saved with plan --out; applied exactly, without confirmation'),
      yes: onOff('-y, --yes', 'skip the confirmation; required without a terminal'),
      resume: RESUME,
      moveBase: onOff('--move-base', 'record the commit even if it does not contain the one applied last'),
      journal: journal(
        'record the run in this folder; with --resume, the folder or file that has the run',
        'do not record the run; it can then be neither resumed nor undone',
      ),
      ...PLANNING,
    },
    examples: [
      'flagwright apply',
      'flagwright apply plan.json',
      'flagwright apply -p staging,production',
      'flagwright apply -p staging --yes --allow-deletes 10',
      'flagwright apply --resume',
    ],
    reports: ['result', 'nothing', 'projects'],
    exits: OF_A_RUN,
    projects: 'several',
    run: (options) => async (session) =>
      isOfSeveral(session.options) && options.file === undefined
        ? (await import('../actions/apply-projects.ts')).applyProjects(session, options)
        : (await import('../actions/apply.ts')).apply(session, options),
  }),
  command({
    name: 'off',
    group: 'On call:',
    summary: 'turn flags off in the service now, without the manifests',
    description:
      'Turns flags off in the service and changes nothing else. Reads no manifest, so broken manifests do not stop it. The run is recorded: undo reverts it, and apply refuses to turn the flags on again until somebody accepts or reverts the run.',
    parameters: {
      keys: texts('<key...>', 'keys of the flags'),
      reason: text('--reason <text>', 'why; recorded in the journal, and shown by history, plan, apply and drift'),
      dependents: onOff('--dependents', 'also turn off the active flags that depend on these flags, dependents first'),
      zero: onOff(
        '--zero',
        'leave these flags enabled, with 0% in every condition; the service accepts this while other flags depend on them',
      ),
      allowProtected: list('--allow-protected <key...>', 'allow turning off these protected flags'),
      yes: onOff('-y, --yes', 'skip the confirmation; required without a terminal'),
      journal: journal(
        'record the run in this folder',
        'do not record the run; undo and apply then do not know about it',
      ),
    },
    examples: [
      'flagwright off new-checkout -p production --reason "incident 4711"',
      'flagwright off new-checkout old-banner --yes',
      'flagwright off payments --dependents',
      'flagwright off payments --zero --yes',
    ],
    reports: ['result', 'nothing'],
    exits: OF_A_RUN,
    run: (options) => async (session) => (await import('../actions/off.ts')).off(session, options),
  }),
  command({
    name: 'undo',
    group: 'On call:',
    summary: 'revert a run',
    description:
      'Makes a plan that reverts a recorded run, asks for confirmation and applies it; with --out, saves it for apply.',
    parameters: {
      run: text(
        '[run]',
        'a run listed by history: its name, the beginning of a name, last or last-2 (default: the newest run that applied something)',
      ),
      out: { ...text('--out <file>', 'save the plan to a file for apply, and apply nothing'), parse: outFile },
      yes: onOff('-y, --yes', 'skip the confirmation; required without a terminal'),
      partial: onOff('--partial', 'undo the rest if some changes cannot be undone'),
      target: targets('undo only the changes of these flags (keys or globs) and of those they depended on'),
      journal: journal(
        'folder or file of the journal (default: .flagwright/journal next to flagwright.yaml)',
        'do not record the undo; it can then be neither resumed nor undone',
      ),
      ...PERMISSION,
    },
    examples: [
      'flagwright undo',
      'flagwright undo 20260131T120000123Z-8a3f --out undo.json',
      'flagwright undo last-2 --target "checkout-*"',
      'flagwright undo --partial',
    ],
    reports: ['undo', 'result', 'nothing'],
    exits: OF_A_RUN,
    withoutProject: 'that of RUN, FLAGWRIGHT_PROJECT, default_project',
    run: (options) => async (session) => (await import('../actions/undo.ts')).undo(session, options),
  }),
  command({
    name: 'history',
    group: 'On call:',
    summary: 'list recorded runs',
    description: 'Lists the recorded runs of apply, off and undo, newest first. Does not contact the service.',
    parameters: {
      run: text('[run]', 'the run to show with each change: its name, the beginning of a name, last or last-2'),
      limit: withDefault(whole('-n, --limit <n>', 'maximum number of runs', { from: 1 }), DEFAULT_LIMIT),
      journal: text(
        '--journal <path>',
        'folder or file of the journal (default: .flagwright/journal next to flagwright.yaml)',
      ),
    },
    examples: [
      'flagwright history',
      'flagwright history -p production',
      'flagwright history last',
      'flagwright history 20260131T120000123Z-8a3f',
    ],
    reports: ['history', 'run'],
    exits: { 4: 'flagwright cannot tell which run is the newest' },
    unused: ['concurrency', 'deadline', 'markdownLimit'],
    withoutProject: 'all',
    run: (options) => async (session) => (await import('../actions/history.ts')).history(session, options),
  }),
  command({
    name: 'drift',
    group: 'Every day:',
    summary: 'show where live flags differ from the manifests',
    description:
      'Shows where live flags differ from the manifests, and exits with 2 if anything drifted. Lists unmanaged flags in scope.',
    parameters: {
      target: targets('only these flags (keys or globs)'),
      unmanaged: onOff('--unmanaged', 'also count unmanaged flags in scope as drift'),
      pending: onOff('--pending', 'also count changes in git that are not applied yet as drift'),
      ignore: list('--ignore <place...>', 'ignore these flags (KEY or a glob), or single values in them (KEY:PATH)'),
      writeExceptions: {
        ...text('--write-exceptions <file>', 'write the drift to a new exceptions file, and exit with 0'),
        alone: 'writes the drift of one project to a new file',
      },
      ...WHO,
      ...BASE,
      ...VERDICTS,
    },
    examples: [
      'flagwright drift -p production',
      'flagwright drift -p production --who',
      'flagwright drift --all-projects',
      'flagwright drift --format json --output drift.json',
    ],
    reports: ['drift', 'projects'],
    exits: { 0: 'nothing drifted', 2: 'something drifted', 3: 'another run writes to the project' },
    projects: 'several',
    run: (options) =>
      eachProject({ command: 'drift' }, async (session) =>
        (await import('../actions/drift.ts')).drift(session, options),
      ),
  }),
];

/** `execute` runs in one project, or in each of several, whose reports are then one; only then its module is loaded. */
function eachProject(how: Running, execute: Execute): Execute {
  return async (session) =>
    isOfSeveral(session.options)
      ? (await import('../project/over-projects.ts')).overProjects(session, execute, how)
      : execute(session);
}
