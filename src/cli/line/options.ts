/** Arguments and options of commands as values: their syntax, their meaning, how their strings are read, and those that several commands share. */

import path from 'node:path';
import { InvalidArgumentError } from 'commander';
import { memberOf } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { parseDuration, INSTANT_REMEDY, parseInstant } from '../../base/times.ts';
import { FORMATS, type Format } from '../../report/formats/render.ts';

export interface Parameter<T> {
  /** The syntax in the help: `<id>` and `[id]` are arguments, `--email <address>` and `--post` are options. */
  readonly syntax: string;
  readonly description: string;
  /** `previous`: the value of an earlier occurrence. Without a parser the value is the string itself, or true. */
  parse?(this: void, text: string, previous: T | undefined): T;
  readonly choices?: readonly string[];
  readonly required?: boolean;
  readonly fallback?: T;
  /** Its heading in the help; absent: among the options of its command. */
  readonly group?: OptionGroup;
  /** The option that sets the value to false. */
  readonly off?: Readonly<Record<'syntax' | 'description', string>>;
  /** What it does with one project, which makes no sense for several: a run over several refuses it. */
  readonly alone?: string;
}

/** The headings of options, in the order of the help. Those of the command alone come first. */
export const OPTION_GROUPS = {
  work: 'What to work on:',
  permission: 'Allow what is refused:',
  output: 'Output:',
  limits: 'Connection and limits:',
  help: 'Help:',
} as const;
type OptionGroup = keyof typeof OPTION_GROUPS;

function inGroup<P extends Parameters>(group: OptionGroup, parameters: P): P {
  return Object.fromEntries(Object.entries(parameters).map(([name, one]) => [name, { ...one, group }])) as unknown as P;
}

export type Parameters = Readonly<Record<string, Parameter<unknown>>>;

type ParametersOf<Options> = { readonly [Name in keyof Options]-?: Parameter<Options[Name]> };

/** The value of each parameter on a command line; absent if it is not given. */
export type ParameterValues<P extends Parameters> = {
  readonly [Name in keyof P as undefined extends ParameterValue<P[Name]> ? never : Name]: ParameterValue<P[Name]>;
} & {
  readonly [Name in keyof P as undefined extends ParameterValue<P[Name]> ? Name : never]?: Exclude<
    ParameterValue<P[Name]>,
    undefined
  >;
};

type ParameterValue<P> = P extends Parameter<infer T> ? T : never;

export function required(syntax: string, description: string): Parameter<string> {
  return { syntax, description, required: true };
}

export function text(syntax: string, description: string): Parameter<string | undefined> {
  return { syntax, description };
}

/** `[file...]`, an argument. */
export function texts(syntax: string, description: string): Parameter<readonly string[]> {
  return { syntax, description };
}

/** `--target <key...>`, an option. An empty string names nothing, and most often comes from an empty variable. */
export function list(syntax: string, description: string): Parameter<readonly string[] | undefined> {
  const parse = (text: string, previous: readonly string[] = []): readonly string[] => {
    if (text.trim() === '') throw new InvalidArgumentError('It is empty. Is a variable not set?');
    return [...previous, text];
  };
  return { syntax, description, parse };
}

export function targets(description: string): Parameter<readonly string[] | undefined> {
  return { ...list('--target <key...>', description), group: 'work' };
}

/** `--out <file>`. A dash is no file: stdout has the report. */
export function outFile(text: string): string {
  if (text !== '' && text !== '-') return text;
  throw new InvalidArgumentError('It must name a file. stdout is for --format.');
}

/** `off`: the option that says no. */
export function onOff(
  syntax: string,
  description: string,
  off?: Parameter<boolean>['off'],
): Parameter<boolean | undefined> {
  return { syntax, description, ...defined({ off }) };
}

/** `--no-aliases` of what is usual. */
export function onUnless(syntax: string, description: string): Parameter<boolean> {
  return { syntax, description };
}

export function choice<const Choice extends string>(
  syntax: string,
  description: string,
  choices: readonly Choice[],
): Parameter<Choice | undefined> {
  return { syntax, description, choices };
}

export function whole(
  syntax: string,
  description: string,
  { from = 0, to }: { readonly from?: number; readonly to?: number } = {},
): Parameter<number | undefined> {
  return { syntax, description, parse: wholeNumber(from, to) };
}

export function requiredWhole(syntax: string, description: string): Parameter<number> {
  return { syntax, description, parse: wholeNumber(0), required: true };
}

export function withDefault<T>(parameter: Parameter<T | undefined>, fallback: T): Parameter<T> {
  return { ...(parameter as Parameter<T>), fallback };
}

/** Milliseconds. */
export function time(syntax: string, description: string): Parameter<number | undefined> {
  const parse = (given: string): number => {
    const ms = parseDuration(given);
    if (ms === undefined) throw new InvalidArgumentError('It must be a duration such as 90s, 5m or 1h30m.');
    return ms;
  };
  return { syntax, description, parse };
}

export function isArgument({ syntax }: Parameter<unknown>): boolean {
  return /^[<[]/.test(syntax);
}

export function wholeNumber(minimum: number, maximum: number = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (number >= minimum && number <= maximum) return number;
    const range = maximum === Number.MAX_SAFE_INTEGER ? `from ${minimum} up` : `from ${minimum} to ${maximum}`;
    throw new InvalidArgumentError(`It must be a whole number ${range}.`);
  };
}

export interface AtOption {
  /** Milliseconds since 1970. */
  readonly at?: number;
}

export const AT: ParametersOf<AtOption> = {
  at: {
    syntax: '--at <time>',
    description: 'show rollouts as planned for another time: 2026-12-01T09:00+01:00',
    parse: (text) => {
      const time = parseInstant(text);
      if (time === undefined) throw new InvalidArgumentError(`It must be a time with an offset. ${INSTANT_REMEDY}`);
      return time;
    },
  },
};

export interface RateLimitOption {
  readonly requests: number;
  readonly windowMs: number;
}

const WINDOWS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000 };

export const RATE_LIMIT: Parameter<RateLimitOption | undefined> = {
  syntax: '--rate-limit <n/unit>',
  description: 'respond with 429 above this rate: 480/m, 10/s, 4800/h',
  parse: (text) => {
    const [, requests = '', unit = ''] = /^(\d+)\/([smh])$/.exec(text) ?? [];
    const windowMs = memberOf(WINDOWS, unit);
    if (windowMs === undefined || Number(requests) < 1) {
      throw new InvalidArgumentError('It must be a number of requests per second, minute or hour, such as 480/m.');
    }
    return { requests: Number(requests), windowMs };
  },
};

export interface ReportFile {
  readonly format: Format;
  /** The name on the command line. */
  readonly file: string;
}

const REPORT: Parameter<readonly ReportFile[] | undefined> = {
  syntax: '--report <format=file>',
  description: 'also write the report to a file in a format; may be repeated',
  parse: (text, earlier = []) => {
    const at = text.indexOf('=');
    const name = at === -1 ? text : text.slice(0, at);
    const file = at === -1 ? '' : text.slice(at + 1);
    const format = FORMATS.find((one) => one === name);
    if (format === undefined) {
      throw new InvalidArgumentError(`It must begin with a format, as in markdown=FILE: ${FORMATS.join(', ')}.`);
    }
    if (file === '' || file === '-') {
      throw new InvalidArgumentError(`It must name a file, as in ${format}=FILE. stdout is for --format.`);
    }
    if (earlier.some((other) => isSameFile(other.file, file))) {
      throw new InvalidArgumentError(`Another --report writes ${file}.`);
    }
    return [...earlier, { format, file }];
  },
};

/** Compares the names only. */
export function isSameFile(one: string, other: string): boolean {
  return path.normalize(one) === path.normalize(other);
}

/** Options of the program; some commands have no use for some of them. */
export interface GlobalOptions {
  /** A name, or several with commas between them where the command works on several. */
  readonly project?: string;
  readonly allProjects?: boolean;
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
  /** The command has `--all-projects`. No option of its own. */
  readonly mayTakeAll?: true;
}

export interface PlanningOptions extends PermissionOptions {
  readonly target?: readonly string[];
  readonly prune?: boolean;
  /** Flags for which the manifests win over what people changed in the service. */
  readonly override?: readonly string[];
  readonly onlyPending?: boolean;
  /** Make only the steps of rollouts that are due, of the commit that was applied last. */
  readonly due?: boolean;
  /** The file of verdicts that guarded rollouts look at. */
  readonly verdicts?: string;
  /** Absent: authors are looked up if a base tells edits from what git changed. */
  readonly who?: boolean;
  readonly approvedBy?: readonly string[];
  /** `auto`, `none`, or a commit; absent: as the folder allows. */
  readonly base?: string;
}

export interface PermissionOptions {
  readonly allowDeletes?: number;
  readonly allowUpdates?: number;
  readonly allowDisables?: number;
  readonly allowProtected?: readonly string[];
  readonly allowRisky?: readonly string[];
}

export function isOfSeveral({ project, allProjects }: Pick<GlobalOptions, 'project' | 'allProjects'>): boolean {
  return allProjects === true || project?.includes(',') === true;
}

/** `without`: the projects of a run without the option. */
export function projectText(without: string): string {
  return `project in flagwright.yaml (default: ${without})`;
}

/** The projects of runs without `--project` that compare or check all. */
export const ALL_REMOTE = 'all, embedded ones only if there are no others';

const DEFAULT_CONCURRENCY = 8;
const MOST_CONCURRENCY = 100;
/** The counts, and the rules that refuse the plan, fit this. */
const LEAST_MARKDOWN = 10_000;
const MOST_MARKDOWN = 100_000_000;

export const GLOBAL: ParametersOf<Omit<GlobalOptions, 'mayTakeAll'>> = {
  ...inGroup('work', {
    project: text('-p, --project <name>', projectText('FLAGWRIGHT_PROJECT, then default_project')),
    allProjects: onOff(
      '--all-projects',
      'work on all projects, on embedded ones only if there are no others (on some: -p a,b)',
    ),
    config: text('-c, --config <file>', 'configuration file (default: flagwright.yaml in this or a parent folder)'),
  }),
  ...inGroup('output', {
    format: withDefault(choice('-f, --format <format>', 'output format', FORMATS), 'text'),
    output: text('-o, --output <file>', 'write the document to a file instead of stdout'),
    report: REPORT,
    markdownLimit: whole(
      '--markdown-limit <bytes>',
      'maximum size of a Markdown document (default: 64000; in GitLab CI 990000)',
      { from: LEAST_MARKDOWN, to: MOST_MARKDOWN },
    ),
    quiet: withDefault(onOff('-q, --quiet', 'no progress and no notes on stderr'), false),
    verbose: withDefault(onOff('-v, --verbose', 'log each request, show JSON pointers, truncate nothing'), false),
    color: onUnless('--no-color', 'no colors (as with NO_COLOR; FORCE_COLOR forces them)'),
  }),
  ...inGroup('limits', {
    concurrency: withDefault(
      whole('--concurrency <n>', 'maximum number of requests in flight', { from: 1, to: MOST_CONCURRENCY }),
      DEFAULT_CONCURRENCY,
    ),
    deadline: time('--deadline <duration>', 'start nothing new after this time: 90s, 5m, 1h30m'),
  }),
};

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
    'what to compare with: auto (what was applied last; the default in a git repository), a commit, or none',
  ),
};

export const APPROVED_BY: ParametersOf<Pick<PlanningOptions, 'approvedBy'>> = {
  approvedBy: list('--approved-by <name...>', 'who approved the change, for policies that require an approval'),
};

export const PERMISSION: ParametersOf<PermissionOptions> = inGroup('permission', {
  allowDeletes: whole('--allow-deletes <n>', 'allow up to n deletes in this run'),
  allowUpdates: whole('--allow-updates <n>', 'allow up to n updates in this run'),
  allowDisables: whole('--allow-disables <n>', 'allow disabling up to n active flags in this run'),
  allowProtected: list('--allow-protected <key...>', 'allow deleting, disabling or renaming these protected flags'),
  allowRisky: list(
    '--allow-risky <key...>',
    'allow changes to these flags that break experiments or dependent flags, or revoke the last role',
  ),
});

export const VERDICTS: ParametersOf<Pick<PlanningOptions, 'verdicts'>> = inGroup('work', {
  verdicts: text('--verdicts <file>', 'file of verdicts for rollout guards: JSON or YAML, with pass or hold by name'),
});

export const PLANNING: ParametersOf<PlanningOptions> = {
  ...WHO,
  ...BASE,
  ...inGroup('work', {
    target: targets('only these flags (keys or globs) and the flags they depend on'),
    prune: onOff('--prune', 'soft-delete live flags in scope that no manifest names'),
    due: onOff('--due', 'make only the due steps of rollouts, from the commit applied last; needs no confirmation'),
    onlyPending: onOff('--only-pending', 'apply only changes made in git; leave what people changed in the service'),
  }),
  ...VERDICTS,
  ...inGroup('permission', {
    override: list(
      '--override <key...>',
      'for these flags (keys or globs), the manifests win over conflicting live edits',
    ),
    ...APPROVED_BY,
  }),
  ...PERMISSION,
};
