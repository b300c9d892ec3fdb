/** Options that several commands share, and the checks of their values. */

import { InvalidArgumentError, Option, type Command } from 'commander';
import { defined } from '../../base/optional.ts';
import type { Permissions } from '../../engine/safety.ts';
import { FORMATS, type Format } from '../../report/formats/render.ts';
import { parseDuration } from './duration.ts';
import { reportOption, type ReportFile } from './report-option.ts';

/** Options of the program. `unused-options.ts` lists the commands that have no use for some of them. */
export interface GlobalOptions {
  readonly project?: string;
  readonly config?: string;
  readonly format: Format;
  readonly output?: string;
  readonly report?: readonly ReportFile[];
  /** Bytes. */
  readonly markdownLimit?: number;
  readonly concurrency: number;
  /** Milliseconds. */
  readonly deadline?: number;
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly color: boolean;
}

/** Options that decide which changes a plan contains and which are allowed. */
export interface PlanningOptions extends PermissionOptions {
  readonly target?: readonly string[];
  readonly prune?: boolean;
  /** A file of permits. */
  readonly permits?: string;
  /** Flags for which the manifests win over what people changed in the service. */
  readonly override?: readonly string[];
  /** Leave what only the service changed. */
  readonly onlyPending?: boolean;
  /** Absent: who edited what is found where a base tells edits from what git changed. */
  readonly who?: boolean;
  /** Who approved the change. */
  readonly approvedBy?: readonly string[];
  /** `auto`, `none`, or a commit; absent: as the folder allows. */
  readonly base?: string;
}

/** What is allowed despite a safety rule. */
export interface PermissionOptions {
  readonly allowDeletes?: number;
  readonly allowUpdates?: number;
  readonly allowDisables?: number;
  readonly allowProtected?: readonly string[];
  readonly allowRisky?: readonly string[];
}

const DEFAULT_CONCURRENCY = 8;
const MOST_CONCURRENCY = 100;
/** The counts, and the rules that refuse the plan, fit this. */
const LEAST_MARKDOWN = 10_000;
const MOST_MARKDOWN = 100_000_000;

export function addGlobalOptions(command: Command): Command {
  return command
    .option('-p, --project <name>', 'project in flagwright.yaml (default: FLAGWRIGHT_PROJECT, then default_project)')
    .option('-c, --config <file>', 'configuration file (default: flagwright.yaml in this or a parent folder)')
    .addOption(new Option('-f, --format <format>', 'output format').choices(FORMATS).default('text'))
    .option('-o, --output <file>', 'write the document to a file instead of stdout')
    .addOption(reportOption())
    .option(
      '--markdown-limit <bytes>',
      'most bytes of a Markdown document (default: 64000; in GitLab CI 990000)',
      wholeNumber(LEAST_MARKDOWN, MOST_MARKDOWN),
    )
    .option(
      '--concurrency <n>',
      'maximum number of requests in flight',
      wholeNumber(1, MOST_CONCURRENCY),
      DEFAULT_CONCURRENCY,
    )
    .option('--deadline <duration>', 'start nothing new after this time: 90s, 5m, 1h30m', duration)
    .option('-q, --quiet', 'no progress and no notes on stderr', false)
    .option('-v, --verbose', 'log each request, show JSON pointers, truncate nothing', false)
    .option('--no-color', 'no colours (NO_COLOR and FORCE_COLOR are honoured too)');
}

export function addPlanningOptions(command: Command): Command {
  command
    .option('--target <key...>', 'only these flags (keys or globs) and the flags they depend on')
    .option('--prune', 'soft-delete live flags in scope that no manifest names');
  addWhoOptions(command);
  addBaseOption(command);
  return addPermissionOptions(command)
    .option('--permits <file>', 'allow what a reviewed file of permits allows')
    .option('--approved-by <name...>', 'who approved the change, for policies that ask for an approval')
    .option('--override <key...>', 'for these flags (keys or globs), the manifests win over conflicting live edits')
    .option('--only-pending', 'apply what the manifests changed, and leave what people changed in the service');
}

export function addWhoOptions(command: Command): Command {
  return command
    .option('--who', 'name who made each difference, also without a base (one request per flag)')
    .option('--no-who', 'do not read who made the differences');
}

export function addBaseOption(command: Command): Command {
  return command.option(
    '--base <commit>',
    'compare with what was applied last (auto; default in a git repository), a commit, or none',
  );
}

export function addPermissionOptions(command: Command): Command {
  return command
    .option('--allow-deletes <n>', 'allow up to n deletes in this run', wholeNumber(0))
    .option('--allow-updates <n>', 'allow up to n updates in this run', wholeNumber(0))
    .option('--allow-disables <n>', 'allow disabling up to n active flags in this run', wholeNumber(0))
    .option('--allow-protected <key...>', 'allow deleting, disabling or renaming these protected flags')
    .option(
      '--allow-risky <key...>',
      'allow changes to these flags that break experiments or dependent flags, or revoke the last role',
    );
}

/** The options as the safety rules read them. */
export function toPermissions(options: PermissionOptions & Pick<PlanningOptions, 'override'>): Permissions {
  return {
    ...defined({ deletes: options.allowDeletes, updates: options.allowUpdates, disables: options.allowDisables }),
    protected: options.allowProtected ?? [],
    risky: options.allowRisky ?? [],
    ...defined({ override: options.override }),
  };
}

export function wholeNumber(minimum: number, maximum: number = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (number >= minimum && number <= maximum) return number;
    const range = maximum === Number.MAX_SAFE_INTEGER ? `from ${minimum} up` : `from ${minimum} to ${maximum}`;
    throw new InvalidArgumentError(`It must be a whole number ${range}.`);
  };
}

export function duration(text: string): number {
  const ms = parseDuration(text);
  if (ms === undefined) throw new InvalidArgumentError('It must be a duration such as 90s, 5m or 1h30m.');
  return ms;
}
