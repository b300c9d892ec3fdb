/** What the command line hands to each command: its arguments, and its options as `program.ts` declares them. */

import type { Command } from 'commander';
import type { PermissionOptions, PlanningOptions } from './options.ts';
import type { PersonsOption } from './persons-option.ts';
import type { RateLimitOption } from './rate-limit.ts';

export interface KnownCommands {
  readonly commands: Commands;
  readonly groups: readonly CommandGroup[];
}

export type ValidateOptions = Pick<PlanningOptions, 'base' | 'approvedBy'>;

/** `target`: keys or globs of the flags whose expectations are judged. */
export type TestOptions = Pick<PlanningOptions, 'target'>;

/** A function for each command; the command line calls the one that was named. */
export interface Commands {
  readonly init: (options: InitOptions) => void;
  readonly validate: (files: readonly string[], options: ValidateOptions) => void;
  readonly test: (files: readonly string[], options: TestOptions) => void;
  readonly plan: (options: PlanOptions) => void;
  readonly show: (file: string) => void;
  readonly snapshot: (options: SnapshotOptions) => void;
  readonly apply: (file: string | undefined, options: ApplyOptions) => void;
  readonly undo: (run: string | undefined, options: UndoOptions) => void;
  readonly history: (run: string | undefined, options: HistoryOptions) => void;
  readonly drift: (options: DriftOptions) => void;
  readonly export: (options: ExportOptions) => void;
  readonly explain: (name: string, options: ExplainOptions) => void;
  readonly accept: (keys: readonly string[], options: AcceptOptions) => void;
  readonly promote: (keys: readonly string[], options: PromoteOptions) => void;
  readonly parity: (options: ParityOptions) => void;
  readonly serve: (options: ServeOptions) => void;
  readonly completion: (target: CompletionTarget, words: readonly string[]) => void;
}

/** A command with commands of its own: `flagwright persons …`. */
export interface CommandGroup {
  readonly name: string;
  readonly summary: string;
  readonly description: string;
  /** Declares the commands of the group; absent while they are not loaded. */
  readonly declare?: (parent: Command) => void;
}

/** A shell, or the words that its script asks about. */
export type CompletionTarget = 'bash' | 'zsh' | 'fish' | 'candidates';

export interface InitOptions {
  /** Host of the service with the project to put into the configuration. */
  readonly host?: string;
  readonly projectId?: string;
  /** The system to write a pipeline for; absent: the ones that the folder shows. */
  readonly ci?: 'github' | 'gitlab' | 'none';
}

export interface PlanOptions extends PlanningOptions {
  readonly out?: string;
  /** A snapshot. */
  readonly against?: string;
  /** Milliseconds. */
  readonly maxAge?: number;
  readonly detailedExitcode?: boolean;
  /** How many people get something else. */
  readonly impact?: boolean;
  /** People to count. */
  readonly persons?: PersonsOption;
  /** How many people the service counts in each changed condition. */
  readonly blastRadius?: boolean;
}

export interface SnapshotOptions {
  readonly out: string;
}

export interface ApplyOptions extends PlanningOptions {
  readonly yes?: boolean;
  /** The name of a run, or true for the newest one. */
  readonly resume?: string | true;
  /** Record the commit also where it does not contain the one that was applied last. */
  readonly moveBase?: boolean;
  readonly journal?: JournalOption;
}

export interface UndoOptions extends PermissionOptions {
  readonly out?: string;
  readonly yes?: boolean;
  /** Undo the rest if some changes cannot be undone. */
  readonly partial?: boolean;
  readonly target?: readonly string[];
  readonly journal?: JournalOption;
}

/** A folder or a file; false: `--no-journal`. */
type JournalOption = string | false;

export interface HistoryOptions {
  readonly journal?: string;
  readonly limit: number;
}

export interface DriftOptions extends Pick<PlanningOptions, 'target' | 'base' | 'who'> {
  /** Unmanaged flags in scope count as drift. */
  readonly unmanaged?: boolean;
  /** Changes of the manifests that are not applied count too. */
  readonly pending?: boolean;
  /** `KEY` or `KEY:PATH`. */
  readonly ignore?: readonly string[];
  /** A file of known drift. */
  readonly baseline?: string;
  readonly writeBaseline?: string;
}

export interface ExportOptions {
  readonly dir: string;
  readonly groupBy: 'prefix' | 'flag' | 'single';
  readonly roleAccess?: boolean;
  readonly minimal?: boolean;
  readonly target?: readonly string[];
  /** Only flags that no manifest declares for the project. */
  readonly unmanaged?: boolean;
  /** Into the manifests that exist. */
  readonly merge?: boolean;
  /** Names for ids are added to the configuration. */
  readonly aliases: boolean;
  /** The dynamic cohorts that the flags use are declared. */
  readonly cohorts: boolean;
  readonly dryRun?: boolean;
  readonly force?: boolean;
}

export interface AcceptOptions {
  readonly target?: readonly string[];
  /** Names of fields, as in `explain`. */
  readonly only?: readonly string[];
  /** Absent: the layer that gives the value. */
  readonly layer?: 'base' | 'project';
  /** Undo what git changed since the last apply, too. */
  readonly pending?: boolean;
  /** Declare flags that no manifest names. */
  readonly unmanaged?: boolean;
  /** Print the changes, and write nothing. */
  readonly patch?: boolean;
  readonly base?: string;
  readonly who?: boolean;
  readonly yes?: boolean;
}

export interface PromoteOptions {
  /** Names of projects. */
  readonly from: string;
  readonly to: string;
  readonly only?: readonly string[];
  /** Take the live values of the project `from`. */
  readonly live?: boolean;
  readonly patch?: boolean;
  readonly yes?: boolean;
}

export interface ParityOptions {
  /** Names of projects; both or neither. */
  readonly from?: string;
  readonly to?: string;
  /** Compare the services. */
  readonly live?: boolean;
  /** Show declared differences too. */
  readonly declared?: boolean;
  readonly target?: readonly string[];
}

export interface ExplainOptions {
  /** Only what the manifests and git say. */
  readonly offline?: boolean;
}

export interface ServeOptions {
  readonly host: string;
  readonly port: number;
  /** Ids; default: 1. */
  readonly projectId?: readonly string[];
  readonly data?: string;
  readonly seed?: string;
  readonly profile?: 'documented' | 'posthog';
  /** Milliseconds. */
  readonly latency?: number;
  readonly rateLimit?: RateLimitOption;
  readonly faults?: string;
  readonly manifests?: boolean;
}
