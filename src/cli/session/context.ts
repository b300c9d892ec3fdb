/** Everything a run takes from its surroundings, as one value: nothing else in `cli/` reads the process, clock or chance. */

export interface Context {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Number of the user, where the system has such. */
  readonly userId?: number;
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly randomUuid: () => string;
  /** Calls the listener at each SIGINT, SIGTERM and SIGHUP; gives a function that ends this. */
  readonly onStopSignal: (listener: () => void) => () => void;
}

/** As the process tells it: the working directory is absent where it was deleted. */
export type Surroundings = Omit<Context, 'cwd'> & Partial<Pick<Context, 'cwd'>>;

export interface Input {
  readonly isTerminal: boolean;
  /** The next line without its line break; `undefined` at the end of the input or when `signal` aborts. */
  readLine(signal: AbortSignal): Promise<string | undefined>;
}

export interface Output {
  readonly isTerminal: boolean;
  /** Width of the terminal in characters. */
  readonly columns: number;
  /** Resolves once the system took the text; a reader that went away is no error. */
  write(text: string): Promise<void>;
  /** Whether the reader went away, so that writing more is of no use. */
  readonly isGone?: () => boolean;
}
