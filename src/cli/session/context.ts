/** All input from the environment of a run, as one value: nothing else in `cli/` reads the process, the clock or randomness. */

export interface Context {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Numeric id of the user; absent on systems without one. */
  readonly userId?: number;
  /** The user and the host; absent if the system does not name them. */
  readonly user?: { readonly name: string; readonly host: string };
  readonly system: System;
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** `now` is another time than the present: the run looks ahead or back, or rehearses. */
  readonly isMoved?: true;
  readonly randomUuid: () => string;
  /** Calls the listener at each SIGINT, SIGTERM and SIGHUP; returns a function that stops listening. */
  readonly onStopSignal: (listener: () => void) => () => void;
}

/** The context as the process provides it: `cwd` is absent if the working directory was deleted. */
export type ContextOptions = Omit<Context, 'cwd'> & Partial<Pick<Context, 'cwd'>>;

/** The system that the program runs on. */
interface System {
  /** The version of Node.js. */
  readonly node: string;
  /** `linux x64`. */
  readonly platform: string;
}

export interface Input {
  readonly isTerminal: boolean;
  /** Returns the next line without its line break; `undefined` at the end of the input or when `signal` aborts. */
  readLine(signal: AbortSignal): Promise<string | undefined>;
}

export interface Output {
  readonly isTerminal: boolean;
  /** Width of the terminal in characters. */
  readonly columns: number;
  /** Resolves once the system has accepted the text. A closed pipe is no error. */
  write(text: string): Promise<void>;
  /** Whether the pipe was closed, so that further writes have no effect. */
  readonly isGone?: () => boolean;
}
