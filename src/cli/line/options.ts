/** Options that several commands share, and the checks of their values. */

import { defined } from '../../base/optional.ts';
import type { Permissions } from '../../engine/safety.ts';
import { FORMATS, type Format } from '../../report/formats/render.ts';
import {
  choice,
  list,
  onOff,
  onUnless,
  text,
  time,
  whole,
  withDefault,
  type Parameter,
  type ParametersOf,
  REPORT,
  type ReportFile,
} from './parameters.ts';

/** Options of the program; some commands have no use for some of them. */
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
  /** Make only the steps of rollouts that are due, of the commit that was applied last. */
  readonly due?: boolean;
  /** Absent: authors are looked up if a base tells edits from what git changed. */
  readonly who?: boolean;
  /** The people who approved the change. */
  readonly approvedBy?: readonly string[];
  /** `auto`, `none`, or a commit; absent: as the folder allows. */
  readonly base?: string;
}

/** The permissions despite a safety rule. */
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

/** The options of the program. */
export const GLOBAL: ParametersOf<GlobalOptions> = {
  project: text(
    '-p, --project <name>',
    'project in flagwright.yaml (default: FLAGWRIGHT_PROJECT, then default_project)',
  ),
  config: text('-c, --config <file>', 'configuration file (default: flagwright.yaml in this or a parent folder)'),
  format: withDefault(choice('-f, --format <format>', 'output format', FORMATS), 'text'),
  output: text('-o, --output <file>', 'write the document to a file instead of stdout'),
  report: REPORT,
  markdownLimit: whole(
    '--markdown-limit <bytes>',
    'most bytes of a Markdown document (default: 64000; in GitLab CI 990000)',
    { from: LEAST_MARKDOWN, to: MOST_MARKDOWN },
  ),
  concurrency: withDefault(
    whole('--concurrency <n>', 'maximum number of requests in flight', { from: 1, to: MOST_CONCURRENCY }),
    DEFAULT_CONCURRENCY,
  ),
  deadline: time('--deadline <duration>', 'start nothing new after this time: 90s, 5m, 1h30m'),
  quiet: withDefault(onOff('-q, --quiet', 'no progress and no notes on stderr'), false),
  verbose: withDefault(onOff('-v, --verbose', 'log each request, show JSON pointers, truncate nothing'), false),
  color: onUnless('--no-color', 'no colours (NO_COLOR and FORCE_COLOR are honoured too)'),
};

/** A folder or a file; false: `--no-journal`. */
export function journal(description: string, offDescription: string): Parameter<string | false | undefined> {
  const off = { syntax: '--no-journal', description: offDescription };
  return { syntax: '--journal <path>', description, off };
}

export const WHO: ParametersOf<Pick<PlanningOptions, 'who'>> = {
  who: onOff('--who', 'name who made each difference, also without a base (up to one request per flag)', {
    syntax: '--no-who',
    description: 'do not read who made the differences',
  }),
};

export const BASE: ParametersOf<Pick<PlanningOptions, 'base'>> = {
  base: text(
    '--base <commit>',
    'compare with what was applied last (auto; default in a git repository), a commit, or none',
  ),
};

export const APPROVED_BY: ParametersOf<Pick<PlanningOptions, 'approvedBy'>> = {
  approvedBy: list('--approved-by <name...>', 'who approved the change, for policies that require an approval'),
};

export const PERMISSION: ParametersOf<PermissionOptions> = {
  allowDeletes: whole('--allow-deletes <n>', 'allow up to n deletes in this run'),
  allowUpdates: whole('--allow-updates <n>', 'allow up to n updates in this run'),
  allowDisables: whole('--allow-disables <n>', 'allow disabling up to n active flags in this run'),
  allowProtected: list('--allow-protected <key...>', 'allow deleting, disabling or renaming these protected flags'),
  allowRisky: list(
    '--allow-risky <key...>',
    'allow changes to these flags that break experiments or dependent flags, or revoke the last role',
  ),
};

export const PLANNING: ParametersOf<PlanningOptions> = {
  target: list('--target <key...>', 'only these flags (keys or globs) and the flags they depend on'),
  prune: onOff('--prune', 'soft-delete live flags in scope that no manifest names'),
  ...WHO,
  ...BASE,
  ...PERMISSION,
  permits: text('--permits <file>', 'allow what a reviewed file of permits allows'),
  ...APPROVED_BY,
  override: list(
    '--override <key...>',
    'for these flags (keys or globs), the manifests win over conflicting live edits',
  ),
  due: onOff(
    '--due',
    'only the steps of rollouts that are due, of the commit that was applied last; needs no confirmation',
  ),
  onlyPending: onOff('--only-pending', 'apply changes of the manifests only; leave what people changed in the service'),
};

/** The options as the safety rules read them. */
export function toPermissions(options: PermissionOptions & Pick<PlanningOptions, 'override'>): Permissions {
  return {
    ...defined({ deletes: options.allowDeletes, updates: options.allowUpdates, disables: options.allowDisables }),
    protected: options.allowProtected ?? [],
    risky: options.allowRisky ?? [],
    ...defined({ override: options.override }),
  };
}
